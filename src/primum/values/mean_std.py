"""The mean minus a multiple of the standard deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from primum.plugins.parameters import parameter
from primum.values.safety_value import MomentValue, factor


@dataclass(frozen=True)
class MeanStd(MomentValue):
    """The mean minus `rho` times the standard deviation, in the unit of the rewards.

    v = E X - rho sqrt(Var X), estimated with the unbiased variance; a single observation has deviation 0. No gamma
    exists: if all others are equal, the deviation grows by 1 / sqrt(n) when one of n observations crosses [0, 1].

    Reference: Aboutalebi, Precup, Schuster 2019 (arXiv:1903.01026), remark after Example 1, which considers it
    well-behaved.

    >>> import numpy as np
    >>> MeanStd(rho=0.5).of(np.array([1.0, 2.0, 3.0]))
    1.5
    """

    title = "Mean minus standard deviation"
    group = "Mean against variability"
    equivariant = True

    rho: float = parameter(1.0, "weight of the standard deviation", low=0.0)

    why_unbounded = "one of n observations can move it by (1 + rho sqrt(n)) / n, more than any gamma / n"
    why_biased = "no unbiased estimator exists"

    @property
    def display_name(self) -> str:
        return f"mean - {factor(self.rho)}sd"

    @property
    def gamma(self) -> float | None:
        return 1.0 if self.rho == 0 else None

    @property
    def lipschitz(self) -> float | None:
        return self.gamma

    @property
    def unbiased(self) -> bool:  # type: ignore[override]
        return self.rho == 0

    @property
    def averages_over_subsamples(self) -> bool:  # type: ignore[override]
        return self.rho == 0

    @staticmethod
    def from_moments(n: int, mean: float, variance: float, rho: float) -> float:
        return mean - rho * math.sqrt(variance)
