"""Betting on labels: evidence against "the arm makes no difference", whatever adapts, whenever one looks.

The patients on an arm k or on the control are taken in the order of enrolment. When the outcome y of one of them is
known, a bet is made on which of the two arms the patient is on: k with probability q, proportional to r f_1(y), where r
is the probability with which the design had allocated k and not the control, and f_0 and f_1 are success probabilities
that are guessed (y counts as y of a success). The evidence W is multiplied by q / r if the patient is on k, and by
(1 - q) / (1 - r) if not. If the outcome does not depend on the arm, given all before, each factor has mean 1 given all
before, and so has W: then W ever reaches 1 / alpha with probability at most alpha (Ville's inequality). If the outcome
under k is stochastically smaller than under the control, the mean of each factor is at most 1 when the guess says that
k is better, because f_1 / f_0 increases in y. Where r is 0 or 1 nothing can be learned, and the factor is 1.

No guess is made: W is the average over a grid of pairs of probabilities. This is the same as to bet, for each patient,
with the pairs weighted by what they would have won so far, which is how it is computed.

References: Zampieri, arXiv:2512.04366 (a fixed probability of 1/2); Ville 1939; Ramdas, Grunwald, Vovk, Shafer,
Statistical Science 38, 2023.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.trials.data import Floats

GUESSES = np.linspace(0.05, 0.95, 10)  # of a success probability


def _pairs() -> tuple[Floats, Floats]:
    worse, better = np.triu_indices(len(GUESSES), 1)
    return GUESSES[worse], GUESSES[better]


WORSE, BETTER = _pairs()


@dataclass(frozen=True)
class Labels:
    """The patients of one arm and of the control, by which their labels are bet on: trial x patient.

    `on_arm` says who is on the arm. `score` is the outcome as a number in [0, 1] (see `scores`), and `share` the
    conditional probability r of being on the arm. Only patients who are `in_play` count: of the two arms, with an
    outcome, and before the first whose outcome is still pending.
    """

    on_arm: NDArray[np.bool_]
    score: Floats
    share: Floats
    in_play: NDArray[np.bool_]

    @classmethod
    def of(cls, arm: NDArray[np.int16], outcome: Floats, chances: Floats, k: int, pending: NDArray[np.bool_]) -> Labels:
        """Those of arm `k`.

        `chances` are the allocation probabilities given all before, trial x patient x arm. Outcomes that are NaN are
        not known; those of patients who are `pending` will be, and the others never.
        """
        of_pair = (arm == 0) | (arm == k)
        both = chances[:, :, 0] + chances[:, :, k]
        share = np.divide(chances[:, :, k], both, out=np.zeros(both.shape), where=of_pair & (both > 0))
        waiting = np.logical_or.accumulate(of_pair & pending, axis=1)
        known = of_pair & np.isfinite(outcome) & ~waiting
        in_play = known & (share > 0) & (share < 1)
        return cls(arm == k, scores(np.where(known, outcome, np.nan)), share, in_play)


def scores(outcome: Floats) -> Floats:
    """Outcomes as numbers in [0, 1], each a function of itself and of those before that does not decrease in itself.

    Outcomes in [0, 1] are left as they are. The first other one is clipped, and each after it is replaced by its
    mid-rank among those known so far and itself, as a fraction of them. Rows are trials, NaN is not known.

    >>> scores(np.array([[0.0, 1.0, 0.25, 0.5], [0.5, 7.0, 3.0, 7.0]])).tolist()
    [[0.0, 1.0, 0.25, 0.5], [0.5, 1.0, 0.5, 0.75]]
    """
    with np.errstate(invalid="ignore"):
        beyond = (outcome < 0) | (outcome > 1)
    found = np.clip(outcome, 0.0, 1.0)
    for row in np.flatnonzero(beyond.any(axis=1)):
        first = int(beyond[row].argmax())
        earlier: list[float] = []
        for t in np.flatnonzero(np.isfinite(outcome[row])):
            y = float(outcome[row, t])
            low = bisect.bisect_left(earlier, y)
            high = bisect.bisect_right(earlier, y, low)
            earlier.insert(high, y)
            if t > first:
                found[row, t] = (low + high + 1) / 2 / len(earlier)
    return found


def log_evidence(labels: Labels, *, better: bool = True) -> Floats:
    """The logarithm of W after each patient, if the bets are that the arm is better, or worse: trial x patient."""
    control, arm = (WORSE, BETTER) if better else (BETTER, WORSE)
    trials, patients = labels.share.shape
    weights = np.full((trials, len(arm)), 1 / len(arm))  # what each pair would have won so far, as shares
    log_w, found = np.zeros(trials), np.empty((trials, patients))
    for t in range(patients):
        rows = np.flatnonzero(labels.in_play[:, t])
        if rows.size:
            y, r = labels.score[rows, t, None], labels.share[rows, t, None]
            on_control, on_arm = 1 - control + y * (2 * control - 1), 1 - arm + y * (2 * arm - 1)
            received = np.where(labels.on_arm[rows, t, None], on_arm, on_control)
            won = weights[rows] * (received / (on_control + r * (on_arm - on_control)))
            factor = won.sum(axis=1)
            weights[rows] = won / factor[:, None]
            log_w[rows] += np.log(factor)
        found[:, t] = log_w
    return found


def two_sided(better: Floats, worse: Floats) -> Floats:
    """The logarithm of the average of the evidence in both directions, which is evidence for a difference."""
    found: Floats = np.logaddexp(better, worse) - np.log(2)
    return found


def with_own(arm: NDArray[np.int16], chances: Floats, draws: int) -> Floats:
    """Allocation probabilities estimated from repeated decisions, with the decision itself as one more of them.

    `chances` are the shares of the arms in so many `draws` from the same distribution as the arm itself, given all
    before. The arm and the draws are exchangeable if they do not depend on the outcome, so f_A over the average of f
    over all draws + 1 of them has mean 1 given the set of them; so has the same of those on two of the arms alone.
    Where a coin is part of the distribution and only its probability is known, the shares are the averages over the
    coins of the draws, and the mean is at most 1 by Jensen's inequality, for two arms.
    """
    own = arm[..., None] == np.arange(chances.shape[-1])
    found: Floats = (own + draws * chances) / (draws + 1)
    return found
