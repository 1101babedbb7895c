"""The empirical distribution of observations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.rewards.discrete_distribution import DiscreteDistribution
from primum.rewards.quadrature import Array


@dataclass(frozen=True, repr=False)
class Empirical(DiscreteDistribution):
    """One of the observations, drawn uniformly at random with replacement.

    P(X <= x) = the fraction of data <= x; the variance is the mean squared deviation from the mean, divided by n and
    not by n - 1. Data are stored in ascending order; the order in which they are given makes no difference.

    >>> Empirical([0.5, 0, 1, 0.5]).variance
    0.125
    """

    title = "Empirical"

    data: tuple[float, ...] = parameter(text="the observations", many=True)

    @property
    def display_name(self) -> str:
        return f"empirical ({len(self.data)} {'observation' if len(self.data) == 1 else 'observations'})"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.data:
            raise ParameterError(f"{self.name}: data must have at least one number, got none", ("data",))
        object.__setattr__(self, "data", tuple(sorted(self.data)))

    def __repr__(self) -> str:
        return self.label  # short, however many they are

    @cached_property
    def _ordered(self) -> Array:
        return np.array(self.data)

    @cached_property
    def atoms(self) -> tuple[Array, Array]:
        values, counts = np.unique(self._ordered, return_counts=True)
        return values, counts / len(self.data)

    def quantile(self, u: Any) -> Array:
        # the factor keeps u = k / n, which may be rounded up, at the k-th observation
        place = np.ceil(np.asarray(u, np.float64) * (len(self.data) * (1 - 2.0**-51))).astype(np.intp)
        return self._ordered.take(np.maximum(place, 1) - 1)

    def cdf(self, x: Any) -> Array:
        return np.asarray(np.searchsorted(self._ordered, x, side="right") / len(self.data))
