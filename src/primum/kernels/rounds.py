"""Rounds of a leader against its challengers: several arms may win a round, and each is pulled once.

A decision is one arm, so the winners wait in the policy's memory: one after another is drawn at random, and when none
is left, the next round begins. A round that the horizon cuts short so loses a random part of its winners.
"""

from __future__ import annotations

import math
from typing import Any

from primum.kernels.choosing import best_score, opening, tied
from primum.kernels.contract import kernel, note
from primum.kernels.elementary import log
from primum.kernels.noting import BELOW_FLOOR, CHALLENGE, LEADS, UNBEATEN, WAITED
from primum.kernels.records import value_of
from primum.kernels.streams import below

# what memory[arm, ...] keeps: 1 for a winner that waits for its pull; and in memory[0, ...] the number of the round, of
# which the opening is the first, and 1 + its leader
WAITING, ROUND, LEADER = 0, 1, 2
ROUND_WIDTH = 3

LOWEST = -1.7976931348623157e308  # the lowest finite number


@kernel
def in_hand(history: Any) -> int:
    """The arm that needs no new round: one of the opening, each arm once, or a winner that waits; or -1."""
    arm = opening(history, 1.0)
    if arm < 0:
        found = 0
        for k in range(history.arms):
            if history.memory[k, WAITING] > 0.0:
                found += 1
                if found == 1 or below(history.stream, found) == 0:
                    arm = k
        if arm >= 0:
            history.memory[arm, WAITING] = 0.0
            note(history, WAITED, arm, 0, 0.0, 0.0)
    return arm


@kernel
def begin_round(history: Any) -> int:
    """The leader of a new round: the most pulled arm; of several the best, then the leader before, then any."""
    leader, most, several = 0, 0, False
    for k in range(history.arms):
        if history.pulls[k] == most:
            several = True
        elif history.pulls[k] > most:
            leader, most, several = k, history.pulls[k], False
    if several:  # else no value is needed
        for k in range(history.arms):
            # a value of minus infinity, too, is better than fewer pulls
            history.scores[k] = max(value_of(history, k), LOWEST) if history.pulls[k] == most else -math.inf
        leader = best_score(history)
        before = int(history.memory[0, LEADER]) - 1
        if (
            before >= 0
            and history.pulls[before] == most
            and tied(history, history.scores[before], history.scores[leader])
        ):
            leader = before
    history.memory[0, LEADER] = 1.0 + leader
    history.memory[0, ROUND] = max(1.0, history.memory[0, ROUND]) + 1.0
    note(history, LEADS, leader, 0, 0.0, 0.0)
    return leader


@kernel
def least_of_round(history: Any) -> float:
    """sqrt(log r) in round r: challengers with fewer assignments win, whatever their rewards."""
    return math.sqrt(log(history.memory[0, ROUND]))


@kernel
def is_below(history: Any, arm: int, floor: float) -> bool:
    """Whether a challenger wins because it has fewer assignments than the floor."""
    won = history.assigned[arm] < floor
    if won:
        history.memory[arm, WAITING] = 1.0
        note(history, BELOW_FLOOR, arm, 0, floor, 0.0)
    return won


@kernel
def challenge(history: Any, arm: int, won: bool, own: float, to_reach: float) -> None:
    """Record a challenge; `own` is the challenger's value, `to_reach` the leader's, nan if none was reached."""
    history.memory[arm, WAITING] = 1.0 if won else 0.0
    note(history, CHALLENGE, arm, 1 if won else 0, own, to_reach)


@kernel
def first_of_round(history: Any) -> int:
    """The first of the winners, or the leader if there are none."""
    arm = in_hand(history)
    if arm < 0:
        arm = int(history.memory[0, LEADER]) - 1
        note(history, UNBEATEN, arm, 0, 0.0, 0.0)
    return arm
