"""For administrators: people, and the conduct of the trial."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from primum.live.service.access import CurrentTrial, needs
from primum.live.service.schemas import Admitted, DroppedArm, NewPerson, Reason
from primum.live.views import Person

Administrator = Annotated[Person, needs("administrator")]

router = APIRouter(prefix="/api")


@router.get("/people")
def people(who: Administrator, live: CurrentTrial) -> list[Person]:
    """All who have or had access. Role administrator."""
    return live.people()


@router.post("/people")
def admit(given: NewPerson, who: Administrator, live: CurrentTrial) -> Admitted:
    """Give a person access; the token is shown only here. Role administrator."""
    token = live.admit(given.name, given.roles, who=who.name)
    return _admitted(live, given.name.strip(), token)


@router.post("/people/{name:path}/token")
def renew(name: str, who: Administrator, live: CurrentTrial) -> Admitted:
    """A new token for a person; the old one, and sessions begun with it, end. Role administrator."""
    return _admitted(live, name, live.renew(name, who=who.name))


def _admitted(live: CurrentTrial, name: str, token: str) -> Admitted:
    person = live.person(token)
    return Admitted(name=name, roles=list(person.roles) if person else [], token=token)


@router.delete("/people/{name:path}", status_code=204)
def dismiss(name: str, who: Administrator, live: CurrentTrial) -> None:
    """Take a person's access away, sessions included. Role administrator."""
    live.dismiss(name, who=who.name)


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
