"""The small file beside the journal: sessions, and the last head that the service has seen.

It is no part of the journal. A back-up does not have it, so a restore does not bring back what it says.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from primum.live.errors import JournalUnavailable

BUSY_SECONDS = 10  # that a process waits for another one
TABLES = """
CREATE TABLE IF NOT EXISTS session (key_hash TEXT PRIMARY KEY, record_hash TEXT NOT NULL, began REAL NOT NULL,
    seen REAL NOT NULL);
CREATE TABLE IF NOT EXISTS head (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL, hash TEXT NOT NULL,
    commitment TEXT NOT NULL);
"""


@dataclass(frozen=True)
class SeenHead:
    """The end of the journal as the service saw it last, and the commitment of its first entry."""

    number: int
    hash: str
    commitment: str


class ServiceFile:
    """A file that several processes of the service share; without a path it is in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        with self._reporting():
            if path is not None:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._connection = sqlite3.connect(
                ":memory:" if path is None else path,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.executescript(TABLES)

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """The database, for one thread at a time; every statement is a transaction."""
        with self._lock, self._reporting():
            yield self._connection

    def head(self) -> SeenHead | None:
        """The last head that was noted."""
        with self.using() as database:
            found = database.execute("SELECT number, hash, commitment FROM head").fetchone()
        return None if found is None else SeenHead(*found)

    def note_head(self, head: SeenHead, *, whatever_it_was: bool = False) -> None:
        """Note where the journal ends now; another process may have seen a later end of it."""
        with self.using() as database:
            values = head.number, head.hash, head.commitment
            later = "" if whatever_it_was else "WHERE excluded.number > number"
            database.execute(
                "INSERT INTO head VALUES (1, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET number = excluded.number, "
                f"hash = excluded.hash, commitment = excluded.commitment {later}",
                values,
            )

    def close(self) -> None:
        """Close it; it stays."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise JournalUnavailable(f"cannot use the file {self.path} of the service: {reason}") from None


def beside(place: str) -> Path:
    """Where the file is for a journal in a file, or at an address of PostgreSQL, whose service keeps it for itself.

    >>> beside("trials/two-doses.db").as_posix()
    'trials/two-doses.db.service'
    """
    if "://" not in place:
        return Path(f"{place}.service")
    address = re.sub(r"://[^/]*@", "://", place).partition("?")[0]  # without a name and a password
    state = os.environ.get("XDG_STATE_HOME", "")
    folder = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    name = re.sub(r"\W+", "-", address.rpartition("/")[2]).strip("-") or "trial"
    return folder / "primum" / f"{name}-{hashlib.sha256(address.encode()).hexdigest()[:8]}.service"
