"""The Bernoulli distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.plugins.parameters import parameter
from primum.rewards.discrete_distribution import DiscreteDistribution
from primum.rewards.quadrature import Array


@dataclass(frozen=True)
class Bernoulli(DiscreteDistribution):
    """Reward 1 with probability `probability`, otherwise 0.

    P(X = 1) = probability = 1 - P(X = 0).

    >>> Bernoulli(0.5).variance
    0.25
    """

    title = "Bernoulli"

    probability: float = parameter(text="probability of reward 1", low=0.0, high=1.0)

    @property
    def display_name(self) -> str:
        return f"Bernoulli({self.probability:.4g})"

    @property
    def atoms(self) -> tuple[Array, Array]:
        return np.array([0.0, 1.0]), np.array([1 - self.probability, self.probability])

    def quantile(self, u: Any) -> Array:
        return np.asarray(np.asarray(u) > 1 - self.probability, np.float64)
