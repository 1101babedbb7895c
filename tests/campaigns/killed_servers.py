"""Kills PostgreSQL's server with SIGKILL while clients enrol, record and correct, and starts it again.

Each round kills all processes of the server, or one of them, from which the server recovers by itself. Clients ask
again until they are answered. Afterwards every entry that was acknowledged is there, none is there twice, and the chain
of hashes and all allocations are verified.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from primum.live import JournalUnavailable, Live
from tests import postgresql
from tests.live import journals

SHORT, LONG = 3, 60
CLIENTS = 4
PATIENTS = 20_000
PATIENCE_SECONDS = 120  # of a client
Key = tuple[str, ...]


def run(rounds: int, seed: int) -> dict[str, Any]:
    if not postgresql.find():
        print(f"WARNING: {postgresql.MISSING}", file=sys.stderr)
        return {"not run, for lack of PostgreSQL": 1}
    counts: Counter[str] = Counter()
    with postgresql.server() as server:
        place = server.new_database()
        journals.start(place, PATIENTS, ()).disconnect()
        acknowledged: set[Key] = set()
        for number in range(rounds):
            counts.update(_round(server, place, random.Random(f"{seed} {number}"), f"{number}", acknowledged))
        counts["requests acknowledged"] = len(acknowledged)
    return dict(sorted(counts.items()))


def _round(server: Any, place: str, chance: random.Random, name: str, acknowledged: set[Key]) -> Counter[str]:
    """Kill the server while clients work, start it again, and compare the journal with what they were told."""
    is_over, counts, faults = threading.Event(), Counter[str](), list[BaseException]()

    def client(number: int) -> None:
        try:
            with _asked(counts, lambda: Live(place)) as live:
                _work(live, f"{name}c{number}", random.Random(f"{name} {number}"), is_over, acknowledged, counts)
        except BaseException as error:
            faults.append(error)

    with Live(place) as live:  # the clients have their native code, and the server its caches
        live.enrol(f"N-{name}")
    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    time.sleep(chance.uniform(0.1, 0.8))
    if chance.random() < 0.6:
        _kill_all(server)
        server.stop(signal.SIGKILL)
        server.start()
        counts["servers killed"] += 1
    else:
        processes = _children(server)
        os.kill(chance.choice(processes), signal.SIGKILL)
        counts["processes of a server killed"] += 1
    time.sleep(0.5)
    is_over.set()
    for thread in threads:
        thread.join()
    assert not faults, f"round {name}: {faults[0]!r}"
    _check(place, acknowledged)
    return counts


def _work(
    live: Live, name: str, chance: random.Random, is_over: threading.Event, acknowledged: set[Key], counts: Counter[str]
) -> None:
    number = 0
    while not is_over.is_set():
        number += 1
        code = f"P{name}p{number}"
        found = _asked(counts, lambda code=code: live.enrol(code))
        acknowledged.add(("enrolled", code, str(found.number), found.kit))
        outcome = float(chance.random() < 0.5)
        _asked(counts, lambda code=code, outcome=outcome: live.record(code, outcome))
        acknowledged.add(("outcome", code, str(outcome)))
        if chance.random() < 0.3:
            given = {"replaces": outcome, "reason": f"correction {number}"}
            _asked(counts, lambda code=code, outcome=outcome, given=given: live.correct(code, 1 - outcome, **given))
            acknowledged.add(("corrected", code, str(1 - outcome)))


def _asked(counts: Counter[str], ask: Any) -> Any:
    """The answer, asked for again until there is one."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return ask()
        except JournalUnavailable:
            assert time.monotonic() < until, "the server does not answer any more"
            counts["requests refused and sent again"] += 1
            time.sleep(0.05)


def _children(server: Any) -> list[int]:
    return [int(each) for each in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()]


def _kill_all(server: Any) -> None:
    """As when the machine loses power, but for what the system had not written to the disk yet."""
    children = _children(server)
    os.kill(server.pid, signal.SIGKILL)
    for each in children:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def _check(place: str, acknowledged: set[Key]) -> None:
    with _asked(Counter(), lambda: Live(place)) as live:
        found = live.verify()
        assert found.ok, f"entry {found.problem_entry}: {found.problem}"
    there: Counter[Key] = Counter()
    full: set[Key] = set()
    for _, text, _ in journals.rows(place):
        entry = json.loads(text)
        kind, data = entry["kind"], entry["data"]
        if kind not in ("enrolled", "outcome", "corrected"):
            continue
        there[kind, data["participant"]] += 1
        rest = (str(data["patient"]), data["kit"]) if kind == "enrolled" else (str(data["outcome"]),)
        full.add((kind, data["participant"], *rest))
    twice = [key for key, number in there.items() if number > 1]
    assert not twice, f"{twice[0]} is there twice"
    lost = acknowledged - full
    assert not lost, f"{next(iter(lost))} was acknowledged and is lost"
