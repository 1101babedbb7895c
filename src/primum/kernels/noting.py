"""Notes on a decision: what kernels compared and concluded, from which a replay explains it.

Where no recorder is attached (`Histories.attach`), as in every simulation, a note costs one comparison.
"""

from __future__ import annotations

from typing import Any

from primum.kernels.contract import kernel, record

# Events, with what `arm`, `other`, `x` and `y` are. What was compared:
SCORES = 0  # history.scores as they are now
LOG_WEIGHT = 1  # arm: is chosen with a probability proportional to exp(x)
SUBSAMPLE = 2  # arm, size: a sub-sample was drawn; x: of two-valued rewards, how many are of the second value
DUEL = 3  # a, b, and their values
WINNER = 4  # arm: won the duel
LEADS = 5  # arm: leads the round that begins
CHALLENGE = 6  # arm, 1 if it won, its value, and the leader's value or nan if there is none that it reached
BELOW_FLOOR = 7  # arm: wins its challenge because it has fewer than x assignments
# What was concluded; the last one is the decision, if the policy returns that arm:
OPENING = 8  # arm: has fewer than x assignments, or no reward
BEST = 9  # arm: has the largest score
CHAMPION = 10  # arm: won the tournament
RANDOM = 11  # arm: drawn uniformly at random, which happens with probability x
WAITED = 12  # arm: won its challenge, at this step or at an earlier one
UNBEATEN = 13  # arm: the leader, against which no challenger won
COMMITTED = 14  # arm: chosen for all remaining steps
CONCLUSIONS = range(OPENING, COMMITTED + 1)


@kernel
def note(history: Any, event: int, arm: int, other: int, x: float, y: float) -> None:
    """Tell the recorder, if there is one."""
    if history.record != 0:
        record(history, event, arm, other, x, y)


@kernel
def note_log_weight(history: Any, arm: int, log_weight: float) -> None:
    """Note that the arm is chosen with a probability proportional to exp(log_weight)."""
    note(history, LOG_WEIGHT, arm, 0, log_weight, 0.0)
