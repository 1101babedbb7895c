"""A small trial, and its journal as somebody sees it who has the database but not Primum."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from primum import policies, trials
from primum.errors import ParameterError
from primum.live import Live
from tests.live.joining import join
from tests.live.locking import PROPOSES, lock

STORES = ("sqlite", "postgresql")
ARMS = ("control", "low dose", "high dose")
BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


def design(patients: int = 12, looks: Sequence[int] = (4,), **options: Any) -> trials.Design:
    """A design that learns: the next allocation depends on the outcomes so far."""
    stopping = trials.DropLosers(below=0.001) if looks else None
    chosen = {"arms": ARMS, "policy": policies.BesaPlus(floor=1), "burn_in": 1, "analysis": trials.PooledZ()}
    return trials.Design(**{**chosen, "patients": patients, "looks": looks, "stopping": stopping, **options})


def start(place: str, patients: int = 12, looks: Sequence[int] = (4,), **options: Any) -> Live:
    return Live.start(design(patients, looks), place, title="Ä small trial", who="Statistician", **options)


def clock() -> Iterator[datetime]:
    """Times a minute apart."""
    return (BEGIN + timedelta(minutes=minute) for minute in itertools.count())


def write_every_kind(place: str) -> None:
    """Go on with a journal that other software began, until every kind of entry is in it."""
    times = clock()
    with Live(place, clock=lambda: next(times)) as live:
        join(live, "Ada", ["administrator"])
        join(live, "Ben", ["approver"])
        live.admit("Ward 3", ["enrol", "record"], who="Ada")
        live.redeem(live.renew("Ward 3", who="Ada").code, "a good one")
        check = live.redeem(live.admit("Eve", ["auditor"], who="Ada").code, "another one").check
        with suppress(ParameterError):
            live.approve("Eve", "no number", who="Ben")
        live.approve("Eve", check, who="Ben")
        for label in ("laptop", "server"):
            live.make_token(label, who="Eve")
        live.end_token("laptop", who="Eve")
        for number in range(1, 4):
            live.enrol(f"P-{number}", who="Ward 3")
        live.record("P-1", 1, who="Ward 3")
        live.record("P-2", 0, who="Ward 3")
        live.correct("P-2", 1, replaces=0, reason="wrong form", who="Ward 3")
        live.withdraw("P-3", scope="treatment", reason="moved to Zürich", who="Ward 3")
        live.unblind("P-3", reason="rash", who="Eve")
        live.pause(reason="supply", who="Ada")
        live.resume(reason="supplied", who="Ada")
        for number in range(4, 7):
            live.enrol(f"P-{number}", who="Ward 3")
        live.record("P-5", 0, who="Ward 3")
        live.drop_arm("high dose", reason="toxic", who="Ada")
        live.enrol("P-7", who="Ward 3")
        live.void("P-7", reason="wrong form", who="Ward 3")
        live.note("all is well", who="Ada")
        live.allocations(who="Eve")
        live.dismiss("Ward 3", who="Ada")
        live.end_recruitment(reason="done", who="Ada")
        missing = [each.participant for each in live.missing()]
        live.propose_lock(reason="done", missing=missing, who=PROPOSES)
        live.withdraw_lock(who=PROPOSES)
        lock(live, "done")


@contextmanager
def database(place: str) -> Iterator[Any]:
    """A cursor of the database; what it does is committed."""
    if "://" in place:
        with psycopg.connect(place) as connection:
            yield connection.cursor()
    else:
        with closing(sqlite3.connect(place)) as connection, connection:
            yield connection.cursor()


def execute(place: str, statement: str, *values: Any) -> None:
    """Change the database behind the back of Primum; values are for the question marks."""
    with database(place) as cursor:
        cursor.execute(statement.replace("?", "%s") if "://" in place else statement, values)


def select(place: str, query: str) -> list[tuple[Any, ...]]:
    with database(place) as cursor:
        return list(cursor.execute(query).fetchall())


def rows(place: str) -> list[tuple[int, str, str]]:
    """All entries: number, text and hash."""
    return select(place, "SELECT number, text, hash FROM primum_journal ORDER BY number")


def contents(place: str) -> tuple[Any, ...]:
    """All that is stored."""
    return rows(place), select(place, "SELECT secret, number, hash FROM primum_head")


def records(place: str) -> dict[str, str]:
    """The records of credentials by their hashes."""
    return dict(select(place, "SELECT hash, record FROM primum_access"))


def kinds(live):
    """The kinds of all entries but that of this access."""
    return [entry.kind for entry in live.entries(who="auditor")][:-1]
