"""One more patient in every state of a layer: the native loop of the recursion.

A layer has a table of states for each number of known outcomes of arm 1. The *smaller* arm of a table, with fewer known
outcomes (arm 0 if they are equal), has its successes along the rows, so that inner loops run over the larger arm.
Tables lie one after the other, by the outcomes of the smaller arm, and each has room for all that the larger arm may
get. So states move within a table while the larger arm gets outcomes, and to the next one when the smaller arm does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from primum.kernels.contract import kernel
from primum.kernels.elementary import power
from primum.policies.counts import TIE
from primum.policies.native_chances import CONSTANT, DUEL, LARGER, NO_OPENING, POSTERIOR, TEMPERED

FIXED, GIVEN = -1, -2  # kinds of chances beside those of `NativeChances`: for each table, for each state of a table
SUMS = DUEL, POSTERIOR, TEMPERED  # of hypergeometric probabilities
NOTHING = -1  # no outcome becomes known
EVERYWHERE = -1  # in all tables


@kernel
def start(n: int, room: int) -> int:
    """Where the table begins whose smaller arm has n outcomes, in a layer with room for so many of both arms."""
    return (room + 1) * n + room * (n * (n - 1) // 2) - (n - 1) * n * (2 * n - 1) // 6


@kernel
def add_row(cells: Any, room: int, smaller: int, n: int, m: int, i: int, shown: int, part: Any) -> None:
    """Add row i of a table of n and m outcomes to a layer; the arm `shown` has one outcome more, a success or not."""
    if shown == NOTHING:
        begin = start(n, room) + i * (room - n + 1)
        row = cells[smaller, begin : begin + m + 1]
        for k in range(m + 1):
            row[k] += part[k]
    elif shown != smaller:
        begin = start(n, room) + i * (room - n + 1)
        failed, succeeded = cells[smaller, begin : begin + m + 1], cells[smaller, begin + 1 : begin + m + 2]
        for k in range(m + 1):
            failed[k] += 0.5 * part[k]
        for k in range(m + 1):
            succeeded[k] += 0.5 * part[k]
    elif n < m:
        begin, width = start(n + 1, room) + i * (room - n), room - n
        failed, succeeded = cells[smaller, begin : begin + m + 1], cells[smaller, begin + width : begin + width + m + 1]
        for k in range(m + 1):
            failed[k] += 0.5 * part[k]
            succeeded[k] += 0.5 * part[k]
    else:  # it is the larger arm now
        begin, width = start(n, room) + i, room - n + 1
        for k in range(m + 1):
            cells[1 - smaller, begin + k * width] += 0.5 * part[k]
            cells[1 - smaller, begin + k * width + 1] += 0.5 * part[k]


@kernel
def fill_larger(chances: Any, score: float, scores: Any, m: int, share: float) -> None:
    """The probability of the arm with the scores against one with the score, as `counts.prefer_larger` has it."""
    for k in range(m + 1):
        other = scores[k]
        gap = abs(other - score)
        near = gap < np.inf and gap <= TIE * max(1.0, max(abs(other), abs(score)))
        certain = 1.0 if other > score else 0.0
        chances[k] = share / 2.0 + (1.0 - share) * (0.5 if near or other == score else certain)


@kernel
def temper(chances: Any, m: int, exponent: float, smallest: float, least: float, is_reversed: bool) -> None:
    """Make allocation probabilities of those of having the larger mean."""
    for k in range(m + 1):
        chance = 1.0 - chances[k] if is_reversed else chances[k]
        ratio = max(1.0 - chance, smallest) / max(chance, smallest)
        if exponent != 1.0:
            ratio = power(ratio, exponent)
        chances[k] = min(max(1.0 / (1.0 + ratio), least), 1.0 - least)


def allocate(
    source: Any,
    only: int,
    enrolled: int,
    late: int,
    coin: float,
    rule: Any,
    fixed: Any,
    given: Any,
    tables: Any,
    to_control: Any,
    to_treated: Any,
) -> None:
    """Take the states out of one layer, and add them to another for each arm that the next patient may get.

    All may be in the same memory. `late` patients of those `enrolled` are on arm 1 with an outcome that is not known.
    """
    cells, room, known, reached = source
    control, control_room, control_shown, control_reached = to_control
    treated, treated_room, treated_shown, treated_reached = to_treated
    halves, scores, best, beaten_by = tables
    kind, floor, share, exponent, smallest, least, is_reversed = rule
    sums, inverse, chances = np.empty(known + 3), np.empty(known + 3), np.empty(known + 1)
    on_larger, on_smaller = np.empty(known + 1), np.empty(known + 1)
    for smaller in range(2):
        for n in range((known - smaller) // 2, -1, -1):
            m = known - n
            pulls = m if smaller == 0 else n  # of arm 1
            if not reached[pulls] or (only != EVERYWHERE and only != pulls):
                continue
            assigned = pulls + late
            rival = enrolled - assigned
            how, certain = kind, 0.0  # the probability of arm 1 in all states of the table, if it is FIXED
            if kind == FIXED:
                certain = fixed[pulls]
            elif kind == CONSTANT:
                how, certain = FIXED, share
            elif floor != NO_OPENING and (n == 0 or min(assigned, rival) < floor):
                how, certain = FIXED, 1.0 if assigned < rival else 0.0
            elif kind == DUEL and n == m:
                how = LARGER
            certain = coin / 2.0 + (1.0 - coin) * certain
            any_treated, any_control = how != FIXED or certain > 0.0, how != FIXED or certain < 1.0
            if any_control:
                control_reached[pulls + (control_shown == 1)] = True
            if any_treated:
                treated_reached[pulls + (treated_shown == 1)] = True
            by_sums = how in SUMS
            a, b = (n, m - n) if how == DUEL else (n + 1, m + 1)
            if by_sums:
                for k in range(a + b + 1):
                    inverse[k] = 1.0 / halves[a + b, k]
                    sums[k] = 0.0
            if how == FIXED:
                chances[: m + 1] = certain if smaller == 0 else 1.0 - certain
            added = 0
            for r in range(n + 1):
                i = best[n, r] if how == DUEL else n - r
                if by_sums:
                    # sums[i + k] of the products b(a, j) b(b, i + k - j) over all j for which the larger arm is ahead
                    until = beaten_by[n, i] if how == DUEL else r + 1
                    while added < until:
                        j = best[n, added] if how == DUEL else a - added
                        weight, terms, later = halves[a, j], halves[b], sums[j:]
                        for k in range(b + 1):
                            later[k] += weight * terms[k]
                        added += 1
                    shift = 0 if how == DUEL else i + 1
                    above, scale = sums[shift:], inverse[shift:]
                    for k in range(m + 1):
                        chances[k] = min(1.0, above[k] * scale[k])
                    if how == TEMPERED:
                        temper(chances, m, exponent, smallest, least, is_reversed)
                elif how == LARGER:
                    fill_larger(chances, scores[n, i], scores[m], m, share)
                elif how == GIVEN:
                    for k in range(m + 1):
                        first, second = (i, k) if smaller == 0 else (k, i)
                        chance = given[min(first, given.shape[0] - 1), min(second, given.shape[1] - 1)]
                        chances[k] = chance if smaller == 0 else 1.0 - chance
                begin = start(n, room) + i * (room - n + 1)
                states = cells[smaller, begin : begin + m + 1]
                tossed, ruled = (0.0, 1.0) if how == FIXED else (coin / 2.0, 1.0 - coin)
                for k in range(m + 1):
                    state = states[k]
                    part = state * (tossed + ruled * chances[k])
                    on_larger[k] = part
                    on_smaller[k] = state - part
                    states[k] = 0.0
                if any_treated:
                    row = on_larger if smaller == 0 else on_smaller
                    add_row(treated, treated_room, smaller, n, m, i, treated_shown, row)
                if any_control:
                    row = on_smaller if smaller == 0 else on_larger
                    add_row(control, control_room, smaller, n, m, i, control_shown, row)
