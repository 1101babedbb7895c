"""For everybody: join with a code, log in and out, who one is, and notes."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from primum.errors import ParameterError
from primum.live import UNBLINDED_ROLES, Live
from primum.live.people.admission import Identity
from primum.live.service.access import Anybody, Control, CurrentTrial, Known, ProxyUser
from primum.live.service.schemas import Health, Join, Login, LoginKind, Me, Note
from primum.web.addresses import address_of
from primum.web.request_body import NOT_JSON, Sent, described

SEES_ARM_NAMES = {*UNBLINDED_ROLES, "administrator"}

router = APIRouter(prefix="/api")


@router.get("/health")
async def health() -> Health:
    """Whether the service is up; needs no log-in."""
    return Health()


@router.get("/login")
async def how_to_log_in(user: ProxyUser) -> LoginKind:
    """Whom a proxy says that you are, if it identifies people; needs no log-in."""
    return LoginKind(proxy_user=user)


# bodies with secrets are no models of pydantic, whose errors quote what was sent


@router.post("/login", openapi_extra=described(Login.model_json_schema()), responses=NOT_JSON)
async def log_in(request: Request, response: Response, given: Sent, access: Control) -> Me:
    """Begin a session with name and password; the session is a cookie, and ends after 30 idle minutes or 12 hours."""
    name, password = _texts(given, "name", "password")
    address = address_of(request.scope)
    found = await access.in_turn(lambda: access.by_password(name, password, address))
    access.begin(request, response, found)
    return _me(access.live, found)


@router.post("/join", openapi_extra=described(Join.model_json_schema()), responses=NOT_JSON)
async def join(request: Request, response: Response, given: Sent, access: Control, user: ProxyUser) -> Me:
    """Redeem a one-time code, with a password of your own, and log in.

    Whom a proxy identifies, sends no password.
    """
    if user is not None:
        (code,) = _texts(given, "code")
        return _me(access.live, access.live.redeem(code, identity=user))
    code, password = _texts(given, "code", "password")
    found = await access.in_turn(lambda: access.live.redeem(code, password))
    access.begin(request, response, found)
    return _me(access.live, found)


def _texts(given: Any, *names: str) -> list[str]:
    """The texts with these names, and no others."""
    if not isinstance(given, dict) or {*given} != {*names}:
        example = ", ".join(f'"{name}": "..."' for name in names)
        raise ParameterError(f"send an object with nothing but {{{example}}}")
    for name in names:
        if not isinstance(given[name], str) or not given[name].strip():
            raise ParameterError(f"{name} must be a text", (name,))
    return [given[name] for name in names]


@router.post("/logout", status_code=204)
def log_out(request: Request, response: Response, who: Known, access: Control) -> None:
    """End the session."""
    access.log_out(request, response)


@router.get("/me")
def me(who: Known, live: CurrentTrial) -> Me:
    """Who you are, and where the trial stands."""
    return _me(live, who)


def _me(live: Live, identity: Identity) -> Me:
    status, person = live.status(), identity.person
    sees_arm_names = person.state == "active" and SEES_ARM_NAMES & {*person.roles}
    return Me(
        name=person.name,
        roles=list(person.roles),
        access=person.state,
        check=identity.check,
        title=status.title,
        blinded=status.blinded,
        state=status.state,
        outcomes="binary" if isinstance(status.outcomes, str) else list(status.outcomes),
        patients=status.patients,
        time_zone=status.time_zone,
        eligibility=list(live.settings.eligibility),
        consent=live.settings.consent,
        arms=sorted(live.design.arms) if sees_arm_names else None,
    )


@router.post("/notes", status_code=204)
def note(given: Note, who: Anybody, live: CurrentTrial) -> None:
    """Write a note into the journal. Any role."""
    live.note(given.text, who=who.name, confirm=given.confirm)
