"""A policy that knows the best arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score
from primum.policies.policy import Policy


@dataclass(frozen=True)
class Oracle(Policy):
    """The arm with the best true value: no regret, but unavailable in a real trial.

    Ties at random. It can be simulated, for comparison, but not played live.

    >>> Oracle().needs_truth
    True
    """

    title = "Oracle"
    group = "Baselines"

    needs_truth = True

    decides_by = "true value"

    @staticmethod
    def choose(history: Any) -> int:
        for k in range(history.arms):
            history.scores[k] = history.truth[k]
        return best_score(history)
