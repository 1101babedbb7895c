"""Kills processes that enrol, record and correct in one live trial, at random moments, for SQLite and PostgreSQL.

Each round is one SIGKILL. Afterwards every entry that was acknowledged is there, none is there twice, none is there
that nobody asked for, the chain of hashes and all allocations are verified, and the next process goes on.
"""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from primum.live import Live
from primum.live.journal.entries import CORRECTED, ENROLLED, OUTCOME
from tests import postgresql
from tests.live import journals

SHORT, LONG = 30, 300
WORKERS = 3  # that are killed one after the other
SIEGES = 5  # on one journal
PATIENTS = 20_000
LONGEST_SECONDS = 900  # of all rounds in the other process, per hundred of them


def run(rounds: int, seed: int) -> dict[str, Any]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        sieges = math.ceil(rounds / WORKERS)
        places = [f"{folder}/{number}.db" for number in range(math.ceil(sieges / SIEGES))]
        if postgresql.find():
            server = stack.enter_context(postgresql.server())
            places[1::2] = [server.new_database() for _ in places[1::2]]
        else:
            print(f"WARNING: {postgresql.MISSING}", file=sys.stderr)
        done = subprocess.run(  # a process without threads, which may fork
            [sys.executable, "-m", __name__, str(sieges), str(seed), *places],
            cwd=Path(__file__).parents[2],
            timeout=LONGEST_SECONDS * (1 + rounds // 100),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(sorted(json.loads(done.stdout).items()))


def attack(sieges: int, seed: int, places: list[str]) -> Counter[str]:
    """All sieges, in this process."""
    counts: Counter[str] = Counter()
    acknowledged, asked = list[tuple[str, ...]](), set[tuple[str, ...]]()
    for number in range(sieges):
        place = places[number // SIEGES]
        if number % SIEGES == 0:
            journals.start(place, PATIENTS, ()).disconnect()
            acknowledged, asked = [], set()
        try:
            said = _siege(place, random.Random(f"{seed} {number}"), f"{number}")
            faults = [line for line in said if line[0] == "failed"]
            assert not faults, faults[0]
            acknowledged += [tuple(line[1:]) for line in said if line[0] == "done"]
            asked |= {tuple(line[1:]) for line in said if line[0] == "asked"}
            counts.update(_check(place, acknowledged, asked, f"N-{number}"))
        except AssertionError as error:
            raise AssertionError(f"siege {number} on {place}: {error}") from error
        store = "PostgreSQL" if "://" in place else "SQLite"
        counts.update(
            {
                f"{store}: processes killed": WORKERS,
                f"{store}: requests acknowledged": sum(line[0] == "done" for line in said),
            }
        )
    return counts


def _siege(place: str, chance: random.Random, name: str) -> list[list[str]]:
    """Kill workers one after the other; all that they said."""
    workers = [_start(place, f"{name}w{number}", chance.random()) for number in range(WORKERS)]
    if chance.random() < 0.8:  # else they may be killed while they open the journal
        for _, report in workers:
            report.peek(1)
    for process, _ in workers:
        time.sleep(chance.uniform(0.0, 0.15))
        os.kill(process, signal.SIGKILL)
    said = []
    for process, report in workers:
        with report:
            said += [json.loads(line) for line in report if line.endswith(b"\n")]
        os.waitpid(process, 0)
    return said


def _start(place: str, name: str, seed: float) -> tuple[int, Any]:
    """A process that uses the journal until it is killed, and what it says."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, os.fdopen(reading, "rb")

    def say(*words: str) -> None:
        os.write(writing, f"{json.dumps(words)}\n".encode())

    try:
        _work(place, name, random.Random(seed), say)
    except BaseException as error:
        say("failed", f"{type(error).__name__}: {error}"[:1000])
    finally:
        os._exit(0)


def _work(place: str, name: str, chance: random.Random, say: Any) -> None:
    """Enrol, record and correct; say what is asked for, and after the answer that it is done."""
    live, outcomes = Live(place), dict[str, float]()
    for number in range(PATIENTS):
        participant = f"P{name}p{number}"
        say("asked", ENROLLED, participant)
        found = live.enrol(participant)
        say("done", ENROLLED, participant, str(found.number), found.kit)
        if chance.random() < 0.6:
            outcomes[participant] = float(chance.random() < 0.5)
            say("asked", OUTCOME, participant)
            live.record(participant, outcomes[participant])
            say("done", OUTCOME, participant, str(outcomes[participant]))
        if outcomes and chance.random() < 0.3:
            corrected, reason = chance.choice(sorted(outcomes)), f"correction {number}"
            replaced, outcomes[corrected] = outcomes[corrected], 1 - outcomes[corrected]
            say("asked", CORRECTED, corrected, reason)
            live.correct(corrected, outcomes[corrected], replaces=replaced, reason=reason)
            say("done", CORRECTED, corrected, reason, str(outcomes[corrected]))


def _check(
    place: str, acknowledged: list[tuple[str, ...]], asked: set[tuple[str, ...]], following: str
) -> Counter[str]:
    """Compare the journal with what was acknowledged, after the next process has gone on."""
    with Live(place) as live:
        live.enrol(following)
        found = live.verify()
        assert found.ok, f"entry {found.problem_entry}: {found.problem}"
    there: Counter[tuple[str, ...]] = Counter()
    full: set[tuple[str, ...]] = set()
    for _, text, _ in journals.rows(place):
        entry = json.loads(text)
        data = entry["data"]
        if entry["kind"] == ENROLLED:
            key, rest = (ENROLLED, data["participant"]), (str(data["patient"]), data["kit"])
        elif entry["kind"] == OUTCOME:
            key, rest = (OUTCOME, data["participant"]), (str(data["outcome"]),)
        elif entry["kind"] == CORRECTED:
            key, rest = (CORRECTED, data["participant"], data["reason"]), (str(data["outcome"]),)
        else:
            continue
        there[key] += 1
        full.add((*key, *rest))
    twice = [key for key, number in there.items() if number > 1]
    assert not twice, f"{twice[0]} is there twice"
    lost = [entry for entry in acknowledged if entry not in full]
    assert not lost, f"{lost[0]} was acknowledged and is lost"
    unasked = [key for key in there if key not in asked and not key[1].startswith("N-")]
    assert not unasked, f"{unasked[0]} is there, and nobody asked for it"
    return Counter({"acknowledged entries lost": len(lost), "entries there twice": len(twice), "verifications": 1})


if __name__ == "__main__":
    print(json.dumps(attack(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])))
