"""Distributions on finitely many rewards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from primum.errors import ParameterError
from primum.rewards.quadrature import Array
from primum.rewards.reward_distribution import RewardDistribution, apply


@dataclass(frozen=True)
class DiscreteDistribution(RewardDistribution):
    """A distribution for which the author writes `atoms` alone: rewards in ascending order and their probabilities.

    >>> class Die(DiscreteDistribution):
    ...     atoms = np.arange(1.0, 7.0), np.full(6, 1 / 6)
    >>> Die().mean, Die().quantile(0.7).item()
    (3.5, 5.0)
    """

    abstract: ClassVar[bool] = True

    @property
    def atoms(self) -> tuple[Array, Array]:
        raise ParameterError(f"{type(self).__name__} has no `atoms`: a discrete distribution needs them")

    @property
    def support(self) -> tuple[float, float]:
        values, _ = self.atoms
        return float(values[0]), float(values[-1])

    @cached_property
    def _sums(self) -> Array:
        """P(X <= x) at each atom; the last is 1, even if the sum is rounded to something else."""
        return np.append(np.minimum(np.cumsum(self.atoms[1][:-1]), 1.0), 1.0)

    def quantile(self, u: Any) -> Array:
        return np.asarray(self.atoms[0][np.searchsorted(self._sums[:-1], u)])

    def cdf(self, x: Any) -> Array:
        return np.asarray(np.append(0.0, self._sums)[np.searchsorted(self.atoms[0], x, side="right")])

    def density(self, x: Any) -> None:
        return None

    def lower_integral(self, level: float) -> float:
        values, probabilities = self.atoms
        return float(values @ np.clip(level - (self._sums - probabilities), 0.0, probabilities))

    def expectation(self, function: Callable[[Any], Any]) -> float:
        values, probabilities = self.atoms
        return float(apply(function, values) @ probabilities)


def merge(values: Any, probabilities: Any) -> tuple[Array, Array]:
    """Atoms in ascending order, each reward once, those without probability left out."""
    values, probabilities = np.asarray(values, np.float64), np.asarray(probabilities, np.float64)
    distinct, place = np.unique(values[probabilities > 0], return_inverse=True)
    return distinct, np.bincount(place, probabilities[probabilities > 0], distinct.size).astype(np.float64)
