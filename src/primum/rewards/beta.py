"""The beta distribution."""

# mypy: disable-error-code="import-untyped"
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from primum.plugins.parameters import parameter
from primum.rewards.continuous_distribution import ContinuousDistribution
from primum.rewards.inverse_table import InverseTable
from primum.rewards.quadrature import Array


@dataclass(frozen=True)
class Beta(ContinuousDistribution):
    """The beta distribution on [0, 1]: a larger `a` favours high rewards, a larger `b` low ones.

    density(x) = x^(a - 1) (1 - x)^(b - 1) / B(a, b), mean = a / (a + b).

    >>> round(Beta(2, 3).mean, 12), round(Beta(2, 3).variance, 12)
    (0.4, 0.04)
    """

    title = "Beta"

    # farther out, the quantiles are beyond what numbers can tell apart
    a: float = parameter(text="first shape parameter; larger values favour high rewards", low=0.01, high=1e6)
    b: float = parameter(text="second shape parameter; larger values favour low rewards", low=0.01, high=1e6)

    @property
    def display_name(self) -> str:
        return f"Beta({self.a:.4g}, {self.b:.4g})"

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, 1.0

    def density(self, x: Any) -> Array:
        from scipy.special import betaln, xlog1py, xlogy

        x = np.asarray(x, np.float64)
        inside = (x >= 0) & (x <= 1)
        x = np.where(inside, x, 0.5)
        with np.errstate(over="ignore"):  # infinite at an end with a weight below 1
            density = np.exp(xlogy(self.a - 1, x) + xlog1py(self.b - 1, -x) - betaln(self.a, self.b))
        return np.where(inside, density, 0.0)

    def cdf(self, x: Any) -> Array:
        return self._share(x, self.a)

    @cached_property
    def _inverse(self) -> InverseTable:
        # 20 to 40 ns a number; SciPy's betaincinv takes 500 to 800, and 3000 at a = b = 1e6
        return InverseTable(self, (self._quantile(2.0**-53), self._quantile(1 - 2.0**-53)))

    @property
    def mean(self) -> float:
        return self.a / (self.a + self.b)

    @property
    def variance(self) -> float:
        total = self.a + self.b
        return self.a / total * (self.b / total) / (total + 1)

    def lower_integral(self, level: float) -> float:
        edge = self._quantile(level)
        below = float(self._share(edge, self.a + 1))  # of the rewards' sum
        return self.mean * below + edge * (level - float(self.cdf(edge)))

    def _quantile(self, u: float) -> float:
        from scipy.special import betaincinv

        return float(betaincinv(self.a, self.b, u))

    def _share(self, x: Any, a: float) -> Array:
        from scipy.special import betainc

        return np.asarray(betainc(a, self.b, np.clip(x, 0.0, 1.0)), np.float64)
