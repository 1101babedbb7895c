"""For those who enrol participants and record their outcomes."""

from __future__ import annotations

from typing import Annotated, get_args

from fastapi import APIRouter, Query

from primum.errors import UnknownNameError
from primum.live.people.admission import Person
from primum.live.service.access import CurrentTrial, needs
from primum.live.service.schemas import Correction, Enrolled, Enrolment, NewOutcome, Withdrawal
from primum.live.views import OutcomeStatus, Participant

Recorder = Annotated[Person, needs("record")]

router = APIRouter(prefix="/api")


@router.post("/participants")
def enrol(given: Enrolment, who: Annotated[Person, needs("enrol")], live: CurrentTrial) -> Enrolled:
    """Enrol a participant, or tell the allocation again: asking twice is safe. Role enrol."""
    found = live.enrol(given.participant, who=who.name, confirm=given.confirm)
    blinded = live.settings.blinded
    return Enrolled(
        participant=found.participant,
        number=found.number,
        at=found.at,
        arm=None if blinded else found.arm,
        kit=found.kit if blinded else None,
    )


@router.get("/participants")
def participants(
    who: Recorder,
    live: CurrentTrial,
    state: Annotated[str, Query(description="only these, separated by commas: due,overdue", max_length=100)] = "",
) -> list[Participant]:
    """All participants in the order of enrolment, without arms. Role record."""
    wanted = [each.strip() for each in state.split(",") if each.strip()]
    for each in wanted:
        if each not in get_args(OutcomeStatus):
            raise UnknownNameError("state", each, get_args(OutcomeStatus), ("state",))
    return [each for each in live.participants() if not wanted or each.state in wanted]


@router.post("/outcomes")
def record(given: NewOutcome, who: Recorder, live: CurrentTrial) -> Participant:
    """Record an outcome; the same one again changes nothing. Role record."""
    return live.record(given.participant, given.outcome, who=who.name)


@router.post("/corrections")
def correct(given: Correction, who: Recorder, live: CurrentTrial) -> Participant:
    """Correct an outcome; allocations made before stay as they were. Role record."""
    return live.correct(given.participant, given.outcome, reason=given.reason, who=who.name, confirm=given.confirm)


@router.post("/withdrawals")
def withdraw(given: Withdrawal, who: Annotated[Person, needs("record", "enrol")], live: CurrentTrial) -> Participant:
    """Note that a participant has withdrawn. Role record or enrol."""
    return live.withdraw(given.participant, reason=given.reason, who=who.name, confirm=given.confirm)
