"""The normal distribution."""

# mypy: disable-error-code="import-untyped"
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.kernels.elementary import exp_of_array
from primum.plugins.parameters import parameter
from primum.rewards.quadrature import Array, integrate
from primum.rewards.reward_distribution import RewardDistribution, apply
from primum.rewards.truncated_normal import TruncatedNormal

_REACH = 20.0  # standard deviations from the mean; beyond are 1e-88 of the rewards


@dataclass(frozen=True)
class Normal(RewardDistribution):
    """The normal distribution, with the mean `mean` and the standard deviation `sd`; rewards are unbounded.

    density(x) = exp(-z^2 / 2) / (sd sqrt(2 pi)), z = (x - mean) / sd.

    >>> arm = Normal(0.5, sd=2)
    >>> arm.mean, arm.variance, round(arm.quantile(0.975).item(), 6)
    (0.5, 4.0, 4.419928)
    """

    title = "Normal"

    mean: float = parameter(0.0, "mean")
    sd: float = parameter(1.0, "standard deviation", low=0.0, open_low=True)

    @property
    def display_name(self) -> str:
        return f"normal({self.mean:.4g}, sd {self.sd:.4g})"

    @property
    def support(self) -> tuple[float, float]:
        return -math.inf, math.inf

    def quantile(self, u: Any) -> Array:
        return self.mean + self.sd * _standard().quantile(u)

    def cdf(self, x: Any) -> Array:
        from scipy.special import ndtr

        return np.asarray(ndtr(self._standardised(x)), np.float64)

    def density(self, x: Any) -> Array:
        return _standard_density(self._standardised(x)) / self.sd

    @property
    def variance(self) -> float:
        return self.sd * self.sd

    def lower_integral(self, level: float) -> float:
        if level == 1:
            return self.mean
        return level * self.mean - self.sd * float(_standard_density(_standard().quantile(level)))

    def expectation(self, function: Callable[[Any], Any]) -> float:
        return self._integral(lambda x: apply(function, x))

    def level_expectation(self, function: Callable[[Any, Any, Any], Any]) -> float:
        return self._integral(lambda x: function(x, level := self.cdf(x), level))

    def _integral(self, function: Callable[[Array], Array]) -> float:
        def weighted(z: Array) -> Array:
            return function(self.mean + self.sd * z) * _standard_density(z)

        total = integrate(weighted, -_REACH, _REACH)
        ends, inside = weighted(np.array([-_REACH, _REACH])), weighted(np.array([-0.5, 0.0, 0.5]))
        if not np.abs(ends).max() <= 1e-8 * max(abs(total), *np.abs(inside)):
            raise ParameterError(
                f"{self.display_name}: an expectation depends on rewards more than {_REACH:g} standard deviations from "
                "the mean; put clipped(distribution=...) around it"
            )
        return total

    def _standardised(self, x: Any) -> Array:
        return (np.asarray(x, np.float64) - self.mean) / self.sd


def _standard_density(z: Array) -> Array:
    return np.asarray(exp_of_array(-z * z / 2) / math.sqrt(2 * math.pi), np.float64)


@cache
def _standard() -> TruncatedNormal:
    """The standard normal distribution without the 1e-16 of it that no random number reaches."""
    return TruncatedNormal(0.0, 1.0, -8.2095, 8.2095)
