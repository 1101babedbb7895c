"""For everybody: log in and out, who one is, and notes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from primum import __version__
from primum.errors import ParameterError
from primum.live import UNBLINDED_ROLES, Live
from primum.live.service.access import LOGIN, Access, Anybody, CurrentTrial, access_of
from primum.live.service.schemas import Health, Login, Me, Note
from primum.live.views import Person
from primum.web.request_body import NOT_JSON, Sent, described

SEES_ARM_NAMES = {*UNBLINDED_ROLES, "administrator"}
Control = Annotated[Access, Depends(access_of)]

router = APIRouter(prefix="/api")


@router.get("/health")
async def health() -> Health:
    """Whether the service is up; needs no token."""
    return Health(version=__version__)


# not a model of pydantic, whose errors quote what was sent
@router.post(LOGIN.removeprefix("/api"), openapi_extra=described(Login.model_json_schema()), responses=NOT_JSON)
def log_in(request: Request, response: Response, given: Sent, access: Control) -> Me:
    """Begin a session with a token; the session is a cookie, and ends after 30 idle minutes or 12 hours."""
    token = given.get("token") if isinstance(given, dict) and set(given) == {"token"} else None
    if not isinstance(token, str) or not token.strip():
        raise ParameterError('token must be a text, alone in an object: {"token": "..."}', ("token",))
    return _me(access.live, access.log_in(request, response, token.strip()))


@router.post("/logout", status_code=204)
def log_out(request: Request, response: Response, who: Anybody, access: Control) -> None:
    """End the session."""
    access.log_out(request, response)


@router.get("/me")
def me(who: Anybody, live: CurrentTrial) -> Me:
    """Who you are, and where the trial stands."""
    return _me(live, who)


def _me(live: Live, person: Person) -> Me:
    status = live.status()
    return Me(
        name=person.name,
        roles=list(person.roles),
        title=status.title,
        blinded=status.blinded,
        state=status.state,
        outcomes="binary" if isinstance(status.outcomes, str) else list(status.outcomes),
        patients=status.patients,
        arms=sorted(live.design.arms) if SEES_ARM_NAMES & {*person.roles} else None,
    )


@router.post("/notes", status_code=204)
def note(given: Note, who: Anybody, live: CurrentTrial) -> None:
    """Write a note into the journal. Any role."""
    live.note(given.text, who=who.name, confirm=given.confirm)
