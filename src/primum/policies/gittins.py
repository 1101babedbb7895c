"""The Gittins index rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from primum.kernels.choosing import best_score
from primum.kernels.streams import uniform
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts, prefer_larger
from primum.policies.gittins_index import HEADER, SIZE, index, packed_table
from primum.policies.native_chances import LARGER, NativeChances, Step
from primum.policies.policy import MEAN, Policy

SUCCESSES, OUTCOMES = 0, 1


@dataclass(frozen=True)
class Gittins(Policy):
    """The arm with the largest Gittins index, which maximises expected discounted successes.

    For Bernoulli rewards with uniform priors; ties at random. The index is computed to about 5e-5 for up to 500
    outcomes of an arm, and extrapolated beyond that. A reward in [0, 1] counts as a success with probability equal to
    the reward.

    Reference: Gittins, Jones, "A dynamic allocation index for the discounted multiarmed bandit problem", Biometrika 66,
    1979; for trials, Villar, Bowden, Wason, "Multi-armed bandit models for the optimal design of clinical trials",
    Statistical Science 30, 2015.

    >>> Gittins(discount=0.999).label
    'gittins(discount=0.999)'
    """

    title = "Gittins index"

    discount: float = parameter(
        0.99, "weight of the next patient relative to this one", low=0.0, high=0.9995, open_low=True
    )

    memory_width = 2

    own_value = MEAN
    reward_bounds = 0.0, 1.0
    decides_by = "Gittins index"

    def packed(self) -> tuple[Any, ...]:
        return (packed_table(self.discount, 1, False),)

    @staticmethod
    def choose(history: Any, table: Any) -> int:
        for k in range(history.arms):
            history.scores[k] = index(table, history.memory[k, SUCCESSES], history.memory[k, OUTCOMES])
        return best_score(history)

    @staticmethod
    def learn(history: Any, arm: int, reward: float, table: Any) -> None:
        history.memory[arm, OUTCOMES] += 1.0
        if uniform(history.stream) < reward:
            history.memory[arm, SUCCESSES] += 1.0

    def chances(self, counts: Counts) -> Array:
        first, second = (indices_of_counts(self.packed()[0], n) for n in counts.pulls)
        return prefer_larger(first[:, None], second)

    def native_chances(self, at: Step) -> NativeChances:
        return NativeChances(LARGER, scores=partial(indices_of_counts, self.packed()[0]))


def indices_of_counts(table: Array, n: int) -> Array:
    """The index after n outcomes, by the number of successes."""
    if n <= SIZE:
        return table[HEADER + n * (n + 1) // 2 :][: n + 1]
    return np.array([index(table, s, n) for s in range(n + 1)])
