"""Requests and responses of the service, as typed data."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from primum.live.conduct.ending import Stage
from primum.live.conduct.participants import Scope
from primum.live.people.roles import ROLES
from primum.live.people.roster import Standing

_ROLES = {"type": "array", "items": {"type": "string", "enum": list(ROLES)}, "minItems": 1}

Code = Annotated[str, Field(description="the code of a participant, not a name", examples=["P-0042"])]
Outcome = Annotated[float, Field(allow_inf_nan=False, description="0 or 1, or a number in the range of the trial")]
Text = Annotated[str, Field(description="goes into the journal, from which nothing is ever removed")]
Day = Annotated[str, Field(description="a date in the time zone of the trial", examples=["2026-11-18"])]
Codes = Annotated[list[str], Field(description="all whose outcome is missing, as GET /api/missing has them")]
Confirm = Annotated[bool, Field(description="true after an error at `confirm`: it is right all the same")]


class Request(BaseModel):
    """What a client sends: nothing is converted, and nothing is ignored."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Login(Request):
    """A person's name and password."""

    name: str
    password: str


class Join(Request):
    """A one-time code, and the password that the person chooses."""

    code: str
    password: str = Field(description="at least 8 characters; not sent if a proxy identifies people")


class Enrolment(Request):
    """A participant to enrol."""

    participant: Code
    eligibility: list[str] = Field([], description="the criteria that were checked: all that /api/me lists")
    consent: Day | None = Field(None, description="when the participant consented, if the trial asks for it")
    confirm: Confirm = False


class NewOutcome(Request):
    """The outcome of a participant, and its date: today if it is left out."""

    participant: Code
    outcome: Outcome
    on: Day | None = None
    confirm: Confirm = False


class Correction(Request):
    """Another outcome of a participant, the one that it replaces, and why."""

    participant: Code
    outcome: Outcome
    replaces: Outcome
    reason: Text
    on: Day | None = None
    confirm: Confirm = False


class About(Request):
    """A participant, and why something is done."""

    participant: Code
    reason: Text
    confirm: Confirm = False


class Withdrawal(About):
    """A participant who stops the treatment, or withdraws the consent to data."""

    scope: Scope


class Lock(Request):
    """A lock that is proposed, with what is missing."""

    reason: Text
    missing: Codes


class LockApproval(Request):
    """What is missing, as the second person has seen it."""

    missing: Codes


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
    """A person who is to get access."""

    name: str = Field(description="as the journal calls this person")
    roles: Annotated[list[str], WithJsonSchema(_ROLES)]


class Approval(Request):
    """The check number that a person told the approver."""

    check: str


class NewToken(Request):
    """What a token is for."""

    label: str


class Health(BaseModel):
    """Whether the service is up."""

    up: Literal[True] = True


class LoginKind(BaseModel):
    """The person whom a proxy has identified, if there is one that does."""

    proxy_user: str | None


class Me(BaseModel):
    """Who is logged in, and to which trial.

    While `access` is "awaiting approval", the person can do nothing else, and `check` is the number that the approver
    asks for. `arms` are the names of all arms, in alphabetical order, for unblinded roles and administrators.
    """

    name: str
    roles: list[str]
    access: Standing
    check: str | None
    title: str
    blinded: bool
    state: Stage
    outcomes: Literal["binary"] | list[float] = Field(description="binary, or the lowest and the highest possible one")
    patients: int
    time_zone: str
    eligibility: list[str] = Field(description="criteria that are confirmed for each participant")
    consent: bool = Field(description="whether the date of consent is asked")
    arms: list[str] | None


class Enrolled(BaseModel):
    """An allocation: the kit if the trial is blinded, otherwise the arm."""

    participant: str
    number: int
    at: str
    by: str
    arm: str | None
    kit: str | None
    eligibility: list[str]
    consent: str | None


class Withdrawn(BaseModel):
    """A participant who has withdrawn; nothing here tells whether an outcome is known."""

    participant: str
    number: int
    withdrawn: Scope | None
    withdrawn_at: str | None
    reason: str


class Voided(BaseModel):
    """A participant who was enrolled in error."""

    participant: str
    number: int
    voided_at: str | None
    reason: str


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


class Invited(BaseModel):
    """A person with a one-time code, which is shown only here; the link has it too."""

    name: str
    roles: list[str]
    code: str
    link: str
    expires: str


class Token(BaseModel):
    """A new token, which is shown only here."""

    label: str
    token: str
