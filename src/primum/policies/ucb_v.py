"""UCB-V."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, empirical_variance, opening
from primum.kernels.elementary import log
from primum.plugins.parameters import parameter
from primum.policies.policy import MEAN, Policy


@dataclass(frozen=True)
class UcbV(Policy):
    """Upper confidence bounds on the mean that use the empirical variance.

    Each arm once, then the largest mean + sqrt(2 variance zeta log t / n) + 3 c b zeta log t / n, with the biased
    variance of the arm's rewards; b is the width of the interval in which they lie. The authors' bounds on regret are
    for zeta > 1, with c = 1.

    Reference: Audibert, Munos, Szepesvári, "Exploration-exploitation tradeoff using variance estimates in multi-armed
    bandits", Theoretical Computer Science 410, 2009. Not checked against the article: the rule is the one that
    public implementations agree on, with zeta = 1.2 instead of their 1, so that the theory applies.

    >>> UcbV(zeta=1).label
    'ucb-v(zeta=1)'
    """

    title = "UCB-V"

    zeta: float = parameter(1.2, "weight of log t", low=0.0)
    weight: float = parameter(1.0, "c, the weight of the term in 1/n", low=0.0)
    width: float = parameter(1.0, "b, largest minus smallest possible reward", low=0.0)

    name = "ucb-v"

    own_value = MEAN
    decides_by = "upper confidence bound"

    @staticmethod
    def choose(history: Any, zeta: float, weight: float, width: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        level = zeta * log(history.step)
        for k in range(history.arms):
            n = history.pulls[k]
            bonus = math.sqrt(2.0 * empirical_variance(history, k) * level / n) + 3.0 * weight * width * level / n
            history.scores[k] = history.sums[k] / n + bonus
        return best_score(history)
