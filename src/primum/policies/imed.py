"""IMED."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.choosing import best_score, opening
from primum.kernels.divergences import coin_divergence
from primum.kernels.elementary import log
from primum.policies.counts import Array, Counts, forced, prefer_larger
from primum.policies.policy import MEAN, Policy


@dataclass(frozen=True)
class Imed(Policy):
    """Indexed minimum empirical divergence: the arm with the smallest divergence from the best mean.

    Each arm once, then the smallest n kl(mean, largest mean) + log n, where kl is the Kullback-Leibler divergence
    between Bernoulli distributions, which serves for all rewards in [0, 1]. An arm that lags behind a mean of exactly 1
    has an infinite index; the best arm's is log n.

    Reference: Honda, Takemura, "Non-asymptotic analysis of a new bandit algorithm for semi-bounded rewards", JMLR 16,
    2015, Algorithm 1, who take the divergence from all distributions with rewards below 1; for Bernoulli rewards the
    two are the same.

    >>> Imed().reward_bounds
    (0.0, 1.0)
    """

    title = "IMED"
    own_value = MEAN
    reward_bounds = 0.0, 1.0
    decides_by = "negative IMED index"

    @staticmethod
    def choose(history: Any) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        best = 0.0
        for k in range(history.arms):
            best = max(best, history.sums[k] / history.pulls[k])
        for k in range(history.arms):
            n = history.pulls[k]
            history.scores[k] = -n * coin_divergence(history.sums[k] / n, best) - log(n)
        return best_score(history)

    def chances(self, counts: Counts) -> Array:
        opening = forced(counts, 1.0)
        if opening is not None:
            return opening
        (s0, s1), (n0, n1) = counts.successes, counts.pulls
        first, second = lag(s0, n0, s1 / n1), lag(s1, n1, s0 / n0)
        return prefer_larger(-first - log(n0), -second - log(n1))


def lag(successes: Array, n: int, other: Array) -> Array:
    """n kl(mean, other mean) where that is larger, else 0, for a column and a row; 1e300 stands for infinity."""
    failures, tiny = n - successes, 1e-300
    own = successes * np.log(np.maximum(successes / n, tiny)) + failures * np.log(np.maximum(failures / n, tiny))
    with np.errstate(divide="ignore"):
        hit, miss = (np.maximum(np.log(q), -1e300) for q in (other, 1.0 - other))
    return np.where(other > successes / n, np.maximum(0.0, own - successes * hit - failures * miss), 0.0)
