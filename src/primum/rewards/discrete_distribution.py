"""Distributions on finitely many rewards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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

    def quantile(self, u: Any) -> Array:
        values, probabilities = self.atoms
        # the last sum is left out: it is 1, but may be rounded to less
        return np.asarray(values[np.searchsorted(np.cumsum(probabilities[:-1]), u)])

    def cdf(self, x: Any) -> Array:
        values, probabilities = self.atoms
        return np.asarray(np.append(0.0, np.cumsum(probabilities))[np.searchsorted(values, x, side="right")])

    def density(self, x: Any) -> None:
        return None

    def lower_integral(self, level: float) -> float:
        values, probabilities = self.atoms
        below = np.cumsum(probabilities) - probabilities
        return float(values @ np.clip(level - below, 0.0, probabilities))

    def expectation(self, function: Callable[[Any], Any]) -> float:
        values, probabilities = self.atoms
        return float(apply(function, values) @ probabilities)
