"""A journal with the state that is folded from it, and transactions that change both or neither."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar

from primum.errors import PrimumError
from primum.live.blinding import Secret
from primum.live.drafting import Draft, writer_of
from primum.live.errors import JournalUnavailable
from primum.live.journal import entries
from primum.live.journal.storage import Journal, Writing
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
        self._records: dict[str, str] = {}  # of credentials, by their hashes

    def _do(self, who: str | None, steps: Callable[[Draft], T]) -> T:
        """Carry out steps in a transaction; what they refuse is raised after it, with nothing half done."""
        writer, refusal, answer, draft = writer_of(who), None, None, None
        with self.journal.queued(), self._lock:
            try:
                with self.journal.writing() as writing:
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

    @contextmanager
    def _accessing(self, what: str, who: str | None) -> Iterator[State]:
        """The state, for those who may see arms, after the access is noted."""
        with self._lock:
            self._do(who, lambda draft: draft.add(entries.ACCESSED, {"what": what}))
            assert self._state is not None
            yield self._state

    def _caught_up(self, source: Journal | Writing) -> State:
        """The state with the entries that others have added."""
        state = self._state or State(Secret(self.journal.secret()))
        rows = source.after(state.number - 1)  # with the last one that is known
        self._state = None  # until all of them have been taken in
        if state.number:
            last = rows.pop(0) if rows else None
            if last is None or (last.number, last.hash) != (state.number, state.hash):
                raise JournalUnavailable(
                    f"the journal {self.journal.shown} does not have entry {state.number} as it was: entries were "
                    "removed or changed from outside, or another file was put in its place"
                )
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
        return state
