"""UCB1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.choosing import best_score, opening
from primum.kernels.elementary import log
from primum.policies.counts import Array, Counts, forced, prefer_larger
from primum.policies.native_chances import LARGER, NativeChances, Step
from primum.policies.policy import MEAN, Policy


@dataclass(frozen=True)
class Ucb1(Policy):
    """Upper confidence bounds on the mean.

    Each arm once, then the largest mean + sqrt(2 log t / n), where t counts the decisions so far and n the arm's
    rewards. The bonus is made for rewards in [0, 1].

    Reference: Auer, Cesa-Bianchi, Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning
    47, 2002, Figure 1.

    >>> Ucb1().label
    'ucb1'
    """

    title = "UCB1"
    own_value = MEAN
    decides_by = "upper confidence bound"

    @staticmethod
    def choose(history: Any) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        bonus = 2.0 * log(history.step - 1)
        for k in range(history.arms):
            n = history.pulls[k]
            history.scores[k] = history.sums[k] / n + math.sqrt(bonus / n)
        return best_score(history)

    def chances(self, counts: Counts) -> Array:
        opening = forced(counts, 1.0)
        if opening is not None:
            return opening
        bonus = 2.0 * log(counts.step - 1)
        first, second = (s / n + math.sqrt(bonus / n) for s, n in zip(counts.successes, counts.pulls, strict=True))
        return prefer_larger(first, second)

    def native_chances(self, at: Step) -> NativeChances:
        bonus = 2.0 * log(max(at.step - 1, 1))
        return NativeChances(
            LARGER, floor=1.0, scores=lambda n: np.arange(n + 1.0) / n + math.sqrt(bonus / n), scores_vary=True
        )
