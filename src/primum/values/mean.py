"""The mean, the objective of the classical bandit problem."""

from __future__ import annotations

from dataclasses import dataclass

from primum.values.safety_value import MomentValue


@dataclass(frozen=True)
class Mean(MomentValue):
    """The expected reward.

    v = E X.

    >>> import numpy as np
    >>> Mean().of(np.array([0.0, 0.5, 1.0]))
    0.5
    """

    title = "Mean"
    group = "Average outcome"
    equivariant = True
    monotone = True

    unbiased = True
    averages_over_subsamples = True

    @property
    def display_name(self) -> str:
        return "mean"

    @property
    def gamma(self) -> float | None:
        return 1.0

    @property
    def lipschitz(self) -> float | None:
        return 1.0

    @staticmethod
    def from_moments(n: int, mean: float, variance: float) -> float:
        return mean
