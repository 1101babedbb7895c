"""What people see of a live trial, as typed data; nothing here tells an arm unless its name says unblinded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from primum.live.journal.entries import stamp
from primum.live.state import Enrolled, State

GROUP_STEP = 10  # participants between two counts by group, at least
LEAST_GROWTH = 2  # of every group from one count to the next
OutcomeStatus = Literal["waiting", "due", "overdue", "known", "withdrawn"]
Stage = Literal["open", "paused", "stopped", "full", "closed"]


@dataclass(frozen=True)
class Allocation:
    """A participant with the arm and the kit, for those who may know them; unblinded."""

    participant: str
    number: int
    at: str
    arm: str
    kit: str
    outcome: float | None = None


@dataclass(frozen=True)
class Participant:
    """A participant, without the arm."""

    participant: str
    number: int
    enrolled: str
    due: str | None
    state: OutcomeStatus
    outcome: float | None
    outcome_at: str | None
    corrections: int


@dataclass(frozen=True)
class Day:
    """Participants enrolled and outcomes known by the end of a day."""

    date: str
    enrolled: int
    known: int


@dataclass(frozen=True)
class Group:
    """Participants of an arm, by a label that does not tell which arm it is."""

    label: str
    enrolled: int


@dataclass(frozen=True)
class Status:
    """Where the trial stands, without arms."""

    title: str
    state: Stage
    reason: str
    patients: int
    enrolled: int
    known: int
    waiting: int
    due: int
    overdue: int
    withdrawn: int
    accrual: list[Day]
    groups: list[Group]
    groups_after: int  # participants whom the groups count
    looks_taken: int
    looks_planned: int
    entries: int
    head: str
    blinded: bool
    outcomes: str | tuple[float, float]
    clock_warnings: int


def participant_of(state: State, found: Enrolled, now: datetime) -> Participant:
    """A participant as seen at a time."""
    days, due = state.settings.due_days, None
    if days is not None:
        due = found.at + timedelta(days=days)
    standing: OutcomeStatus = "waiting"
    if found.outcome is not None:
        standing = "known"
    elif found.withdrawn is not None:
        standing = "withdrawn"
    elif due is not None and now > due + timedelta(days=state.settings.grace_days):
        standing = "overdue"
    elif due is not None and now >= due:
        standing = "due"
    return Participant(
        found.participant,
        found.number,
        stamp(found.at),
        None if due is None else stamp(due),
        standing,
        found.outcome,
        None if found.outcome_at is None else stamp(found.outcome_at),
        found.corrections,
    )


def stage_of(state: State) -> Stage:
    """Whether participants can be enrolled, or why not."""
    if state.closed:
        return "closed"
    if state.course.stopped:
        return "stopped"
    if state.course.enrolled == state.design.patients:
        return "full"
    return "paused" if state.paused else "open"


def status_of(state: State, now: datetime) -> Status:
    """Where the trial stands at a time."""
    everybody = [participant_of(state, found, now) for found in state.participants.values()]
    standing = Counter(each.state for each in everybody)
    stage = stage_of(state)
    return Status(
        title=state.title,
        state=stage,
        reason={"closed": state.closed, "paused": state.paused}.get(stage, ""),
        patients=state.design.patients,
        enrolled=len(everybody),
        known=standing["known"],
        waiting=standing["waiting"] + standing["due"] + standing["overdue"],
        due=standing["due"],
        overdue=standing["overdue"],
        withdrawn=standing["withdrawn"],
        accrual=_accrual(list(state.participants.values())),
        groups=_groups(state),
        groups_after=_counted_by_group(state),
        looks_taken=len(state.looks),
        looks_planned=state.design.monitoring.planned,
        entries=state.number,
        head=state.hash,
        blinded=state.settings.blinded,
        outcomes=state.settings.outcomes,
        clock_warnings=len(state.clock_warnings),
    )


def _accrual(everybody: Sequence[Enrolled]) -> list[Day]:
    enrolled = Counter(each.at.date() for each in everybody)
    known = Counter(each.outcome_at.date() for each in everybody if each.outcome_at is not None)
    days, sums = [], [0, 0]
    for date in sorted({*enrolled, *known}):
        sums = [sums[0] + enrolled[date], sums[1] + known[date]]
        days.append(Day(date.isoformat(), *sums))
    return days


def _groups(state: State) -> list[Group]:
    """In the order of the labels, which is random."""
    counts = Counter(state.course.arms[: _counted_by_group(state)])
    labelled = sorted((label, arm) for arm, label in enumerate(state.secret.labels(len(state.design.arms))))
    return [Group(f"Group {label}", counts[arm]) for label, arm in labelled]


def _counted_by_group(state: State) -> int:
    """Whom the groups count: a step further only if every group has grown, and nobody after an arm was dropped.

    A count after every enrolment would tell the group of each participant, and so would a step in which one group has
    grown alone; the group that stops growing would be that of a dropped arm.
    """
    arms, last = range(len(state.design.arms)), 0
    given = state.course.arms
    for end in range(GROUP_STEP, 1 + min(len(given), state.course.first_drop), GROUP_STEP):
        grown = Counter(given[last:end])
        if min(grown[arm] for arm in arms) >= LEAST_GROWTH:
            last = end
    return last


def number_or_none(number: float) -> float | None:
    """A number for JSON, which has no NaN."""
    return float(number) if math.isfinite(number) else None
