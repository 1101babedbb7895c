"""The mean minus a multiple of the semivariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.plugins.parameters import parameter
from primum.values.safety_value import SafetyValue, factor


@dataclass(frozen=True)
class Semivariance(SafetyValue):
    """The mean minus `rho` times the mean squared shortfall below the mean: only downside variation is penalised.

    v = m - rho E ((m - X)+)^2 with m = E X, estimated by the same functional of the sample. It is not convex in the
    distribution, so the pooled outcomes of several arms can have a larger value than every arm; regret is measured
    against the best single arm all the same.

    Reference: Markowitz, Portfolio Selection, 1959, chapter 9.

    >>> import numpy as np
    >>> Semivariance(rho=2).of(np.array([0.0, 1.0]))
    0.25
    """

    title = "Mean-semivariance"
    group = "Mean against variability"

    rho: float = parameter(1.0, "weight of the shortfall below the mean", low=0.0)

    why_biased = "no unbiased estimator exists"

    @property
    def display_name(self) -> str:
        return f"mean - {factor(self.rho)}semivariance"

    @property
    def gamma(self) -> float | None:
        return self.lipschitz  # one of n observations moves the distribution function by 1/n

    @property
    def lipschitz(self) -> float | None:
        # The value moves by what the influence of an observation varies over [0, 1]; its slope in x is
        # 1 + 2 rho ((m - x)+ - E (m - X)+), and the integral of the absolute slope is largest where X is always 1.
        return 1.0 + self.rho

    @property
    def unbiased(self) -> bool:  # type: ignore[override]
        return self.rho == 0

    @property
    def averages_over_subsamples(self) -> bool:  # type: ignore[override]
        return self.rho == 0

    @staticmethod
    def estimate(sample: Any, rho: float) -> Any:
        mean, below = sample.sum() / sample.size, 0.0
        for x in sample:
            if x < mean:
                below += (mean - x) ** 2
        return mean - rho * below / sample.size

    @staticmethod
    def weighted(sample: Any, weights: Any, rho: float) -> Any:
        mean, below = 0.0, 0.0
        for i in range(sample.size):
            mean += weights[i] * sample[i]
        for i in range(sample.size):
            if sample[i] < mean:
                below += weights[i] * (mean - sample[i]) ** 2
        return mean - rho * below

    def true_value(self, distribution: Any) -> float:
        mean = distribution.mean
        return float(mean - self.rho * distribution.expectation(lambda x: np.maximum(mean - x, 0.0) ** 2))
