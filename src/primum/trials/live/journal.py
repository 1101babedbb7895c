"""Where entries are stored: SQLite in a file, or PostgreSQL at an address; one writer at a time."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from primum.errors import ParameterError, PrimumError, quoted, shortened
from primum.trials.live.entries import START, Entry

BUSY_SECONDS = 30  # that a writer waits for another one
ADDRESSES = ("postgresql", "postgres")
TABLES = sql.MetaData()
ENTRIES = sql.Table(
    "primum_journal",
    TABLES,
    sql.Column("number", sql.BigInteger, primary_key=True, autoincrement=False),
    sql.Column("text", sql.Text, nullable=False),
    sql.Column("hash", sql.Text, nullable=False),
)
# one row: the secret of the trial, and a second record of where the journal ends
HEAD = sql.Table(
    "primum_head",
    TABLES,
    sql.Column("id", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("secret", sql.Text, nullable=False),
    sql.Column("number", sql.BigInteger, nullable=False),
    sql.Column("hash", sql.Text, nullable=False),
)


class JournalUnavailable(PrimumError):
    """The journal cannot be reached, read or written; nothing was changed."""


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


class Writing:
    """A transaction that has the journal to itself."""

    def __init__(self, connection: sql.Connection, head: Head) -> None:
        self._connection, self.head = connection, head

    def after(self, number: int) -> list[Row]:
        """The entries after this one."""
        return _rows(self._connection, number)

    def append(self, entries: Sequence[Entry]) -> None:
        """Add entries at the end; they are there when the transaction is over, or none of them is."""
        rows = [{"number": entry.number, "text": entry.text, "hash": entry.hash} for entry in entries]
        self._connection.execute(sql.insert(ENTRIES), rows)
        last = rows[-1]
        self._connection.execute(sql.update(HEAD).values(number=last["number"], hash=last["hash"]))
        self.head = Head(entries[-1].number, entries[-1].hash)


class Journal:
    """The stored entries of one trial, at a path or an address ``postgresql://user@host/database``."""

    def __init__(self, place: str | os.PathLike[str]) -> None:
        self.place = os.fspath(place)
        self._url = address_of(self.place)
        self.path = None if self._url.get_backend_name() == "postgresql" else Path(self.place)
        self._engine = _engine(self._url)
        self._lock = threading.Lock()  # SQLite's own would be polled
        self._writers = 0  # that wait or write, in this process

    @property
    def shown(self) -> str:
        """Where it is, without a password."""
        return self.place if self.path else self._url.render_as_string(hide_password=True)

    def create(self, secret: str) -> None:
        """Make an empty journal; refuse if there is one already."""
        if self.path is not None:
            _make(self.path)
        with self._reporting("create"), self._engine.begin() as connection:
            if sql.inspect(connection).has_table(ENTRIES.name):
                raise ParameterError(
                    f"the database {self.shown} has a journal already; a journal is never overwritten, so give another "
                    "database"
                )
            TABLES.create_all(connection)
            connection.execute(sql.insert(HEAD).values(id=1, secret=secret, number=0, hash=START))

    def secret(self) -> str:
        """The secret of the trial."""
        with self._reading() as connection:
            found = connection.execute(sql.select(HEAD.c.secret)).scalar()
        if found is None:
            raise PrimumError(f"{self.shown} is not the journal of a trial: it has no head")
        return str(found)

    def head(self) -> Head:
        """Where the journal ends, as its second record says."""
        with self._reading() as connection:
            return _head(connection)

    def after(self, number: int) -> list[Row]:
        """The entries after this one."""
        with self._reading() as connection:
            return _rows(connection, number)

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """A transaction that reads the head and adds entries; other writers wait, in this and other processes."""
        self._writers += 1
        try:
            with self._lock, self._reporting("write to"), self._engine.begin() as connection:
                if self.path is None:
                    connection.execute(sql.text(f"LOCK TABLE {ENTRIES.name} IN EXCLUSIVE MODE"))
                yield Writing(connection, _head(connection))
        finally:
            self._writers -= 1
        if self.path is not None and not self._writers:
            self._settle()

    def _settle(self) -> None:
        """Move all entries to the one file, so that a copy of it has them; while others write, the last one does."""
        with self._lock, self._reporting("write to"), closing(self._engine.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def copy_to(self, path: str | os.PathLike[str]) -> None:
        """A copy of the file in one piece, also while others write to it."""
        if self.path is None:
            raise ParameterError(f"{self.shown} is a database of PostgreSQL; back it up with pg_dump")
        _make(Path(path))
        with (
            self._reporting("copy"),
            closing(self._engine.raw_connection()) as connection,
            closing(sqlite3.connect(path)) as copy,
        ):
            connection.driver_connection.backup(copy)  # type: ignore[union-attr]
            copy.execute("PRAGMA journal_mode=DELETE")

    def close(self) -> None:
        """Close all connections; the file then has everything."""
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[sql.Connection]:
        with self._reporting("read"), self._engine.connect() as connection:
            yield connection.execution_options(reading=True)

    @contextmanager
    def _reporting(self, verb: str) -> Iterator[None]:
        """Turn errors of the database into sentences."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise JournalUnavailable(f"cannot {verb} the journal {self.shown}: {_reason(error)}") from error


def address_of(place: str) -> URL:
    """The address of a journal at a path, or at an address of PostgreSQL."""
    scheme, separator, _ = place.partition("://")
    if not separator:
        if not place.strip() or "\0" in place:
            raise ParameterError(f"journal must be a path or an address of PostgreSQL, got {quoted(place)}")
        return URL.create("sqlite+pysqlite", database=place)
    if scheme.partition("+")[0] not in ADDRESSES:
        raise ParameterError(
            f"journal must be a path or an address such as 'postgresql://user@host/database', got {quoted(scheme)}"
        )
    try:
        return make_url(place).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise ParameterError("journal must be an address such as 'postgresql://user@host/database'") from None


def _make(path: Path) -> None:
    """Create an empty file that only its owner can read."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise ParameterError(f"{path} exists already; a journal is never overwritten, so give another name") from None
    except (OSError, ValueError) as error:
        raise JournalUnavailable(f"cannot create {path}: {_reason(error)}") from None


def _engine(url: URL) -> sql.Engine:
    if url.get_backend_name() == "postgresql":
        options: dict[str, Any] = {"connect_args": {"connect_timeout": 10}}
        try:
            return sql.create_engine(url, pool_pre_ping=True, hide_parameters=True, **options)
        except (ImportError, NoSuchModuleError):
            raise PrimumError(
                "a journal in PostgreSQL needs the package psycopg: pip install 'primum[postgresql]'"
            ) from None
    engine = sql.create_engine(
        f"sqlite+pysqlite:///file:{_quoted(str(url.database))}?mode=rw&uri=true",
        hide_parameters=True,
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False, "isolation_level": None},
    )

    @sql.event.listens_for(engine, "connect")
    def durable(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA synchronous=FULL")
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:  # a file that can only be read stays as it is
            return

    @sql.event.listens_for(engine, "begin")
    def alone(connection: Any) -> None:
        is_reading = connection.get_execution_options().get("reading", False)
        connection.exec_driver_sql("BEGIN" if is_reading else "BEGIN IMMEDIATE")

    return engine


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(os.path.abspath(path))


def _head(connection: sql.Connection) -> Head:
    found = connection.execute(sql.select(HEAD.c.number, HEAD.c.hash)).first()
    if found is None:
        raise PrimumError("this is not the journal of a trial: it has no head")
    return Head(found.number, found.hash)


def _rows(connection: sql.Connection, after: int) -> list[Row]:
    query = sql.select(ENTRIES).where(ENTRIES.c.number > after).order_by(ENTRIES.c.number)
    return [Row(*row) for row in connection.execute(query)]


def _reason(error: Any) -> str:
    """What a database says, in one line and without the statement."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, OSError) and cause.strerror:
        return str(cause.strerror)
    return shortened(" ".join(str(cause).split()), 200)
