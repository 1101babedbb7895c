"""A journal with the state that is folded from it, and transactions that change both or neither."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import TypeVar

from primum.errors import PrimumError
from primum.live.blinding import Secret
from primum.live.drafting import Draft, writer_of
from primum.live.errors import JournalUnavailable
from primum.live.journal import entries
from primum.live.journal.storage import Head, Journal, Writing
from primum.live.state import State
from primum.live.verifying import follow

T = TypeVar("T")


def journal_at(place: str | os.PathLike[str] | Journal) -> Journal:
    """The journal at a place, a path or an address of PostgreSQL; a journal that is given is returned."""
    return place if isinstance(place, Journal) else Journal(place)


class FoldedJournal:
    """A journal with its state, for several threads; other processes may write to the same journal."""

    def __init__(self, journal: str | os.PathLike[str] | Journal, clock: Callable[[], datetime]) -> None:
        self.journal = journal_at(journal)
        self._clock, self._lock = clock, threading.RLock()
        self._state: State | None = None
        self._seen: Head | None = None  # the last end of the journal, for life
        self.on_head: Callable[[Head], None] = lambda head: None  # called with each new end, after it is on the disk
        self._exchanged = ""  # why nothing is read or written any more
        self._records: dict[str, str] = {}  # of credentials, by their hashes

    @property
    def head(self) -> Head:
        """The end of the journal as it was seen last."""
        assert self._seen is not None
        return self._seen

    def _do(self, who: str | None, steps: Callable[[Draft], T]) -> T:
        """Carry out steps in a transaction; what they refuse is raised after it, with nothing half done.

        Who waits for another writer does not hold the lock of the state, so that others read meanwhile.
        """
        writer, refusal, answer, draft = writer_of(who), None, None, None
        with self.journal.queued(), ExitStack() as until_written:
            try:
                with self.journal.writing() as writing:
                    until_written.enter_context(self._lock)
                    state = self._caught_up(writing)
                    draft = Draft(state, writer, self._clock)
                    try:
                        answer = steps(draft)
                    except PrimumError as error:
                        if state.is_broken:
                            raise
                        refusal = error
                    if draft.entries:
                        writing.append(draft.entries)
                    if {entry.kind for entry in draft.entries} & entries.OF_PEOPLE:
                        writing.keep_records(state.people.record_hashes(), draft.records)
                self._see(state)
            except BaseException:
                if draft is not None or (self._state is not None and self._state.is_broken):
                    self._state = None  # it may have what the journal has not
                raise
        if refusal is not None:
            raise refusal
        return answer  # type: ignore[return-value]

    @contextmanager
    def _reading(self) -> Iterator[State]:
        with self._lock:
            yield self._caught_up(self.journal)

    def _access(self, what: str, who: str | None, view: Callable[[State], T]) -> T:
        """What those see who may see arms, after the access is noted."""

        def steps(draft: Draft) -> T:
            draft.add(entries.ACCESSED, {"what": what})
            return view(draft.state)

        return self._do(who, steps)

    def _caught_up(self, source: Journal | Writing) -> State:
        """The state with the entries that others have added."""
        self._check_not_exchanged()
        state = self._state or State(Secret(self.journal.secret()))
        rows = source.after(state.number - 1)  # with the last one that is known
        self._state = None  # until all of them have been taken in
        seen = self._seen
        if seen is not None and not any((row.number, row.hash) == (seen.number, seen.hash) for row in rows):
            self._exchanged = (
                f"the journal {self.journal.shown} does not have entry {seen.number} as it was: entries were "
                "removed or changed from outside, or another file was put in its place. Nothing is read or written "
                "until this is started again"
            )
        self._check_not_exchanged()
        if state.number:
            del rows[0]
        try:
            for row in rows:
                follow(state, row)
        except PrimumError as error:
            raise JournalUnavailable(
                f"entry {state.number + 1} of the journal {self.journal.shown} does not fit: {error}; "
                "`primum trial verify` checks all of it"
            ) from None
        head = source.head if isinstance(source, Writing) else None
        if head is not None and (head.number, head.hash) != (state.number, state.hash):
            raise JournalUnavailable(
                f"the journal {self.journal.shown} ends at entry {head.number}, and its entries at "
                f"{state.number}: entries were removed or added from outside; `primum trial verify` checks all of it"
            )
        if state.number == 0:
            raise PrimumError(f"{self.journal.shown} has no entries: the trial was not started completely")
        self._state = state
        if source is self.journal:
            self._see(state)
        return state

    def _see(self, state: State) -> None:
        """Remember where the journal ends."""
        if self._seen is None or self._seen.number != state.number:
            self._seen = Head(state.number, state.hash)
            self.on_head(self._seen)

    def _check_not_exchanged(self) -> None:
        """Refuse a journal that was replaced: kits would be given again, and outcomes go to other people."""
        if self._exchanged:
            raise JournalUnavailable(self._exchanged)
