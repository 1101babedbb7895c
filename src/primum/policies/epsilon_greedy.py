"""Epsilon-greedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, opening
from primum.kernels.records import value_of
from primum.kernels.streams import below, uniform
from primum.parameters import parameter
from primum.policies.policy import Policy


@dataclass(frozen=True)
class EpsilonGreedy(Policy):
    """The arm with the best estimate so far, but any arm at random with probability epsilon.

    Works under any safety value. Each arm once first. Sutton, Barto, "Reinforcement learning", section 2.2.

    >>> EpsilonGreedy(epsilon=0.05).label
    'epsilon-greedy(epsilon=0.05)'
    """

    epsilon: float = parameter(0.1, "probability of a random arm", low=0.0, high=1.0)

    @staticmethod
    def choose(history: Any, epsilon: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        if uniform(history.stream) < epsilon:
            return below(history.stream, history.arms)
        for k in range(history.arms):
            history.scores[k] = value_of(history, k)
        return best_score(history)
