"""The analysis of a live trial, with what a reader must be warned of; unblinded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import PrimumError
from primum.live.conduct.ending import stage_of
from primum.live.conduct.participants import DATA, TREATMENT
from primum.live.conduct.times import local
from primum.live.evidence import Evidence, evidence_of
from primum.live.state import State
from primum.live.views import number_or_none
from primum.plugins.parameters import declared
from primum.text import counted, listed
from primum.trials.analyses import Analysis, LabelBetting, RandomisationTest
from primum.trials.analyses.analysis import percentage
from primum.trials.analyses.exact_test import ExactTest
from primum.trials.data import Floats
from primum.trials.evidence.value_interval import value_interval
from primum.trials.one import Trial
from primum.trials.simulation.arrivals import NEVER, timing_of

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class ArmEstimate:
    """An arm: participants, known outcomes, their mean and their safety value with an interval at all times."""

    arm: str
    patients: int
    known: int
    mean: float | None
    value: float | None
    low: float | None
    high: float | None
    interval: str  # how low and high were found; empty: there are none


@dataclass(frozen=True)
class Comparison:
    """An arm against the control, by the analysis of the design."""

    arm: str
    control: str
    patients: int
    control_patients: int
    estimate: float | None
    median_unbiased: float | None  # too large as often as too small; exact tests have it
    low: float | None
    high: float | None
    interval: str  # what low and high are the ends of, with its level; empty: none
    p_value: float | None
    significant: bool | None  # None: another analysis declares differences
    favours: str  # the one of the two that the statistic speaks for, significant or not; empty: neither


@dataclass(frozen=True)
class LookSeen:
    """A look that was taken."""

    look: int
    at: str
    patients: int
    known: int
    dropped: list[str]
    claimed: list[str]
    stopped: str


@dataclass(frozen=True)
class Statistics:
    """What the unblinded statistician sees: allocation over time, estimates, and the analysis of the data so far."""

    arms: list[str]
    counts: dict[str, list[int]]  # participants of each arm after each enrolment
    estimates: list[ArmEstimate]
    value_title: str
    analysis_title: str
    analysis: list[Comparison]
    # the same by a test that holds its level whatever adapts or drifts, and that declares no difference itself; none if
    # the design has no valid comparisons
    randomisation_test: list[Comparison]
    # which may be looked at at any time, whatever the analysis of the design
    evidence: list[Evidence]
    estimand: str  # what is estimated, and for whom
    warnings: list[str]
    looks: list[LookSeen]

    def table(self) -> DataFrame:
        """The comparisons of both analyses as a table."""
        from pandas import DataFrame

        rows = [{"analysis": self.analysis_title, **each.__dict__} for each in self.analysis]
        rows += [{"analysis": RandomisationTest.title, **each.__dict__} for each in self.randomisation_test]
        return DataFrame(rows)


def statistics_of(state: State) -> Statistics:
    """The statistics of the trial as it stands."""
    design, course = state.design, state.course
    arms, given, outcomes = list(design.arms), np.array(course.arms, int), np.array(course.outcomes)
    counts = {name: np.cumsum(given == arm).tolist() for arm, name in enumerate(arms)}
    estimates = []
    for arm, name in enumerate(arms):
        known = outcomes[(given == arm) & np.isfinite(outcomes)]
        mean = float(known.mean()) if known.size else None
        value = number_or_none(design.value.of(known)) if known.size else None
        interval, why = _value_interval(state, known)
        estimates.append(ArmEstimate(name, int((given == arm).sum()), known.size, mean, value, *interval))
    comparisons, tested, problems = _analyses(state)
    if why:
        problems.append(why)
    data = course.trials(chances=True, is_complete=stage_of(state) == "locked").data
    looks = [LookSeen(**{key: look[key] for key in LookSeen.__dataclass_fields__}) for look in state.looks]
    zone = state.settings.time_zone
    looks = [replace(look, at=local(datetime.fromisoformat(look.at), zone)) for look in looks]
    return Statistics(
        arms,
        counts,
        estimates,
        design.value.display_name,
        design.analysis.display_name,
        comparisons,
        tested,
        evidence_of(data, course.enrolled),
        _estimand(state),
        [*problems, *_warnings(state)],
        looks,
    )


def _value_interval(state: State, known: Floats) -> tuple[tuple[float | None, float | None, str], str]:
    """The interval of the safety value of an arm, which holds at all times, and why there is none."""
    if not known.size:
        return (None, None, ""), ""
    design, (low, high) = state.design, state.settings.range
    try:
        found = value_interval(design.value, known, low=low, high=high, most=design.patients)
    except PrimumError as error:
        return (None, None, ""), str(error)
    return (found.low, found.high, f"{percentage(found.level)} at all times, {found.method}"), ""


def _analyses(state: State) -> tuple[list[Comparison], list[Comparison], list[str]]:
    """The comparisons of the design's analysis and of the randomisation test, and why there are none."""
    if not state.course.known:
        return [], [], ["No outcome is known yet, so there is nothing to analyse."]
    own = state.design.analysis
    declares = state.design.test
    shared = ("alpha", "sided", "adjustment")
    test = RandomisationTest(**{name: getattr(declares, name) for name in shared if name in declared(declares)})
    found: list[list[Comparison]] = []
    problems: list[str] = []
    for analysis in (own, test):
        try:
            if isinstance(analysis, ExactTest):
                _check_as_planned(state)
            found.append(_comparisons(state, analysis, problems))
        except PrimumError as error:
            found.append([])
            problems.append(f"{analysis.display_name} gives no p-value: {error}")
        if isinstance(own, RandomisationTest):
            return found[0], [], problems
    return found[0], found[1], problems


def _comparisons(state: State, analysis: Analysis, problems: list[str]) -> list[Comparison]:
    """The comparisons of an analysis; `problems` receives what it warns of in one of them alone."""
    design = state.design
    is_second = analysis != design.analysis
    trials = state.course.trials(chances=design.needs_chances, is_complete=stage_of(state) == "locked")
    rows: Any = Trial(trials).analyse(analysis if is_second else None).to_dict("records")
    for row in rows:
        if row["warning"] != analysis.warning_of(design):
            problems.append(f"{analysis.title}, {row['arm']} against {row['control']}: {row['warning']}")
    return [
        Comparison(
            row["arm"],
            row["control"],
            int(row["patients"]),
            int(row["control_patients"]),
            number_or_none(row["estimate"]),
            None if is_second else number_or_none(row["median_unbiased"]),
            None if is_second else number_or_none(row["low"]),  # the test has no interval
            None if is_second else number_or_none(row["high"]),
            "" if is_second else row["interval"],
            number_or_none(row["p_value"]),
            None if is_second else bool(row["significant"]),
            row["favours"],
        )
        for row in rows
    ]


def _check_as_planned(state: State) -> None:
    """Refuse an exact test where the trial was not run as the distribution of the design has it."""
    course, last = state.course, state.design.patients
    ready = course.ready[: course.enrolled]
    planned = timing_of(state.design, 0, np.array([0])).ready[0, : course.enrolled]
    # after the last allocation it does not matter when
    moved = int(((ready == NEVER) | (np.minimum(ready, last) != np.minimum(planned, last))).sum())
    corrected = sum(each.corrections > 0 for each in state.participants.values())
    if state.dropped:
        raise PrimumError("its exact distribution is that of the design, in which nobody drops arms but the looks")
    if moved or corrected:
        raise PrimumError(
            f"its exact distribution is that of the design, in which outcomes are known as planned; here "
            f"{counted(moved, 'outcome')} came at another time or not at all, and {corrected:,} were corrected"
        )


def _estimand(state: State) -> str:
    """Whom the analysis compares, and what it makes of withdrawals and errors."""
    everybody = state.participants.values()
    stopped = sum(each.withdrawal is not None and each.withdrawal.scope == TREATMENT for each in everybody)
    left = sum(each.withdrawal is not None and each.withdrawal.scope == DATA for each in everybody)
    void = sum(each.void is not None for each in everybody)
    return (
        "Intention to treat: participants are compared as they were allocated, whatever treatment they received "
        f"(treatment policy). {counted(stopped, 'participant')} stopped the treatment, and their outcomes are "
        f"collected and analysed like all others. {left:,} withdrew the consent to data: outcomes known before are "
        f"analysed, later ones are missing. {counted(void, 'enrolment')} in error declared void before an outcome was "
        "known, and not analysed."
    )


def _warnings(state: State) -> list[str]:
    design, course, found = state.design, state.course, []
    if stage_of(state) != "locked":
        valid = design.analysis.title if isinstance(design.analysis, LabelBetting) else "the looks of the design"
        found.append(
            "The trial is not locked. A p-value that is looked at before the end is not protected against looking "
            f"repeatedly; only {valid} and the evidence at any time are."
        )
    if warning := design.analysis.warning_of(design):
        found.append(f"{design.analysis.display_name}: {warning}")
    if state.dropped:
        found.append(
            f"{listed(state.dropped)} got no further participants by a decision of people, which the operating "
            "characteristics of the design do not know of."
        )
    missing = course.enrolled - course.known
    if missing:
        everybody = [each for each in state.participants.values() if each.outcome is None]
        void = sum(each.void is not None for each in everybody)
        left = sum(not each.is_awaited for each in everybody) - void
        found.append(
            f"{missing:,} of {counted(course.enrolled, 'outcome')} not known: {missing - left - void:,} not recorded "
            f"yet, {left:,} after a withdrawal of the consent to data, {void:,} of void enrolments. The analysis uses "
            "the known ones, and is biased if which ones are known "
            "depends on the treatment."
        )
    corrected = sum(each.corrections > 0 for each in state.participants.values())
    if corrected:
        found.append(
            f"{counted(corrected, 'outcome')} corrected. The analysis is of the corrected values; earlier allocations "
            "were made with the values known then."
        )
    return found
