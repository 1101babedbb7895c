"""Thompson sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score
from primum.kernels.streams import beta, uniform
from primum.policies.policy import Policy

SUCCESSES, FAILURES = 0, 1


@dataclass(frozen=True)
class Thompson(Policy):
    """Probability matching on the mean: Beta(1, 1) priors, Bernoulli outcomes.

    Plays the largest draw from Beta(1 + successes, 1 + failures). A reward in [0, 1] counts as a success with
    probability equal to the reward. Agrawal, Goyal, COLT 2012, Algorithms 1 and 2.

    >>> Thompson().reward_bounds
    (0.0, 1.0)
    """

    memory_width = 2

    @property
    def reward_bounds(self) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "mean"}

    @staticmethod
    def choose(history: Any) -> int:
        memory = history.memory
        for k in range(history.arms):
            history.scores[k] = beta(history.stream, 1.0 + memory[k, SUCCESSES], 1.0 + memory[k, FAILURES])
        return best_score(history)

    @staticmethod
    def learn(history: Any, arm: int, reward: float) -> None:
        success = uniform(history.stream) < reward
        history.memory[arm, SUCCESSES if success else FAILURES] += 1.0
