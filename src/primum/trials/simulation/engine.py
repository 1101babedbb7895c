"""The hot loop of trials: patients one after the other, outcomes told when they are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from primum.kernels.choosing import drawn_between
from primum.kernels.contract import history_of, kernel, large_kernel, set_fault, set_step
from primum.kernels.elementary import log
from primum.kernels.engine import BLOCK, decide, observe
from primum.kernels.records import collect
from primum.kernels.streams import COIN, DECISION, REPETITION, philox, to_unit, uniform

TRIAL = 0  # the lane of a trial; others are those of its re-runs
ASK = -1  # in place of an arm: the policy decides
ROUNDING = 1e-9  # of the sum of probabilities
NONE = -1  # in place of what is recorded of an arm that was dropped
SMALL = 1e-100  # a product of probabilities whose logarithm is taken
NOT_STATED = -3  # a fault: the policy promises probabilities, and does not state them


@kernel
def tell(history: Any, place: int, outcome: float) -> None:
    """Take in an outcome of the arm at a place among the active ones."""
    history.rewards[place, history.pulls[place]] = outcome
    observe(history, place)


@kernel
def toss(history: Any, patient: int, coin: float, lane: int, fixed_lane: int) -> int:
    """A place at random, all alike, for the patients who are allocated by the coin; ASK for the others.

    Which patients these are is drawn in the fixed lane, and the place in the lane of the trial or re-run.
    """
    fallen, drawn = philox(patient, lane, history.replication, COIN, history.seed)
    if fixed_lane != lane:
        fallen, _ = philox(patient, fixed_lane, history.replication, COIN, history.seed)
    if to_unit(fallen) >= coin:
        return ASK
    for k in range(history.arms):
        history.scores[k] = 1.0 / history.arms
    return int(to_unit(drawn) * history.arms)


@large_kernel
def repeat(history: Any, patient: int, place: int, repetitions: int, memory: Any, bag: Any, frequencies: Any) -> None:
    """Repeat a decision that was just made for a place, with other random numbers, and count the choices.

    `memory[0]` is that of the policy before the decision, with which each repetition begins; `memory[1]` and `bag` are
    scratch. The history is left as it was.
    """
    active = history.arms
    for k in range(active):
        collect(history, k)  # else a repetition might be the first to do so, in a bag that is not kept
    bag[:active] = history.bag
    memory[1, :active] = history.memory
    history.assigned[place] -= 1
    set_step(history, history.step - 1)
    for i in range(repetitions):
        history.memory[:] = memory[0, :active]
        s0, s1 = philox(patient + 1, i, history.replication, REPETITION, history.seed)
        chosen = decide(history, s0, s1)
        if history.fault != 0:
            return
        frequencies[chosen] += 1
        history.assigned[chosen] -= 1
        set_step(history, history.step - 1)
    history.assigned[place] += 1
    set_step(history, history.step + 1)
    history.bag[:] = bag[:active]
    history.memory[:] = memory[1, :active]


@kernel
def record_counts(history: Any, place: int, own: Any) -> None:
    """Record what a policy for two arms knew when it chose a place: patients, known outcomes and successes of each.

    The successes are -1 where outcomes are not 0 and 1, as their sum and that of their squared differences from the
    first one show.
    """
    for k in range(2):
        pulls, successes = history.pulls[k], history.sums[k]
        own[k] = history.assigned[k] - (1 if k == place else 0)
        own[2 + k] = pulls
        own[4 + k] = successes
        if pulls > 0:
            first = history.rewards[k, 0]
            unlike = successes if first == 0.0 else pulls - successes
            if (first != 0.0 and first != 1.0) or history.squares[k] != unlike or successes != math.floor(successes):
                own[4 + k] = NONE


@kernel
def record_stated(history: Any, places: Any, own: Any) -> None:
    """Record the probabilities that the policy states, by arm."""
    for arm in range(places.size):
        own[arm] = history.scores[places[arm]] if places[arm] != ASK else NONE


@kernel
def by_arm(places: Any, frequencies: Any) -> None:
    """Put frequencies by place in the order of the arms, where arms were dropped."""
    for arm in range(places.size - 1, -1, -1):  # a place is never behind its arm
        frequencies[arm] = frequencies[places[arm]] if places[arm] != ASK else NONE


@kernel
def places_of_pair(places: Any, held: int, pair: int) -> tuple[int, int]:
    """The places between which a patient is allocated again, that of the arm in the trial first; ASK for none."""
    first, second = places[held], ASK
    if held == 0 or held == pair:
        second = places[pair - held]
    return (first, second) if first != ASK else (second, ASK)


@large_kernel
def hold(history: Any, place: int, is_planned: bool, first: int, second: int, is_trial: bool) -> tuple[int, float]:
    """Put a patient who was just allocated on one of two places, or a single one, with their conditional probabilities.

    The trial itself has the first one. Returns the place, and the probability of both together; if that is 0, the
    place is left as it was. The policy has drawn one of them already if it drew by `drawn_arm`.
    """
    scores, total = history.scores, 0.0
    if is_planned:
        scores[0] = 1.0  # the only arm left
    for k in range(history.arms):
        total += scores[k]
    if not abs(total - 1.0) <= ROUNDING:
        set_fault(history, NOT_STATED)
        return place, 0.0
    chance = (scores[first] if first != ASK else 0.0) + (scores[second] if second != ASK else 0.0)
    if not chance > 0.0:
        return place, 0.0
    drawn = place
    if is_trial:
        drawn = first
    elif place != first and place != second:
        drawn = drawn_between(scores, first, second, uniform(history.stream), place)
    history.assigned[place] -= 1
    history.assigned[drawn] += 1
    return drawn, chance


def play(
    histories: Any,
    lanes: Any,
    first: Any,
    last: Any,
    forced: Any,
    coins: Any,
    updates: Any,
    arrivals: Any,
    ready: Any,
    told: Any,
    known: Any,
    places: Any,
    outcomes: Any,
    arms: Any,
    seen: Any,
    repetitions: int,
    frequencies: Any,
    states: bool,
    recorded: Any,
    pair: int,
    held: Any,
    log_weights: Any,
    stop: Any,
    played: Any,
) -> None:
    """Allocate patients `first[r]` to `last[r]` - 1 of each trial r.

    Before patient t the outcomes that are `ready` by then are told in the order of `arrivals`, if `updates[t]`;
    `told[r]` counts them. `known[r]` of them are told at once, for a history that was made anew. `forced[r, t]` is
    the arm, or ASK, and `coins[t]` the probability that it is drawn at random if so; `places[r, k]` the place of an
    arm among those still active, ASK if it was dropped. `outcomes[r, k, t]` are the potential outcomes. Rows and arms
    that are equal for all may be given once. `arms` and `seen` receive the arm and the outcome of each patient. If
    `repetitions` are asked for, each decision is repeated with other random numbers on the same data, and
    `frequencies[r, t, arm]` receives how often an arm was chosen, NONE for one that was dropped. `recorded[r, t]`,
    unless it is empty, receives the probabilities that the policy states, for each arm, if it `states` them, and
    otherwise what `record_counts` does; also where the coin decided. Nothing is recorded where an arm is forced or the
    only one left.

    With a `pair` patients are allocated only between arm 0 and that one (see `hold`): `held[t]` is the arm in the
    trial, which is the row with lane 0; and the logarithm of the probability of all that was held fixed is added to
    `log_weights[r]`. Arms that are `forced` have been drawn so already.
    """
    patients = seen.shape[1]
    keys = np.empty((2, BLOCK), np.uint64)
    all_arms = places.shape[1]
    repeats = repetitions > 0 or (states and recorded.size > 0)
    memory = np.empty((2, all_arms, history_of(histories, 0).width if repeats else 0))
    bag = np.empty((all_arms, history_of(histories, 0).capacity if repeats else 0))
    once = np.zeros(all_arms, np.int32)
    for r in range(first.size):
        history = history_of(histories, r)
        timing = r if arrivals.shape[0] > 1 else 0
        tape = r if outcomes.shape[0] > 1 else 0
        plan = r if forced.shape[0] > 1 else 0
        active = history.arms
        used, weight = BLOCK, 1.0
        for t in range(first[r], last[r]):
            if stop[0] != 0:
                return
            while told[r] < patients:
                s = arrivals[timing, told[r]]
                is_due = told[r] < known[r] or (updates[t] and ready[timing, s] <= t)
                if not is_due:
                    break
                told[r] += 1
                place = places[r, arms[r, s]]
                if place >= 0:
                    tell(history, place, seen[r, s])
            if used == BLOCK:
                used = 0
                for i in range(BLOCK):
                    s0, s1 = philox(t + 1 + i, lanes[r], history.replication, DECISION, history.seed)
                    keys[0, i] = s0
                    keys[1, i] = s1
            arm: Any = np.int64(forced[plan, t])
            place = places[r, arm] if arm != ASK else 0 if active == 1 else ASK
            is_planned = place != ASK
            if pair > 0:
                is_trial = lanes[r] == TRIAL
                one, other = places_of_pair(places[r], held[t], pair)
                history.among[0], history.among[1] = 1 + one, 0 if is_trial else 1 + other
            if not is_planned and coins[t] > 0.0:
                place = toss(history, t, coins[t], lanes[r], TRIAL if pair > 0 else lanes[r])
            if repeats:
                memory[0, :active] = history.memory
            is_tossed = place != ASK
            if not is_tossed:
                place = decide(history, keys[0, used], keys[1, used])
            else:
                history.assigned[place] += 1
                set_step(history, history.step + 1)
            if not is_planned and history.fault == 0 and recorded.size > 0:
                if not states:
                    record_counts(history, place, recorded[r, t])
                else:
                    if is_tossed:
                        repeat(history, t, place, 1, memory, bag, once)
                    record_stated(history, places[r], recorded[r, t])
            if not is_planned and history.fault == 0 and repetitions > 0:
                repeat(history, t, place, repetitions, memory, bag, frequencies[r, t])
                if active < all_arms:
                    by_arm(places[r], frequencies[r, t])
            if pair > 0 and arm == ASK and history.fault == 0:
                place, chance = hold(history, place, is_planned, one, other, is_trial)
                weight *= chance
                if weight < SMALL:
                    log_weights[r] += log(weight) if weight > 0.0 else -np.inf
                    weight = 1.0
            used += 1
            if history.fault != 0:
                return
            arm = 0
            while places[r, arm] != place:
                arm += 1
            arms[r, t] = arm
            seen[r, t] = outcomes[tape, arm if outcomes.shape[1] > 1 else 0, t]
            played[0] += 1
        if pair > 0:
            log_weights[r] += log(weight)


def tally(
    rows: Any, arms: Any, seen: Any, arrivals: Any, known: Any, counts: Any, sums: Any, variances: Any, outcome: Any
) -> None:
    """Count the first `known[i]` outcomes of trial `rows[i]` in the order of `arrivals`, by arm.

    `variances` receives their unbiased variances, by Welford's update of the mean, so that nothing cancels where
    outcomes are large. `outcome[i, t]` receives those outcomes, and NaN elsewhere, unless it is empty.
    """
    outcome[:] = np.nan
    means = np.zeros(counts.shape[1])
    for i in range(rows.size):
        r = rows[i]
        means[:] = 0.0
        variances[i] = 0.0
        timing = r if arrivals.shape[0] > 1 else 0
        left = known[i]
        for j in range(arrivals.shape[1]):
            if left == 0:
                break
            s = arrivals[timing, j]
            arm = arms[r, s]
            y = seen[r, s]
            if arm < 0 or y != y:  # not enrolled, or never known
                continue
            left -= 1
            counts[i, arm] += 1
            sums[i, arm] += y
            before = y - means[arm]
            means[arm] += before / counts[i, arm]
            variances[i, arm] += before * (y - means[arm])
            if outcome.size:
                outcome[i, s] = y
        for k in range(means.size):
            variances[i, k] = variances[i, k] / (counts[i, k] - 1) if counts[i, k] > 1 else np.nan
