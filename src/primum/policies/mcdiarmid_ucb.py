"""McDiarmid-UCB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, opening
from primum.kernels.elementary import log
from primum.kernels.records import value_of
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy


@dataclass(frozen=True)
class McDiarmidUcb(Policy):
    """Upper confidence bounds on any safety value with bounded differences.

    Each arm once, then the largest estimate + gamma sqrt(2 log t / n), where t counts the decisions so far and n the
    arm's rewards: McDiarmid's inequality at the level t^-4. For the mean gamma is 1, and this is UCB1. The value's own
    gamma is for rewards in [0, 1]; where they lie elsewhere, give `gamma` for them.

    Reference: ours, after Auer, Cesa-Bianchi, Fischer, Machine Learning 47, 2002, Figure 1, with the inequality of
    McDiarmid, "On the method of bounded differences", Surveys in Combinatorics, 1989, Lemma 1.2.

    >>> McDiarmidUcb(gamma=2).label
    'mcdiarmid-ucb(gamma=2)'
    """

    title = "McDiarmid-UCB"

    name = "mcdiarmid-ucb"
    needs_constant = "gamma"

    gamma: float = parameter(
        0.0, "changing one of n rewards moves the estimate by gamma/n; 0: the value's own constant", low=0.0
    )

    @property
    def reward_bounds(self) -> tuple[float, float]:
        return (-math.inf, math.inf) if self.gamma else (0.0, 1.0)  # for which the value's own is meant

    decides_by = "upper confidence bound"

    @staticmethod
    def choose(history: Any, gamma: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        width = (gamma if gamma > 0.0 else history.gamma[0]) * math.sqrt(2.0 * log(history.step - 1))
        for k in range(history.arms):
            history.scores[k] = value_of(history, k) + width / math.sqrt(history.pulls[k])
        return best_score(history)
