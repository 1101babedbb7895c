"""Conditional value at risk: the mean of the worst outcomes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.plugins.parameters import parameter
from primum.values.safety_value import TailValue

FRACTIONAL, CHEN = 0.0, 2.0  # positions among the estimator's choices


@dataclass(frozen=True)
class CVaR(TailValue):
    """The mean of the worst fraction `alpha` of outcomes.

    v = (1/alpha) * integral of the quantile function from 0 to alpha. Estimators on n observations:

    - ``fractional``: exact for the empirical distribution; the observation at the edge counts in part.
    - ``ceil``: mean of the ceil(alpha n) lowest, as in `Marab`.
    - ``chen``: mean of the floor(alpha n) + 1 lowest, which are at or beyond the empirical quantile; this count
      was derived, not checked against the article.

    Reference: Rockafellar, Uryasev, "Optimization of conditional value-at-risk", J. of Risk 2(3), 2000, for losses; for
    ceil, Galichet, Sebag, Teytaud, ACML 2013 (arXiv:1401.1123), section 4; for chen, Chen, "Nonparametric estimation of
    expected shortfall", J. Financial Econometrics 6(1), 2008.

    >>> import numpy as np
    >>> CVaR(alpha=0.5).of(np.array([3.0, 0.0, 1.0, 2.0]))
    0.5
    """

    title = "Conditional value at risk"
    group = "Emphasis on bad outcomes"
    equivariant = True
    monotone = True

    alpha: float = parameter(0.1, "fraction of worst outcomes", low=0.0, high=1.0, open_low=True)
    estimator: str = parameter("fractional", "estimator on a sample", choices=("fractional", "ceil", "chen"))

    @property
    def display_name(self) -> str:
        how = {"fractional": "", "ceil": " (ceiling estimator)", "chen": " (Chen's estimator)"}[self.estimator]
        return f"CVaR {100 * self.alpha:.4g} %{how}"

    @property
    def gamma(self) -> float | None:
        return 1.0 / self.alpha

    @property
    def unbiased(self) -> bool:  # type: ignore[override]
        return self.alpha == 1.0

    @property
    def averages_over_subsamples(self) -> bool:  # type: ignore[override]
        return self.alpha == 1.0

    @staticmethod
    def tail_size(n: int, alpha: float, estimator: float) -> int:
        if estimator == CHEN:
            return min(n, math.floor(alpha * n + 1e-9) + 1)
        return max(1, math.ceil(alpha * n - 1e-9))  # 0.07 * 100 is a little more than 7

    @staticmethod
    def from_tail(tail: Any, n: int, alpha: float, estimator: float) -> Any:
        if estimator == FRACTIONAL and tail.size > 1:
            # all but the last count in full, the last for what remains of alpha * n
            return (tail[:-1].sum() + tail[-1] * (alpha * n - (tail.size - 1))) / (alpha * n)
        return tail.sum() / tail.size

    @property
    def lipschitz(self) -> float | None:
        return 1.0 / self.alpha

    @property
    def tail_share(self) -> float:
        return self.alpha

    @staticmethod
    def weighted(sample: Any, weights: Any, alpha: float, estimator: float) -> Any:
        left, total, begin = alpha, 0.0, 0
        for four in range(sample.size // 4):  # because an addition waits for the one before it
            i = 4 * four
            mass = (weights[i] + weights[i + 1]) + (weights[i + 2] + weights[i + 3])
            if mass >= left:
                break
            first = weights[i] * sample[i] + weights[i + 1] * sample[i + 1]
            total += first + (weights[i + 2] * sample[i + 2] + weights[i + 3] * sample[i + 3])
            left -= mass
            begin = i + 4
        for i in range(begin, sample.size):
            if weights[i] >= left:
                return (total + left * sample[i]) / alpha
            total += weights[i] * sample[i]
            left -= weights[i]
        return (total + left * sample[-1]) / alpha  # rounding

    def true_value(self, distribution: Any) -> float:
        return float(distribution.lower_integral(self.alpha) / self.alpha)
