"""Rewards clipped to an interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from primum.plugins.parameters import parameter
from primum.rewards.discrete_distribution import merge
from primum.rewards.quadrature import Array, integrate
from primum.rewards.reward_distribution import check_interval
from primum.rewards.transformed import Transformed

FAR = 1e6  # times the largest reward: rewards of the other distribution beyond this lose digits


@dataclass(frozen=True)
class Clipped(Transformed):
    """Another distribution with rewards clipped to the interval from `low` to `high`.

    X = min(max(Y, low), high): the ends have positive probability.

    >>> arm = Clipped("uniform(low=-1, high=1)")
    >>> arm.mean, arm.cdf(0).item()
    (0.25, 0.5)
    """

    title = "Clipped"

    low: float = parameter(0.0, "smallest reward")
    high: float = parameter(1.0, "largest reward")

    @property
    def display_name(self) -> str:
        return f"{self.distribution.display_name}, clipped to [{self.low:.4g}, {self.high:.4g}]"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_interval(self.name, self.low, self.high)

    def transform(self, x: Any) -> Array:
        return np.asarray(np.clip(x, self.low, self.high), np.float64)

    def cdf(self, x: Any) -> Array:
        x = np.asarray(x, np.float64)
        return np.where(x < self.low, 0.0, np.where(x >= self.high, 1.0, self.distribution.cdf(x)))

    @cached_property
    def _edges(self) -> tuple[float, float]:
        """The shares of what is moved up to low, or is there, and of all that is not moved down to high."""
        below, upto = self.distribution.cdf(np.array([self.low, self.high])).tolist()
        return below, upto

    @cached_property
    def jumps(self) -> tuple[Array, Array]:
        if self.atoms is not None:
            return self.atoms
        points, masses = self.distribution.jumps
        within = (points > self.low) & (points <= self.high)
        below, upto = self._edges
        ends = [mass if mass > 1e-15 else 0.0 for mass in (below, 1 - upto)]  # a smaller mass is a rounding error
        return merge([*points[within], self.low, self.high], [*masses[within], *ends])

    def smooth_density(self, x: Any) -> Array:
        x = np.asarray(x, np.float64)
        return np.where((x >= self.low) & (x <= self.high), self.distribution.smooth_density(x), 0.0)

    def lower_integral(self, level: float) -> float:
        below, upto = (min(edge, level) for edge in self._edges)
        moved = self.low * below + self.high * (level - upto)
        inner = self.distribution
        if np.abs(inner.support).max() > FAR * max(abs(self.low), abs(self.high)):
            # far out there may be no partial expectation, and the difference of two large ones is rounded too much
            return moved + integrate(self.quantile, below, upto)
        below, upto = (inner.lower_integral(edge) if edge else 0.0 for edge in (below, upto))
        return moved + upto - below
