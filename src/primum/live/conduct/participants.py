"""What entries about participants mean: for each kind a function that checks it and changes the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from primum.errors import ParameterError, PrimumError, quoted
from primum.live.conduct.times import date_of, day, in_zone
from primum.live.errors import DecisionFailed, Refused
from primum.live.journal import entries
from primum.live.privacy import key_of

if TYPE_CHECKING:
    from primum.live.state import State
    from primum.trials.live_settings import LiveSettings

Scope = Literal["treatment", "data"]
TREATMENT: Scope = "treatment"
DATA: Scope = "data"
SCOPES = {
    TREATMENT: "stops the treatment; the outcome is still collected",
    DATA: "withdraws the consent to data; no outcome is collected any more, and what is known stays",
}
WORDS = {0.0: "Failure", 1.0: "Success"}  # of binary outcomes

Data = dict[str, Any]
T = TypeVar("T")


@dataclass
class Withdrawal:
    """What a participant has withdrawn from, when, and why."""

    scope: Scope
    at: datetime
    reason: str


@dataclass
class Void:
    """An enrolment in error: when it was found, and why."""

    at: datetime
    reason: str


@dataclass
class Enrolled:
    """A participant."""

    participant: str
    number: int  # from 1
    at: datetime
    by: str
    arm: str
    kit: str
    eligibility: list[str]  # criteria that were confirmed
    consent: str | None  # its date
    outcome: float | None = None
    first_outcome: float | None = None  # before corrections
    outcome_at: datetime | None = None  # when it was recorded
    outcome_on: str | None = None  # the day of the outcome itself
    outcome_by: str = ""  # who recorded it, or corrected it last
    changed_at: datetime | None = None
    corrected: list[Data] = field(default_factory=list)  # the data of all corrections
    withdrawal: Withdrawal | None = None
    void: Void | None = None

    @property
    def corrections(self) -> int:
        """How often the outcome was corrected."""
        return len(self.corrected)

    @property
    def is_awaited(self) -> bool:
        """Whether an outcome is to be collected that is not known yet."""
        gone = self.withdrawal is not None and self.withdrawal.scope == DATA
        return self.outcome is None and self.void is None and not gone


@dataclass(frozen=True)
class Unblinded:
    """That somebody learned the arm of a participant."""

    participant: str
    at: datetime
    who: str
    reason: str


def written(settings: LiveSettings, outcome: float) -> str:
    """An outcome as people read it."""
    return WORDS[outcome] if isinstance(settings.outcomes, str) else f"{outcome:g}"


def enrolled(state: State, given: Data, at: datetime, who: str) -> Data:
    """A participant is allocated to an arm."""
    participant, key = given["participant"], key_of(given["participant"])
    if not key:
        raise PrimumError(f"its participant must be a code, got {quoted(participant)}")
    if key in state.participants:
        raise PrimumError(f"participant {participant!r} is enrolled already")
    check_enrolling(state)
    eligibility, consent = checked_consent(state, given["eligibility"], given["consent"], at)
    if state.course.due_look():
        raise PrimumError("a look is due before it")
    with state.changing():
        arm = decided(state.course.allocate)
        number = state.course.enrolled
        kit = state.secret.kit(arm * state.design.patients + state.course.count(arm) - 1)
        name = state.design.arms[arm]
        state.participants[key] = Enrolled(participant, number, at, who, name, kit, eligibility, consent)
    return {
        "participant": participant,
        "eligibility": eligibility,
        "consent": consent,
        "patient": number,
        "arm": name,
        "kit": kit,
    }


def check_enrolling(state: State) -> None:
    """Refuse while nobody can be enrolled."""
    state.check_open("be enrolled")
    if state.recruited:
        raise Refused(f"recruitment has ended ({state.recruited}), so nobody can be enrolled")
    if state.course.stopped:
        raise Refused("the trial has stopped at a look, so nobody can be enrolled")
    if state.paused:
        raise Refused(f"enrolment is paused: {state.paused}")
    if state.course.enrolled == state.design.patients:
        raise Refused(f"all {state.design.patients} participants of the design are enrolled")


def checked_consent(state: State, eligibility: Any, consent: Any, at: datetime) -> tuple[list[str], str | None]:
    """The criteria that were confirmed and the date of consent, if they are what the trial asks for."""
    asked = state.settings.eligibility
    if not isinstance(eligibility, list | tuple) or not all(isinstance(each, str) for each in eligibility):
        raise ParameterError(f"eligibility must be a list of criteria, got {quoted(eligibility)}", ("eligibility",))
    for each in eligibility:
        if each not in asked:
            raise ParameterError(f"{quoted(each)} is no criterion of this trial", ("eligibility",))
    for each in asked:
        if each not in eligibility:
            raise ParameterError(
                f"the criterion {quoted(each)} is not confirmed; who does not meet all of them cannot be enrolled",
                ("eligibility",),
            )
    if not state.settings.consent:
        if consent is not None:
            raise ParameterError("this trial does not ask for the date of consent", ("consent",))
        return list(asked), None
    if consent is None:
        raise ParameterError("consent is missing: the date on which the participant consented", ("consent",))
    if date_of("consent", consent) > day(at, state.settings.time_zone):
        raise ParameterError(f"consent must not be a date in the future, got {consent}", ("consent",))
    return list(asked), consent


def outcome(state: State, given: Data, at: datetime, who: str) -> Data:
    """The outcome of a participant becomes known."""
    state.check_open("record an outcome")
    found, number = state.find(given["participant"]), state.settings.check(given["outcome"])
    if found.outcome is not None:
        raise Refused(f"{standing(state, found, at)}. Correct it?")
    if found.void is not None:
        raise Refused(f"the enrolment of participant {found.participant!r} is void, so no outcome can be recorded")
    if not found.is_awaited:
        raise Refused(
            f"participant {found.participant!r} has withdrawn the consent to data, so no outcome can be recorded"
        )
    on = checked_day(state, found, given["on"])
    with state.changing():
        state.course.tell(found.number - 1, number)
        found.outcome = found.first_outcome = number
        found.outcome_at = found.changed_at = at
        found.outcome_on, found.outcome_by = on, who
    return {"participant": found.participant, "outcome": number, "on": on}


def checked_day(state: State, found: Enrolled, on: Any) -> str:
    """The date of an outcome, which is not before the enrolment."""
    given, enrolment = date_of("on", on), day(found.at, state.settings.time_zone)
    if given < enrolment:
        raise ParameterError(f"on must be a date from the enrolment on, which was on {enrolment}, got {given}", ("on",))
    return given.isoformat()


def standing(state: State, found: Enrolled, now: datetime) -> str:
    """Who recorded the outcome that is known, and when."""
    assert found.outcome is not None
    assert found.changed_at is not None
    then = in_zone(found.changed_at, state.settings.time_zone)
    is_today = then.date() == day(now, state.settings.time_zone)
    time = f"{then:%H:%M}" if is_today else f"{then.date()} {then:%H:%M}"
    return f"{written(state.settings, found.outcome)} is already recorded ({found.outcome_by}, {time})"


def corrected(state: State, given: Data, at: datetime, who: str) -> Data:
    """An outcome is replaced by another one; decisions made before stay as they were."""
    state.check_open("correct an outcome")
    found, number = state.find(given["participant"]), state.settings.check(given["outcome"])
    if found.outcome is None:
        raise Refused(f"participant {found.participant!r} has no outcome that could be corrected; record it")
    replaces, on = state.settings.check(given["replaces"], "replaces"), checked_day(state, found, given["on"])
    data = {
        "participant": found.participant,
        "outcome": number,
        "replaces": replaces,
        "on": on,
        "reason": given["reason"],
    }
    if data in found.corrected or found.outcome != replaces:
        raise Refused(
            f"{standing(state, found, at)}, so this correction of {written(state.settings, replaces)} comes too late. "
            "If it is meant all the same, correct the present value, and give another reason."
        )
    if (found.outcome, found.outcome_on) == (number, on):
        raise Refused(f"{standing(state, found, at)}, with this date")
    with state.changing():
        state.course.correct(found.number - 1, number)
        found.outcome, found.outcome_on, found.outcome_by, found.changed_at = number, on, who, at
        found.corrected.append(data)
    return data


def withdrawn(state: State, given: Data, at: datetime, who: str) -> Data:
    """A participant withdraws from the treatment, or the consent to data."""
    state.check_open("withdraw")
    found, scope = state.find(given["participant"]), given["scope"]
    check_scope(scope)
    if found.void is not None:
        raise Refused(f"the enrolment of participant {found.participant!r} is void")
    if found.withdrawal is not None and (found.withdrawal.scope, scope) != (TREATMENT, DATA):
        raise Refused(f"participant {found.participant!r} has withdrawn already (scope {found.withdrawal.scope!r})")
    found.withdrawal = Withdrawal(scope, at, given["reason"])
    if scope == DATA:
        state.course.give_up(found.number - 1)
    return {"participant": found.participant, "scope": scope, "reason": given["reason"]}


def check_scope(scope: Any) -> None:
    """Refuse what is no scope of a withdrawal."""
    if not isinstance(scope, str) or scope not in SCOPES:
        words = " or ".join(f'"{name}" ({text})' for name, text in SCOPES.items())
        raise ParameterError(f"scope must be {words}, got {quoted(scope)}", ("scope",))


def voided(state: State, given: Data, at: datetime, who: str) -> Data:
    """An enrolment was an error; the participant stays in the record."""
    state.check_open("declare an enrolment void")
    found = state.find(given["participant"])
    if found.void is not None:
        raise Refused(f"the enrolment of participant {found.participant!r} is void already")
    if found.outcome is not None:
        raise Refused(
            f"an outcome of participant {found.participant!r} is known, so the enrolment cannot be declared void; "
            "write a note, or record a withdrawal"
        )
    found.void = Void(at, given["reason"])
    state.course.give_up(found.number - 1)
    return {"participant": found.participant, "reason": given["reason"]}


def unblinded(state: State, given: Data, at: datetime, who: str) -> Data:
    """Somebody learns the arm of a participant, in an emergency."""
    found = state.find(given["participant"])
    state.unblindings.append(Unblinded(found.participant, at, who, given["reason"]))
    return {"participant": found.participant, "reason": given["reason"]}


def decided(decide: Callable[[], T]) -> T:
    """What the design decides; its faults are told apart, because they may tell arms."""
    try:
        return decide()
    except PrimumError as error:
        raise DecisionFailed(f"the design cannot decide: {error}") from error


KINDS: dict[str, Callable[[Any, Data, datetime, str], Data]] = {
    entries.ENROLLED: enrolled,
    entries.OUTCOME: outcome,
    entries.CORRECTED: corrected,
    entries.WITHDRAWN: withdrawn,
    entries.VOIDED: voided,
    entries.UNBLINDED: unblinded,
}
