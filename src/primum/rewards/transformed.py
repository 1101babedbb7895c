"""The base class of distributions of a transformed reward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.rewards.discrete_distribution import merge
from primum.rewards.quadrature import Array
from primum.rewards.reward_distribution import RewardDistribution


@dataclass(frozen=True)
class Transformed(RewardDistribution):
    """A base for X = g(Y), Y having the given distribution; the author writes `transform`, a non-decreasing g."""

    abstract: ClassVar[bool] = True

    distribution: RewardDistribution = parameter(text="the distribution to transform", family="rewards")  # noqa: RUF009

    def transform(self, x: Any) -> Array:
        raise ParameterError(f"{type(self).__name__} has no `transform(x)`: a transformed distribution needs one")

    @property
    def support(self) -> tuple[float, float]:
        low, high = self.transform(np.array(self.distribution.support)).tolist()
        return low, high

    @property
    def atoms(self) -> tuple[Array, Array] | None:
        atoms = self.distribution.atoms
        return None if atoms is None else merge(self.transform(atoms[0]), atoms[1])

    def quantile(self, u: Any) -> Array:
        return self.transform(self.distribution.quantile(u))

    def expectation(self, function: Callable[[Any], Any]) -> float:
        return self.distribution.expectation(lambda x: function(self.transform(x)))

    def density(self, x: Any) -> Array | None:
        return None if self.jumps[0].size else self.smooth_density(x)
