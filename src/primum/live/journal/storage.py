"""Where entries are stored: SQLite in a file, or PostgreSQL at an address; one writer at a time."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from primum.errors import ParameterError, PrimumError, quoted, shortened
from primum.live.errors import JournalUnavailable
from primum.live.journal import access_table
from primum.live.journal.entries import START, Entry

BUSY_SECONDS = 30  # that a writer waits for another one
SETTLING_SECONDS = 1  # that it then waits for readers, before it leaves the rest to the next writer
LOST_SECONDS = 300  # after which PostgreSQL ends the transaction of a client that is silent
_PASSWORD = re.compile(r"(://[^/@:]*:)[^/]*@")
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

    def keep_records(self, needed: Iterable[str], new: dict[str, str]) -> None:
        """Keep the records of credentials that are needed, with new ones."""
        access_table.keep(_execute(self._connection), needed, new)


class Journal:
    """The stored entries of one trial, at a path or an address ``postgresql://user@host/database``."""

    def __init__(self, place: str | os.PathLike[str]) -> None:
        self.place = os.fspath(place)
        self._url = address_of(self.place)
        self.path = None if self._url.get_backend_name() == "postgresql" else Path(self.place)
        self._engine = _engine(self._url)
        self._lock = threading.Lock()  # SQLite's own would be polled
        self._counting, self._writers = threading.Lock(), 0  # that wait or write, in this process
        self._file: tuple[int, int] | None = None  # the one that connections are open to

    @property
    def shown(self) -> str:
        """Where it is, without a password."""
        return _PASSWORD.sub(r"\1***@", self.place)

    def create(self, secret: str, first: Sequence[Entry]) -> None:
        """Make a journal with its first entries, complete or not at all; refuse if there is one already."""
        if self.path is not None:
            _make(self.path)
        try:
            with self._reporting("create"), self._begin() as connection:
                if sql.inspect(connection).has_table(ENTRIES.name):
                    raise ParameterError(
                        f"the database {self.shown} has a journal already; a journal is never overwritten, so give "
                        "another database"
                    )
                TABLES.create_all(connection)
                _execute(connection)(access_table.CREATE, ())
                connection.execute(sql.insert(HEAD).values(id=1, secret=secret, number=0, hash=START))
                Writing(connection, Head(0, START)).append(first)
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
        with self._reading() as connection:
            return _secret(connection)

    def snapshot(self) -> Snapshot:
        """All that is stored, at one moment."""
        with self._reading() as connection:
            records = access_table.read(_execute(connection))
            return Snapshot(_rows(connection, None), _head(connection), _secret(connection), records)

    def records(self) -> dict[str, str]:
        """The records of credentials by their hashes, as they are stored."""
        with self._reading() as connection:
            return access_table.read(_execute(connection))

    def after(self, number: int) -> list[Row]:
        """The entries after this one."""
        with self._reading() as connection:
            return _rows(connection, number)

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
        with self.queued(), self._lock, self._reporting("write to"), self._begin() as connection:
            if self.path is None:
                connection.exec_driver_sql(
                    f"SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '{BUSY_SECONDS}s'; "
                    f"SET LOCAL idle_in_transaction_session_timeout = '{LOST_SECONDS}s'; "
                    f"LOCK TABLE {ENTRIES.name} IN EXCLUSIVE MODE"
                )
            yield Writing(connection, _head(connection))

    def _settle(self) -> None:
        """Move all entries to the one file, so that a copy of it has them; they are safe beside it if that fails."""
        with (
            suppress(SQLAlchemyError, sqlite3.Error, OSError),
            self._lock,
            closing(self._engine.raw_connection()) as connection,
        ):
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout={1000 * SETTLING_SECONDS}")
            try:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                cursor.execute(f"PRAGMA busy_timeout={1000 * BUSY_SECONDS}")

    def copy_to(self, path: str | os.PathLike[str]) -> None:
        """A copy of the file in one piece, also while others write to it."""
        if self.path is None:
            raise ParameterError(f"{self.shown} is a database of PostgreSQL; back it up with pg_dump")
        _make(Path(path))
        try:
            with (
                self._reporting("copy"),
                self._connect() as connection,
                closing(sqlite3.connect(path)) as copy,
            ):
                connection.connection.driver_connection.backup(copy)  # type: ignore[union-attr]
                copy.execute("PRAGMA journal_mode=DELETE")
        except BaseException:
            _remove(Path(path))
            raise

    def close(self) -> None:
        """Close all connections; the file then has everything."""
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[sql.Connection]:
        with self._reporting("read"), self._connect() as connection:
            if self.path is None:  # all that is read is of one moment, as it is in SQLite
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection.execution_options(reading=True)

    def _connect(self) -> sql.Connection:
        """A connection to the file that is there now: one that was moved away or deleted would take entries as well."""
        if self.path is not None:
            found = _identity(self.path)
            if found != self._file:
                self._engine.dispose()
                self._file = found
        return self._engine.connect()

    @contextmanager
    def _begin(self) -> Iterator[sql.Connection]:
        with self._connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def _reporting(self, verb: str) -> Iterator[None]:
        """Turn errors of the database into sentences."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, OSError, UnicodeError) as error:  # messages quote a damaged file
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
        connection.text_factory = lambda text: text.decode(errors="replace")  # what is not UTF-8 has another hash
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


def _execute(connection: sql.Connection) -> access_table.Execute:
    """Statements with ? for their parameters."""
    mark = "%s" if connection.dialect.paramstyle in ("format", "pyformat") else "?"
    return lambda statement, given: connection.exec_driver_sql(statement.replace("?", mark), tuple(given))


def _head(connection: sql.Connection) -> Head:
    found = connection.execute(sql.select(HEAD.c.number, HEAD.c.hash)).first()
    if found is None:
        raise PrimumError("this is not the journal of a trial: it has no head")
    return Head(found.number, found.hash)


def _secret(connection: sql.Connection) -> str:
    return str(connection.execute(sql.select(HEAD.c.secret)).scalar())


def _rows(connection: sql.Connection, after: int | None) -> list[Row]:
    query = sql.select(ENTRIES).order_by(ENTRIES.c.number)
    if after is not None:
        query = query.where(ENTRIES.c.number > after)
    return [Row(*row) for row in connection.execute(query)]


def _reason(error: Any) -> str:
    """What a database says, in one line and without the statement."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, OSError) and cause.strerror:
        return str(cause.strerror)
    return shortened(" ".join(str(cause).split()), 200)
