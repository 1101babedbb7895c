"""Distributions with a smooth density on a bounded interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from primum.errors import ParameterError
from primum.rewards.inverse_table import InverseTable
from primum.rewards.quadrature import Array
from primum.rewards.reward_distribution import RewardDistribution


@dataclass(frozen=True)
class ContinuousDistribution(RewardDistribution):
    """A distribution for which the author writes `cdf(x)`, `density(x)` and a bounded `support`; see `InverseTable`.

    >>> class Ramp(ContinuousDistribution):
    ...     support = (0.0, 1.0)
    ...     def cdf(self, x):
    ...         return x**2
    ...     def density(self, x):
    ...         return 2 * x
    >>> round(Ramp().quantile(0.81).item(), 9)
    0.9
    """

    abstract: ClassVar[bool] = True

    def cdf(self, x: Any) -> Array:
        raise ParameterError(f"{type(self).__name__} has no `cdf(x)`: a continuous distribution needs one")

    def density(self, x: Any) -> Array:
        raise ParameterError(f"{type(self).__name__} has no `density(x)`: a continuous distribution needs one")

    @cached_property
    def _inverse(self) -> InverseTable:
        return InverseTable(self)

    def quantile(self, u: Any) -> Array:
        return self._inverse(u)
