"""Requests and responses of the service, as typed data."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from primum.live.people.roles import ROLES
from primum.live.views import Stage

_ROLES = {"type": "array", "items": {"type": "string", "enum": list(ROLES)}, "minItems": 1}

Code = Annotated[str, Field(description="the code of a participant, not a name", examples=["P-0042"])]
Outcome = Annotated[float, Field(allow_inf_nan=False, description="0 or 1, or a number in the range of the trial")]
Text = Annotated[str, Field(description="goes into the journal, from which nothing is ever removed")]
Confirm = Annotated[bool, Field(description="true after an error at `confirm`: it identifies nobody")]


class Request(BaseModel):
    """What a client sends: nothing is converted, and nothing is ignored."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Login(Request):
    """A token."""

    token: str


class Enrolment(Request):
    """A participant to enrol."""

    participant: Code
    confirm: Confirm = False


class NewOutcome(Request):
    """The outcome of a participant."""

    participant: Code
    outcome: Outcome


class Correction(Request):
    """Another outcome of a participant, and why."""

    participant: Code
    outcome: Outcome
    reason: Text
    confirm: Confirm = False


class Withdrawal(Request):
    """A participant who withdraws, and why."""

    participant: Code
    reason: Text
    confirm: Confirm = False


class Reason(Request):
    """Why something is done."""

    reason: Text


class DroppedArm(Request):
    """An arm that gets no further participants, and why."""

    arm: str
    reason: Text


class Note(Request):
    """A note for the journal."""

    text: Text
    confirm: Confirm = False


class NewPerson(Request):
    """A person who gets access."""

    name: str = Field(description="as the journal calls this person")
    roles: Annotated[list[str], WithJsonSchema(_ROLES)]


class Health(BaseModel):
    """The version of Primum."""

    version: str


class Me(BaseModel):
    """Who is logged in, and to which trial.

    `arms` are the names of all arms, in alphabetical order, for unblinded roles and administrators.
    """

    name: str
    roles: list[str]
    title: str
    blinded: bool
    state: Stage
    outcomes: Literal["binary"] | list[float] = Field(description="binary, or the lowest and the highest possible one")
    patients: int
    arms: list[str] | None


class Enrolled(BaseModel):
    """An allocation: the kit if the trial is blinded, otherwise the arm."""

    participant: str
    number: int
    at: str
    arm: str | None
    kit: str | None


class JournalEntry(BaseModel):
    """An entry of the journal, with its hash."""

    number: int
    at: str
    who: str
    kind: str
    data: dict[str, Any]
    previous: str
    salt: str
    hash: str


class JournalPage(BaseModel):
    """Some of the entries in which a text occurs, and how many there are in all."""

    entries: list[JournalEntry]
    total: int


class Admitted(BaseModel):
    """A person with a new token, which is shown only here."""

    name: str
    roles: list[str]
    token: str
