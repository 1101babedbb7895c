"""The uniform distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.plugins.parameters import parameter
from primum.rewards.quadrature import Array
from primum.rewards.reward_distribution import RewardDistribution, check_interval


@dataclass(frozen=True)
class Uniform(RewardDistribution):
    """Every reward between `low` and `high` is equally likely.

    density = 1 / (high - low).

    >>> Uniform(0, 1).mean
    0.5
    """

    title = "Uniform"

    low: float = parameter(0.0, "smallest reward")
    high: float = parameter(1.0, "largest reward")

    @property
    def display_name(self) -> str:
        return f"uniform on [{self.low:.4g}, {self.high:.4g}]"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_interval(self.name, self.low, self.high)

    @property
    def support(self) -> tuple[float, float]:
        return self.low, self.high

    def quantile(self, u: Any) -> Array:
        return self.low + (self.high - self.low) * np.asarray(u, np.float64)

    def cdf(self, x: Any) -> Array:
        return np.clip((np.asarray(x, np.float64) - self.low) / (self.high - self.low), 0.0, 1.0)

    def density(self, x: Any) -> Array:
        x = np.asarray(x, np.float64)
        return np.where((x >= self.low) & (x <= self.high), 1 / (self.high - self.low), 0.0)

    @property
    def variance(self) -> float:
        return (self.high - self.low) ** 2 / 12

    def lower_integral(self, level: float) -> float:
        return level * (self.low + level * (self.high - self.low) / 2)
