"""A spectral risk measure: a weighted mean in which worse outcomes weigh more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.elementary import exp, expm1
from primum.plugins.parameters import parameter
from primum.values.safety_value import TailValue


@dataclass(frozen=True)
class Spectral(TailValue):
    """The mean with weights that decrease exponentially from the worst outcome to the best.

    v = integral of phi(u) Q(u) over u from 0 to 1, with the quantile function Q and
    phi(u) = k exp(-k u) / (1 - exp(-k)), k = `aversion`; estimated by the same functional of the sample.

    Reference: Acerbi, Spectral measures of risk: a coherent representation of subjective risk aversion, Journal of
    Banking and Finance 26(7), 2002; the spectrum is that of Dowd, Cotter, Exponential spectral risk measures, 2007
    (arXiv:1103.5409).

    >>> import numpy as np
    >>> round(Spectral(aversion=5).of(np.array([0.0, 1.0])), 6)
    0.075858
    """

    title = "Spectral risk measure"
    group = "Emphasis on bad outcomes"
    equivariant = True
    monotone = True

    aversion: float = parameter(5.0, "how strongly the worst outcomes are weighted", low=0.0, open_low=True)

    why_biased = "no unbiased estimator exists"

    @property
    def display_name(self) -> str:
        return f"spectral risk (aversion {self.aversion:.4g})"

    @property
    def gamma(self) -> float | None:
        return -self.aversion / expm1(-self.aversion)  # phi(0), what the worst of many observations weighs

    @property
    def lipschitz(self) -> float | None:
        return self.gamma

    @staticmethod
    def tail_size(n: int, aversion: float) -> int:
        return n

    @staticmethod
    def from_tail(tail: Any, n: int, aversion: float) -> Any:
        total, weights, weight, ratio = 0.0, 0.0, 1.0, exp(-aversion / n)
        for x in tail:
            total += weight * x
            weights += weight
            weight *= ratio
        return total / weights  # by their sum, so that rounding of the ratio does no harm

    @staticmethod
    def weighted(sample: Any, weights: Any, aversion: float) -> Any:
        total, left = 0.0, 1.0  # exp(-aversion times the weight of the worse ones)
        for i in range(sample.size):
            total += left * expm1(-aversion * weights[i]) * sample[i]
            left *= exp(-aversion * weights[i])
        return total / expm1(-aversion)

    def true_value(self, distribution: Any) -> float:
        k = self.aversion

        def part(x: Any, below: Any, level: Any) -> Any:
            step = np.maximum(k * (level - below), 1e-300)  # phi is the same all over a level without width
            return x * k * np.exp(-k * below) * (np.expm1(-step) / step) / expm1(-k)

        return float(distribution.level_expectation(part))
