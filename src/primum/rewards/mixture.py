"""Mixtures of distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.rewards.discrete_distribution import merge
from primum.rewards.mixed_inverse import MixedInverse
from primum.rewards.mixture_base import MixtureBase
from primum.rewards.quadrature import Array
from primum.rewards.reward_distribution import RewardDistribution


@dataclass(frozen=True)
class Mixture(MixtureBase):
    """A reward from one of several distributions, chosen with given probabilities.

    P(X <= x) = sum of weights[k] P(Y_k <= x).

    >>> arm = Mixture(["constant(value=0)", "uniform(low=0.5, high=1)"], weights=[0.2, 0.8])
    >>> arm.quantile([0.1, 0.2, 0.6]).tolist()
    [0.0, 0.0, 0.75]
    """

    title = "Mixture"

    components: tuple[RewardDistribution, ...] = parameter(text="the distributions", family="rewards", many=True)
    weights: tuple[float, ...] = parameter(
        (), "their probabilities, equal if not given", low=0.0, high=1.0, open_low=True, many=True
    )

    @property
    def display_name(self) -> str:
        count = len(self.components)
        return f"mixture ({count} {'component' if count == 1 else 'components'})"

    def __post_init__(self) -> None:
        super().__post_init__()
        count, total = len(self.components), math.fsum(self.weights)
        if not count:
            raise ParameterError(
                f"{self.name}: components must have at least one distribution, got none", ("components",)
            )
        if self.weights and len(self.weights) != count:
            raise ParameterError(
                f"{self.name}: weights must be as many as components ({count}), got {len(self.weights)}", ("weights",)
            )
        if self.weights and abs(total - 1) > 1e-9:
            raise ParameterError(f"{self.name}: weights must add up to 1, got {total:.12g}", ("weights",))

    @cached_property
    def _parts(self) -> list[tuple[float, RewardDistribution]]:  # type: ignore[override]
        weights = np.array(self.weights or [1.0] * len(self.components))
        return list(zip((weights / math.fsum(weights)).tolist(), self.components, strict=True))

    @property
    def support(self) -> tuple[float, float]:
        lows, highs = zip(*(part.support for part in self.components), strict=True)
        return min(lows), max(highs)

    @cached_property
    def atoms(self) -> tuple[Array, Array] | None:
        return self.jumps if all(part.atoms is not None for part in self.components) else None

    @cached_property
    def jumps(self) -> tuple[Array, Array]:
        points = [part.jumps[0] for part in self.components]
        return merge(np.concatenate(points), np.concatenate([share * part.jumps[1] for share, part in self._parts]))

    @cached_property
    def _inverse(self) -> MixedInverse:
        low = min(float(part.quantile(2.0**-53)) for part in self.components)
        high = max(float(part.quantile(1 - 2.0**-53)) for part in self.components)
        return MixedInverse(self, (low, high))

    def quantile(self, u: Any) -> Array:
        return self._inverse(u)

    def density(self, x: Any) -> Array | None:
        return None if self.jumps[0].size else self.smooth_density(x)

    def expectation(self, function: Callable[[Any], Any]) -> float:
        return sum(share * part.expectation(function) for share, part in self._parts)

    def lower_integral(self, level: float) -> float:
        if level == 1:
            return self.mean
        # E [X; X <= z] + z (level - P(X <= z)) at the quantile z of the level; an error in z has no first-order effect
        edge = float(self.quantile(level))
        total = 0.0
        for share, part in self._parts:
            below = float(part.cdf(edge))
            total += share * ((part.lower_integral(below) if below else 0.0) + edge * (level - below))
        return total
