"""Mixtures of normal distributions, truncated to an interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.kernels.elementary import exp_of_array
from primum.plugins.parameters import parameter
from primum.rewards.continuous_distribution import ContinuousDistribution
from primum.rewards.mixture_base import MixtureBase
from primum.rewards.quadrature import Array
from primum.rewards.truncated_normal import TruncatedNormal


@dataclass(frozen=True)
class TruncatedNormalMixture(MixtureBase, ContinuousDistribution):
    """A mixture of normal distributions, truncated to the interval from `low` to `high`.

    density(x) = sum of c_k f_k(x), f_k being the truncated normal densities. If the mixture is truncated as a whole,
    c_k is proportional to w_k Z_k, Z_k being the probability of the interval under component k; if each component is
    truncated, c_k is w_k. The paper on BESA+ uses such arms and does not say which it means.

    Reference: Aboutalebi, Precup, Schuster, "Learning modular safe policies in the bandit setting with application to
    adaptive clinical trials", 2019 (arXiv:1903.01026), "Conditional value at risk safety value function".

    >>> arm = TruncatedNormalMixture(locations=[0.2, 0.8], deviations=[0.05, 0.05], weights=[0.25, 0.75])
    >>> round(arm.cdf(0.5).item(), 6)
    0.25
    """

    title = "Truncated normal mixture"

    locations: tuple[float, ...] = parameter(text="means of the components before truncation", many=True)
    deviations: tuple[float, ...] = parameter(
        text="standard deviations of the components before truncation", low=0.0, open_low=True, many=True
    )
    weights: tuple[float, ...] = parameter(
        (), "weights of the components, equal if not given", low=0.0, high=1.0, open_low=True, many=True
    )
    low: float = parameter(0.0, "smallest reward")
    high: float = parameter(1.0, "largest reward")
    truncate: str = parameter("mixture", "what is truncated", choices=("mixture", "component"))

    @property
    def display_name(self) -> str:
        count = len(self.locations)
        return f"truncated normal mixture ({count} {'component' if count == 1 else 'components'})"

    def __post_init__(self) -> None:
        super().__post_init__()
        count = len(self.locations)
        if not count:
            raise ParameterError(f"{self.name}: locations must have at least one number, got none", ("locations",))
        for what, many in (("deviations", self.deviations), ("weights", self.weights or self.locations)):
            if len(many) != count:
                raise ParameterError(
                    f"{self.name}: {what} must be as many as locations ({count}), got {len(many)}", (what,)
                )
        if self.weights and abs(sum(self.weights) - 1) > 1e-9:
            raise ParameterError(f"{self.name}: weights must add up to 1, got {sum(self.weights):.12g}", ("weights",))
        _ = self._parts  # each component checks itself

    @property
    def support(self) -> tuple[float, float]:
        return self.low, self.high

    @cached_property
    def _parts(self) -> list[tuple[float, TruncatedNormal]]:  # type: ignore[override]
        """The truncated components and their weights."""
        pairs = zip(self.locations, self.deviations, strict=True)
        parts = [TruncatedNormal(location, deviation, self.low, self.high) for location, deviation in pairs]
        shares = np.array(self.weights or [1.0] * len(parts))
        if self.truncate == "mixture":
            masses = np.array([part.log_mass for part in parts])
            shares *= exp_of_array(masses - masses.max())
        return list(zip((shares / shares.sum()).tolist(), parts, strict=True))

    def density(self, x: Any) -> Array:
        return self.smooth_density(x)
