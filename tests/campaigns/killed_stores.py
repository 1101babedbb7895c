"""Kills processes that put to and get from one store, at random moments, while files are damaged and disks are full.

Afterwards everything that was reported as stored is there, unless it was evicted by the limit or damaged; what is
damaged is not served; and the next process removes all that was left behind. Nothing that one process does to the
store makes another fail.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from primum.errors import PrimumError
from primum.store import Store
from primum.store.content_store import PARTIAL_SECONDS, _name
from primum.store.files import PARTIAL_SUFFIX

SHORT, LONG = 30, 1_000
WORKERS = 3
KEYS = range(40)
LARGEST_CONTENT = 20_000  # bytes
FULL_DISK_BYTES = 5_000  # the largest file that a process with a full disk can write
LIMITS = (10**9, 100_000)  # bytes of the store: all contents fit, or a fourth of them
LONGEST_SECONDS = 600  # of all rounds in the other process, per hundred of them


def run(rounds: int, seed: int) -> dict[str, Any]:
    done = subprocess.run(  # a process without threads, which may fork
        [sys.executable, "-m", __name__, str(rounds), str(seed)],
        cwd=Path(__file__).parents[2],
        timeout=LONGEST_SECONDS * (1 + rounds // 100),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-1000:]
    return dict(sorted(json.loads(done.stdout).items()))


def attack(rounds: int, seed: int) -> Counter[str]:
    """All rounds, in this process."""
    counts: Counter[str] = Counter()
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            try:
                counts.update(_round(Path(folder), random.Random(f"{seed} {number}")))
            except AssertionError as error:
                raise AssertionError(f"round {number}: {error}") from error
    return counts


def _round(folder: Path, chance: random.Random) -> Counter[str]:
    limit, is_damaged = chance.choice(LIMITS), chance.random() < 0.4
    workers = [_start(folder, limit, chance.random() < 0.3, chance.random()) for _ in range(WORKERS)]
    damaged = set()
    for process, _ in workers:
        time.sleep(chance.uniform(0.005, 0.1))
        if is_damaged:
            damaged |= _damage(folder, chance)
        os.kill(process, signal.SIGKILL)
    lines = []
    for process, report in workers:
        with os.fdopen(report) as file:
            lines += [line[:-1] for line in file if line.endswith("\n")]
        os.waitpid(process, 0)
    faults = [line for line in lines if line.startswith("failed")]
    assert not faults, faults[0]
    stored, store = {int(line) for line in lines if line != "full"}, Store(folder, limit=limit)
    lost = {key for key in stored if store.get(key) is None}
    assert all(store.get(key) in (None, _content(key)) for key in KEYS), "other bytes"
    unexplained = {key for key in lost if limit > min(LIMITS) and _name(key) not in damaged}
    assert not unexplained, f"{unexplained} stored and lost"
    return Counter(
        {
            "processes killed": len(workers),
            "contents reported as stored": len(lines) - lines.count("full"),
            "writes refused by a full disk": lines.count("full"),
            "files damaged": len(damaged),
            "contents evicted or damaged": len(lost),
            "partial files removed": _clean_up(folder, limit),
        }
    )


def _start(folder: Path, limit: int, is_full: bool, seed: float) -> tuple[int, int]:
    """A process that uses the store until it is killed, and the end of a pipe that says what it stored."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    try:
        if is_full:
            resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_DISK_BYTES, FULL_DISK_BYTES))
        chance, store = random.Random(seed), Store(folder, limit=limit)
        while True:
            key = chance.choice(KEYS)
            if chance.random() < 0.3:
                assert store.get(key) in (None, _content(key)), "other bytes"
                continue
            try:
                store.put(key, _content(key))
                said = str(key)
            except PrimumError as error:
                if not is_full or "File too large" not in str(error):
                    raise
                said = "full"
            os.write(writing, f"{said}\n".encode())
    except BaseException as error:
        os.write(writing, f"failed: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(0)


def _content(key: int) -> bytes:
    chance = random.Random(key)
    return chance.randbytes(chance.randrange(LARGEST_CONTENT))


def _damage(folder: Path, chance: random.Random) -> set[str]:
    """Change or cut a file of the store, if there is one."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != PARTIAL_SUFFIX)
    path = chance.choice(paths) if paths else folder / "none"
    try:
        with path.open("r+b") as file:
            file.seek(chance.randrange(path.stat().st_size or 1))
            if chance.random() < 0.5:
                file.truncate()
            else:
                file.write(b"damage")
    except FileNotFoundError:  # evicted in between
        return set()
    return {path.name}


def _clean_up(folder: Path, limit: int) -> int:
    """Let the next process clean up, as if it came an hour later; the number of partial files it found."""
    partial = [path for path in folder.rglob("*") if path.suffix == PARTIAL_SUFFIX]
    for path in partial:
        os.utime(path, (time.time() - 2 * PARTIAL_SECONDS,) * 2)
    Store(folder, limit=limit).put("next", b"")
    left = [path for path in folder.rglob("*") if path.is_file()]
    names = {_name(key) for key in (*KEYS, "next")}
    assert all(path.name in names for path in left), f"left behind: {left}"
    assert sum(path.stat().st_size for path in left) <= limit, "more than the limit"
    return len(partial)


if __name__ == "__main__":
    print(json.dumps(attack(*map(int, sys.argv[1:]))))
