"""The probability with which each patient of a trial was allocated to each arm, given what was known.

They are known exactly where the policy states them, and for two arms with outcomes 0 and 1 where it has `chances`: the
engine records what the policy stated, or what it knew, before each decision, so delays, blocks, looks and corrections
need no care here. For other policies decisions are repeated, and the shares of the arms are estimates.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.policies.counts import Counts
from primum.trials.data import Floats
from primum.trials.design import Design
from primum.trials.evidence.betting import with_own
from primum.trials.simulation import burn_in
from primum.trials.simulation.arrivals import Ints
from primum.trials.simulation.engine import NONE

if TYPE_CHECKING:
    from primum.trials.simulation.running import Trials

REPETITIONS = 200  # of each decision, where its probabilities are not known exactly
MOST_COUNTED = 1_000  # patients; for more, tables over their successes take longer than repetitions
COUNTS = 6  # numbers that `engine.record_counts` records


def recorded_width(design: Design) -> int:
    """How many numbers are recorded of a decision; 0 if there is nothing that gives its probabilities."""
    arms = len(design.arms)
    if design.policy.states_probabilities:
        return arms
    return COUNTS if arms == 2 and design.policy.has_chances and design.patients <= MOST_COUNTED else 0


def are_binary(outcomes: Floats) -> NDArray[np.bool_]:
    """Which outcomes are 0, 1 or not known."""
    return np.asarray(np.isnan(outcomes) | (outcomes == 0) | (outcomes == 1))


def repetitions(design: Design, is_binary: bool) -> int:
    """How often each decision must be repeated for what the design needs."""
    return needed_repetitions(design, is_binary) if design.needs_chances else 0


def needed_repetitions(design: Design, is_binary: bool) -> int:
    """How often each decision must be repeated for its probabilities; 0 where these are known exactly."""
    return 0 if _is_exact(design, is_binary) else REPETITIONS


def _is_exact(design: Design, is_binary: bool) -> bool:
    return design.policy.states_probabilities or (is_binary and recorded_width(design) > 0)


@dataclass(frozen=True)
class Decisions:
    """What is known of the decisions in trials of a design: trial x patient.

    `frequencies` are those of `repetitions`, by arm, and `recorded` is what `engine.play` recorded; both are empty
    where they were not asked for. `dropped_before` is the first patient of each trial after an arm was dropped, beyond
    all if none was. `replications` and `seed` are those of the trials. `closed` keeps the probabilities of the second
    arm that were computed from counts, because a trial may ask for them at many looks.
    """

    design: Design
    repetitions: int
    frequencies: NDArray[np.int32]
    recorded: Floats
    dropped_before: Ints
    replications: Ints
    seed: int
    closed: Floats


def allocation_probabilities(trials: Trials) -> Floats:
    """The allocation probabilities of trials, trial x patient x arm: exact if possible, else from repeated decisions.

    They are those of the policy and of the coin together. Patients of the burn-in have 1 / arms, the probability
    without knowledge of earlier allocations: with it the last has no choice, and no weighted estimate would be defined.
    The burn-in does not depend on outcomes, so weighting by these stays unbiased. `given_all_before` has the others.
    """
    arm, outcome = trials.data.one_by_one("an allocation probability")
    found, _ = _of_rule(trials.decisions, np.arange(len(arm)), arm, outcome)
    found[:, : trials.design.forced] = 1 / len(trials.design.arms)
    return found


def given_all_before(trials: Trials) -> Floats:
    """The allocation probabilities given all that is known before each patient, arms of the burn-in included."""
    arm, outcome = trials.data.one_by_one("an allocation probability")
    rows = np.arange(len(arm))
    found, _ = _of_rule(trials.decisions, rows, arm, outcome)
    return _with_burn_in(trials.decisions, rows, arm, found)


def to_bet_on(decisions: Decisions, rows: Ints, arm: NDArray[np.int16], outcome: Floats) -> Floats:
    """The same for bets on labels in some trials, with what is known of them at a time.

    Estimates count the decision itself as one more, see `betting.with_own`.
    """
    found, estimated = _of_rule(decisions, rows, arm, outcome)
    for i in np.flatnonzero(estimated):
        if len(decisions.design.arms) > 2 and decisions.design.coin:
            found[i] = _with_drawn_coins(decisions, int(rows[i]), arm[i])
        found[i] = with_own(arm[i], found[i], decisions.repetitions)
    return _with_burn_in(decisions, rows, arm, found)


def _of_rule(
    decisions: Decisions, rows: Ints, arm: NDArray[np.int16], outcome: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """The probabilities by policy and coin, and in which trials they are estimates; 0 where nobody was allocated."""
    design, states = decisions.design, decisions.design.policy.states_probabilities
    is_exact = np.full(len(arm), bool(decisions.recorded.size) and _is_exact(design, is_binary=True))
    if is_exact.any() and not states:
        is_exact &= are_binary(outcome).all(axis=1) & ~(decisions.recorded[rows] == NONE).any(axis=(1, 2))
    if not is_exact.all() and not decisions.repetitions:
        raise ParameterError(
            f"{design.display_name} has no allocation probabilities in closed form; run its trials with repetitions"
        )
    own = np.full((*arm.shape, len(design.arms)), np.nan)  # of the policy
    if not is_exact.all():
        frequencies = decisions.frequencies[rows[~is_exact]]
        own[~is_exact] = np.where(frequencies.any(axis=2, keepdims=True), frequencies / decisions.repetitions, np.nan)
    if is_exact.any():
        chosen = rows[is_exact]
        own[is_exact] = decisions.recorded[chosen] if states else _from_counts(decisions, chosen)
    own[own < 0] = np.nan  # of arms that were dropped
    return _mixed(design, arm, own), ~is_exact


def _mixed(design: Design, arm: NDArray[np.int16], own: Floats) -> Floats:
    """The probabilities by policy and coin together."""
    left = np.isfinite(own)
    coins = design.coins()[:, None]
    found = np.where(left, coins / np.maximum(left.sum(axis=2, keepdims=True), 1) + (1 - coins) * own, 0.0)
    only = (arm >= 0) & ~left.any(axis=2)  # one arm was left, and nobody decided
    found[only] = arm[only][:, None] == np.arange(len(design.arms))
    found[arm < 0] = 0.0
    return found


def _with_burn_in(decisions: Decisions, rows: Ints, arm: NDArray[np.int16], found: Floats) -> Floats:
    """With the conditional probabilities of the burn-in; where an arm was dropped in it, as if there were no choice."""
    forced = decisions.design.forced
    if forced:
        patients, whole = np.arange(forced), arm[:, :forced] >= 0
        whole &= patients < decisions.dropped_before[rows, None]
        chances = burn_in.chances(decisions.design, np.where(whole, arm[:, :forced], -1))
        given = (arm[:, :forced, None] == np.arange(found.shape[2])).astype(np.float64)
        found[:, :forced] = np.where(whole[:, :, None], chances, given)
    return found


def _with_drawn_coins(decisions: Decisions, row: int, arm: NDArray[np.int16]) -> Floats:
    """The shares of the arms in repeated decisions of a trial, each of which is tossed a coin: patient x arm.

    They are drawn patient after patient, so that they are the same whenever they are asked for.
    """
    design, number = decisions.design, decisions.repetitions
    random = np.random.default_rng([decisions.seed, int(decisions.replications[row]), number])
    frequencies, coins = decisions.frequencies[row], design.coins()
    found = np.zeros(frequencies.shape)
    for t in range(int((arm >= 0).sum())):
        if frequencies[t].any():
            left = frequencies[t] >= 0
            kept = random.binomial(np.maximum(frequencies[t], 0), 1 - coins[t])
            found[t] = (kept + random.multinomial(number - kept.sum(), left / left.sum())) / number
        else:
            found[t] = np.arange(len(design.arms)) == arm[t]
    return found


def _from_counts(decisions: Decisions, rows: Ints) -> Floats:
    """The probabilities of both arms where the policy knew the recorded counts, NaN where nobody decided."""
    design, second = decisions.design, decisions.closed[rows]
    decided = np.isfinite(decisions.recorded[rows, :, 0]) & np.isnan(second)
    states, place = np.unique(decisions.recorded[rows][decided].astype(np.int64), axis=0, return_inverse=True)
    found = np.empty(len(states))
    for numbers, group in itertools.groupby(enumerate(states.tolist()), key=lambda each: each[1][:4]):
        counts = Counts((numbers[0], numbers[1]), (numbers[2], numbers[3]), design.patients, design.inner_value)
        table = np.broadcast_to(design.policy.chances(counts), (numbers[2] + 1, numbers[3] + 1))
        for i, (*_, first, other) in group:
            found[i] = table[first, other]
    second[decided] = found[place.ravel()]
    decisions.closed[rows] = second
    return np.stack([1 - second, second], axis=2)
