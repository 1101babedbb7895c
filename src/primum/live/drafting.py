"""Entries that are to be written, with the state that they lead to."""

from __future__ import annotations

import getpass
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from primum.live.conduct.times import check_clock
from primum.live.journal import entries
from primum.live.journal.entries import Entry
from primum.live.people.names import BY_DESIGN
from primum.live.privacy import LONGEST_NAME, check_text
from primum.live.state import State


class Draft:
    """Entries that are to be written, with the state that they lead to."""

    def __init__(self, state: State, who: str, clock: Callable[[], datetime]) -> None:
        self.state, self.who, self.entries = state, who, list[Entry]()
        self.records: dict[str, str] = {}  # of credentials, by their hashes
        self._clock = clock

    def add(self, kind: str, given: Mapping[str, Any], who: str = "", *, record: str = "") -> None:
        """Draft an entry, perhaps with the record of a credential whose hash it has, and take it into the state."""
        at, writer = self._clock(), who or self.who
        check_clock(at, self.state.time)
        data = self.state.handle(kind, given, at, writer)
        entry = Entry(
            number=self.state.number + 1,
            at=entries.stamp(at),
            who=writer,
            kind=kind,
            data=data,
            previous=self.state.hash,
            salt=secrets.token_hex(16),
        )
        self.state.advance(entry)
        self.entries.append(entry)
        if record:
            self.records[entries.digest(record)] = record


def take_looks(draft: Draft, *, locking: bool = False) -> None:
    """Take the looks that are due, and the final one when `locking`.

    If the trial stops there, enrolment is refused after they are written.
    """
    course = draft.state.course
    while course.due_look():
        draft.add(entries.LOOK, {"final": False}, BY_DESIGN)
    if locking and course.due_final_look():
        draft.add(entries.LOOK, {"final": True}, BY_DESIGN)


def writer_of(given: str | None) -> str:
    """The name that an entry has for who did it."""
    return f"{getpass.getuser()} (Python)" if given is None else check_text("who", given, True, LONGEST_NAME)
