"""For administrators: the conduct of the trial."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from primum.live.people.admission import Person
from primum.live.service.access import CurrentTrial, needs
from primum.live.service.schemas import DroppedArm, Reason

Administrator = Annotated[Person, needs("administrator")]

router = APIRouter(prefix="/api")


@router.post("/pause", status_code=204)
def pause(given: Reason, who: Administrator, live: CurrentTrial) -> None:
    """Enrol nobody for a while; outcomes can be recorded. Role administrator."""
    live.pause(reason=given.reason, who=who.name)


@router.post("/resume", status_code=204)
def resume(given: Reason, who: Administrator, live: CurrentTrial) -> None:
    """Enrol again. Role administrator."""
    live.resume(reason=given.reason, who=who.name)


@router.post("/close", status_code=204)
def close(given: Reason, who: Administrator, live: CurrentTrial) -> None:
    """End the trial: nothing about participants changes any more. Role administrator."""
    live.close(reason=given.reason, who=who.name)


@router.post("/arms/dropped", status_code=204)
def drop_arm(given: DroppedArm, who: Administrator, live: CurrentTrial) -> None:
    """Give no further participants to an arm. Role administrator."""
    live.drop_arm(given.arm, reason=given.reason, who=who.name)
