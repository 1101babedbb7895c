"""The state of a live trial, folded from the entries of its journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from primum.errors import PrimumError, UnknownNameError, quoted
from primum.live.blinding import Secret
from primum.live.conduct import ending, participants
from primum.live.conduct.ending import Proposal
from primum.live.conduct.participants import Enrolled, Unblinded, decided
from primum.live.conduct.times import NOTED_DAYS
from primum.live.course import Course
from primum.live.errors import Refused, UnknownParticipant
from primum.live.journal import entries
from primum.live.journal.entries import Entry
from primum.live.people.roster import Roster
from primum.live.privacy import key_of
from primum.live.software import check_form
from primum.text import listed
from primum.trials.design import Design
from primum.trials.live_settings import LiveSettings

Data = dict[str, Any]


FORMAT = 2  # of journals


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
    unblindings: list[Unblinded] = field(default_factory=list)
    paused: str = ""  # the reason, while it is
    recruited: str = ""  # the reason, once recruitment has ended
    proposal: Proposal | None = None  # to lock the trial
    locked: str = ""
    is_rehearsal: bool = False
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
        with self.changing():
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
        elif self.time is not None and (entry.time - self.time).days >= NOTED_DAYS:
            days = (entry.time - self.time).days
            self.clock_warnings.append(f"the clock moved forward by {days:,} days before entry {entry.number}")
        self.number, self.hash, self.time = entry.number, entry.hash, entry.time

    @contextmanager
    def changing(self) -> Iterator[None]:
        """While parts of the state change that must all change."""
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
        """Refuse what a locked trial does not allow."""
        if self.locked:
            raise Refused(f"the trial is locked ({self.locked}), so nobody can {doing}")

    # one method for each kind of entry

    def _design(self, given: Data, at: datetime, who: str) -> Data:
        if given.get("format") != FORMAT:
            raise PrimumError(
                "it was written by another version of Primum, whose journals have another format; go on with the "
                "version that its software names"
            )
        if given["commitment"] != self.secret.commitment:
            raise PrimumError("its commitment is not that of the stored secret")
        with self.changing():
            self.is_rehearsal = given["rehearsal"] is True
            self.secret = self.secret.rehearsing() if self.is_rehearsal else self.secret
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
        with self.changing():
            taken, arms = decided(lambda: self.course.take_look(is_final=is_final)), self.design.arms
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

    def _paused(self, given: Data, at: datetime, who: str) -> Data:
        self.check_open("pause it")
        if self.recruited:
            raise Refused("recruitment has ended, so there is nothing to pause")
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
            raise Refused(f"arm {arm!r} is the only one left; end recruitment instead")
        with self.changing():
            self.course.drop(arms.index(arm))
            self.dropped.append(arm)
        return {"arm": arm, "reason": given["reason"]}

    def _note(self, given: Data, at: datetime, who: str) -> Data:
        self.notes.append((who, given["text"]))
        return {"text": given["text"]}

    def _accessed(self, given: Data, at: datetime, who: str) -> Data:
        return {"what": given["what"]}


_KINDS: dict[str, Callable[[State, Data, datetime, str], Data]] = {
    entries.DESIGN: State._design,
    entries.SOFTWARE: State._software,
    entries.PAUSED: State._paused,
    entries.RESUMED: State._resumed,
    entries.DROPPED: State._dropped,
    entries.LOOK: State._look,
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
    **participants.KINDS,
    **ending.KINDS,
}
