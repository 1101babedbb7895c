"""MV-LCB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, empirical_mean_variance, opening
from primum.kernels.elementary import log
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy


@dataclass(frozen=True)
class MvLcb(Policy):
    """Confidence bounds on the mean minus rho times the variance.

    Each arm once, then the largest mean - rho variance + (1 + 5 rho) sqrt(log(1/delta) / (2 n)), delta = 1/T^2, with
    the biased variance. The authors minimise variance - R mean; here rho = 1/R as in the paper on BESA+, so the index
    is theirs times -rho and holds at rho = 0.

    Reference: Sani, Lazaric, Munos, "Risk-aversion in multi-armed bandits", NIPS 2012, Figure 1.

    >>> MvLcb(rho=2).own_value
    {'name': 'mean-variance', 'rho': 2.0}
    """

    title = "MV-LCB"

    rho: float = parameter(1.0, "weight of the variance", low=0.0)

    needs_horizon = True

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "mean-variance", "rho": self.rho}

    decides_by = "upper confidence bound"

    @staticmethod
    def choose(history: Any, rho: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        width = (1.0 + 5.0 * rho) * math.sqrt(log(history.horizon))
        for k in range(history.arms):
            history.scores[k] = empirical_mean_variance(history, k, rho) + width / math.sqrt(history.pulls[k])
        return best_score(history)
