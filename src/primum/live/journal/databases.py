"""The two databases that can have a journal: how each is connected to, and what its errors are."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from primum.errors import ParameterError, PrimumError, quoted

BUSY_SECONDS = 30  # that a writer waits for another one
LOST_SECONDS = 300  # after which PostgreSQL ends the transaction of a client that is silent
CONNECTING_SECONDS = 10
ADDRESSES = ("postgresql", "postgres")
_ADDRESS = re.compile(r"(?:([^:/?@]*)(?::(.*))?@)?(.*)", re.DOTALL)  # a password may have any character
_QUERY = re.compile(r"\?(?=(?:[^@]*&)?(?:ssl)?password=)", re.IGNORECASE)
_MISTYPED = re.compile(r"\s*postgres(?:ql)?(?:\+\w+)?:", re.IGNORECASE)
_PASSWORDS = ("password", "sslpassword")
_SHOWN = ("host", "hostaddr", "port", "dbname", "user")  # of a query: what else is there could be a secret


class SQLite:
    """A database in a file."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error,)
    mark = "?"  # for a value in a statement
    to_read, to_write = "BEGIN", "BEGIN IMMEDIATE"

    def __init__(self, place: str) -> None:
        self.shown, self.path = place, Path(place)

    def connect(self) -> sqlite3.Connection:
        """A connection to a file that exists."""
        connection = sqlite3.connect(
            f"file:{quote(os.path.abspath(self.shown))}?mode=rw",
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        connection.text_factory = lambda text: text.decode(errors="replace")  # what is not UTF-8 has another hash
        connection.execute("PRAGMA synchronous=FULL")
        with suppress(sqlite3.OperationalError):  # a file that can only be read stays as it is
            connection.execute("PRAGMA journal_mode=WAL")
        return connection


class PostgreSQL:
    """A database of a server. Passwords are taken out of the address, so that no message can have them."""

    path = None
    mark = "%s"
    to_read = "BEGIN ISOLATION LEVEL REPEATABLE READ"  # all that is read is of one moment, as it is in SQLite

    def __init__(self, place: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise PrimumError(
                "a journal in PostgreSQL needs the package psycopg: pip install 'primum[postgresql]'"
            ) from None
        place = place.partition("://")[2]
        start = _QUERY.search(place)  # before any @ in it is taken for the one behind a password
        query = place[start.end() :] if start else ""
        user, password, where = _ADDRESS.fullmatch(place[: start.start()] if start else place).groups()  # type: ignore[union-attr]
        if not start:
            where, _, query = where.partition("?")
        options = parse_qsl(query, keep_blank_values=True)
        self._passwords = {key: text for key, text in options if key in _PASSWORDS}
        if password is not None:
            self._passwords["password"] = unquote(password)
        by = "" if user is None else f"{user}@"
        self._address = _with_query(f"{by}{where}", [each for each in options if each[0] not in _PASSWORDS])
        by = by if password is None else f"{user}:***@"
        self.shown = _with_query(f"{by}{where}", [each for each in options if each[0] in _SHOWN])
        self.errors: tuple[type[Exception], ...] = (psycopg.Error,)
        self._psycopg = psycopg

    @property
    def to_write(self) -> str:
        """Begin a transaction that has the journal to itself."""
        return (
            f"BEGIN; SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '{BUSY_SECONDS}s'; "
            f"SET LOCAL idle_in_transaction_session_timeout = '{LOST_SECONDS}s'"
        )

    def connect(self) -> Any:
        """A connection to the server."""
        options: dict[str, Any] = {"connect_timeout": CONNECTING_SECONDS, **self._passwords}
        return self._psycopg.connect(self._address, autocommit=True, **options)


def database_at(place: str) -> SQLite | PostgreSQL:
    """The database at a path, or at an address of PostgreSQL."""
    scheme, separator, _ = place.partition("://")
    if not separator and not _MISTYPED.match(place):
        if not place.strip() or "\0" in place:
            raise ParameterError(f"journal must be a path or an address of PostgreSQL, got {quoted(place)}")
        return SQLite(place)
    if not separator or "\0" in place:  # not quoted, for it may have a password
        raise ParameterError("journal must be an address such as 'postgresql://user@host/database'")
    if scheme.lower().partition("+")[0] not in ADDRESSES:
        raise ParameterError(
            f"journal must be a path or an address such as 'postgresql://user@host/database', got {quoted(scheme)}"
        )
    return PostgreSQL(place)


def _with_query(address: str, options: list[tuple[str, str]]) -> str:
    query = f"?{urlencode(options, safe='/', quote_via=quote)}" if options else ""
    return f"postgresql://{address}{query}"
