"""A constant reward."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from primum.plugins.parameters import parameter
from primum.rewards.discrete_distribution import DiscreteDistribution
from primum.rewards.quadrature import Array


@dataclass(frozen=True)
class Constant(DiscreteDistribution):
    """The same reward every time.

    P(X = value) = 1.

    >>> Constant(0.4).mean
    0.4
    """

    title = "Constant"

    value: float = parameter(text="the reward")

    @property
    def display_name(self) -> str:
        return f"constant {self.value:.4g}"

    @property
    def atoms(self) -> tuple[Array, Array]:
        return np.array([self.value]), np.array([1.0])
