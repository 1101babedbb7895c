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
        begin, before = start(n, room) + i * (room - n + 1), 0.0
        row = cells[smaller, begin : begin + m + 2]
        for k in range(m + 1):
            half = 0.5 * part[k]
            row[k] += before + half
            before = half
        row[m + 1] += before
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
def move_row(
    states: Any, begin: int, first: int, second: int, m: int, chances: Any, tossed: float, ruled: float
) -> None:
    """Split a row between the arms, each of which has one outcome more: `add_row` for both in one pass, in place.

    The states of the larger arm stay in the row, those of the smaller arm go to the first row of the next table after a
    failure, to the second after a success.
    """
    row, failed, succeeded = states[begin:], states[first:], states[second:]
    before = 0.0
    for k in range(m + 1):
        state = 0.5 * row[k]
        part = state * (tossed + ruled * chances[k])
        failed[k] += state - part
        succeeded[k] += state - part
        row[k] = before + part
        before = part
    row[m + 1] = before


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
def fill_given(chances: Any, given: Any, smaller: int, i: int, m: int) -> None:
    """The larger arm's probability from a table of arm 1's, which broadcasts."""
    for k in range(m + 1):
        first, second = (i, k) if smaller == 0 else (k, i)
        chance = given[min(first, given.shape[0] - 1), min(second, given.shape[1] - 1)]
        chances[k] = chance if smaller == 0 else 1.0 - chance


@kernel
def add_products(sums: Any, halves: Any, a: int, b: int, j: int) -> None:
    """Add b(a, j) b(b, k) to the sum for j + k, for all k."""
    weight, others, rest = halves[a, j], halves[b], sums[j:]
    for k in range(b + 1):
        rest[k] += weight * others[k]


@kernel
def fill_relative(chances: Any, sums: Any, inverse: Any, first: int, m: int) -> None:
    """The sums from the first on, relative to all products."""
    part, scale = sums[first:], inverse[first:]
    for k in range(m + 1):
        chances[k] = min(1.0, part[k] * scale[k])


@kernel
def temper(chances: Any, m: int, exponent: float, smallest: float, least: float, is_reversed: bool) -> None:
    """Make allocation probabilities of those of having the larger mean."""
    for k in range(m + 1):
        chance = 1.0 - chances[k] if is_reversed else chances[k]
        ratio = max(1.0 - chance, smallest) / max(chance, smallest)
        if exponent != 1.0:
            ratio = power(ratio, exponent)
        chances[k] = min(max(1.0 / (1.0 + ratio), least), 1.0 - least)


@kernel
def decided(rule: Any, fixed: Any, pulls: int, rival_pulls: int, assigned: int, rival: int) -> tuple[int, float]:
    """The kind of chances of a table, and the probability of arm 1 in all its states if they are FIXED."""
    kind, floor, share = rule[0], rule[1], rule[2]
    if kind == FIXED:
        return FIXED, fixed[pulls]
    if floor != NO_OPENING and (min(pulls, rival_pulls) == 0 or min(assigned, rival) < floor):
        return FIXED, 1.0 if assigned < rival else 0.0
    if kind == CONSTANT:
        return FIXED, share
    if kind == DUEL and pulls == rival_pulls:
        return LARGER, 0.0
    return kind, 0.0


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
    in_place: bool,
) -> None:
    """Take the states out of one layer, and add them to another for each arm that the next patient may get.

    With `in_place` all three are in the same memory, and the outcome of this patient becomes known. `late` patients of
    those `enrolled` are on arm 1 with an outcome that is not known.
    """
    cells, room, known, reached = source
    control, control_room, control_shown, control_reached = to_control
    treated, treated_room, treated_shown, treated_reached = to_treated
    halves, inverse, scores, best, beaten_by = tables
    _, _, share, exponent, smallest, least, is_reversed = rule
    sums, chances = np.empty(known + 3), np.empty(known + 1)
    on_larger, on_smaller = np.empty(known + 1), np.empty(known + 1)
    for smaller in range(2):
        states = cells[smaller]
        for n in range((known - smaller) // 2, -1, -1):
            m = known - n
            pulls = m if smaller == 0 else n  # of arm 1
            if not reached[pulls] or (only != EVERYWHERE and only != pulls):
                continue
            assigned = pulls + late
            kind, certain = decided(rule, fixed, pulls, known - pulls, assigned, enrolled - assigned)
            tossed, ruled = coin / 2.0, 1.0 - coin
            certain = tossed + ruled * certain
            any_control, any_treated = kind != FIXED or certain < 1.0, kind != FIXED or certain > 0.0
            if any_control:
                control_reached[pulls + (control_shown == 1)] = True
            if any_treated:
                treated_reached[pulls + (treated_shown == 1)] = True
            if kind == FIXED:
                chances[: m + 1] = certain if smaller == 0 else 1.0 - certain
                tossed, ruled = 0.0, 1.0
            # products b(a, j) b(b, k): of duels in the order of the ranking, else from the largest j down
            by_duel, by_sums, added = kind == DUEL, kind in SUMS, 0
            a, b = (n, m - n) if by_duel else (n + 1, m + 1)
            if by_sums:
                sums[: a + b + 1] = 0.0
            first, following, width = start(n, room), start(n + 1, room), room - n
            for r in range(n + 1):
                i = best[n, r] if by_duel else n - r
                if by_sums:
                    while added < (beaten_by[n, i] if by_duel else r + 1):
                        add_products(sums, halves, a, b, best[n, added] if by_duel else a - added)
                        added += 1
                    fill_relative(chances, sums, inverse[a + b], 0 if by_duel else i + 1, m)
                    if kind == TEMPERED:
                        temper(chances, m, exponent, smallest, least, is_reversed)
                elif kind == LARGER:
                    fill_larger(chances, scores[n, i], scores[m], m, share)
                elif kind == GIVEN:
                    fill_given(chances, given, smaller, i, m)
                begin = first + i * (width + 1)
                if in_place and n < m:
                    failed = following + i * width
                    move_row(states, begin, failed, failed + width, m, chances, tossed, ruled)
                    continue
                row = states[begin : begin + m + 1]
                for k in range(m + 1):
                    part = row[k] * (tossed + ruled * chances[k])
                    on_larger[k] = part
                    on_smaller[k] = row[k] - part
                    row[k] = 0.0
                on_treated, on_control = (on_larger, on_smaller) if smaller == 0 else (on_smaller, on_larger)
                if any_control:
                    add_row(control, control_room, smaller, n, m, i, control_shown, on_control)
                if any_treated:
                    add_row(treated, treated_room, smaller, n, m, i, treated_shown, on_treated)
