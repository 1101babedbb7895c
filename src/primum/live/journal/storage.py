"""Where entries are stored: SQLite in a file, or PostgreSQL at an address; one writer at a time."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from primum.errors import ParameterError, PrimumError, shortened
from primum.live.errors import JournalUnavailable
from primum.live.journal import access_table
from primum.live.journal.databases import database_at
from primum.live.journal.entries import START, Entry

SETTLING_SECONDS = 1  # that a writer waits for readers, before it leaves the rest to the next writer
TABLES = (
    "CREATE TABLE primum_journal (number BIGINT NOT NULL PRIMARY KEY, text TEXT NOT NULL, hash TEXT NOT NULL)",
    # one row: the secret of the trial, and a second record of where the journal ends
    "CREATE TABLE primum_head (id INTEGER PRIMARY KEY, secret TEXT NOT NULL, number BIGINT NOT NULL, "
    "hash TEXT NOT NULL)",
    access_table.CREATE,
)


@dataclass(frozen=True)
class Head:
    """The end of the journal."""

    number: int
    hash: str


@dataclass(frozen=True)
class Row:
    """An entry as it is stored."""

    number: int
    text: str
    hash: str


@dataclass(frozen=True)
class Snapshot:
    """All that is stored, at one moment."""

    rows: list[Row]
    head: Head
    secret: str
    records: dict[str, str]  # of credentials, by their hashes


class Transaction:
    """What is stored at one moment."""

    def __init__(self, connection: Any, mark: str) -> None:
        self._connection, self._mark = connection, mark

    def execute(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Execute a statement with question marks for values; the rows that it gives."""
        cursor = self._connection.execute(statement.replace("?", self._mark), values)
        return list(cursor.fetchall()) if cursor.description else []

    def after(self, number: int | None = None) -> list[Row]:
        """The entries after this one, or all of them."""
        where, values = ("", ()) if number is None else ("WHERE number > ?", (number,))
        return [
            Row(*row)
            for row in self.execute(f"SELECT number, text, hash FROM primum_journal {where} ORDER BY number", *values)
        ]

    @property
    def head(self) -> Head:
        """Where the journal ends."""
        found = self.execute("SELECT number, hash FROM primum_head")
        if not found:
            raise PrimumError("this is not the journal of a trial: it has no head")
        return Head(*found[0])

    @property
    def secret(self) -> str:
        """The secret of the trial."""
        return str(next(iter(self.execute("SELECT secret FROM primum_head")), [None])[0])


class Writing(Transaction):
    """A transaction that has the journal to itself."""

    def append(self, entries: Sequence[Entry]) -> None:
        """Add entries at the end; they are there when the transaction is over, or none of them is."""
        for entry in entries:
            self.execute("INSERT INTO primum_journal VALUES (?, ?, ?)", entry.number, entry.text, entry.hash)
        self.execute("UPDATE primum_head SET number = ?, hash = ?", entries[-1].number, entries[-1].hash)

    def keep_records(self, needed: Iterable[str], new: dict[str, str]) -> None:
        """Keep the records of credentials that are needed, with new ones."""
        access_table.keep(self.execute, needed, new)


class Journal:
    """The stored entries of one trial, at a path or an address ``postgresql://user@host/database``."""

    def __init__(self, place: str | os.PathLike[str]) -> None:
        self.place = os.fspath(place)
        self._database = database_at(self.place)
        self.path: Path | None = self._database.path
        self.shown = self._database.shown  # without a password
        self._errors: tuple[type[Exception], ...] = (
            *self._database.errors,
            OSError,
            UnicodeError,
        )  # messages quote a damaged file
        self._lock = threading.Lock()  # SQLite's own would be polled
        self._counting, self._writers = threading.Lock(), 0  # that wait or write, in this process
        self._idle: list[Any] = []  # connections
        self._file: tuple[int, int] | None = None  # the one that they are open to

    def create(self, secret: str, first: Sequence[Entry]) -> None:
        """Make a journal with its first entries, complete or not at all; refuse if there is one already."""
        if self.path is not None:
            _make(self.path)
        try:
            with self._transaction("create", self._database.to_write) as connection:
                writing = Writing(connection, self._database.mark)
                if self.path is None and writing.execute("SELECT to_regclass('primum_journal')") != [(None,)]:
                    raise ParameterError(
                        f"the database {self.shown} has a journal already; a journal is never overwritten, so give "
                        "another database"
                    )
                for table in TABLES:
                    writing.execute(table)
                writing.execute("INSERT INTO primum_head VALUES (1, ?, 0, ?)", secret, START)
                writing.append(first)
        except BaseException:
            self.close()
            if self.path is not None:
                _remove(self.path)
            raise
        if self.path is not None:
            self._settle()

    def is_same_file(self) -> bool:
        """Whether the path still leads to the file that connections are open to."""
        return self.path is None or _identity(self.path) == self._file

    def check_exists(self) -> None:
        """Refuse a path without a file."""
        if self.path is not None and not self.path.is_file():
            raise JournalUnavailable(f"there is no journal {self.shown}; `primum trial start` makes one")

    def secret(self) -> str:
        """The secret of the trial."""
        self.check_exists()
        with self.reading() as reading:
            return reading.secret

    def snapshot(self) -> Snapshot:
        """All that is stored, at one moment."""
        with self.reading() as reading:
            return Snapshot(reading.after(), reading.head, reading.secret, access_table.read(reading.execute))

    def records(self) -> dict[str, str]:
        """The records of credentials by their hashes, as they are stored."""
        with self.reading() as reading:
            return access_table.read(reading.execute)

    def after(self, number: int) -> list[Row]:
        """The entries after this one."""
        with self.reading() as reading:
            return reading.after(number)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction that reads, and waits for no writer."""
        with self._transaction("read", self._database.to_read) as connection:
            yield Transaction(connection, self._database.mark)

    @contextmanager
    def queued(self) -> Iterator[None]:
        """While somebody waits to write; the last one who does moves all entries to the one file."""
        with self._counting:
            self._writers += 1
        try:
            yield
        finally:
            with self._counting:
                self._writers -= 1
                is_last = not self._writers
            if is_last and self.path is not None:
                self._settle()

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """A transaction that reads the head and adds entries; other writers wait, in this and other processes."""
        with self.queued(), self._lock, self._transaction("write to", self._database.to_write) as connection:
            if self.path is None:
                connection.execute("LOCK TABLE primum_journal IN EXCLUSIVE MODE")
            yield Writing(connection, self._database.mark)

    def _settle(self) -> None:
        """Move all entries to the one file, so that a copy of it has them; they are safe beside it if that fails."""
        with suppress(*self._errors), self._lock, closing(self._database.connect()) as connection:
            connection.execute(f"PRAGMA busy_timeout={1000 * SETTLING_SECONDS}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def copy_to(self, path: str | os.PathLike[str]) -> None:
        """A copy of the file in one piece, also while others write to it."""
        if self.path is None:
            raise ParameterError(f"{self.shown} is a database of PostgreSQL; back it up with pg_dump")
        _make(Path(path))
        try:
            with (
                self._reporting("copy"),
                closing(self._database.connect()) as connection,
                closing(sqlite3.connect(path)) as copy,
            ):
                connection.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")
        except BaseException:
            _remove(Path(path))
            raise

    def close(self) -> None:
        """Close all connections that nobody uses; the file then has everything."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _transaction(self, verb: str, begin: str) -> Iterator[Any]:
        """A transaction on a connection of its own, which is kept for the next one unless something fails."""
        with self._reporting(verb):
            if not self.is_same_file():  # one that was moved away would be written to as well
                self.close()
                self._file = None if self.path is None else _identity(self.path)
            idle = self._idle
            connection = self._begun(begin, idle)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.close()
                raise
            if idle is self._idle:
                idle.append(connection)
            else:
                connection.close()

    def _begun(self, begin: str, idle: list[Any]) -> Any:
        """A connection with a transaction; those to a server that was restarted are given up."""
        while True:
            try:
                connection, is_new = idle.pop(), False
            except IndexError:
                connection, is_new = self._database.connect(), True
            try:
                connection.execute(begin)
                return connection
            except BaseException as error:
                connection.close()
                if is_new or self.path is not None or not isinstance(error, self._errors):
                    raise

    @contextmanager
    def _reporting(self, verb: str) -> Iterator[None]:
        """Turn errors of the database into sentences."""
        try:
            yield
        except self._errors as error:
            raise JournalUnavailable(f"cannot {verb} the journal {self.shown}: {_reason(error)}") from error


def _make(path: Path) -> None:
    """Create an empty file that only its owner can read."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise ParameterError(f"{path} exists already; a journal is never overwritten, so give another name") from None
    except (OSError, ValueError) as error:
        is_lost = isinstance(error, FileNotFoundError)
        reason = f"the folder {path.parent} does not exist; create it first" if is_lost else _reason(error)
        raise JournalUnavailable(f"cannot create {path}: {reason}") from None


def _remove(path: Path) -> None:
    """Remove a file that was made and could not be filled."""
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with suppress(OSError):
            each.unlink(missing_ok=True)


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file a path leads to."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _reason(error: Exception) -> str:
    """What a database or the system says, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return shortened(" ".join(str(error).split()), 200)
