"""Randomised play-the-winner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.choosing import drawn_arm
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts
from primum.policies.policy import MEAN, Policy


@dataclass(frozen=True)
class RandomisedPlayTheWinner(Policy):
    """Randomised play-the-winner, RPW(u, b): a ball is drawn from an urn and put back, and outcomes add balls.

    The urn begins with u balls of each arm. A success adds b balls of its arm, a failure b / (K - 1) balls of each of
    the K - 1 other arms. An outcome x between 0 and 1 is x of a success and 1 - x of a failure.

    Reference: Wei, Durham, "The randomized play-the-winner rule in medical trials", Journal of the American
    Statistical Association 73, 1978; several arms: Wei, Annals of Statistics 7(2), 1979.

    >>> RandomisedPlayTheWinner(u=5).label
    'randomised-play-the-winner(u=5)'
    """

    title = "Randomised play-the-winner"
    group = "Allocation rules of trials"

    u: float = parameter(1.0, "balls of each arm at the beginning", low=0.0, open_low=True)
    b: float = parameter(1.0, "balls that an outcome adds", low=0.0)

    own_value = MEAN
    reward_bounds = 0.0, 1.0
    decides_by = "balls in the urn"
    states_probabilities = True

    @staticmethod
    def choose(history: Any, u: float, b: float) -> int:
        failures = 0.0
        for k in range(history.arms):
            failures += history.pulls[k] - history.sums[k]
        for k in range(history.arms):
            others = max(0.0, failures - (history.pulls[k] - history.sums[k]))
            history.scores[k] = u + b * (history.sums[k] + others / max(1.0, history.arms - 1.0))
        return drawn_arm(history)

    def chances(self, counts: Counts) -> Array:
        (s0, s1), (n0, n1) = counts.successes, counts.pulls
        first, second = self.u + self.b * (s0 + n1 - s1), self.u + self.b * (s1 + n0 - s0)
        return np.asarray(second / (first + second))
