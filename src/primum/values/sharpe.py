"""The Sharpe ratio: the mean excess over a target, divided by the standard deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from primum.plugins.parameters import parameter
from primum.values.safety_value import MomentValue


@dataclass(frozen=True)
class Sharpe(MomentValue):
    """The mean in excess of `target`, divided by the standard deviation; `regularizer` keeps it finite.

    v = (E X - target) / sqrt(Var X + regularizer), estimated with the unbiased variance. If no arm reaches the target,
    variation raises the value, and the pooled outcomes of several arms can have a larger one than every arm; regret is
    measured against the best single arm all the same.

    Reference: Sharpe, Mutual fund performance, Journal of Business 39(1), 1966; as a value for bandits, Cassel, Mannor,
    Zeevi, A general approach to multi-armed bandits under risk criteria, COLT 2018.

    >>> import numpy as np
    >>> Sharpe(target=0.5, regularizer=0.25).of(np.array([1.0, 1.0, 1.0]))
    1.0
    """

    title = "Sharpe ratio"
    group = "Mean against variability"

    target: float = parameter(0.0, "benchmark that the mean is compared with")
    regularizer: float = parameter(0.01, "added to the variance", low=1e-9)

    in_reward_units = False
    why_biased = "no unbiased estimator exists"

    @property
    def display_name(self) -> str:
        return f"Sharpe ratio (target {self.target:.4g}, regularizer {self.regularizer:.4g})"

    @property
    def gamma(self) -> float | None:
        # One of n observations moves mean and variance by 1/n each. It comes this close where all others are 1 (or 0,
        # if the target is nearer to 1) and n is large.
        farthest = max(abs(self.target), abs(1.0 - self.target))
        return (1.0 + farthest / (2.0 * self.regularizer)) / math.sqrt(self.regularizer)

    @property
    def lipschitz(self) -> float | None:
        return self.gamma  # the most that the influence of an observation varies over [0, 1]: see Semivariance

    @staticmethod
    def from_moments(n: int, mean: float, variance: float, target: float, regularizer: float) -> float:
        return (mean - target) / math.sqrt(variance + regularizer)
