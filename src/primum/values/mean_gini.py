"""The mean minus a multiple of Gini's mean difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.contract import kernel
from primum.plugins.parameters import parameter
from primum.values.safety_value import TailValue, factor


@kernel
def mean_difference(sample: Any) -> float:
    """Of two different observations in ascending order, on average; 0 of a single one."""
    total, n = 0.0, sample.size
    for i in range(1, n):  # i are below the gap, n - i above
        total += float(i) * (n - i) * (sample[i] - sample[i - 1])
    return 2.0 * total / (float(n) * max(1, n - 1))


@kernel
def weighted_mean_difference(sample: Any, weights: Any) -> float:
    """Of two draws from points in ascending order with weights that add up to 1: twice the integral of F (1 - F)."""
    total, below = 0.0, weights[0]
    for i in range(1, sample.size):
        total += below * (1.0 - below) * (sample[i] - sample[i - 1])
        below += weights[i]
    return 2.0 * total


@dataclass(frozen=True)
class MeanGini(TailValue):
    """The mean minus `rho` times Gini's mean difference: a well-behaved deviation in the unit of the rewards.

    v = E X - rho E |X - X'| for two independent rewards, estimated over all pairs of the sample. With rho up to
    1/2 it respects first-order stochastic dominance.

    Reference: Yitzhaki, Stochastic dominance, mean variance, and Gini's mean difference, American Economic Review
    72(1), 1982.

    >>> import numpy as np
    >>> MeanGini(rho=0.5).of(np.array([0.0, 1.0]))
    0.0
    """

    title = "Mean-Gini"
    group = "Mean against variability"
    equivariant = True

    rho: float = parameter(0.5, "weight of the mean difference", low=0.0)

    unbiased = True
    averages_over_subsamples = True

    @property
    def display_name(self) -> str:
        return f"mean - {factor(self.rho)}Gini difference"

    @property
    def gamma(self) -> float | None:
        return 1.0 + 2.0 * self.rho  # all others equal: the mean difference grows from 0 to 2/n

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        return self.rho <= 0.5  # else it rises where most rewards are equal and the largest become smaller

    @property
    def lipschitz(self) -> float | None:
        return 1.0 + 2.0 * self.rho  # v is the integral of 1 - F - 2 rho F (1 - F), and this its largest slope in F

    @staticmethod
    def tail_size(n: int, rho: float) -> int:
        return n

    @staticmethod
    def from_tail(tail: Any, n: int, rho: float) -> Any:
        return tail.sum() / n - rho * mean_difference(tail)

    @staticmethod
    def weighted(sample: Any, weights: Any, rho: float) -> Any:
        total = 0.0
        for i in range(sample.size):
            total += weights[i] * sample[i]
        return total - rho * weighted_mean_difference(sample, weights)

    def true_value(self, distribution: Any) -> float:
        mean = distribution.mean

        # half of what x adds to the mean difference; from the mean, so that nothing cancels
        apart = distribution.level_expectation(lambda x, below, level: (x - mean) * (below + level - 1.0))
        return float(mean - self.rho * 2.0 * apart)
