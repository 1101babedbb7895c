"""The probability with which each patient of a trial was allocated to each arm, given what was known."""

from __future__ import annotations

import numpy as np

from primum.errors import ParameterError
from primum.policies.counts import Counts
from primum.trials.data import Floats
from primum.trials.design import Design
from primum.trials.scenario import Scenario
from primum.trials.simulation import burn_in
from primum.trials.simulation.running import Trials

REPETITIONS = 200  # of each decision, where there is no closed form


def repetitions(design: Design, scenario: Scenario) -> int:
    """How often each decision must be repeated for what the design estimates; 0 where there is a closed form."""
    return 0 if design.estimator == "naive" or (_is_closed(design) and scenario.is_binary) else REPETITIONS


def _is_closed(design: Design) -> bool:
    lag = 0 if design.delay is None else design.delay.patients
    return design.policy.has_chances and len(design.arms) == 2 and lag == 0 and design.blocks == 1 and not design.looks


def allocation_probabilities(trials: Trials) -> Floats:
    """The allocation probabilities of trials, trial x patient x arm: exact if possible, else from repeated decisions.

    They are those of the policy and of the coin together, exact for a policy with `chances`, two arms, outcomes 0 and
    1 that are known at once, and no looks. Otherwise the trials must have been run with repetitions. Patients of the
    burn-in have 1 / arms, the probability without knowledge of earlier allocations: with it the last has no choice,
    and no weighted estimate would be defined. The burn-in does not depend on outcomes, so weighting by these stays
    unbiased. `given_all_before` has the others.
    """
    design, data = trials.design, trials.data
    if trials.frequencies is not None:
        total = trials.frequencies.sum(axis=2, keepdims=True)
        found: Floats = np.divide(trials.frequencies, total, out=np.zeros(trials.frequencies.shape), where=total > 0)
    elif _is_closed(design) and data.is_binary:
        found = _from_counts(trials)
    else:
        raise ParameterError(
            f"{design.display_name} has no allocation probabilities in closed form; run its trials with repetitions"
        )
    coins = design.coins()[:, None]
    found = coins / len(design.arms) + (1 - coins) * found
    found[:, : design.forced] = 1 / len(design.arms)
    return found


def given_all_before(trials: Trials) -> Floats:
    """The allocation probabilities given all that is known before each patient, arms of the burn-in included."""
    found = allocation_probabilities(trials)
    found[:, : trials.design.forced] = burn_in.chances(trials.design, trials.data.one_by_one("a burn-in")[0])
    return found


def _from_counts(trials: Trials) -> Floats:
    design, data = trials.design, trials.data
    arm, outcome = data.one_by_one("an allocation probability")
    given = arm[:, :, None] == np.arange(2)
    before = [np.cumsum(each, axis=1) - each for each in (given, given * np.nan_to_num(outcome)[:, :, None])]
    pulls, successes = (each.astype(np.int64) for each in before)
    second = np.full(arm.shape, np.nan)
    for t in range(design.forced, design.patients):
        enrolled = arm[:, t] >= 0
        for n in np.unique(pulls[enrolled, t, 1]):
            counts = Counts((t - int(n), int(n)), (t - int(n), int(n)), design.patients, design.inner_value)
            table = np.broadcast_to(design.policy.chances(counts), (t - n + 1, n + 1))
            rows = np.flatnonzero(enrolled & (pulls[:, t, 1] == n))
            second[rows, t] = table[successes[rows, t, 0], successes[rows, t, 1]]
    return np.stack([1 - second, second], axis=2)
