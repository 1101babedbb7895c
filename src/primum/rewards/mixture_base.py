"""The base class of mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from primum.rewards.quadrature import Array
from primum.rewards.reward_distribution import RewardDistribution


@dataclass(frozen=True)
class MixtureBase(RewardDistribution):
    """A mixture; the author gives `_parts`, pairs of a weight and a distribution."""

    abstract: ClassVar[bool] = True
    _parts: ClassVar[Sequence[tuple[float, RewardDistribution]]]

    def cdf(self, x: Any) -> Array:
        return np.asarray(sum(share * part.cdf(x) for share, part in self._parts))

    def smooth_density(self, x: Any) -> Array:
        return np.asarray(sum(share * part.smooth_density(x) for share, part in self._parts))

    @property
    def mean(self) -> float:
        return sum(share * part.mean for share, part in self._parts)

    @property
    def variance(self) -> float:
        mean = self.mean
        return sum(share * (part.variance + (part.mean - mean) ** 2) for share, part in self._parts)
