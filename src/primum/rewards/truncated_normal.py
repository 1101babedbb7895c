"""The normal distribution, truncated to an interval."""

# mypy: disable-error-code="import-untyped"
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.kernels.elementary import exp_of_array, log
from primum.plugins.parameters import parameter
from primum.rewards.continuous_distribution import ContinuousDistribution
from primum.rewards.quadrature import Array, lobatto
from primum.rewards.reward_distribution import check_interval


@dataclass(frozen=True)
class TruncatedNormal(ContinuousDistribution):
    """A normal distribution truncated to the interval from `low` to `high`.

    density(x) = phi((x - location) / deviation) / (deviation Z) on [low, high], with Z its integral there.

    All is computed relative to the mode, the point of [low, high] nearest to the location: with t = |x - mode| /
    deviation and r = |mode - location| / deviation, the density is proportional to exp(-t (t / 2 + r)). So nothing
    underflows, however far away the location is.

    >>> round(TruncatedNormal(location=0.2, deviation=0.2).mean, 6)
    0.25749
    >>> round(TruncatedNormal(location=5, deviation=0.1).mean, 6)
    0.997503
    """

    title = "Truncated normal"

    location: float = parameter(text="mean of the normal before truncation")
    deviation: float = parameter(text="standard deviation of the normal before truncation", low=0.0, open_low=True)
    low: float = parameter(0.0, "smallest reward")
    high: float = parameter(1.0, "largest reward")

    @property
    def display_name(self) -> str:
        return f"normal({self.location:.4g}, sd {self.deviation:.4g}) truncated to [{self.low:.4g}, {self.high:.4g}]"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_interval(self.name, self.low, self.high)
        spread = self.deviation / max(1.0, self._offset)
        if spread < 1e-12 * max(abs(self.low), abs(self.high)) or not math.isfinite(self.log_mass):
            raise ParameterError(
                f"{self.name}: location={self.location:g} and deviation={self.deviation:g} leave no probability in "
                f"[{self.low:g}, {self.high:g}] that numbers can resolve; use constant(value={self._mode:g})"
            )

    @property
    def support(self) -> tuple[float, float]:
        return self.low, self.high

    def density(self, x: Any) -> Array:
        x = np.asarray(x, np.float64)
        return np.where((x >= self.low) & (x <= self.high), self._shape(x - self._mode) / self._total, 0.0)

    def cdf(self, x: Any) -> Array:
        return self._area(np.clip(np.asarray(x, np.float64), self.low, self.high)) / self._total

    # Mean and variance are integrals over where the density is not 0. Their closed forms are differences of near
    # equals: on [0, 1] the variance is off by 5e-8 at deviation = 1000, and by 3e-4 at location = 1e6, deviation = 0.1.

    @property
    def mean(self) -> float:
        distances, weights = self._panels
        return self._mode + float(distances @ weights)

    @property
    def variance(self) -> float:
        distances, weights = self._panels
        return float((distances - distances @ weights) ** 2 @ weights)

    @cached_property
    def log_mass(self) -> float:
        """The logarithm of Z, the probability of [low, high] before truncation."""
        return log(self._total / (self.deviation * math.sqrt(2 * math.pi))) - self._offset * self._offset / 2

    @property
    def _mode(self) -> float:
        return min(max(self.location, self.low), self.high)

    @property
    def _offset(self) -> float:
        return abs(self._mode - self.location) / self.deviation

    @cached_property
    def _total(self) -> float:
        return float(self._area(np.array(self.high)))

    @cached_property
    def _panels(self) -> tuple[Array, Array]:
        """Distances from the mode, and weights that make a sum over them an expectation."""
        # the density has fallen to exp(-40) of its peak where t (t / 2 + r) = 40
        reach = self.deviation * 80 / (self._offset + math.sqrt(self._offset**2 + 80))
        edges = np.linspace(max(self.low - self._mode, -reach), min(self.high - self._mode, reach), 17)
        nodes, weights = lobatto()
        distances = (edges[:-1, None] + np.multiply.outer(np.diff(edges), nodes)).ravel()
        weights = np.tile(weights, 16) * self._shape(distances)
        return distances, weights / weights.sum()

    def _shape(self, distance: Any) -> Array:
        t = np.abs(distance) / self.deviation
        return np.asarray(exp_of_array(-t * (t / 2 + self._offset)))

    def _area(self, x: Array) -> Array:
        """The integral of the shape from low to x."""
        if (self.high - self.low) / self.deviation * (1 + self._offset) < 1:  # nearly flat: what follows would cancel
            nodes, weights = lobatto()
            points = self.low - self._mode + np.multiply.outer(x - self.low, nodes)
            return np.asarray((x - self.low) * (self._shape(points) * weights).sum(axis=-1))
        from scipy.special import erfcx

        def beyond(distance: Any) -> Array:
            """The integral over all that is farther from the mode, on the same side."""
            scaled = erfcx(math.sqrt(0.5) * (np.abs(distance) / self.deviation + self._offset))
            return np.asarray(self.deviation * math.sqrt(math.pi / 2) * self._shape(distance) * scaled)

        low, mode, here = beyond(self.low - self._mode), beyond(0.0), beyond(x - self._mode)
        return np.where(x < self._mode, here - low, (mode - low) + (mode - here))
