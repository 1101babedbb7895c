"""The doubly adaptive biased coin design."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.choosing import drawn_arm
from primum.kernels.contract import kernel
from primum.kernels.elementary import power
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts
from primum.policies.policy import MEAN, Policy

NEYMAN, URN = 1.0, 2.0  # positions among the targets


@kernel
def unscaled_target(target: float, p: float) -> float:
    if target == NEYMAN:
        return math.sqrt(p * (1.0 - p))
    return 1.0 / (1.0 - p) if target == URN else math.sqrt(p)


@dataclass(frozen=True)
class DoublyAdaptiveBiasedCoin(Policy):
    """Doubly adaptive biased coin design (DBCD): steers the allocation towards a target that is estimated.

    Arm k is chosen with the probability of Hu and Zhang, proportional to rho_k (rho_k / (n_k / n))^gamma, where n_k of
    n patients were assigned to it. Arms without a patient come first, in random order, unless gamma is 0. The targets
    rho_k, in terms of p_k = (successes + 1) / (outcomes + 2), are proportional to

    - ``rsihr``: sqrt(p_k). For two arms it gives the fewest expected failures for a fixed variance of the difference;
      for several it is the usual generalisation, and not the optimum of Tymofyeyev, Rosenberger and Hu.
    - ``neyman``: sqrt(p_k (1 - p_k)), which minimises the variance.
    - ``urn``: 1 / (1 - p_k), the limit of `RandomisedPlayTheWinner`.

    Both are as in the R package RARtrials 0.0.1 (``dabcd_min_var``), where ``dabcd=TRUE`` gives the targets and
    ``dabcd=FALSE`` the probabilities of Hu and Zhang, the reverse of its documentation.

    Reference: Hu, Zhang, "Asymptotic properties of doubly adaptive biased coin designs for multitreatment clinical
    trials", Annals of Statistics 32(1), 2004; RSIHR: Rosenberger, Stallard, Ivanova, Harper, Ricks, Biometrics 57(3),
    2001.

    >>> DoublyAdaptiveBiasedCoin(target="neyman").label
    "doubly-adaptive-biased-coin(target='neyman')"
    """

    title = "Doubly adaptive biased coin"
    group = "Allocation rules of trials"

    target: str = parameter("rsihr", "allocation that is aimed at", choices=("rsihr", "neyman", "urn"))
    gamma: float = parameter(2.0, "0 is most random, larger values keep closer to the target", low=0.0)

    own_value = MEAN
    reward_bounds = 0.0, 1.0
    decides_by = "allocation probability"
    states_probabilities = True

    @staticmethod
    def choose(history: Any, target: float, gamma: float) -> int:
        scores, assigned = history.scores, history.assigned
        fewest, most = assigned[0], 0.0
        for k in range(history.arms):
            scores[k] = unscaled_target(target, (history.sums[k] + 1.0) / (history.pulls[k] + 2.0))
            fewest = min(fewest, assigned[k])
            most = max(most, scores[k] / max(assigned[k], 1))
        for k in range(history.arms):
            if gamma > 0.0 and fewest == 0:
                scores[k] = 1.0 if assigned[k] == 0 else 0.0
            elif gamma > 0.0:  # relative to the most, so that no power is too large
                scores[k] *= power(scores[k] / assigned[k] / most, gamma)
        return drawn_arm(history)

    def chances(self, counts: Counts) -> Array:
        assigned = counts.assigned
        if self.gamma > 0 and min(assigned) == 0:
            return np.full((1, 1), (assigned[1] == 0) / ((assigned[0] == 0) + (assigned[1] == 0)))
        p0, p1 = ((s + 1) / (n + 2) for s, n in zip(counts.successes, counts.pulls, strict=True))
        ratio = {"rsihr": p1 / p0, "neyman": p1 * (1 - p1) / (p0 * (1 - p0)), "urn": ((1 - p0) / (1 - p1)) ** 2}
        odds = np.sqrt(ratio[self.target])
        if self.gamma > 0:
            with np.errstate(over="ignore"):
                odds = odds * (odds * assigned[0] / assigned[1]) ** self.gamma
        return np.asarray(1.0 - 1.0 / (1.0 + odds))
