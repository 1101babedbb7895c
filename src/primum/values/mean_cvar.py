"""A weighted sum of the mean and the conditional value at risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.plugins.parameters import parameter
from primum.values.safety_value import TailValue


@dataclass(frozen=True)
class MeanCVaR(TailValue):
    """`weight` times the mean plus 1 - `weight` times the conditional value at risk at `alpha`.

    v = weight E X + (1 - weight) CVaR_alpha(X), estimated by the same functional of the sample.

    Reference: Kagrecha, Nair, Jagannathan, Distribution oblivious, risk-aware algorithms for multi-armed bandits with
    unbounded rewards, NeurIPS 2019.

    >>> import numpy as np
    >>> MeanCVaR(weight=0.5, alpha=0.5).of(np.array([3.0, 0.0, 1.0, 2.0]))
    1.0
    """

    title = "Mean and CVaR"
    group = "Emphasis on bad outcomes"
    equivariant = True
    monotone = True

    weight: float = parameter(0.5, "weight of the mean", low=0.0, high=1.0)
    alpha: float = parameter(0.1, "fraction of worst outcomes", low=0.0, high=1.0, open_low=True)

    why_biased = "no unbiased estimator exists"

    @property
    def display_name(self) -> str:
        return f"{self.weight:.4g} mean + {1 - self.weight:.4g} CVaR {100 * self.alpha:.4g} %"

    @property
    def gamma(self) -> float | None:
        return self.weight + (1.0 - self.weight) / self.alpha

    @property
    def lipschitz(self) -> float | None:
        return self.gamma

    @property
    def unbiased(self) -> bool:  # type: ignore[override]
        return self.weight == 1.0 or self.alpha == 1.0

    @property
    def averages_over_subsamples(self) -> bool:  # type: ignore[override]
        return self.unbiased

    @staticmethod
    def tail_size(n: int, weight: float, alpha: float) -> int:
        return n

    @staticmethod
    def from_tail(tail: Any, n: int, weight: float, alpha: float) -> Any:
        total, worst, left = 0.0, 0.0, alpha * n
        for x in tail:
            part = min(left, 1.0)
            total += x
            worst += part * x
            left -= part
        return (weight * total + (1.0 - weight) * worst / alpha) / n

    @staticmethod
    def weighted(sample: Any, weights: Any, weight: float, alpha: float) -> Any:
        total, worst, left = 0.0, 0.0, alpha
        for i in range(sample.size):
            part = min(left, weights[i])
            total += weights[i] * sample[i]
            worst += part * sample[i]
            left -= part
        return weight * total + (1.0 - weight) * worst / alpha

    def true_value(self, distribution: Any) -> float:
        worst = distribution.lower_integral(self.alpha) / self.alpha
        return float(self.weight * distribution.mean + (1.0 - self.weight) * worst)
