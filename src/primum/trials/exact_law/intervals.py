"""Exact intervals and estimates of the difference between two arms, by inversion of an exact test.

The lower limit is the smallest difference d for which data at least as favourable to arm 1 as those observed have a
probability above (1 - level) / 2 for some p0, with p1 = p0 + d; the upper limit likewise with data at least as
unfavourable. So each limit is on the wrong side of the true difference with at most that probability, whatever p0 is
and however patients were allocated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from primum.trials.data import Floats
from primum.trials.exact_law.ordering import TIE, Ordering, ordering

if TYPE_CHECKING:
    from primum.trials.analyses import Analysis
    from primum.trials.design import Design

POINTS = 129  # of the grid over p of each arm, equidistant in arcsin(sqrt(p)): a third of a standard deviation at 300
MOST_VALLEYS = 4  # places on the grid around which a limit is searched more closely
ROWS, COLUMNS = 9, 33  # points for each arm in a closer search
ROUNDS = 4  # of closer searches, each with a quarter of the spacing of the one before
RIGHT_ANGLE = np.pi / 2


class Interval(NamedTuple):
    """An interval of the difference between arm 1 and the control, and a median-unbiased estimate of it."""

    estimate: float
    low: float
    high: float
    level: float


class Inversion:
    """The tests of all differences by one order of the ends of a design."""

    def __init__(self, design: Design, order: Analysis) -> None:
        self.sides = {sign: ordering(design, order, side) for sign, side in ((1, "greater"), (-1, "less"))}

    def interval(self, patients: tuple[int, int], successes: tuple[int, int], level: float) -> Interval:
        """The interval, and the middle between the limits that are each right with probability 1/2."""
        ends = {sign: _beyond(side, *_statistic(side, patients, successes)) for sign, side in self.sides.items()}
        low, high = (sign * _least_difference(ends[sign], sign, (1 - level) / 2) for sign in (1, -1))
        middle = sum(sign * _least_difference(ends[sign], sign, 0.5) for sign in (1, -1)) / 2
        return Interval(float(middle), float(low), float(high), level)

    def covered(self, difference: float, level: float) -> list[Floats]:
        """1 where the limits of an end have a difference between them, else 0, for each end of the trial."""
        inside = [np.ones(end.chance.shape) for end in self.sides[1].ends]
        for sign, side in self.sides.items():
            critical = _critical(side, sign * difference, sign, (1 - level) / 2)
            inside = [each * (evidence <= critical) for each, evidence in zip(inside, side.evidence, strict=True)]
        return inside


class _Tables:
    """The probabilities at p = 1/2 of a set of ends, as tables successes of arm 0 x successes of arm 1."""

    def __init__(self, tables: list[Floats]) -> None:
        self.tables = [table for table in tables if table.any()]
        self.most = max((max(table.shape) for table in self.tables), default=1) - 1

    def on_grid(self, first: Floats, second: Floats) -> Floats:
        """The probability of the set for each p0 with each p1."""
        total, powers = np.zeros((first.size, second.size)), [self._powers(p) for p in (first, second)]
        for table in self.tables:
            left, right = (_weights(power, size) for power, size in zip(powers, table.shape, strict=True))
            total += left @ table @ right.T
        return total

    def in_pairs(self, first: Floats, second: Floats) -> Floats:
        """The probability of the set for each p0 with its p1."""
        total, powers = np.zeros(first.size), [self._powers(p) for p in (first, second)]
        for table in self.tables:
            left, right = (_weights(power, size) for power, size in zip(powers, table.shape, strict=True))
            total += np.einsum("ij,ij->i", left @ table, right)
        return total

    def _powers(self, p: Floats) -> tuple[Floats, Floats]:
        exponents = np.arange(self.most + 1.0)
        return (2 * p[:, None]) ** exponents, (2 - 2 * p[:, None]) ** exponents


def _weights(powers: tuple[Floats, Floats], size: int) -> Floats:
    """(2p)^s (2-2p)^(n-s) for the s of a table of this size: p x s."""
    return np.asarray(powers[0][:, :size] * powers[1][:, size - 1 :: -1][:, :size])


def _statistic(side: Ordering, patients: tuple[int, int], successes: tuple[int, int]) -> Floats:
    return side.evidence_of(np.array([patients]), np.array([successes]))


def _beyond(side: Ordering, statistic: float) -> _Tables:
    """The ends with a statistic at least so large."""
    pairs = zip(side.ends, side.evidence, strict=True)
    return _Tables([np.where(evidence >= statistic - TIE, end.chance, 0.0) for end, evidence in pairs])


def _least_difference(ends: _Tables, sign: int, level: float) -> float:
    """The smallest sign * (p1 - p0) for which some ends have a probability above a level, to about 1e-6.

    For each p of the other arm there is a smallest such p of the better one. It is interpolated on a grid, and then on
    ever closer grids around the places where the difference is smallest.
    """
    angles = np.linspace(0.0, RIGHT_ANGLE, POINTS)
    differences, where = _smallest(ends, sign, level, angles, angles)
    beside = np.minimum(np.append(differences[1:], np.inf), np.insert(differences[:-1], 0, np.inf))
    order = np.argsort(differences)
    found = 1.0
    for i in order[(differences <= beside)[order]][:MOST_VALLEYS]:
        least, of_other, of_better, half = differences[i], angles[i], where[i], RIGHT_ANGLE / (POINTS - 1)
        for _ in range(ROUNDS):
            others = np.clip(np.linspace(of_other - half, of_other + half, ROWS), 0.0, RIGHT_ANGLE)
            betters = np.clip(np.linspace(of_better - 2 * half, of_better + 2 * half, COLUMNS), 0.0, RIGHT_ANGLE)
            closer, at = _smallest(ends, sign, level, others, betters)
            best = int(np.argmin(closer))
            if np.isfinite(closer[best]):
                least, of_other, of_better = closer[best], others[best], at[best]
            half /= ROWS // 2
        found = min(found, float(least))
    return found


def _smallest(ends: _Tables, sign: int, level: float, others: Floats, betters: Floats) -> tuple[Floats, Floats]:
    """For each angle of the other arm the smallest difference with a probability above the level, and its angle."""
    p_other, p_better = np.sin(others) ** 2, np.sin(betters) ** 2
    chance = ends.on_grid(p_other, p_better) if sign > 0 else ends.on_grid(p_better, p_other).T
    is_above = chance > level
    first, rows = is_above.argmax(axis=1), np.arange(others.size)
    before = np.maximum(first - 1, 0)
    low, high = chance[rows, before], chance[rows, first]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(first > 0, (level - low) / (high - low), 1.0)
    angle = betters[before] + part * (betters[first] - betters[before])
    return np.where(is_above.any(axis=1), np.sin(angle) ** 2 - p_other, np.inf), angle


def _critical(side: Ordering, difference: float, sign: int, level: float) -> float:
    """The largest statistic whose ends, and those beyond it, may have a probability above the level for some p0."""
    values = np.unique(np.concatenate([each.ravel() for each in side.evidence]))
    low, high = 0, values.size  # from `low` down all have a larger probability; from `high` on none has
    while high - low > 1:
        middle = (low + high) // 2
        if _largest(_beyond(side, values[middle]), difference, sign) > level:
            low = middle
        else:
            high = middle
    return float(values[low] + TIE)


def _largest(ends: _Tables, difference: float, sign: int) -> float:
    """The largest probability of some ends for a difference, over p0: on a grid, and on a finer one where it is."""
    first, last = np.arcsin(np.sqrt([max(0.0, -difference), min(1.0, 1.0 - difference)]))
    low, high, found = first, last, 0.0
    for _ in range(3):
        other = np.sin(np.linspace(low, high, POINTS)) ** 2
        better = np.clip(other + difference, 0.0, 1.0)
        chance = ends.in_pairs(other, better) if sign > 0 else ends.in_pairs(better, other)
        found, angle, spacing = max(found, chance.max()), low + (high - low) * chance.argmax() / POINTS, high - low
        low, high = max(first, angle - 2 * spacing / POINTS), min(last, angle + 2 * spacing / POINTS)
    return float(found)
