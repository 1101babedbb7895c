"""Your own risk measure under three policies, in a few lines."""

from dataclasses import dataclass

import numpy as np

import primum
from primum import policies, rewards, values


@dataclass(frozen=True)
class WorstThird(values.SafetyValue):
    """Mean of the worst third of outcomes."""

    @staticmethod
    def estimate(sample):
        return np.sort(sample)[: max(1, sample.size // 3)].mean()


problem = primum.Problem({"steady": rewards.Uniform(0.3, 0.6), "bold": rewards.Uniform(0, 1)}, WorstThird())
players = [policies.BesaPlus(), policies.EpsilonGreedy(), policies.Ucb1()]
results = primum.simulate(problem, players, horizon=1_000, replications=200, seed=7)
print(results.summary()[["regret_mean", "regret_low", "regret_high", "best_arm_share"]])
print(results.compare("besa-plus", "ucb1"))
