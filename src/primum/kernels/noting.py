"""Notes on a decision: what kernels compared and concluded, from which a replay explains it.

Where no recorder is attached (`Histories.attach`), as in every simulation, a note costs one comparison.
"""

from __future__ import annotations

from typing import Any

from primum.kernels.contract import kernel, note

# Events, with what `arm`, `other`, `x` and `y` are. What was compared:
SCORES = 0  # history.scores as they are now
LOG_WEIGHT = 1  # arm: is chosen with a probability proportional to exp(x)
SUBSAMPLE = 2  # arm, size: a sub-sample was drawn; x: of two-valued rewards, how many are of the second value
DUEL = 3  # two arms and their values
WON_BY_CHANCE = 4  # arm: won the duel, in which values and pulls were equal
LEADS = 5  # arm: leads the round that begins
CHALLENGE = 6  # arm, 1 if it won, its value, and the leader's value or nan if there is none that it reached
BELOW_FLOOR = 7  # arm: wins its challenge because it has fewer than x assignments
# What was concluded; the last one is the decision, if the policy returns that arm:
OPENING = 8  # arm: has fewer than x assignments, or no reward
HIGHEST = 9  # arm: has the largest of history.scores as they are now
SELECTED = 10  # arm: has the largest of the scores that were noted before
CHAMPION = 11  # arm: won the tournament
RANDOM = 12  # arm: drawn uniformly at random, which happens with probability x
WAITED = 13  # arm: won its challenge, at this step or at an earlier one
UNBEATEN = 14  # arm: the leader, against which no challenger won
COMMITTED = 15  # arm: chosen for all remaining steps
DRAWN = 16  # arm: drawn with the probabilities that are now in history.scores


@kernel
def note_log_weight(history: Any, arm: int, log_weight: float) -> None:
    """Note that the arm is chosen with a probability proportional to exp(log_weight)."""
    note(history, LOG_WEIGHT, arm, 0, log_weight, 0.0)
