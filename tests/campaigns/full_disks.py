"""Fills a real disk, a small tmpfs, while people enrol, for SQLite and PostgreSQL; only root can mount one.

Each round leaves a random number of bytes free, enrols until it is refused, reads meanwhile, and then makes room. Every
enrolment that was acknowledged is there, none is there that was refused, what is known can be read all the time (in
SQLite; a server may end for lack of write-ahead log, and is started again), and the trial goes on.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from primum.live import JournalUnavailable, Live
from tests import postgresql
from tests.live import journals

SHORT, LONG = 6, 60
PATIENTS = 100_000
SQLITE_MB, POSTGRESQL_MB = 8, 128
REFUSALS = 3  # before there is room again
JOURNAL_ROUNDS = 10  # on one disk
SERVER_EVERY = 6  # rounds; the others are of SQLite
NOT_RUN = "WARNING: full_disks was NOT run: only root can mount a small disk"


def run(rounds: int, seed: int) -> dict[str, Any]:
    if not _can_mount():
        print(NOT_RUN, file=sys.stderr)
        return {"not run, because only root can mount a small disk": 1}
    counts: Counter[str] = Counter()
    of_server = rounds // SERVER_EVERY if postgresql.find() else 0
    if not of_server:
        print(f"WARNING: {postgresql.MISSING}", file=sys.stderr)
    for first in range(0, rounds - of_server, JOURNAL_ROUNDS):  # a journal alone would fill the disk in the end
        with _disk(SQLITE_MB) as disk:
            place = str(disk / "trial.db")
            journals.start(place, PATIENTS, ()).disconnect()
            for number in range(first, min(first + JOURNAL_ROUNDS, rounds - of_server)):
                counts.update(_round(place, disk, random.Random(f"{seed} {number}"), f"{number}", "SQLite"))
    if of_server:
        with _disk(POSTGRESQL_MB) as disk:
            programs = postgresql.find()
            assert programs is not None
            server = postgresql.Server(programs, disk)
            server.start()
            try:
                place = server.new_database()
                journals.start(place, PATIENTS, ()).disconnect()
                for number in range(of_server):
                    counts.update(
                        _round(place, disk, random.Random(f"{seed} {number}"), f"{number}", "PostgreSQL", server)
                    )
            finally:
                server.stop()
    return dict(sorted(counts.items()))


def _round(place: str, disk: Path, chance: random.Random, name: str, store: str, server: Any = None) -> Counter[str]:
    """Fill the disk, enrol until that is refused, make room, and go on."""
    counts, told, number, refusals = Counter[str](), dict[str, tuple[int, str]](), 0, set[str]()
    filler = disk / "filler"
    with Live(place) as live:
        before = {each.participant for each in live.participants()}
        _fill(filler, chance.randrange(0, 100_000 if server is None else 3_000_000))
        while len(refusals) < REFUSALS and number < PATIENTS:
            number += 1
            code = f"R{name}-{number}"
            try:
                found = live.enrol(code)
                told[code] = found.number, found.kit
            except JournalUnavailable:
                refusals.add(code)
            if server is None:
                assert {each.participant for each in live.participants()} == before | {*told}
        filler.unlink()
        if server is not None:
            server.stop(signal.SIGINT)  # it may have ended by itself
            server.start()
        after = live.enrol(f"N{name}")
        there = {each.participant: (each.number, each.kit) for each in live.allocations()}
        assert told.items() <= there.items(), f"round {name}: an acknowledged enrolment is lost"
        surplus = {*there} - before - {*told} - {after.participant}
        # a server that ended may have written what it could not acknowledge
        assert surplus <= (refusals if server else set()), f"round {name}: {surplus} were refused, and are there"
        found = live.verify()
        assert found.ok, f"round {name}: entry {found.problem_entry}: {found.problem}"
    counts[f"{store}: disks filled"] += 1
    counts[f"{store}: enrolments acknowledged on a disk that is nearly full"] += len(told)
    counts[f"{store}: enrolments refused"] += len(refusals)
    return counts


def _fill(path: Path, free: int) -> None:
    """Leave so many bytes free, or fewer."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(65_536)):
            pass
    os.truncate(path, max(0, path.stat().st_size - free))


@contextmanager
def _disk(megabytes: int) -> Iterator[Path]:
    """A small disk of its own, mounted in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="disk-") as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def _can_mount() -> bool:
    if os.geteuid() != 0:
        return False
    try:
        with _disk(1):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
