"""The mean minus a multiple of the variance."""

from __future__ import annotations

from dataclasses import dataclass

from primum.plugins.parameters import parameter
from primum.values.safety_value import MomentValue, factor


@dataclass(frozen=True)
class MeanVariance(MomentValue):
    """The mean minus `rho` times the variance, which penalises variability.

    v = E X - rho Var X, estimated with the unbiased variance; a single observation has variance 0. The paper states
    gamma = 1 + rho/2; moving one of n observations from 0 to 1 while the others are 1 changes the estimate by
    (1 + rho)/n, so gamma = 1 + rho.

    Reference: Aboutalebi, Precup, Schuster, "Learning modular safe policies in the bandit setting with application to
    adaptive clinical trials", 2019 (arXiv:1903.01026), Example 1.

    >>> import numpy as np
    >>> MeanVariance(rho=1).of(np.array([0.0, 1.0]))
    0.0
    """

    title = "Mean-variance"
    group = "Mean against variability"

    rho: float = parameter(1.0, "weight of the variance", low=0.0)

    unbiased = True
    averages_over_subsamples = True

    @property
    def display_name(self) -> str:
        return f"mean - {factor(self.rho)}var"

    @property
    def gamma(self) -> float | None:
        return 1.0 + self.rho

    @property
    def lipschitz(self) -> float | None:
        # the best over c of E X - rho E (X - c)^2, and x - rho (x - c)^2 varies most over [0, 1] for c = 1: by this
        return 1.0 + self.rho

    @staticmethod
    def from_moments(n: int, mean: float, variance: float, rho: float) -> float:
        return mean - rho * variance
