"""Thompson sampling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.choosing import best_score
from primum.kernels.streams import beta, normal, uniform
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts
from primum.policies.hypergeometric import larger_posterior
from primum.policies.native_chances import POSTERIOR, NativeChances, Step
from primum.policies.policy import MEAN, Policy

GAUSSIAN = 1.0  # position among the priors
SUCCESSES, FAILURES = 0, 1


@dataclass(frozen=True)
class Thompson(Policy):
    """The arm with the largest mean drawn from the posterior.

    Plays the arm with the largest draw from the posterior of its mean, after n rewards:

    - ``beta``: Beta(1 + successes, 1 + failures). A reward in [0, 1] counts as a success with probability equal to
      the reward.
    - ``gaussian``: Normal(sum of the rewards / (n + 1), variance 1/(n + 1)), for rewards of any size; made for a
      spread of at most 1.

    Reference: Agrawal, Goyal, "Analysis of Thompson sampling for the multi-armed bandit problem", COLT 2012,
    Algorithms 1 and 2, and "Further optimal regret bounds for Thompson sampling", AISTATS 2013, Algorithm 2.

    >>> Thompson().reward_bounds, Thompson(prior="gaussian").reward_bounds
    ((0.0, 1.0), (-inf, inf))
    """

    title = "Thompson sampling"

    prior: str = parameter("beta", "prior distribution of a mean", choices=("beta", "gaussian"))

    memory_width = 2

    @property
    def reward_bounds(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.prior == "beta" else (-math.inf, math.inf)

    own_value = MEAN
    decides_by = "draw from the posterior"

    @staticmethod
    def choose(history: Any, prior: float) -> int:
        memory = history.memory
        for k in range(history.arms):
            if prior == GAUSSIAN:
                n = history.pulls[k] + 1.0
                history.scores[k] = history.sums[k] / n + normal(history.stream) / math.sqrt(n)
            else:
                history.scores[k] = beta(history.stream, 1.0 + memory[k, SUCCESSES], 1.0 + memory[k, FAILURES])
        return best_score(history)

    @staticmethod
    def learn(history: Any, arm: int, reward: float, prior: float) -> None:
        if prior != GAUSSIAN:
            success = uniform(history.stream) < reward
            history.memory[arm, SUCCESSES if success else FAILURES] += 1.0

    def chances(self, counts: Counts) -> Array:
        if self.prior == "beta":
            return larger_posterior(*counts.pulls)
        from scipy.special import ndtr

        first, second = (s / (n + 1.0) for s, n in zip(counts.successes, counts.pulls, strict=True))
        variance = sum(1.0 / (n + 1.0) for n in counts.pulls)
        return np.asarray(ndtr((second - first) / math.sqrt(variance)))

    def native_chances(self, at: Step) -> NativeChances | None:
        return NativeChances(POSTERIOR) if self.prior == "beta" else None
