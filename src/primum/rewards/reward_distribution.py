"""The base class of reward distributions: a quantile function, from which everything else is derived."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import declared
from primum.plugins.registry import Plugin
from primum.rewards.quadrature import Array, integrate


@dataclass(frozen=True)
class RewardDistribution(Plugin):
    """The distribution of an arm's rewards; a frozen dataclass whose fields are its parameters.

    An author writes `quantile(u)`, non-decreasing and vectorised over an array of numbers strictly between 0 and 1, and
    `support`, the pair (low, high). Everything else has a default, good to 1e-8 or better where the quantile function
    is smooth or has jumps. `DiscreteDistribution` and `ContinuousDistribution` require other methods instead.

    >>> class Triangle(RewardDistribution):
    ...     support = (0.0, 1.0)
    ...     def quantile(self, u):
    ...         return np.sqrt(u)
    >>> round(Triangle().mean, 9), round(Triangle().variance, 9)
    (0.666666667, 0.055555556)
    """

    family: ClassVar[str] = "rewards"

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest reward."""
        raise ParameterError(f"{type(self).__name__} has no `support`: a reward distribution needs (low, high)")

    def quantile(self, u: Any) -> Array:
        """The smallest x with P(X <= x) >= u, for u in (0, 1)."""
        raise ParameterError(f"{type(self).__name__} has no `quantile(u)`: a reward distribution needs one")

    @property
    def mean(self) -> float:
        """E X."""
        return self.lower_integral(1.0)

    @property
    def variance(self) -> float:
        """E (X - E X)^2."""
        mean = self.mean
        return self.expectation(lambda x: (x - mean) ** 2)

    @property
    def atoms(self) -> tuple[Array, Array] | None:
        """The rewards that a discrete distribution can give, in ascending order, and their probabilities."""
        return None

    @property
    def jumps(self) -> tuple[Array, Array]:
        """The rewards with positive probability, in ascending order, and these probabilities."""
        return self.atoms or (np.empty(0), np.empty(0))

    def smooth_density(self, x: Any) -> Array:
        """The density of the continuous part; it integrates to less than 1 if there are atoms."""
        density = self.density(x)
        return np.zeros(np.shape(x)) if density is None else density

    def density(self, x: Any) -> Array | None:
        """The probability density, good to about 1e-6 here; None where there is none."""
        low, high = self.support
        step = 1e-4 * float(np.subtract(*self.quantile(np.array([0.999, 0.001])))) or 1e-4
        x = np.asarray(x, np.float64)
        left, right = np.clip(x - step, low, high), np.clip(x + step, low, high)
        inside = (x >= low) & (x <= high) & (left < right)
        return np.where(inside, (self.cdf(right) - self.cdf(left)) / np.where(inside, right - left, 1.0), 0.0)

    def cdf(self, x: Any) -> Array:
        """P(X <= x)."""
        x = np.asarray(x, np.float64)
        low, high = np.zeros(x.shape), np.ones(x.shape)
        for _ in range(53):  # once more, and a number next to 1 would round to 1
            middle = (low + high) / 2
            below = self.quantile(middle) <= x
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.where(x >= self.support[1], 1.0, low)

    def lower_integral(self, level: float) -> float:
        """The integral of the quantile function from 0 to `level`: the mean of this worst fraction, times `level`."""
        return integrate(self.quantile, 0.0, level)

    def expectation(self, function: Callable[[Any], Any]) -> float:
        """E f(X), where f takes a number or an array."""
        return integrate(lambda u: apply(function, self.quantile(u)), 0.0, 1.0)

    def level_expectation(self, function: Callable[[Any, Any, Any], Any]) -> float:
        """E f(X, P(X < x), P(X <= x)): the last two are the levels between which the quantile function is at x."""
        if self.atoms is None:
            return integrate(lambda u: function(self.quantile(u), u, u), 0.0, 1.0)
        values, probabilities = self.atoms
        levels = np.cumsum(probabilities)
        return float(function(values, levels - probabilities, levels) @ probabilities)

    def __getstate__(self) -> dict[str, Any]:
        # caches are not pickled: they can be large, and are computed again
        return {name: getattr(self, name) for name in declared(self)}


def apply(function: Callable[[Any], Any], x: Array) -> Array:
    """f at each x: in one call if f takes arrays, else one by one."""
    try:
        values = np.asarray(function(x), np.float64)
        if values.shape == x.shape:
            return values
    except (TypeError, ValueError):  # `if x > 0`, `max(x, 0)` or `math.exp(x)` of an array
        pass
    return np.array([function(item) for item in x.tolist()], np.float64)


def check_interval(name: str, low: float, high: float) -> None:
    """Raise a ParameterError unless low < high, and high - low is finite."""
    if not 0 < high - low < np.inf:
        allowed = "high - low must be a finite number" if low < high else "low must be less than high"
        raise ParameterError(f"{name}: {allowed}, got low={low:g} and high={high:g}", ("low",))
