"""Operating characteristics of a trial: exact where that takes a moment, else from more and more simulated trials."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Any

import numpy as np

from primum.errors import PrimumError, within
from primum.lab.trials.schemas import (
    FEWEST_REPLICATIONS,
    MOST_REPLICATIONS,
    Allocation,
    Curve,
    DesignCharacteristics,
    Estimate,
    LargestTypeOne,
)
from primum.lab.trials.settings import SEED, Trial, is_exact
from primum.lab.trials.stopping import Deadline
from primum.runs.pieces import run_pieces
from primum.store import Store
from primum.trials import Design, RandomisationTest, Scenario
from primum.trials.exact_law import Law
from primum.trials.operating.characteristics import Found, Truth, characteristics
from primum.trials.operating.exact_characteristics import exact_characteristics, law_of
from primum.trials.simulation.pieces import TrialPieces

STEPS = (FEWEST_REPLICATIONS, 100, 300, 1_000, 3_000, 10_000, MOST_REPLICATIONS)
FIRST_SECONDS = 60.0  # for the first step, which may have to compile the policy
SECONDS = 5.0  # for all further steps of a request
EXACT_POINTS = np.linspace(0, 1, 101)  # of the type I error curve
SIMULATED_POINTS = (0.1, 0.3, 0.5, 0.7, 0.9)
INTERVALS = 50  # of the distribution of the allocation, at most
POWERS = ("power_any", "power_all", "best")  # exact numbers leave out those that have no meaning
SHOWN = {"reject", "worse_majority", "patients", "patients_sd", "outcome", "gain", "bias"}


class TooSlow(PrimumError):
    """Not a single step of the simulation was complete in time."""

    def __init__(self) -> None:
        super().__init__(
            f"{FEWEST_REPLICATIONS} simulated trials take more than {FIRST_SECONDS:.0f} s; choose fewer patients, or "
            "another policy or analysis"
        )


class Computation:
    """Both designs of a trial in all its scenarios, and over the null hypothesis."""

    def __init__(self, trial: Trial, store: Store) -> None:
        self.trial, self._store = trial, store
        self._laws = {name: _law(design) if trial.is_binary else None for name, design in trial.designs.items()}
        self._exact = {
            (name, other): found
            for name, design in trial.designs.items()
            for other, scenario in trial.scenarios.items()
            if (found := self._exactly(design, scenario, self._laws[name])) is not None
        }
        self._points = [p for p in SIMULATED_POINTS if trial.is_possible(p)]
        self.replications = 0

    @property
    def is_exact(self) -> bool:
        """Whether nothing has to be simulated."""
        return not self._scenarios()

    def simulate(self, replications: int, deadline: Deadline) -> int | None:
        """Simulate in steps up to so many replications, as far as the time allows; the next step worth its time."""
        if self.is_exact:
            return None
        deadline.allow(FIRST_SECONDS)
        per_replication = 0.0
        for step in [*(each for each in STEPS if self.replications < each < replications), replications]:
            if per_replication * (step - self.replications) > deadline.left:
                return None
            began = time.monotonic()
            if not self._run(step, deadline):
                if not self.replications:
                    raise TooSlow
                return None
            if not self.replications:
                deadline.allow(SECONDS)
            else:  # of the first step it says little, since that may have compiled the policy
                per_replication = (time.monotonic() - began) / (step - self.replications)
            self.replications = step
        larger = next((each for each in STEPS if each > replications), None)
        return larger if larger and per_replication * (larger - replications) < SECONDS else None

    def _run(self, replications: int, deadline: Deadline) -> bool:
        is_re_run = isinstance(self.trial.chosen.analysis, RandomisationTest)
        with within("analysis") if is_re_run else nullcontext():  # it refuses rules that do not randomise
            return run_pieces(self._cells(replications).values(), threads=1, progress=deadline)

    def designs(self) -> list[DesignCharacteristics]:
        """The characteristics of both designs."""
        simulated = self._cells(self.replications)
        return [self._of(name, simulated) for name in self.trial.designs]

    def _of(self, name: str, simulated: dict[tuple[str, str], TrialPieces]) -> DesignCharacteristics:
        trial, design = self.trial, self.trial.designs[name]
        found: dict[str, dict[str, Found]] = {}
        for other, scenario in trial.scenarios.items():
            # of the drift only rejections are shown, and the true values of numeric outcomes with one take seconds
            truth = trial.scenarios["null"] if scenario.drift else scenario
            known = self._exact.get((name, other))
            found[other] = known or _simulated(simulated[name, other], design, truth)
        effect = found["effect"]
        law = self._laws[name]
        largest = law.largest_type_1() if law else None
        better = better_arms(trial)
        return DesignCharacteristics(
            name=trial.title if design is trial.chosen else "Equal randomisation",
            trials=0 if all((name, other) in self._exact for other in found) else self.replications,
            type_1=_estimate(found["null"]["reject"]),
            type_1_drift=_estimate(found["drift"]["reject"]) if "drift" in found else None,
            largest_type_1=largest and LargestTypeOne(value=largest.value, p=largest.p),
            power=_estimate(effect["reject"]),
            **{name: _estimate(effect[name]) if name in effect else NOTHING for name in POWERS},
            patients=[_estimate(effect["patients"], arm) for arm in range(len(trial.names))],
            on_better=_estimate(_sum(effect["patients"], better)) if better else NOTHING,
            on_better_sd=_estimate(effect["patients_sd"], 1) if better else NOTHING,
            worse_majority=_estimate(effect["worse_majority"]) if better else NOTHING,
            successes=_estimate(effect["outcome"]),
            gain=_estimate(effect["gain"]),
            bias=_estimate(effect["bias"], 1),
            curve=self._curve(name, simulated, found["null"]["reject"]),
            allocation=self._allocation(name, simulated, better),
        )

    def _exactly(self, design: Design, scenario: Scenario, law: Law | None) -> dict[str, Found] | None:
        if law is None or (given := exact_characteristics(design, scenario, progress=False)) is None:
            return None
        found = {each.name: each for each in given}
        if scenario is self.trial.scenarios["null"] or not better_arms(self.trial):
            return found
        return found if set(found) >= SHOWN else None  # a larger probability may have a lower value

    def _scenarios(self) -> dict[tuple[str, str], tuple[Design, Scenario]]:
        """What must be simulated, by design and scenario, or design and point of the curve."""
        wanted: dict[tuple[str, str], tuple[Design, Scenario]] = {}
        for name, design in self.trial.designs.items():
            wanted |= {
                (name, other): (design, scenario)
                for other, scenario in self.trial.scenarios.items()
                if (name, other) not in self._exact
            }
            if self._laws[name] is None:
                wanted |= {(name, _point(p)): (design, self.trial.null(p)) for p in self._points}
        return wanted

    def _cells(self, replications: int) -> dict[tuple[str, str], TrialPieces]:
        return {
            place: TrialPieces(design, scenario, SEED, replications, self._store)
            for place, (design, scenario) in self._scenarios().items()
        }

    def _curve(self, name: str, simulated: dict[tuple[str, str], TrialPieces], at_control: Found) -> Curve:
        if law := self._laws[name]:
            return Curve(p=EXACT_POINTS.tolist(), type_1=law.type_1(EXACT_POINTS).tolist(), error=[0.0] * 101)
        design = self.trial.designs[name]
        points = {self.trial.settings.control: at_control}
        for p in self._points:
            points[p] = _simulated(simulated[name, _point(p)], design, self.trial.null(p))["reject"]
        order = sorted(points)
        return Curve(
            p=order, type_1=[float(points[p].value) for p in order], error=[float(points[p].error) for p in order]
        )

    def _allocation(self, name: str, simulated: dict[tuple[str, str], TrialPieces], better: list[int]) -> Allocation:
        """Of the better arms; of the first new one if all are equal."""
        patients, law = self.trial.settings.patients, self._laws[name]
        if law is not None and (name, "effect") in self._exact:
            p0, p1 = map(float, self.trial.scenarios["effect"].probabilities)
            chances = law.allocation(p0, p1)
            each = chances if 0 not in better else chances[::-1]
        else:
            counts = simulated[name, "effect"].measures()["counts"]
            on_better = counts[:, better or [1]].sum(axis=1).astype(int)
            each = np.bincount(on_better, minlength=patients + 1) / len(counts)
        width = -(-(patients + 1) // INTERVALS)
        first = np.arange(0, patients + 1, width)
        return Allocation(patients=first.tolist(), width=width, probability=np.add.reduceat(each, first).tolist())


def better_arms(trial: Trial) -> list[int]:
    """The arms with the highest true value in the scenario with the effect; none if all are equal."""
    best = Truth.of(trial.chosen, trial.scenarios["effect"]).best
    return [] if best.all() else np.flatnonzero(best).tolist()


def _simulated(cell: TrialPieces, design: Design, truth: Scenario) -> dict[str, Found]:
    """The characteristics of simulated trials by their names."""
    return {each.name: each for each in characteristics(cell.measures(), design, Truth.of(design, truth))}


def _law(design: Design) -> Law | None:
    return law_of(design, progress=False) if is_exact(design) else None


def _point(p: float) -> str:
    return f"p = {p:g}"


def _sum(found: Found, arms: list[int]) -> Found:
    """Patients on some arms: one of them, or all but the first new one."""
    error = found.error[1]  # what all but one arm have varies as what the one has
    return Found(found.name, np.asarray(found.value[arms].sum()), np.asarray(error), found.exact)


def _estimate(found: Found, at: int | None = None) -> Estimate:
    value: Any = found.value if at is None else found.value[at]
    error: Any = found.error if at is None else found.error[at]
    if not np.isfinite(value):
        return NOTHING
    return Estimate(value=float(value), error=float(error), exact=found.exact)


NOTHING = Estimate(value=None, error=None, exact=False)
