"""What people see of a live trial, as typed data; nothing here tells an arm unless its name says unblinded."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from primum.live.conduct.ending import Proposal, Stage, missing_of, proposal_of, stage_of
from primum.live.conduct.participants import DATA, TREATMENT, Enrolled, Scope
from primum.live.conduct.times import after, day, local
from primum.live.state import State

GROUP_STEP = 10  # participants between two counts by group, at least
LEAST_GROWTH = 2  # of every group from one count to the next
OutcomeStatus = Literal["waiting", "due", "overdue", "known", "withdrawn", "void"]


@dataclass(frozen=True)
class Allocation:
    """A participant with the arm and the kit, for those who may know them; unblinded."""

    participant: str
    number: int
    at: str
    by: str
    arm: str
    kit: str
    eligibility: list[str]
    consent: str | None
    outcome: float | None = None


@dataclass(frozen=True)
class UnblindedArm:
    """The arm of one participant, and what it may reveal of others; unblinded."""

    participant: str
    arm: str
    kit: str | None
    reveals: str


@dataclass(frozen=True)
class Participant:
    """A participant, without the arm. Times are in the zone of the trial, and dates are dates there."""

    participant: str
    number: int
    enrolled: str
    due: str | None  # a date
    state: OutcomeStatus
    outcome: float | None
    outcome_on: str | None  # a date
    outcome_at: str | None  # when it was recorded
    corrections: int
    withdrawn: Scope | None
    withdrawn_at: str | None
    voided_at: str | None
    reason: str  # of the withdrawal, or of the void


@dataclass(frozen=True)
class Missing:
    """A participant without an outcome, and why."""

    participant: str
    due: str | None
    why: str


@dataclass(frozen=True)
class Unblinding:
    """That somebody learned the arm of a participant, without the arm."""

    participant: str
    at: str
    who: str
    reason: str


@dataclass(frozen=True)
class LockProposal:
    """That somebody proposes to lock the trial."""

    who: str
    at: str
    reason: str
    missing: list[str]


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
    withdrawn: int  # from the trial: no outcome is awaited
    stopped_treatment: int  # whose outcome is still collected
    voided: int
    time_zone: str
    unblindings: list[Unblinding]
    lock: LockProposal | None
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


def allocation_of(state: State, found: Enrolled) -> Allocation:
    """A participant with the arm."""
    at, consent = local(found.at, state.settings.time_zone), found.consent
    return Allocation(
        found.participant, found.number, at, found.by, found.arm, found.kit, found.eligibility, consent, found.outcome
    )


def participant_of(state: State, found: Enrolled, now: datetime) -> Participant:
    """A participant as seen at a time."""
    due, withdrawal, void = due_of(state, found), found.withdrawal, found.void

    def said(time: datetime | None) -> str | None:
        return None if time is None else local(time, state.settings.time_zone)

    return Participant(
        participant=found.participant,
        number=found.number,
        enrolled=local(found.at, state.settings.time_zone),
        due=None if due is None else due.isoformat(),
        state=_standing(state, found, now),
        outcome=found.outcome,
        outcome_on=found.outcome_on,
        outcome_at=said(found.outcome_at),
        corrections=found.corrections,
        withdrawn=None if withdrawal is None else withdrawal.scope,
        withdrawn_at=said(withdrawal.at if withdrawal else None),
        voided_at=said(void.at if void else None),
        reason=void.reason if void else withdrawal.reason if withdrawal else "",
    )


def due_of(state: State, found: Enrolled) -> date | None:
    """The date on which an outcome is due."""
    days = state.settings.due_days
    return None if days is None else after(day(found.at, state.settings.time_zone), days)


def _standing(state: State, found: Enrolled, now: datetime) -> OutcomeStatus:
    if found.void is not None:
        return "void"
    if found.outcome is not None:
        return "known"
    if not found.is_awaited:
        return "withdrawn"
    due, today = due_of(state, found), day(now, state.settings.time_zone)
    if due is None or today < due:
        return "waiting"
    return "overdue" if today > after(due, state.settings.grace_days) else "due"


def missing_from(state: State, now: datetime) -> list[Missing]:
    """All whose outcome is not known, and why."""
    words = {"waiting": "not due yet", "due": "due", "overdue": "overdue"}
    found = []
    for each in missing_of(state):
        seen = participant_of(state, each, now)
        why = words.get(seen.state, "")
        if seen.state == "void":
            why = f"void, enrolled in error: {seen.reason}"
        elif seen.withdrawn is not None:
            gone = f"withdrew consent to data: {seen.reason}"
            why = gone if seen.withdrawn == DATA else f"{why}; stopped the treatment"
        found.append(Missing(seen.participant, seen.due if why in words.values() else None, why))
    return found


def status_of(state: State, now: datetime) -> Status:
    """Where the trial stands at a time."""
    everybody = [participant_of(state, found, now) for found in state.participants.values()]
    standing = Counter(each.state for each in everybody)
    stage, proposal, zone = stage_of(state), proposal_of(state), state.settings.time_zone
    reasons = {"locked": state.locked, "recruited": state.recruited, "paused": state.paused}
    return Status(
        title=state.title,
        state=stage,
        reason=proposal.reason if proposal else reasons.get(stage, ""),
        patients=state.design.patients,
        enrolled=len(everybody),
        known=standing["known"],
        waiting=standing["waiting"] + standing["due"] + standing["overdue"],
        due=standing["due"],
        overdue=standing["overdue"],
        withdrawn=standing["withdrawn"],
        stopped_treatment=sum(each.withdrawn == TREATMENT for each in everybody),
        voided=standing["void"],
        time_zone=zone,
        unblindings=[
            Unblinding(each.participant, local(each.at, zone), each.who, each.reason) for each in state.unblindings
        ],
        lock=_lock_of(proposal, zone),
        accrual=_accrual(state),
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


def _lock_of(proposal: Proposal | None, zone: str) -> LockProposal | None:
    if proposal is None:
        return None
    return LockProposal(proposal.who, local(proposal.at, zone), proposal.reason, proposal.missing)


def _accrual(state: State) -> list[Day]:
    everybody, zone = state.participants.values(), state.settings.time_zone
    enrolled = Counter(day(each.at, zone) for each in everybody)
    known = Counter(day(each.outcome_at, zone) for each in everybody if each.outcome_at is not None)
    days, sums = [], [0, 0]
    for each in sorted({*enrolled, *known}):
        sums = [sums[0] + enrolled[each], sums[1] + known[each]]
        days.append(Day(each.isoformat(), *sums))
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
