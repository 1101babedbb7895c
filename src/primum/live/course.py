"""The course of a live trial: the engine of simulated trials, patient by patient as they come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.runs.part import Monitor
from primum.trials.design import Design
from primum.trials.monitoring import GOES_ON
from primum.trials.simulation.arrivals import NEVER, Timing
from primum.trials.simulation.probabilities import REPETITIONS, are_binary, needed_repetitions
from primum.trials.simulation.running import Intervention, Trials, TrialsInProgress, play

REPLICATION = LANE = 0  # a live trial is the first replication of its seed


@dataclass(frozen=True)
class LookTaken:
    """What a look found: arms by their positions."""

    number: int  # from 0
    patients: int
    known: int
    dropped: list[int]
    claimed: list[int]
    stopped: str  # why, or empty
    is_final: bool = False


class Course:
    """Who was allocated to which arm, what is known, and who is next.

    Decision i is a function of the seed, of i and of the data known then: the same as in a simulated trial with this
    seed whose outcomes arrive in the same order.
    """

    def __init__(self, design: Design, seed: int) -> None:
        patients = design.patients
        self.design, self.seed = design, seed
        zeros = np.zeros((1, patients))
        ready = np.full((1, patients), NEVER, np.int32)
        self._timing = Timing(zeros, np.zeros((1, patients), np.int32), ready, zeros)
        self._first_outcomes = np.full(patients, np.nan)  # as they were before corrections
        tape = np.full((1, 1, patients), np.nan)
        rows = np.array([REPLICATION]), np.array([LANE])
        at_looks = design.stopping is not None and design.stopping.needs_chances
        repetitions = REPETITIONS if at_looks and not design.policy.states_probabilities else 0
        self._batch = TrialsInProgress(design, tape, self._timing, seed, *rows, repetitions, at_looks, Monitor(), 0)
        self._interventions: list[Intervention] = []
        self.known = 0
        self.looks: list[LookTaken] = []

    @property
    def enrolled(self) -> int:
        """Patients allocated so far."""
        return int(self._batch.first[0])

    @property
    def arms(self) -> list[int]:
        """The arm of each patient."""
        return [int(arm) for arm in self._batch.arms[0, : self.enrolled]]

    def count(self, arm: int) -> int:
        """Patients allocated to an arm."""
        return int((self._batch.arms[0, : self.enrolled] == arm).sum())

    @property
    def outcomes(self) -> list[float]:
        """The outcome of each patient as it is known now; NaN where it is not."""
        return [float(outcome) for outcome in self._batch.seen[0, : self.enrolled]]

    @property
    def is_binary(self) -> bool:
        """Whether all outcomes are 0 or 1, before corrections and after them."""
        return bool(are_binary(self._first_outcomes).all() and are_binary(self._batch.seen).all())

    @property
    def ready(self) -> Any:
        """Before which patient, from 0, the outcome of each was known; beyond all patients if it is not."""
        return self._timing.ready[0]

    @property
    def active(self) -> list[int]:
        """The arms that have not been dropped."""
        return [int(arm) for arm in np.flatnonzero(self._batch.active[0])]

    @property
    def first_drop(self) -> int:
        """How many patients were allocated when the first arm was dropped, all if none was."""
        looks = [look.patients for look in self.looks if look.dropped]
        people = [made.before for made in self._interventions if made.arm >= 0]
        return min([*looks, *people, self.enrolled])

    @property
    def stopped(self) -> str:
        """Why the stopping rule ended the trial, or empty."""
        reason = int(self._batch.reason[0])
        return "" if reason == GOES_ON else self.design.monitoring.reasons[reason]

    @property
    def is_over(self) -> bool:
        """Whether the final look was taken."""
        return bool(self.looks) and self.looks[-1].is_final

    def due_look(self) -> bool:
        """Whether an interim look must be taken before anything else."""
        return not self.stopped and self.design.monitoring.is_due(len(self.looks), self.enrolled, self.known)

    def due_final_look(self) -> bool:
        """Whether the final look must be taken before the trial can be closed."""
        return self.design.monitoring.has_final and not self.stopped and not self.is_over

    def take_look(self, *, is_final: bool = False) -> LookTaken:
        """Take the next interim look, with the data that it is due for, or the final one with all that is known."""
        number, before = len(self.looks), set(self.active)
        known = self.known if is_final else self.design.monitoring.known_at(number, self.known)
        self._batch.look(np.array([known]), np.array([True]), is_final=is_final)
        dropped = sorted(before - set(self.active))
        claimed = [int(arm) for arm in np.flatnonzero(self._batch.claimed[0])]
        self.looks.append(LookTaken(number, self.enrolled, known, dropped, claimed, self.stopped, is_final))
        return self.looks[-1]

    def allocate(self) -> int:
        """Allocate the next patient to an arm."""
        t = self.enrolled
        self._timing.arrivals[0, self.known :] = t  # whose outcome cannot be known yet
        self._batch.play_to(np.array([t + 1]))
        return int(self._batch.arms[0, t])

    def tell(self, patient: int, outcome: float) -> None:
        """Take in the outcome of a patient."""
        self._timing.arrivals[0, self.known] = patient
        self._timing.ready[0, patient] = self.enrolled + bool(self.stopped)  # not at the look that stopped it
        self._batch.seen[0, patient] = self._first_outcomes[patient] = outcome
        self.known += 1

    def correct(self, patient: int, outcome: float) -> None:
        """Correct an outcome: decisions made before stay as they were."""
        self._intervene(Intervention(self.enrolled, len(self.looks), patient=patient, outcome=outcome))

    def give_up(self, patient: int) -> None:
        """Take in that the outcome of a patient will never be known, unless it is."""
        if np.isnan(self._batch.seen[0, patient]):
            self._intervene(Intervention(self.enrolled, len(self.looks), patient=patient))

    def drop(self, arm: int) -> None:
        """Give no further patients to an arm."""
        self._intervene(Intervention(self.enrolled, len(self.looks), arm=arm))

    def _intervene(self, made: Intervention) -> None:
        self._batch.intervene(made)
        self._interventions.append(made)

    def trials(self, *, chances: bool = False, is_complete: bool = False) -> Trials:
        """The trial up to now as simulated ones are, for its analysis; with allocation probabilities if asked for.

        If it `is_complete`, outcomes that are not known will never be.
        """
        patients, told = self.design.patients, self._timing.arrivals[0, : self.known]
        unknown = np.setdiff1d(np.arange(patients, dtype=np.int32), told)
        timing = Timing(
            self._timing.accrual, np.concatenate([told, unknown])[None, :], self._timing.ready.copy(), self._timing.ends
        )
        rows: Any = np.array([REPLICATION]), np.array([LANE])
        found = play(
            self.design,
            self._first_outcomes[None, None, :],
            timing,
            self.seed,
            *rows,
            repetitions=needed_repetitions(self.design, self.is_binary) if chances else 0,
            records=chances,
            most_patients=self.enrolled,
            interventions=self._interventions,
            most_looks=len(self.looks) - self.is_over,
            is_over=self.is_over,
        )
        assert found is not None
        if is_complete:
            object.__setattr__(found.data, "pending", None)
        return found
