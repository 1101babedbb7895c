"""The probability of a reward at or above a threshold."""

from __future__ import annotations

from dataclasses import dataclass

from primum.plugins.parameters import parameter
from primum.values.safety_value import MomentValue


@dataclass(frozen=True)
class Threshold(MomentValue):
    """The probability that the reward is at least `level`.

    v = P(X >= level).

    Reference: Roy, Safety first and the holding of assets, Econometrica 20(3), 1952.

    >>> import numpy as np
    >>> Threshold(level=0.5).of(np.array([0.2, 0.5, 0.7, 0.9]))
    0.75
    """

    title = "Threshold probability"
    group = "Probability of a good outcome"
    monotone = True

    level: float = parameter(0.5, "smallest reward that is good enough")

    in_reward_units = False
    unbiased = True
    averages_over_subsamples = True

    @property
    def display_name(self) -> str:
        return f"P(reward >= {self.level:.4g})"

    @property
    def gamma(self) -> float | None:
        return 1.0 if 0 < self.level <= 1 else 0.0

    @property
    def lipschitz(self) -> float | None:
        return self.gamma

    @staticmethod
    def feature(reward: float, level: float) -> float:
        return 1.0 if reward >= level else 0.0

    @staticmethod
    def from_moments(n: int, mean: float, variance: float, level: float) -> float:
        return mean
