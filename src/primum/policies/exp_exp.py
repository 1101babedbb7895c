"""ExpExp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, empirical_mean_variance
from primum.kernels.committing import commit, exploration, must_commit, settled
from primum.kernels.contract import kernel
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy


@kernel
def best_mean_variance(history: Any, rho: float) -> int:
    for k in range(history.arms):
        history.scores[k] = empirical_mean_variance(history, k, rho)
    return best_score(history)


@dataclass(frozen=True)
class ExpExp(Policy):
    """Explores every arm equally, then commits: mean minus rho times variance.

    All arms in turn, ceil((T/14)^(2/3)) times each (at most T/K), then always the arm with the largest mean - rho
    variance (biased). The choice is made once, when the outcomes of the exploration are known. The authors minimise
    variance - R mean; here rho = 1/R as in `MvLcb`. `ExploreThenCommit` does the same under any value.

    Reference: Sani, Lazaric, Munos, "Risk-aversion in multi-armed bandits", NIPS 2012, section 4.

    >>> ExpExp().needs_horizon
    True
    """

    title = "ExpExp"
    step_cost = (0.1, 0.3)

    rho: float = parameter(1.0, "weight of the variance", low=0.0)

    needs_horizon = True
    memory_width = 1  # see kernels/committing.py

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "mean-variance", "rho": self.rho}

    decides_by = "estimated mean-variance"

    @staticmethod
    def choose(history: Any, rho: float) -> int:
        arm = settled(history, exploration(history))
        return arm if arm >= 0 else best_mean_variance(history, rho)

    @staticmethod
    def learn(history: Any, arm: int, reward: float, rho: float) -> None:
        if must_commit(history, exploration(history)):
            commit(history, best_mean_variance(history, rho))
