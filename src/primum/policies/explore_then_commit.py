"""Explore, then commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_estimate
from primum.kernels.committing import commit, exploration, must_commit, settled
from primum.kernels.contract import kernel
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy


@kernel
def least_pulls(history: Any, per_arm: float) -> int:
    return int(per_arm) if per_arm > 0.0 else exploration(history)


@dataclass(frozen=True)
class ExploreThenCommit(Policy):
    """Explores every arm equally, then commits to the best one.

    Each arm `per_arm` times, then the arm with the largest estimate. The choice is made once, when the outcomes of the
    exploration are known. Without `per_arm` it is ceil((T/14)^(2/3)), at most T/K, as in `ExpExp`, which is this policy
    for mean-variance; only then the horizon T must be known.

    Reference: Lattimore, Szepesvari, "Bandit algorithms", 2020, chapter 6; the length of the exploration is that of
    Sani, Lazaric, Munos, "Risk-aversion in multi-armed bandits", NIPS 2012, section 4.

    >>> ExploreThenCommit().needs_horizon, ExploreThenCommit(per_arm=20).needs_horizon
    (True, False)
    """

    title = "Explore then commit"

    per_arm: int = parameter(
        0, "pulls of each arm before committing; 0: chosen from the horizon", low=0, high=2**31 - 1, integer=True
    )

    memory_width = 1  # see kernels/committing.py

    @property
    def needs_horizon(self) -> bool:  # type: ignore[override]
        return self.per_arm == 0

    decides_by = "estimated value"

    @staticmethod
    def choose(history: Any, per_arm: float) -> int:
        arm = settled(history, least_pulls(history, per_arm))
        return arm if arm >= 0 else best_estimate(history)

    @staticmethod
    def learn(history: Any, arm: int, reward: float, per_arm: float) -> None:
        if must_commit(history, least_pulls(history, per_arm)):
            commit(history, best_estimate(history))
