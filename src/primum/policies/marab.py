"""MARAB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, opening
from primum.kernels.elementary import log
from primum.kernels.records import value_of
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy


@dataclass(frozen=True)
class Marab(Policy):
    """Lower confidence bounds on the conditional value at risk.

    Each arm once, then the largest CVaR_alpha - C sqrt(log(ceil(t alpha)) / ceil(alpha n)), with the mean of the
    ceil(alpha n) lowest rewards as estimate. The bonus is subtracted: well-tried arms are favoured, and with C = 1 and
    rewards in [0, 1] the policy often stays with the first good arm.

    Reference: Galichet, Sebag, Teytaud, "Exploration vs exploitation vs safety: risk-aware multi-armed bandits",
    ACML 2013 (arXiv:1401.1123), section 4.

    >>> Marab(alpha=0.2).own_value
    {'name': 'cvar', 'alpha': 0.2, 'estimator': 'ceil'}
    """

    title = "MARAB"
    step_cost = (0.2, 0.4)

    alpha: float = parameter(0.1, "fraction of worst outcomes", low=0.0, high=1.0, open_low=True)
    penalty: float = parameter(1.0, "C, the weight of the subtracted confidence width", low=0.0)

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "cvar", "alpha": self.alpha, "estimator": "ceil"}

    decides_by = "lower confidence bound"

    @staticmethod
    def choose(history: Any, alpha: float, penalty: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        width = log(max(1.0, math.ceil(history.step * alpha - 1e-9)))
        for k in range(history.arms):
            tail = max(1.0, math.ceil(alpha * history.pulls[k] - 1e-9))
            history.scores[k] = value_of(history, k) - penalty * math.sqrt(width / tail)
        return best_score(history)
