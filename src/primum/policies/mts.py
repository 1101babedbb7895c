"""MTS."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.errors import ParameterError
from primum.kernels.choosing import best_score, opening
from primum.kernels.streams import exponential, gamma, uniform
from primum.kernels.weighting import value_of_distribution
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy


@dataclass(frozen=True)
class Mts(Policy):
    """Multinomial Thompson sampling: the value of a distribution drawn from the posterior on a grid.

    Rewards lie on a known grid of `levels` points, equally spaced from `low` to `top`. Each arm once, then the largest

        v(the grid with weights p),   p ~ Dirichlet(1 + how often the arm gave each point).

    A reward between two points is rounded to one of them at random, such that its mean is preserved; this increases
    the variance, so values other than the mean need a grid that contains the rewards, or a fine one. With CVaR this
    is M-CVTS.

    Reference: Chang, Tan, "A unifying theory of Thompson sampling for continuous risk-averse bandits", AAAI 2022
    (arXiv:2108.11345), rho-MTS, after Riou, Honda, ALT 2020, Algorithm 1; Baudry, Gautron, Kaufmann, Maillard,
    ICML 2021, M-CVTS.

    >>> Mts(levels=11).memory_width
    11
    """

    title = "MTS"
    step_cost = (0.4, 4.6)

    levels: int = parameter(10, "number of grid points", low=2, high=10_000, integer=True)
    low: float = parameter(0.0, "smallest possible reward")
    top: float = parameter(1.0, "largest possible reward")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.top - self.low < math.inf:
            raise ParameterError(f"{self.name}: low must be less than top, got {self.low:g} and {self.top:g}", ("low",))

    @property
    def memory_width(self) -> int:  # type: ignore[override]
        return self.levels

    @property
    def reward_bounds(self) -> tuple[float, float]:
        return self.low, self.top

    decides_by = "value of a distribution drawn from the posterior"

    @staticmethod
    def choose(history: Any, levels: float, low: float, top: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        size, stream, weights = int(levels), history.stream, history.weights
        for i in range(size):
            history.points[i] = low + (top - low) * (i / (size - 1))
        for k in range(history.arms):
            total = 0.0
            for i in range(size):
                count = history.memory[k, i]
                weights[i] = gamma(stream, 1.0 + count) if count > 0.0 else exponential(stream)
                total += weights[i]
            for i in range(size):
                weights[i] /= total
            history.scores[k] = value_of_distribution(history, k, size)
        return best_score(history)

    @staticmethod
    def learn(history: Any, arm: int, reward: float, levels: float, low: float, top: float) -> None:
        place = (levels - 1.0) * ((reward - low) / (top - low))
        below = math.floor(place)
        point = int(below) + (1 if uniform(history.stream) < place - below else 0)
        history.memory[arm, min(max(point, 0), int(levels) - 1)] += 1.0  # a place may be rounded beyond the last point
