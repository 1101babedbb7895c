"""The expected utility under constant absolute risk aversion."""

import math
from dataclasses import dataclass

from primum import parameter, values


@dataclass(frozen=True)
class ExpectedUtility(values.MomentValue):
    """The mean utility (1 - exp(-aversion * reward)) / (1 - exp(-aversion)), which is 0 at 0 and 1 at 1."""

    aversion: float = parameter(2.0, "aversion to risk", low=0.0, open_low=True, high=100.0)

    unbiased = True
    inherits = True
    gamma = 1.0  # on [0, 1] one of n rewards moves the mean utility by 1/n at most
    lipschitz = 1.0

    @staticmethod
    def feature(reward, aversion):
        return math.expm1(-aversion * reward) / math.expm1(-aversion)

    @staticmethod
    def from_moments(n, mean, variance, aversion):
        return mean
