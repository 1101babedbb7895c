"""For administrators, and approvers: the conduct of the trial and its end."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from primum.live.people.admission import Person
from primum.live.service.access import CurrentTrial, needs
from primum.live.service.schemas import DroppedArm, Lock, LockApproval, Reason
from primum.live.views import Missing

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


@router.post("/recruitment-end", status_code=204)
def end_recruitment(given: Reason, who: Administrator, live: CurrentTrial) -> None:
    """Enrol nobody any more; outcomes go on. This cannot be undone. Role administrator."""
    live.end_recruitment(reason=given.reason, who=who.name)


@router.get("/missing")
def missing(who: Annotated[Person, needs("administrator", "approver")], live: CurrentTrial) -> list[Missing]:
    """All whose outcome is not known, and why, without arms. Role administrator or approver."""
    return live.missing()


@router.post("/lock", status_code=204)
def propose_lock(given: Lock, who: Administrator, live: CurrentTrial) -> None:
    """Propose to lock the trial, and accept what is missing; an approver completes it. Role administrator."""
    live.propose_lock(reason=given.reason, missing=given.missing, who=who.name)


@router.delete("/lock", status_code=204)
def withdraw_lock(who: Annotated[Person, needs("administrator", "approver")], live: CurrentTrial) -> None:
    """Take the proposal to lock the trial back. Role administrator or approver."""
    live.withdraw_lock(who=who.name)


@router.post("/lock/approval", status_code=204)
def lock(given: LockApproval, who: Annotated[Person, needs("approver")], live: CurrentTrial) -> None:
    """Lock the trial as another person proposed: the final look is taken, nothing changes any more. Role approver."""
    live.lock(missing=given.missing, who=who.name)


@router.post("/arms/dropped", status_code=204)
def drop_arm(given: DroppedArm, who: Administrator, live: CurrentTrial) -> None:
    """Give no further participants to an arm. Role administrator."""
    live.drop_arm(given.arm, reason=given.reason, who=who.name)
