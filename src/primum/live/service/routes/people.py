"""People: administrators propose, renew and dismiss them, approvers approve them; and everybody's tokens."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request

from primum.live.people.admission import Invitation, Person, TokenInfo
from primum.live.service.access import Anybody, CurrentTrial, needs
from primum.live.service.schemas import Approval, Invited, NewPerson, NewToken, Token

Administrator = Annotated[Person, needs("administrator")]
Approver = Annotated[Person, needs("approver")]

router = APIRouter(prefix="/api")


@router.get("/people")
def people(who: Annotated[Person, needs("administrator", "approver")], live: CurrentTrial) -> list[Person]:
    """All who have or had access. Role administrator or approver."""
    return live.people()


@router.post("/people")
def admit(request: Request, given: NewPerson, who: Administrator, live: CurrentTrial) -> Invited:
    """Propose a person; the one-time code is shown only here. Role administrator."""
    return _invited(request, live.admit(given.name, given.roles, who=who.name))


@router.post("/people/{name:path}/renewal")
def renew(request: Request, name: str, who: Administrator, live: CurrentTrial) -> Invited:
    """A new one-time code; password, tokens and sessions end now, an approval is needed again. Role administrator."""
    return _invited(request, live.renew(name, who=who.name))


@router.post("/people/{name:path}/approval")
def approve(name: str, given: Approval, who: Approver, live: CurrentTrial) -> Person:
    """Approve a person, whom you have asked for the check number, face to face or by telephone. Role approver."""
    return live.approve(name, given.check, who=who.name)


@router.delete("/people/{name:path}", status_code=204)
def dismiss(name: str, who: Administrator, live: CurrentTrial) -> None:
    """Take a person's access away, sessions and tokens included. Role administrator."""
    live.dismiss(name, who=who.name)


@router.get("/tokens")
def tokens(who: Anybody, live: CurrentTrial) -> list[TokenInfo]:
    """Your tokens, without what they are. Any role."""
    return live.tokens(who.name)


@router.post("/tokens")
def make_token(given: NewToken, who: Anybody, live: CurrentTrial) -> Token:
    """A token for a program that works for you, with your roles; it is shown only here. Any role."""
    return Token(label=given.label.strip(), token=live.make_token(given.label, who=who.name))


@router.delete("/tokens/{label:path}", status_code=204)
def end_token(label: str, who: Anybody, live: CurrentTrial) -> None:
    """End one of your tokens. Any role."""
    live.end_token(label, who=who.name)


def _invited(request: Request, found: Invitation) -> Invited:
    link = f"{request.base_url}#join={found.code}"
    return Invited(name=found.name, roles=list(found.roles), code=found.code, link=link, expires=found.expires)
