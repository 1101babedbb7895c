"""Rewards rescaled to an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.rewards.quadrature import Array
from primum.rewards.reward_distribution import check_interval
from primum.rewards.transformed import Transformed


@dataclass(frozen=True)
class Scaled(Transformed):
    """Another distribution, rescaled linearly so that its support is from `low` to `high`.

    X = low + (high - low) (Y - l) / (h - l), [l, h] being the support of Y.

    >>> Scaled("beta(a=2, b=2)", low=-1, high=3).mean
    1.0
    """

    title = "Scaled"

    low: float = parameter(text="smallest reward")
    high: float = parameter(text="largest reward")

    @property
    def display_name(self) -> str:
        return f"{self.distribution.display_name}, rescaled to [{self.low:.4g}, {self.high:.4g}]"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_interval(self.name, self.low, self.high)
        low, high = self.distribution.support
        if not math.isfinite(high - low):
            raise ParameterError(
                f"{self.name}: distribution must have rewards in a bounded interval, got {self.distribution} on "
                f"({low:g}, {high:g}); put clipped(distribution=...) around it",
                ("distribution",),
            )
        if low == high:
            raise ParameterError(
                f"{self.name}: distribution must have more than one reward, got {self.distribution}; "
                "use constant(value=...)",
                ("distribution",),
            )

    @property
    def _factor(self) -> float:
        low, high = self.distribution.support
        return (self.high - self.low) / (high - low)

    def transform(self, x: Any) -> Array:
        low, high = self.distribution.support
        # the upper end must be met exactly
        stretched = np.where(x >= high, self.high, self.low + (np.asarray(x, np.float64) - low) * self._factor)
        return np.clip(stretched, self.low, self.high)

    def _original(self, x: Any) -> Array:
        """The largest y that is moved to x or below."""
        low, high = self.distribution.support
        x = np.asarray(x, np.float64)
        y = np.where(x >= self.high, high, low + (x - self.low) / self._factor)
        points = self.distribution.jumps[0]
        if not points.size:
            return y
        # the way back is rounded: it must not step across a jump
        passed = np.searchsorted(self.transform(points), x, side="right")
        edges = np.concatenate([[-np.inf], points, [np.inf]])
        return np.clip(y, edges[passed], np.nextafter(edges[passed + 1], -np.inf))

    def cdf(self, x: Any) -> Array:
        return self.distribution.cdf(self._original(x))

    @property
    def jumps(self) -> tuple[Array, Array]:
        points, masses = self.distribution.jumps
        return self.atoms or (self.transform(points), masses)

    def smooth_density(self, x: Any) -> Array:
        inside = (np.asarray(x) >= self.low) & (np.asarray(x) <= self.high)
        return np.where(inside, self.distribution.smooth_density(self._original(x)) / self._factor, 0.0)

    @property
    def mean(self) -> float:
        return self.lower_integral(1.0)

    @property
    def variance(self) -> float:
        return self._factor**2 * self.distribution.variance

    def lower_integral(self, level: float) -> float:
        inner = self.distribution
        return level * self.low + self._factor * (inner.lower_integral(level) - level * inner.support[0])
