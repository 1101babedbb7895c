"""The expected utility under constant absolute risk aversion."""

from dataclasses import dataclass

from primum import parameter, values
from primum.kernels import expm1


@dataclass(frozen=True)
class ExpectedUtility(values.MomentValue):
    """The mean utility (1 - exp(-aversion * reward)) / (1 - exp(-aversion)), which is 0 at 0 and 1 at 1."""

    aversion: float = parameter(2.0, "aversion to risk", low=0.0, open_low=True, high=100.0)

    unbiased = True
    averages_over_subsamples = True
    gamma = 1.0  # on [0, 1] one of n rewards moves the mean utility by 1/n at most
    lipschitz = 1.0

    @staticmethod
    def feature(reward, aversion):
        return expm1(-aversion * reward) / expm1(-aversion)

    @staticmethod
    def from_moments(n, mean, variance, aversion):
        return mean
