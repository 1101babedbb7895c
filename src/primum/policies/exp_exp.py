"""ExpExp."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, empirical_mean_variance, opening
from primum.kernels.contract import kernel
from primum.parameters import parameter
from primum.policies.policy import Policy


@kernel
def exploration(history: Any) -> int:
    """Pulls of each arm before the choice is made."""
    least = math.ceil((history.horizon / 14.0) ** (2.0 / 3.0))
    return max(1, min(int(least), history.horizon // history.arms))


@kernel
def best_mean_variance(history: Any, rho: float) -> int:
    for k in range(history.arms):
        history.scores[k] = empirical_mean_variance(history, k, rho)
    return best_score(history)


@dataclass(frozen=True)
class ExpExp(Policy):
    """Explore, then exploit: mean less rho times variance.

    All arms in turn, ceil((T/14)^(2/3)) times each (at most T/K), then the arm with the largest mean - rho variance
    (biased) for ever. Sani, Lazaric, Munos, "Risk-aversion in multi-armed bandits", NIPS 2012, section 4, with
    rho = 1/R as in `MvLcb`. The choice is made once, when the outcomes of the exploration are known.

    >>> ExpExp().needs_horizon
    True
    """

    rho: float = parameter(1.0, "weight of the variance", low=0.0)

    needs_horizon = True
    memory_width = 1  # memory[0, 0] is 0, or 1 + the arm chosen for ever

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "mean-variance", "rho": self.rho}

    @staticmethod
    def choose(history: Any, rho: float) -> int:
        arm = opening(history, exploration(history))
        if arm >= 0:
            return arm
        if history.memory[0, 0] > 0.0:
            return int(history.memory[0, 0]) - 1
        return best_mean_variance(history, rho)

    @staticmethod
    def learn(history: Any, arm: int, reward: float, rho: float) -> None:
        if history.memory[0, 0] == 0.0:
            least = exploration(history)
            for k in range(history.arms):
                if history.pulls[k] < least:
                    return
            history.memory[0, 0] = 1.0 + best_mean_variance(history, rho)
