"""The restricted mean: rewards are clipped at a cap."""

from __future__ import annotations

from dataclasses import dataclass

from primum.plugins.parameters import parameter
from primum.values.safety_value import MomentValue


@dataclass(frozen=True)
class RestrictedMean(MomentValue):
    """The mean of rewards clipped at `cap`, such as the time survived within five years.

    v = E min(X, cap).

    Reference: Royston, Parmar, Restricted mean survival time: an alternative to the hazard ratio, BMC Medical Research
    Methodology 13:152, 2013; here for outcomes that are not censored.

    >>> import numpy as np
    >>> RestrictedMean(cap=5).of(np.array([1.0, 3.0, 12.0]))
    3.0
    """

    title = "Restricted mean"
    group = "Average outcome"
    monotone = True

    cap: float = parameter(1.0, "rewards are clipped at this")

    unbiased = True
    averages_over_subsamples = True

    @property
    def display_name(self) -> str:
        return f"mean clipped at {self.cap:.4g}"

    @property
    def gamma(self) -> float | None:
        return min(max(self.cap, 0.0), 1.0)

    @property
    def lipschitz(self) -> float | None:
        return self.gamma

    @staticmethod
    def feature(reward: float, cap: float) -> float:
        return min(reward, cap)

    @staticmethod
    def from_moments(n: int, mean: float, variance: float, cap: float) -> float:
        return mean
