"""The inverse of a distribution function that may jump."""

from __future__ import annotations

from typing import Any

import numpy as np

from primum.rewards.inverse_table import InverseTable
from primum.rewards.quadrature import Array
from primum.rewards.reward_distribution import RewardDistribution


class MixedInverse:
    """The smallest x for which cdf(x) >= u: exact at jumps, a table in between.

    >>> from primum.rewards import Clipped
    >>> MixedInverse(Clipped("uniform(low=-1, high=1)"), (0.0, 1.0))(np.array([0.4, 0.75])).tolist()
    [0.0, 0.5]
    """

    def __init__(self, distribution: RewardDistribution, ends: tuple[float, float]) -> None:
        self._distribution, self.support = distribution, ends
        self._points, masses = distribution.jumps
        self._passed = np.append(0.0, np.cumsum(masses))  # by how much jumps have raised the distribution function
        self._tops = distribution.cdf(self._points)
        self._feet = self._tops - masses
        self._rest = 1 - float(self._passed[-1])
        self._edges = np.concatenate([[ends[0]], self._points, [ends[1]]])
        self._table = InverseTable(self, ends) if self._rest > 1e-12 else None

    def cdf(self, x: Any) -> Array:
        """The distribution function of the continuous part."""
        passed = self._passed[np.searchsorted(self._points, x, side="right")]
        return np.asarray(np.clip((self._distribution.cdf(x) - passed) / self._rest, 0.0, 1.0))

    def density(self, x: Any) -> Array:
        """Its density."""
        return self._distribution.smooth_density(x) / self._rest

    def __call__(self, u: Any) -> Array:
        u = np.asarray(u, np.float64)
        if self._table is not None and not self._points.size:
            return self._table(u)
        place = np.searchsorted(self._tops, u)
        jump = np.minimum(place, self._points.size - 1)
        if self._table is None:
            return np.asarray(self._points[jump])
        x = self._table(np.clip((u - self._passed[place]) / self._rest, 0.0, 1 - 2.0**-53))
        x = np.clip(x, self._edges[place], np.maximum(self._edges[place + 1], self._edges[place]))
        return np.where((place == jump) & (u > self._feet[jump]), self._points[jump], x)
