"""The mean minus a multiple of a lower partial moment."""

from __future__ import annotations

from dataclasses import dataclass

from primum.kernels.elementary import power
from primum.plugins.parameters import parameter
from primum.values.safety_value import MomentValue, factor


@dataclass(frozen=True)
class LowerPartialMoment(MomentValue):
    """The mean minus `weight` times the mean of the shortfalls below `target`, each raised to the power `order`.

    v = E X - weight E ((target - X)+)^order.

    Reference: Fishburn, Mean-risk analysis with risk associated with below-target returns, American Economic Review
    67(2), 1977.

    >>> import numpy as np
    >>> LowerPartialMoment(target=0.5, order=2).of(np.array([0.0, 0.5, 1.0, 1.0]))
    0.5625
    """

    title = "Mean minus lower partial moment"
    group = "Mean against variability"
    monotone = True

    target: float = parameter(0.5, "rewards below it fall short", low=-1e9, high=1e9)
    order: float = parameter(2.0, "exponent of a shortfall", low=0.0, high=10.0, open_low=True)
    weight: float = parameter(1.0, "weight of the shortfalls", low=0.0)

    unbiased = True
    averages_over_subsamples = True

    @property
    def display_name(self) -> str:
        return f"mean - {factor(self.weight)}LPM (target {self.target:.4g}, order {self.order:.4g})"

    @property
    def gamma(self) -> float | None:
        # what a single reward contributes grows with it: from 0 to 1 by this
        most, least = max(self.target, 0.0), max(self.target - 1.0, 0.0)
        return 1.0 + self.weight * (power(most, self.order) - power(least, self.order))

    @property
    def lipschitz(self) -> float | None:
        return self.gamma

    @staticmethod
    def feature(reward: float, target: float, order: float, weight: float) -> float:
        return reward - weight * power(max(target - reward, 0.0), order)

    @staticmethod
    def from_moments(n: int, mean: float, variance: float, target: float, order: float, weight: float) -> float:
        return mean
