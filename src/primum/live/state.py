"""The state of a live trial, folded from the entries of its journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from primum.errors import PrimumError, UnknownNameError, quoted
from primum.live.blinding import Secret
from primum.live.course import Course
from primum.live.errors import DecisionFailed, Refused, UnknownParticipant
from primum.live.journal import entries
from primum.live.journal.entries import Entry
from primum.live.people.roster import Roster
from primum.live.privacy import key_of
from primum.live.software import check_form
from primum.text import listed
from primum.trials.design import Design
from primum.trials.live_settings import LiveSettings

Data = dict[str, Any]
T = TypeVar("T")


@dataclass
class Enrolled:
    """A participant."""

    participant: str
    number: int  # from 1
    at: datetime
    arm: str
    kit: str
    outcome: float | None = None
    first_outcome: float | None = None  # before corrections
    outcome_at: datetime | None = None
    corrections: int = 0
    reason: str = ""  # of the last correction
    withdrawn: datetime | None = None


@dataclass
class State:
    """All that the entries so far say.

    `follow` takes in one entry. For each kind there is a method that checks what is given, changes the state, and
    returns the complete data of the entry; so the entries of a journal can be recomputed, and must be equal.
    """

    secret: Secret
    number: int = 0
    hash: str = entries.START
    time: datetime | None = None
    title: str = ""
    software: Data = field(default_factory=dict)
    participants: dict[str, Enrolled] = field(default_factory=dict)
    people: Roster = field(default_factory=Roster)
    looks: list[Data] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)  # by whom, and text
    dropped: list[str] = field(default_factory=list)  # arms, by administrators
    paused: str = ""  # the reason, while it is
    closed: str = ""
    clock_warnings: list[str] = field(default_factory=list)
    is_broken: bool = False  # an error left it half changed

    @property
    def course(self) -> Course:
        """The allocation of participants."""
        return self._course

    def handle(self, kind: str, given: Mapping[str, Any], at: datetime, who: str) -> Data:
        """Check what is given for an entry, change the state, and return the complete data of the entry."""
        if kind not in _KINDS:
            raise UnknownNameError("kind of entry", kind, _KINDS)
        if (kind == entries.DESIGN) != (self.number == 0):
            raise PrimumError("the first entry, and no other, must be the design")
        return _KINDS[kind](self, dict(given), at, who)

    def follow(self, entry: Entry) -> None:
        """Take in an entry of the journal; a PrimumError says why it does not fit."""
        with self._changing():
            try:
                data = self.handle(entry.kind, entry.data, entry.time, entry.who)
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                if isinstance(error, PrimumError):
                    raise
                raise PrimumError(f"its data are not those of an entry of the kind {entry.kind!r}") from None
            for key in sorted({*data, *entry.data}):
                if key not in data or key not in entry.data or data[key] != entry.data[key]:
                    raise PrimumError(
                        f"its {key} is {quoted(entry.data.get(key))}, but the secret of the trial and the entries "
                        f"before it give {quoted(data.get(key))}"
                    )
            self.advance(entry)

    def advance(self, entry: Entry) -> None:
        """Note where the journal ends."""
        if self.time is not None and entry.time < self.time:
            back = (self.time - entry.time).total_seconds()
            self.clock_warnings.append(f"the clock moved back by {back:.3f} s before entry {entry.number}")
        self.number, self.hash, self.time = entry.number, entry.hash, entry.time

    @contextmanager
    def _changing(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.is_broken = True
            raise

    def find(self, participant: Any) -> Enrolled:
        """A participant by code."""
        key = key_of(participant)
        if key not in self.participants:
            raise UnknownParticipant(participant)
        return self.participants[key]

    def check_open(self, doing: str) -> None:
        """Refuse what a closed trial does not allow."""
        if self.closed:
            raise Refused(f"the trial is closed ({self.closed}), so nobody can {doing}")

    # one method for each kind of entry

    def _design(self, given: Data, at: datetime, who: str) -> Data:
        if given["commitment"] != self.secret.commitment:
            raise PrimumError("its commitment is not that of the stored secret")
        with self._changing():
            self.title = given["title"]
            self.design = Design.from_spec(given["design"])
            self.settings = LiveSettings.from_spec(given["live"])
            self.people.blinded = self.settings.blinded
            self.software = check_form(given["software"])
            self._course = Course(self.design, self.secret.seed)
        return given

    def _software(self, given: Data, at: datetime, who: str) -> Data:
        self.software = check_form(given["software"])
        return given

    def _look(self, given: Data, at: datetime, who: str) -> Data:
        is_final = given["final"]
        if self.course.due_look() if is_final else not self.course.due_look():
            raise PrimumError("an interim look is due before it" if is_final else "no look is due")
        if is_final and not self.course.due_final_look():
            raise PrimumError("no final look is due")
        with self._changing():
            taken, arms = _decided(lambda: self.course.take_look(is_final=is_final)), self.design.arms
            data = {
                "look": taken.number + 1,
                "patients": taken.patients,
                "known": taken.known,
                "dropped": [arms[arm] for arm in taken.dropped],
                "claimed": [arms[arm] for arm in taken.claimed],
                "stopped": taken.stopped,
                "final": taken.is_final,
            }
            self.looks.append(data | {"at": entries.stamp(at)})
        return data

    def _enrolled(self, given: Data, at: datetime, who: str) -> Data:
        participant, key = given["participant"], key_of(given["participant"])
        if not key:
            raise PrimumError(f"its participant must be a code, got {quoted(participant)}")
        if key in self.participants:
            raise PrimumError(f"participant {participant!r} is enrolled already")
        self.check_enrolling()
        if self.course.due_look():
            raise PrimumError("a look is due before it")
        with self._changing():
            arm = _decided(self.course.allocate)
            number = self.course.enrolled
            kit = self.secret.kit(arm * self.design.patients + self.course.count(arm) - 1)
            name = self.design.arms[arm]
            self.participants[key] = Enrolled(participant, number, at, name, kit)
        return {"participant": participant, "patient": number, "arm": name, "kit": kit}

    def check_enrolling(self) -> None:
        """Refuse while nobody can be enrolled."""
        self.check_open("be enrolled")
        if self.course.stopped:
            raise Refused("the trial has stopped at a look, so nobody can be enrolled")
        if self.paused:
            raise Refused(f"enrolment is paused: {self.paused}")
        if self.course.enrolled == self.design.patients:
            raise Refused(f"all {self.design.patients} participants of the design are enrolled")

    def _outcome(self, given: Data, at: datetime, who: str) -> Data:
        self.check_open("record an outcome")
        found, outcome = self.find(given["participant"]), self.settings.check(given["outcome"])
        if found.withdrawn is not None:
            raise Refused(f"participant {found.participant!r} has withdrawn, so no outcome can be recorded")
        if found.outcome is not None:
            raise Refused(
                f"the outcome of participant {found.participant!r} is {found.outcome:g} already; correct it with a "
                "reason if it is wrong"
            )
        with self._changing():
            self.course.tell(found.number - 1, outcome)
            found.outcome = found.first_outcome = outcome
            found.outcome_at = at
        return {"participant": found.participant, "outcome": outcome}

    def _corrected(self, given: Data, at: datetime, who: str) -> Data:
        self.check_open("correct an outcome")
        found, outcome = self.find(given["participant"]), self.settings.check(given["outcome"])
        if found.outcome is None:
            raise Refused(f"participant {found.participant!r} has no outcome that could be corrected; record it")
        if found.outcome == outcome:
            raise Refused(f"the outcome of participant {found.participant!r} is {outcome:g} already")
        with self._changing():
            self.course.correct(found.number - 1, outcome)
            found.outcome, found.corrections, found.reason = outcome, found.corrections + 1, given["reason"]
        return {"participant": found.participant, "outcome": outcome, "reason": given["reason"]}

    def _withdrawn(self, given: Data, at: datetime, who: str) -> Data:
        self.check_open("withdraw")
        found = self.find(given["participant"])
        if found.withdrawn is not None:
            raise Refused(f"participant {found.participant!r} has withdrawn already")
        found.withdrawn = at
        return {"participant": found.participant, "reason": given["reason"]}

    def _paused(self, given: Data, at: datetime, who: str) -> Data:
        self.check_open("pause it")
        if self.paused:
            raise Refused(f"enrolment is paused already: {self.paused}")
        self.paused = given["reason"]
        return {"reason": given["reason"]}

    def _resumed(self, given: Data, at: datetime, who: str) -> Data:
        self.check_open("resume it")
        if not self.paused:
            raise Refused("enrolment is not paused")
        self.paused = ""
        return {"reason": given["reason"]}

    def _dropped(self, given: Data, at: datetime, who: str) -> Data:
        self.check_open("drop an arm")
        arm, arms = given["arm"], self.design.arms
        if not isinstance(arm, str) or arm not in arms:
            raise UnknownNameError("arm", arm, arms, ("arm",))
        left = [each for each in arms if each not in self.dropped]  # or dropped at a look, which must not be told here
        if arm not in left:
            raise Refused(f"arm {arm!r} was dropped already; arms left: {listed(sorted(left))}")
        if len(left) == 1:
            raise Refused(f"arm {arm!r} is the only one left; close the trial instead")
        with self._changing():
            self.course.drop(arms.index(arm))
            self.dropped.append(arm)
        return {"arm": arm, "reason": given["reason"]}

    def _closed(self, given: Data, at: datetime, who: str) -> Data:
        self.check_open("close it again")
        if self.course.due_look() or self.course.due_final_look():
            raise PrimumError("a look is due before it")
        self.closed = given["reason"]
        return {"reason": given["reason"], "secret": self.secret.text}

    def _note(self, given: Data, at: datetime, who: str) -> Data:
        self.notes.append((who, given["text"]))
        return {"text": given["text"]}

    def _accessed(self, given: Data, at: datetime, who: str) -> Data:
        return {"what": given["what"]}


_KINDS: dict[str, Callable[[State, Data, datetime, str], Data]] = {
    entries.DESIGN: State._design,
    entries.SOFTWARE: State._software,
    entries.ENROLLED: State._enrolled,
    entries.OUTCOME: State._outcome,
    entries.CORRECTED: State._corrected,
    entries.WITHDRAWN: State._withdrawn,
    entries.PAUSED: State._paused,
    entries.RESUMED: State._resumed,
    entries.DROPPED: State._dropped,
    entries.LOOK: State._look,
    entries.CLOSED: State._closed,
    entries.NOTE: State._note,
    entries.ADMITTED: lambda state, *given: state.people.admitted(*given),
    entries.REDEEMED: lambda state, *given: state.people.redeemed(*given),
    entries.APPROVED: lambda state, *given: state.people.approved(*given),
    entries.APPROVAL_REFUSED: lambda state, *given: state.people.approval_refused(*given),
    entries.RENEWED: lambda state, *given: state.people.renewed(*given),
    entries.DISMISSED: lambda state, *given: state.people.dismissed(*given),
    entries.TOKEN_MADE: lambda state, *given: state.people.token_made(*given),
    entries.TOKEN_ENDED: lambda state, *given: state.people.token_ended(*given),
    entries.ACCESSED: State._accessed,
}


def _decided(decide: Callable[[], T]) -> T:
    """What the design decides; its faults are told apart, because they may tell arms."""
    try:
        return decide()
    except PrimumError as error:
        raise DecisionFailed(f"the design cannot decide: {error}") from error
