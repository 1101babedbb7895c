"""Sessions of people who logged in with a page: only hashes, in the file of the service."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from primum.live.journal.entries import digest
from primum.live.service.service_file import ServiceFile

IDLE_SECONDS, LONGEST_SECONDS = 30 * 60, 12 * 60 * 60
MOST_OF_PERSON = 20
SEEN_SECONDS = 30  # after which it is noted that a session is used


class Sessions:
    """Sessions by the hashes of their keys, which only the browsers have.

    A session belongs to the record of the credential that it was begun with, so it ends with it. Times are those of
    the clock on the wall: sessions survive a restart.
    """

    def __init__(self, file: ServiceFile, clock: Callable[[], float]) -> None:
        self._file, self._clock = file, clock

    def begin(self, record_hash: str) -> str:
        """Begin a session; the key is for the browser."""
        key, now = secrets.token_urlsafe(32), self._clock()
        with self._file.using() as database:
            database.execute("DELETE FROM session WHERE seen <= ? OR began <= ?", self._oldest(now))
            database.execute("INSERT INTO session VALUES (?, ?, ?, ?)", (digest(key), record_hash, now, now))
            database.execute(
                "DELETE FROM session WHERE record_hash = ? AND key_hash NOT IN "
                "(SELECT key_hash FROM session WHERE record_hash = ? ORDER BY rowid DESC LIMIT ?)",
                (record_hash, record_hash, MOST_OF_PERSON),
            )
        return key

    def record_hash(self, key: str) -> str | None:
        """The hash of the record that a session was begun with, or None if the session has ended."""
        hash, now = digest(key), self._clock()
        with self._file.using() as database:
            found = database.execute(
                "SELECT record_hash, seen FROM session WHERE key_hash = ? AND seen > ? AND began > ?",
                (hash, *self._oldest(now)),
            ).fetchone()
            if found is not None and abs(now - found[1]) >= SEEN_SECONDS:
                database.execute("UPDATE session SET seen = ? WHERE key_hash = ?", (now, hash))
        return None if found is None else str(found[0])

    def end(self, key: str) -> None:
        """End a session."""
        with self._file.using() as database:
            database.execute("DELETE FROM session WHERE key_hash = ?", (digest(key),))

    def _oldest(self, now: float) -> tuple[float, float]:
        return now - IDLE_SECONDS, now - LONGEST_SECONDS
