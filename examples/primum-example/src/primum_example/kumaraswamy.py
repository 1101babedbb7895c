"""The Kumaraswamy distribution: similar to a beta distribution, with quantiles in closed form."""

from dataclasses import dataclass

import numpy as np

from primum import parameter, rewards


@dataclass(frozen=True)
class Kumaraswamy(rewards.RewardDistribution):
    """Rewards in [0, 1] with P(X <= x) = 1 - (1 - x^a)^b (Kumaraswamy, Journal of Hydrology 46, 1980)."""

    a: float = parameter(2.0, "larger values give fewer small rewards", low=0.0, open_low=True)
    b: float = parameter(2.0, "larger values give fewer large rewards", low=0.0, open_low=True)

    support = (0.0, 1.0)

    def quantile(self, u):
        return (1 - (1 - np.asarray(u, np.float64)) ** (1 / self.b)) ** (1 / self.a)

    def cdf(self, x):
        return 1 - (1 - np.clip(x, 0.0, 1.0) ** self.a) ** self.b

    def density(self, x):
        x = np.asarray(x, np.float64)
        inside = (x > 0) & (x < 1)
        y = np.where(inside, x, 0.5)
        return np.where(inside, self.a * self.b * y ** (self.a - 1) * (1 - y**self.a) ** (self.b - 1), 0.0)
