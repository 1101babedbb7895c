"""U-UCB."""

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
class UUcb(Policy):
    """Upper confidence bounds on any safety value that is Lipschitz in the distribution function.

    Each arm once, then the largest estimate + L sqrt(alpha log t / (2 n)), where t is the step being decided, n counts
    the arm's rewards, and the value moves by at most L times the largest difference of two distribution functions. The
    proof asks for alpha > 2. The value's own L is for rewards in [0, 1]; where they lie elsewhere, give `lipschitz`.

    Reference: Cassel, Mannor, Zeevi, "A general approach to multi-armed bandits under risk criteria", COLT 2018,
    U-UCB, for q = 1 and L = 2b.

    >>> UUcb(lipschitz=2).label
    'u-ucb(lipschitz=2)'
    """

    title = "U-UCB"

    name = "u-ucb"
    needs_constant = "lipschitz"

    alpha: float = parameter(2.01, "weight of log t", low=0.0)
    lipschitz: float = parameter(0.0, "L, the value's Lipschitz constant; 0: the value's own constant", low=0.0)

    @property
    def reward_bounds(self) -> tuple[float, float]:
        return (-math.inf, math.inf) if self.lipschitz else (0.0, 1.0)  # for which the value's own is meant

    decides_by = "upper confidence bound"

    @staticmethod
    def choose(history: Any, alpha: float, lipschitz: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        constant = lipschitz if lipschitz > 0.0 else history.lipschitz[0]
        width = constant * math.sqrt(0.5 * alpha * log(history.step))
        for k in range(history.arms):
            history.scores[k] = value_of(history, k) + width / math.sqrt(history.pulls[k])
        return best_score(history)
