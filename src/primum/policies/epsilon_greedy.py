"""Epsilon-greedy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from primum.errors import ParameterError
from primum.kernels.choosing import best_estimate, opening, random_arm
from primum.kernels.elementary import power
from primum.kernels.streams import uniform
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts, forced, prefer_larger, values_of_counts
from primum.policies.native_chances import LARGER, NativeChances, Step
from primum.policies.policy import Policy


@dataclass(frozen=True)
class EpsilonGreedy(Policy):
    """Chooses the arm with the best estimate, and with a small probability any arm at random.

    Each arm once; then at step t, with K arms, any arm with probability min(1, epsilon (K/t)^decay). Without decay the
    probability is epsilon throughout. Decay 1 is epsilon_n-greedy with epsilon = c/d^2, where d is at most the smallest
    gap and c > 5 suits the proof (for the mean of rewards in [0, 1]).

    Reference: Sutton, Barto, "Reinforcement learning", 2018, section 2.2; with decay 1, Auer, Cesa-Bianchi, Fischer,
    "Finite-time analysis of the multiarmed bandit problem", Machine Learning 47, 2002, Figure 3.

    >>> EpsilonGreedy(epsilon=20, decay=1).label
    'epsilon-greedy(epsilon=20, decay=1)'
    """

    title = "Epsilon-greedy"

    epsilon: float = parameter(0.1, "probability of a random arm; may exceed 1 with decay", low=0.0)
    decay: float = parameter(0.0, "how fast the probability decreases: 0 not at all, 1 like K/t", low=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.decay == 0.0 and self.epsilon > 1.0:
            raise ParameterError(
                f"{self.name}: epsilon must be in [0, 1] where it does not decay, got {self.epsilon:g}",
                ("epsilon",),
            )

    decides_by = "estimated value"

    @staticmethod
    def choose(history: Any, epsilon: float, decay: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        probability = epsilon * power(history.arms / history.step, decay)
        if uniform(history.stream) < probability:
            return random_arm(history, probability)
        return best_estimate(history)

    def chances(self, counts: Counts) -> Array:
        opening = forced(counts, 1.0)
        if opening is not None:
            return opening
        probability = min(1.0, self.epsilon * power(2 / counts.step, self.decay))
        return probability / 2 + (1.0 - probability) * prefer_larger(*counts.estimates)

    def native_chances(self, at: Step) -> NativeChances:
        probability = min(1.0, self.epsilon * power(2 / at.step, self.decay))
        return NativeChances(LARGER, floor=1.0, share=probability, scores=partial(values_of_counts, at.value))
