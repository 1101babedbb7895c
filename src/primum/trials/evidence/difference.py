"""A confidence sequence for the difference in means between an arm and the control: it holds at all times together.

For outcomes in [0, 1] whose means differ by the same d for all patients, whatever else changes. Each patient of the two
arms, with probability r of the arm rather than the control, gives

    Z = m_1 - m_0 + 1{on the arm} (Y - m_1) / r - 1{on the control} (Y - m_0) / (1 - r),

whose mean is d given all before; m_1 and m_0 are the means of earlier outcomes. So M_+ = prod (1 + l_+ (Z - d)) and
M_- = prod (1 - l_- (Z - d)) have mean 1 if d is the difference, for any stakes l that are fixed before the patient and
with which no factor falls below 1/2; and (M_+ + M_-) / 2 ever reaches 1 / alpha with probability at most alpha. The
sequence has the d for which it has not. It is convex in d, so they are an interval. The stakes are those that are best
for a trial of the planned size, larger where r is nearer to 1/2.

References: Waudby-Smith and Ramdas, Journal of the Royal Statistical Society B 86, 2024; Waudby-Smith, Wu, Ramdas,
Karampatziakis, Mineiro, arXiv:2210.10768.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from primum.trials.data import Floats
from primum.trials.evidence.betting import Labels

MOST_LOST = 0.5  # of the stake in one patient
HALVINGS = 30  # of the range in which an end lies
GOLDEN = (np.sqrt(5) - 1) / 2
SECTIONS = 40  # of the range in which the interval lies


@dataclass(frozen=True)
class _Bets:
    """Z and the stakes for each patient: trial x patient, 0 where there is no bet."""

    z: Floats
    up: Floats
    down: Floats

    def rows(self, chosen: np.ndarray[tuple[int], np.dtype[np.intp]]) -> _Bets:
        return _Bets(self.z[chosen], self.up[chosen], self.down[chosen])

    def highest(self, d: Floats) -> Floats:
        """The logarithm of the largest (M_+ + M_-) / 2 up to the last patient, for a difference of each trial."""
        surplus = self.z - d[:, None]
        up = np.cumsum(np.log1p(self.up * surplus), axis=1)
        down = np.cumsum(np.log1p(-self.down * surplus), axis=1)
        found: Floats = np.logaddexp(up, down).max(axis=1, initial=np.log(2)) - np.log(2)
        return found


def confidence_sequence(labels: Labels, outcome: Floats, alpha: float, planned: float) -> tuple[Floats, Floats]:
    """Both ends for each trial, from outcomes in [0, 1]; (-1, 1) where nothing can be learned.

    Where every difference is excluded, which happens with probability at most `alpha`, both ends are the difference
    with the least evidence against it.
    """
    bets, limit = _bets(labels, outcome, alpha, planned), np.log(1 / alpha)
    weight = (bets.up + bets.down).sum(axis=1)
    total = ((bets.up + bets.down) * bets.z).sum(axis=1)
    inside = np.clip(np.divide(total, weight, out=np.zeros(len(weight)), where=weight > 0), -1.0, 1.0)
    outside = np.flatnonzero(bets.highest(inside) >= limit)
    if outside.size:
        inside[outside] = _lowest(bets.rows(outside).highest, outside.size)
    is_empty = bets.highest(inside) >= limit
    ends = [_end(bets.highest, inside, np.full(len(inside), edge), limit) for edge in (-1.0, 1.0)]
    low, high = (np.where(is_empty, inside, end) for end in ends)
    return low, high


def _bets(labels: Labels, outcome: Floats, alpha: float, planned: float) -> _Bets:
    trials, patients = outcome.shape
    z, up, down = np.zeros((3, trials, patients))
    number, total = np.zeros((2, trials, 2))
    squares, information, bet_on = np.zeros(trials), np.full(trials, 1.0), np.ones(trials)
    for t in range(patients):
        rows = np.flatnonzero(labels.in_play[:, t])
        if not rows.size:
            continue
        y, r, on_arm = outcome[rows, t], labels.share[rows, t], labels.on_arm[rows, t]
        m0, m1 = ((total[rows] + 0.5) / (number[rows] + 1)).T
        z[rows, t] = m1 - m0 + np.where(on_arm, (y - m1) / r, -(y - m0) / (1 - r))
        lowest = m1 - m0 - np.maximum(m1 / r, (1 - m0) / (1 - r))
        highest = m1 - m0 + np.maximum((1 - m1) / r, m0 / (1 - r))
        variance = (squares[rows] + 0.25) / (number[rows].sum(axis=1) + 1) * (1 / r + 1 / (1 - r))
        information[rows] += 1 / variance
        bet_on[rows] += 1
        expected = planned * information[rows] / bet_on[rows]
        stake = np.sqrt(2 * np.log(2 / alpha) / expected) / variance
        up[rows, t] = np.minimum(stake, MOST_LOST / (1 - lowest))
        down[rows, t] = np.minimum(stake, MOST_LOST / (1 + highest))
        squares[rows] += (y - np.where(on_arm, m1, m0)) ** 2
        number[rows, on_arm.astype(int)] += 1
        total[rows, on_arm.astype(int)] += y
    return _Bets(z, up, down)


def _lowest(function: Callable[[Floats], Floats], size: int) -> Floats:
    """Where a convex function of a difference is smallest, by golden sections."""
    low, high = np.full(size, -1.0), np.full(size, 1.0)
    for _ in range(SECTIONS):
        width = GOLDEN * (high - low)
        left, right = high - width, low + width
        is_left = function(left) < function(right)
        high, low = np.where(is_left, right, high), np.where(is_left, low, left)
    middle: Floats = (low + high) / 2
    return middle


def _end(function: Callable[[Floats], Floats], inside: Floats, edge: Floats, limit: float) -> Floats:
    """Where the function reaches the limit between a point inside and the edge; the edge itself if it does not."""
    reaches = function(edge) >= limit
    near, far = inside.copy(), edge.copy()
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        beyond = function(middle) >= limit
        far, near = np.where(beyond, middle, far), np.where(beyond, near, middle)
    found: Floats = np.where(reaches, far, edge)
    return found
