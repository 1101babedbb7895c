"""Many trials of one design at once: patients, looks, and what is left of each trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.kernels.contract import Histories
from primum.plugins.parameters import Parameter
from primum.runs.part import Monitor
from primum.trials.data import Floats, TrialData
from primum.trials.design import Design
from primum.trials.monitoring import GOES_ON
from primum.trials.pairs import NO_PAIR, Pair, refuse_drop
from primum.trials.scenario import Scenario
from primum.trials.simulation import burn_in, engine
from primum.trials.simulation.arrivals import NEVER, OUTCOME, Ints, Timing, timing_of, uniforms_of
from primum.trials.simulation.probabilities import (
    Decisions,
    are_binary,
    needed_repetitions,
    recorded_width,
    to_bet_on,
)


@dataclass(frozen=True)
class Intervention:
    """What people do to a trial before a patient is allocated: they correct or give up an outcome, or drop an arm.

    `before` is the number of that patient, from 0, and `looks` the number of looks taken by then. The policy goes on as
    if a corrected outcome had always been so. An outcome that is NaN will never be known.
    """

    before: int
    looks: int = 0
    patient: int = -1  # whose outcome is corrected, or given up
    outcome: float = np.nan
    arm: int = -1  # that is dropped


@dataclass(frozen=True)
class Trials:
    """Trials of one design that are over, with a row for each in all arrays.

    `size` is the number of patients, and `claimed` the arms that the stopping rule declares better (trial x arm).
    `reason` says why it ended the trial, as a position in `design.monitoring.reasons`, and `stopped_at` at which
    interim look, from 0; both are GOES_ON if it did not, and `stopped_at` also if it decided at the final look.
    `expected` is the sum over its patients of the mean of their potential outcomes: what equal randomisation of the
    same patients would give on average. `decisions` have what the allocation probabilities are computed from (see
    probabilities.py). `interventions`, `most_looks` and `is_over` are those of `play`; `uncorrected` are outcomes by
    patient as they were before a correction. `log_weights` are those of re-runs for a pair of arms.
    """

    design: Design
    data: TrialData
    timing: Timing
    replications: Ints
    seed: int
    size: Ints
    claimed: NDArray[np.bool_]
    reason: NDArray[np.int8]
    stopped_at: Ints
    expected: Floats
    duration: Floats
    decisions: Decisions
    interventions: Sequence[Intervention] = ()
    most_looks: int | None = None
    is_over: bool = True
    uncorrected: Mapping[int, Floats] = field(default_factory=dict)
    log_weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.size)

    def as_recorded(self, row: int) -> Floats:
        """The outcomes of the patients of a trial as they were first known, before corrections."""
        _, outcome = self.data.one_by_one("a list of outcomes")
        recorded: Floats = outcome[row].copy()
        for patient, outcomes in self.uncorrected.items():
            recorded[patient] = outcomes[row]
        return recorded


def run(
    design: Design,
    scenario: Scenario,
    seed: int,
    replications: Sequence[int] | Ints,
    *,
    repetitions: int = 0,
    records: bool = False,
    monitor: Monitor | None = None,
    part_number: int = 0,
) -> Trials | None:
    """Run trials of a design in a scenario; None if the monitor stopped it.

    Allocation probabilities need decisions that are recorded, or repeated (see probabilities.py).
    """
    numbers = np.asarray(replications, np.int64)
    scenario = scenario.ordered(design.arms)
    check_fit(design, scenario)
    uniforms = uniforms_of(seed, numbers, OUTCOME, design.patients)
    tape = _tape(scenario, uniforms)
    timing = timing_of(design, seed, numbers)
    lanes = np.zeros(len(numbers), np.int64)
    return play(
        design,
        tape,
        timing,
        seed,
        numbers,
        lanes,
        repetitions=repetitions,
        records=records,
        monitor=monitor,
        part_number=part_number,
    )


def _tape(scenario: Scenario, uniforms: Floats) -> Floats:
    """The potential outcomes, trial x arm x patient; a single row of arms if all have the same distribution."""
    arms = 1 if all(arm == scenario.arms[0] for arm in scenario.arms) else len(scenario.arms)
    tape = np.empty((len(uniforms), arms, uniforms.shape[1]))
    for arm in range(arms):
        tape[:, arm] = scenario.outcomes(uniforms, arm)
    return tape


def check_fit(design: Design, scenario: Scenario) -> None:
    """Refuse outcomes that the policy or the analysis of a design is not made for."""
    low, high = design.policy.reward_bounds
    for name, arm in zip(design.arms, scenario.arms, strict=True):
        if arm.support[0] < low or arm.support[1] > high:
            raise ParameterError(
                f"{design.policy.display_name} needs outcomes in {Parameter('', low, high).interval}, and arm {name!r} "
                f"({arm.display_name}) has them in {Parameter('', *arm.support).interval}"
            )
        for part in (design.analysis, design.stopping):
            if part is not None and part.binary and not scenario.is_binary:
                raise ParameterError(
                    f"{part.display_name} needs outcomes 0 and 1, and arm {name!r} is {arm.display_name}: "
                    "use a Bernoulli arm, or an analysis such as welch-t"
                )


def play(
    design: Design,
    tape: Floats,
    timing: Timing,
    seed: int,
    replications: Ints,
    lanes: Ints,
    *,
    repetitions: int = 0,
    records: bool = False,
    monitor: Monitor | None = None,
    part_number: int = 0,
    most_patients: int | None = None,
    interventions: Sequence[Intervention] = (),
    most_looks: int | None = None,
    is_over: bool = True,
    pair: Pair = NO_PAIR,
) -> Trials | None:
    """Run trials on potential outcomes (trial x arm x patient; one row or arm may stand for all).

    `lanes` number repeated runs of the same trial, whose decisions have random numbers of their own. An outcome that is
    NaN is never known. Interventions are in the order in which they were made; interim looks after `most_looks` are not
    taken, nor the final one unless the trial `is_over`. With a `pair` all re-runs allocate only between its arms.
    """
    if design.stopping is not None and design.stopping.needs_chances:
        corrected = np.array([made.outcome for made in interventions])
        is_binary = bool(are_binary(tape).all() and are_binary(corrected).all())
        records, repetitions = True, repetitions or needed_repetitions(design, is_binary)
    ongoing = TrialsInProgress(
        design, tape, timing, seed, replications, lanes, repetitions, records, monitor or Monitor(), part_number, pair
    )
    patients = design.patients if most_patients is None else most_patients
    left = list(interventions)
    for number in range(len(design.monitoring.interim[:most_looks])):
        at, known = ongoing.at_look(number)
        while left and left[0].looks <= number:
            if not ongoing.intervene(left.pop(0)):
                return None
        if not ongoing.play_to(np.minimum(at, patients)):
            return None
        if (at <= patients).any():
            ongoing.look(known, at <= patients)
    while left:
        if not ongoing.intervene(left.pop(0)):
            return None
    if not ongoing.play_to(np.full(len(replications), patients)):
        return None
    if is_over and design.monitoring.has_final:
        ongoing.look(ongoing.all_known(), np.full(len(replications), True), is_final=True)
    return ongoing.finish(interventions, most_looks, is_over)


class TrialsInProgress:
    """Trials side by side."""

    def __init__(
        self,
        design: Design,
        tape: Floats,
        timing: Timing,
        seed: int,
        replications: Ints,
        lanes: Ints,
        repetitions: int,
        records: bool,
        monitor: Monitor,
        part_number: int,
        pair: Pair = NO_PAIR,
    ) -> None:
        from primum.kernels.native import compiling

        rows, arms, patients = len(replications), len(design.arms), design.patients
        self.design, self.tape, self.timing, self.seed = design, tape, timing, seed
        self.replications, self.lanes, self.repetitions = replications, lanes, repetitions
        self.monitor, self.part_number, self.pair = monitor, part_number, pair
        self.histories = Histories(rows, arms, patients + 1, patients, design.inner_value, design.policy)
        compiling.connect(self.histories)
        self.histories.begin(seed, replications)
        self._play, self._tally = compiling.compiled(engine.play), compiling.compiled(engine.tally)
        self.plan, self.log_weights = burn_in.plan(design, seed, replications, lanes, pair)
        self.coins, self.updates = design.coins(), design.updates()
        self.first, self.told, self.known = (np.zeros(rows, np.int64) for _ in range(3))
        self.active = np.ones((rows, arms), np.bool_)
        self.places = np.tile(np.arange(arms, dtype=np.int64), (rows, 1))
        self.arms = np.full((rows, patients), -1, np.int16)
        self.seen = np.full((rows, patients), np.nan)
        self.given_up = np.zeros(patients, np.bool_)  # whose outcomes will never be known
        self.uncorrected: dict[int, Floats] = {}  # outcomes of some patients as they were first known
        self.states = design.policy.states_probabilities
        self.decisions = Decisions(
            design,
            repetitions,
            np.zeros((rows, patients, arms) if repetitions else (0, 0, 0), np.int32),
            np.full((rows, patients, recorded_width(design)) if records else (0, 0, 0), np.nan),
            np.full(rows, patients),
            replications,
            seed,
            np.full((rows, patients) if records else (0, 0), np.nan),
        )
        self.claimed = np.zeros((rows, arms), np.bool_)
        self.reason, self.stopped_at = np.full(rows, GOES_ON, np.int8), np.full(rows, GOES_ON, np.int64)
        self.known_at_looks = np.empty((rows, 0), np.int64)

    def play_to(self, last: Ints) -> bool:
        """Allocate patients up to these numbers in the trials that go on; False if the monitor stopped it."""
        last = np.where(self.reason == GOES_ON, np.maximum(last, self.first), self.first)
        self._play(
            self.histories.words,
            self.lanes,
            self.first,
            last,
            self.plan,
            self.coins,
            self.updates,
            self.timing.arrivals,
            self.timing.ready,
            self.told,
            self.known,
            self.places,
            self.tape,
            self.arms,
            self.seen,
            self.repetitions,
            self.decisions.frequencies,
            self.states,
            self.decisions.recorded,
            self.pair.arm,
            self.pair.held,
            self.log_weights,
            self.monitor.stopped,
            self.monitor.played[self.part_number],
        )
        self.histories.check(list(self.design.arms))
        self.first = last
        return not self.monitor.stopped[0]

    def at_look(self, number: int) -> tuple[Ints, Ints]:
        """Patients enrolled and outcomes known at an interim look, in each trial."""
        rows, look = len(self.replications), self.design.monitoring.interim[number]
        if not self.design.monitoring.counts_outcomes:
            known = (self.timing.ready <= look).sum(axis=1)
            return np.full(rows, look), np.broadcast_to(known, rows)
        last = self.timing.arrivals[:, look - 1]
        ready = np.take_along_axis(self.timing.ready, last[:, None], axis=1)[:, 0]
        patients = self.design.patients
        at = np.where(ready == NEVER, patients + 1, np.minimum(ready, patients))
        return np.broadcast_to(at, rows).astype(np.int64), np.full(rows, look)

    def all_known(self) -> Ints:
        """How many outcomes of the patients enrolled are known in the end, in each trial."""
        enrolled = np.arange(self.design.patients) < self.first[:, None]
        return np.asarray((enrolled & np.isfinite(self.seen)).sum(axis=1))

    def intervene(self, made: Intervention) -> bool:
        """Allocate patients up to an intervention, which then takes effect; False if the monitor stopped it."""
        if not self.play_to(np.full(len(self.replications), made.before)):
            return False
        rows = np.flatnonzero(self.reason == GOES_ON)
        if made.patient >= 0 and np.isnan(made.outcome):
            self.given_up[made.patient] = True
        elif made.patient >= 0:
            self.uncorrected.setdefault(made.patient, self.seen[:, made.patient].copy())
            self.seen[:, made.patient] = made.outcome
            position = np.argmax(self.timing.arrivals == made.patient, axis=1)
            self._begin_anew(rows[np.broadcast_to(position, len(self.told))[rows] < self._told_so_far[rows]])
        if made.arm >= 0:
            self._drop(rows, np.broadcast_to(np.arange(len(self.design.arms)) == made.arm, self.active[rows].shape))
        return True

    def _data(self, rows: Ints, known: Ints, *, one_by_one: bool, is_over: bool) -> TrialData:
        """What is known of some trials; patient by patient only if that is asked for."""
        count, arms = len(known), len(self.design.arms)
        counts, sums, variances = np.zeros((count, arms), np.int64), np.zeros((count, arms)), np.empty((count, arms))
        outcome = np.empty((count, self.design.patients) if one_by_one else (0, 0))
        self._tally(rows, self.arms, self.seen, self.timing.arrivals, known, counts, sums, variances, outcome)
        if not one_by_one:
            return TrialData(self.design, counts, sums, variances, active=self.active[rows])
        arm, decisions = self.arms[rows], self.decisions
        pending = None if is_over else (arm >= 0) & np.isnan(outcome) & ~self.given_up

        def allocation() -> Floats:
            return to_bet_on(decisions, rows, arm, outcome)

        return TrialData(self.design, counts, sums, variances, arm, outcome, self.active[rows], pending, allocation)

    def look(self, known: Ints, is_due: NDArray[np.bool_], *, is_final: bool = False) -> None:
        """Take a look at the trials that go on: stop some, drop arms."""
        rule, monitoring = self.design.stopping, self.design.monitoring
        assert rule is not None
        self.known_at_looks = np.column_stack([self.known_at_looks, known])
        rows = np.flatnonzero((self.reason == GOES_ON) & is_due)
        if not rows.size:
            return
        data = self._data(rows, known[rows], one_by_one=rule.needs_patients, is_over=is_final)
        verdict = monitoring.judge(data, self.known_at_looks[rows], is_final=is_final)
        self.claimed[rows] |= verdict.claimed
        self.reason[rows] = verdict.reason
        if is_final:
            return
        self.stopped_at[rows] = np.where(verdict.reason == GOES_ON, GOES_ON, self.known_at_looks.shape[1] - 1)
        self._drop(rows, verdict.dropped)

    def _drop(self, rows: Ints, dropped: NDArray[np.bool_]) -> None:
        """Give no further patients to these arms of some trials; a trial without arms stops."""
        dropped = dropped & self.active[rows]
        if self.pair.arm and (self.first[rows[dropped.any(axis=1)]] < self.design.forced).any():
            refuse_drop()
        first_drops = rows[dropped.any(axis=1)]
        earlier = self.decisions.dropped_before[first_drops]
        self.decisions.dropped_before[first_drops] = np.minimum(earlier, self.first[first_drops])
        self.active[rows] &= ~dropped
        none_left = (self.reason[rows] == GOES_ON) & ~self.active[rows].any(axis=1)
        self.reason[rows[none_left]] = len(self.design.monitoring.reasons) - 1
        self.stopped_at[rows[none_left]] = self.known_at_looks.shape[1]
        self._begin_anew(rows[dropped.any(axis=1) & (self.reason[rows] == GOES_ON)])

    @property
    def _told_so_far(self) -> Ints:
        """How many outcomes the policy knows, or will be told at once because it begins anew."""
        return np.maximum(self.told, self.known)

    def _begin_anew(self, rows: Ints) -> None:
        """Let the policy go on with the arms that are left, as if there had never been others."""
        active = self.active[rows]
        self.histories.forget(rows, active.sum(axis=1))
        self.places[rows] = np.where(active, np.cumsum(active, axis=1) - 1, engine.ASK)
        for row in rows:
            counts = np.bincount(self.arms[row, : self.first[row]], minlength=len(self.design.arms))[self.active[row]]
            history = self.histories[int(row)]
            history.assigned[: counts.size] = counts
            self.histories.set_step(int(row), 1 + int(counts.sum()))
        self.known[rows] = self._told_so_far[rows]
        self.told[rows] = 0

    def finish(self, interventions: Sequence[Intervention], most_looks: int | None, is_over: bool) -> Trials:
        """The trials, with all outcomes of the patients enrolled."""
        patients = np.arange(self.design.patients)
        enrolled = patients < self.first[:, None]
        data = self._data(np.arange(len(self.first)), self.first, one_by_one=True, is_over=is_over)
        potential = np.broadcast_to(self.tape.mean(axis=1), self.seen.shape)
        ends = np.broadcast_to(self.timing.ends, self.seen.shape)
        begin = np.broadcast_to(self.timing.accrual, self.seen.shape)[:, 0]
        trials = Trials(
            self.design,
            data,
            self.timing,
            self.replications,
            self.seed,
            self.first,
            self.claimed,
            self.reason,
            self.stopped_at,
            (potential * enrolled).sum(axis=1),
            np.where(enrolled, ends, -np.inf).max(axis=1) - begin,
            self.decisions,
            interventions,
            most_looks,
            is_over,
            self.uncorrected,
            self.log_weights if self.pair.arm else None,
        )
        object.__setattr__(data, "course", trials)
        return trials
