"""A back-up in place of a journal: verified, with what it replaces kept."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from primum.errors import ParameterError, PrimumError
from primum.live.errors import JournalUnavailable
from primum.live.journal import entries
from primum.live.journal.holding import held
from primum.live.journal.storage import Head, Journal, Row
from primum.live.verifying import verify

BESIDES = ("-wal", "-shm")  # files of SQLite that belong to one


@dataclass(frozen=True)
class Restored:
    """The end of the journal after a restore, where the one before it is, and what it had besides."""

    head: Head
    kept: Path | None
    lost: int | None  # entries that the back-up has not; None if the journal before could not be read
    participants: list[str]  # who were enrolled in these


def restore(backup: str | os.PathLike[str], journal: str | os.PathLike[str]) -> Restored:
    """Put a back-up of a journal in SQLite in the place of the journal, which no service has.

    It must be sound, and of the same trial. The journal that it replaces is kept beside it.
    """
    source, target = Journal(backup), Journal(journal)
    try:
        if source.path is None or target.path is None:
            raise ParameterError("a journal in PostgreSQL is restored with pg_restore; then serve it with --expect")
        if source.path.exists() and target.path.exists() and source.path.samefile(target.path):
            raise ParameterError(f"{source.shown} is the journal itself, and no back-up of it")
        found = verify(source)
        if not found.ok:
            raise PrimumError(f"the back-up {source.shown} is not sound: {found.problem}")
        with held(target.path, alone=True):
            lost, participants = _lost(source, target)
            copy = target.path.with_name(f"{target.path.name}.restoring")
            copy.unlink(missing_ok=True)
            source.copy_to(copy)
            target.close()
            kept = _set_aside(target.path)
            os.replace(copy, target.path)
            _settle(target.path.parent)
        return Restored(Head(found.entries, found.head), kept, lost, participants)
    except OSError as error:
        raise JournalUnavailable(f"cannot restore {target.shown}: {error.strerror}; nothing was lost") from None
    finally:
        source.close()
        target.close()


def _lost(source: Journal, target: Journal) -> tuple[int | None, list[str]]:
    """What the journal has that the back-up has not; refuses the back-up of another trial."""
    assert target.path is not None
    if not target.path.exists():
        return 0, []
    try:
        with closing(sqlite3.connect(target.path, isolation_level=None)) as database:
            database.execute("BEGIN EXCLUSIVE")  # nobody is in the middle of writing
        there, own = source.snapshot(), target.snapshot()
    except (sqlite3.Error, PrimumError):
        return None, []
    if not own.rows:
        return None, []
    if there.rows[0].text != own.rows[0].text:
        raise ParameterError(f"{source.shown} is the back-up of another trial than that of {target.shown}")
    known = {row.hash for row in there.rows}
    lost = [row for row in own.rows if row.hash not in known]
    return len(lost), _enrolled_in(lost)


def _enrolled_in(rows: list[Row]) -> list[str]:
    """The participants who were enrolled in some rows, as far as these are sound."""
    found = []
    for row in rows:
        try:
            entry = json.loads(row.text)
            if entry["kind"] == entries.ENROLLED:
                found.append(str(entry["data"]["participant"]))
        except (ValueError, TypeError, KeyError):
            continue
    return found


def _set_aside(path: Path) -> Path | None:
    """Keep a journal with the files that belong to it, under a name that no other one has."""
    if not path.exists():
        return None
    now, number = datetime.now(UTC), 0
    while True:
        kept = path.with_name(f"{path.name}.replaced-{now:%Y%m%dT%H%M%SZ}{f'-{number}' if number else ''}")
        if not kept.exists():
            break
        number += 1
    for each in BESIDES:
        besides = path.with_name(f"{path.name}{each}")
        if besides.exists():
            os.replace(besides, kept.with_name(f"{kept.name}{each}"))
    os.replace(path, kept)
    return kept


def _settle(folder: Path) -> None:
    """Have the system write down which file has which name."""
    if os.name == "posix":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
