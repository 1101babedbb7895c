"""KL-UCB."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.choosing import best_score, opening
from primum.kernels.divergences import exploration_level, highest_mean
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts, forced, prefer_larger
from primum.policies.native_chances import LARGER, NativeChances, Step
from primum.policies.policy import MEAN, Policy


@dataclass(frozen=True)
class KlUcb(Policy):
    """Upper confidence bounds on the mean by the Bernoulli Kullback-Leibler divergence.

    Each arm once, then the largest max{q : n kl(mean, q) <= log t + c log log t}, where kl is the Kullback-Leibler
    divergence between Bernoulli distributions, which serves for all rewards in [0, 1]. The proofs have c = 3; the
    authors recommend c = 0. A negative right-hand side (t = 2 and c > 1.9) counts as 0.

    Reference: Garivier, Cappé, "The KL-UCB algorithm for bounded stochastic bandits and beyond", COLT 2011,
    Algorithm 1.

    >>> KlUcb(exploration=3).label
    'kl-ucb(exploration=3)'
    """

    title = "KL-UCB"
    step_cost = (0.3, 3.5)

    exploration: float = parameter(0.0, "c, the weight of log log t", low=0.0)

    own_value = MEAN
    reward_bounds = 0.0, 1.0
    decides_by = "upper confidence bound"

    @staticmethod
    def choose(history: Any, exploration: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        level = exploration_level(history, exploration)
        for k in range(history.arms):
            n = history.pulls[k]
            history.scores[k] = highest_mean(history.sums[k] / n, level / n)
        return best_score(history)

    def chances(self, counts: Counts) -> Array:
        opening = forced(counts, 1.0)
        if opening is not None:
            return opening
        level = exploration_level(counts, self.exploration)
        first, second = (bounds(n, level) for n in counts.pulls)
        return prefer_larger(first[:, None], second)

    def native_chances(self, at: Step) -> NativeChances:
        level = exploration_level(at, self.exploration)
        return NativeChances(LARGER, floor=1.0, scores=lambda n: bounds(n, level), scores_vary=True)


@functools.lru_cache(4096)
def bounds(n: int, level: float) -> Array:
    """The bound of an arm with n outcomes 0 and 1, by the number of those that are 1; as `divergences.lowest_mean`."""
    divergence = level / n
    p = np.arange(n - 1.0, 0.0, -1.0) / n
    entropy = -p * np.log(p) - (1.0 - p) * np.log1p(-p)
    widths = np.minimum(np.sqrt(divergence / 2.0), np.sqrt(2.0 * p * divergence))
    q = np.maximum(np.exp(-(divergence + entropy) / p), p - widths)
    for _ in range(100):
        excess = -p * np.log(q) - (1.0 - p) * np.log1p(-q) - entropy - divergence
        steps = np.divide(excess * (1.0 - q), p - q, out=np.zeros_like(q), where=(excess > 0.0) & (q < p))
        if np.all(steps < 1e-15):
            break
        q *= np.exp(steps)
    table = np.array([1.0 - np.exp(-divergence), *(1.0 - np.minimum(p, q)), 1.0])
    table.flags.writeable = False
    return table
