"""For those who enrol participants and record their outcomes."""

from __future__ import annotations

from typing import Annotated, get_args

from fastapi import APIRouter, Query

from primum.errors import UnknownNameError
from primum.live import Live
from primum.live.people.admission import Person
from primum.live.service.access import CurrentTrial, needs
from primum.live.service.schemas import (
    About,
    Correction,
    Enrolled,
    Enrolment,
    NewOutcome,
    Voided,
    Withdrawal,
    Withdrawn,
)
from primum.live.views import Allocation, OutcomeStatus, Participant, UnblindedArm

Enroller = Annotated[Person, needs("enrol")]
Recorder = Annotated[Person, needs("record")]

router = APIRouter(prefix="/api")


@router.post("/participants")
def enrol(given: Enrolment, who: Enroller, live: CurrentTrial) -> Enrolled:
    """Enrol a participant, or tell the allocation again: asking twice is safe. Role enrol."""
    found = live.enrol(
        given.participant, eligibility=given.eligibility, consent=given.consent, who=who.name, confirm=given.confirm
    )
    return _enrolled(live, found)


@router.get("/participants/{participant:path}")
def allocation(participant: str, who: Enroller, live: CurrentTrial) -> Enrolled:
    """Tell the allocation of a participant again; nobody is enrolled. Role enrol."""
    return _enrolled(live, live.allocation(participant))


def _enrolled(live: Live, found: Allocation) -> Enrolled:
    blinded = live.settings.blinded
    return Enrolled(
        participant=found.participant,
        number=found.number,
        at=found.at,
        by=found.by,
        arm=None if blinded else found.arm,
        kit=found.kit if blinded else None,
        eligibility=found.eligibility,
        consent=found.consent,
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
    """Record an outcome; the same one again changes nothing. Role record.

    An outcome that is dated before it is due, or in the future, is an error at `confirm`.
    """
    return live.record(given.participant, given.outcome, on=given.on, who=who.name, confirm=given.confirm)


@router.post("/corrections")
def correct(given: Correction, who: Recorder, live: CurrentTrial) -> Participant:
    """Correct an outcome that is what the correction replaces; earlier allocations stay as they were. Role record."""
    return live.correct(
        given.participant,
        given.outcome,
        replaces=given.replaces,
        reason=given.reason,
        on=given.on,
        who=who.name,
        confirm=given.confirm,
    )


@router.post("/withdrawals")
def withdraw(given: Withdrawal, who: Annotated[Person, needs("record", "enrol")], live: CurrentTrial) -> Withdrawn:
    """Note that a participant stops the treatment, or withdraws the consent to data. Role record or enrol."""
    found = live.withdraw(
        given.participant, scope=given.scope, reason=given.reason, who=who.name, confirm=given.confirm
    )
    return Withdrawn(**{key: getattr(found, key) for key in Withdrawn.model_fields})


@router.post("/voids")
def void(given: About, who: Annotated[Person, needs("enrol", "administrator")], live: CurrentTrial) -> Voided:
    """Declare an enrolment an error; the participant stays in the record. Role enrol or administrator."""
    found = live.void(given.participant, reason=given.reason, who=who.name, confirm=given.confirm)
    return Voided(**{key: getattr(found, key) for key in Voided.model_fields})


@router.post("/unblindings")
def unblind(given: About, who: Annotated[Person, needs("unblinder")], live: CurrentTrial) -> UnblindedArm:
    """Learn the arm of one participant in an emergency; monitors and approvers see that you did. Role unblinder."""
    return live.unblind(given.participant, reason=given.reason, who=who.name, confirm=given.confirm)
