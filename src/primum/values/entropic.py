"""The entropic value: the certainty equivalent under exponential utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.elementary import exp, expm1, log, log1p
from primum.plugins.parameters import parameter
from primum.values.safety_value import SafetyValue


@dataclass(frozen=True)
class Entropic(SafetyValue):
    """The certainty equivalent of the reward for the utility -exp(-theta x).

    v = -(1/theta) log E exp(-theta X), estimated by the same functional of the sample. Near theta = 0 it is the mean
    minus theta / 2 times the variance; for large theta it tends to the worst outcome.

    It is not a moment value, although it needs only the mean of exp(-theta x): in sums of numbers from 1 to exp(-50),
    from which sub-samples are subtracted, the small ones would lose all their digits.

    Reference: Foellmer, Schied, Convex measures of risk and trading constraints, Finance and Stochastics 6(4), 2002; as
    a value for bandits, Maillard, Robust risk-averse stochastic multi-armed bandits, ALT 2013.

    >>> import numpy as np
    >>> round(Entropic(theta=1).of(np.array([0.0, 1.0])), 6)
    0.379885
    """

    title = "Entropic risk"
    group = "Emphasis on bad outcomes"
    monotone = True

    theta: float = parameter(1.0, "risk aversion", low=0.0, open_low=True, high=700.0)  # exp(710) is too large

    why_biased = "no unbiased estimator exists"

    @property
    def display_name(self) -> str:
        return f"entropic risk (theta {self.theta:.4g})"

    @property
    def gamma(self) -> float | None:
        return expm1(self.theta) / self.theta  # where all others are 1 and n is large

    @property
    def lipschitz(self) -> float | None:
        return self.gamma

    # Exponents are taken from the lowest reward on, so none is positive. Where all are small, so is what the mean of
    # the exponentials differs from 1 by, and expm1 and log1p keep its digits; else exp keeps those of the mean.

    @staticmethod
    def estimate(sample: Any, theta: float) -> Any:
        lowest, total = sample.min(), 0.0
        if theta * (sample.max() - lowest) < 1.0:
            for x in sample:
                total += expm1(-theta * (x - lowest))
            return lowest - log1p(total / sample.size) / theta
        for x in sample:
            total += exp(-theta * (x - lowest))
        return lowest - log(total / sample.size) / theta

    @staticmethod
    def weighted(sample: Any, weights: Any, theta: float) -> Any:
        lowest, total = sample[0], 0.0
        if theta * (sample[-1] - lowest) < 1.0:
            for i in range(sample.size):
                total += weights[i] * expm1(-theta * (sample[i] - lowest))
            return lowest - log1p(total) / theta
        for i in range(sample.size):
            total += weights[i] * exp(-theta * (sample[i] - lowest))
        return lowest - log(total) / theta

    def true_value(self, distribution: Any) -> float:
        """Exact for a discrete distribution. Events rarer than 1e-13 of others are not resolved: under a large theta
        they can count, as in 1e-4 of a normal distribution with deviation 0.1 under theta = 50."""
        theta, (lowest, highest) = self.theta, distribution.support
        if theta * (highest - lowest) < 1.0:
            less = distribution.expectation(lambda x: np.expm1(-theta * (x - lowest)))
            return float(lowest - log1p(less) / theta)
        # E exp(-theta X) is at least u exp(-theta Q(u)); from the best such bound on, its exponents have no extremes
        u = 0.5 ** np.arange(1, 53)
        bound = (distribution.quantile(u) - np.log(u) / theta).min()
        return float(bound - log(distribution.expectation(lambda x: np.exp(-theta * (x - bound)))) / theta)
