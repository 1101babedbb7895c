"""Measures enrolments per second in a live trial, by one client and by 50 at once, for SQLite and PostgreSQL.

Each round is one enrolment by 50 clients in threads, and one by 50 in 5 processes with outcomes in between. What all of
them are told is compared with what a single client is told who does the same in that order, in a trial with the same
secret; every answer must be the same. An enrolment is acknowledged after it is on the disk.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from primum.live import live as live_trial
from tests import postgresql
from tests.live import journals
from tests.live.clients import THREADS, Processes, check_sequence, enrol, in_threads

SHORT, LONG = 50, 5_000
PROCESSES = 5
CLIENTS = PROCESSES * THREADS
ALONE = 5  # one in so many is enrolled by a client alone


def run(rounds: int, seed: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(_same_secret(seed))
        many = stack.enter_context(Processes(PROCESSES))
        figures |= _store("SQLite", rounds, many, [f"{folder}/{number}.db" for number in range(6)])
        if postgresql.find():
            server = stack.enter_context(postgresql.server())
            places = [server.new_database() for _ in range(3)] + [f"{folder}/{number}.db" for number in range(6, 9)]
            figures |= _store("PostgreSQL", rounds, many, places)
        else:
            print(f"WARNING: {postgresql.MISSING}", file=sys.stderr)
    return figures | {"processes that wanted to run meanwhile, on average": round(os.getloadavg()[1], 1)}


def _same_secret(seed: int) -> Any:
    return patch.object(live_trial.Secret, "new", lambda: live_trial.Secret(f"{seed:064x}"))


def _store(name: str, rounds: int, many: Processes, places: list[str]) -> dict[str, Any]:
    """Measure with journals in the first three places; single clients repeat it in the others."""
    alone, threads, processes, *others = places
    with journals.start(alone, rounds, ()) as live:
        live.enrol("W-0")  # native code is loaded
        began = time.perf_counter()
        answers = list(enrol(live, range(1 + rounds // ALONE), outcomes=False))
        figures = {f"{name}, one client: enrolments per second": round(len(answers) / (time.perf_counter() - began))}
    with journals.start(threads, rounds, ()) as live:
        live.status()
        began = time.perf_counter()
        answers = in_threads(CLIENTS, lambda thread: enrol(live, range(thread, rounds, CLIENTS), outcomes=False))
        rate = round(len(answers) / (time.perf_counter() - began))
        figures[f"{name}, {CLIENTS} clients in threads: enrolments per second"] = rate
    check_sequence(threads, others[0], answers)
    journals.start(processes, rounds, ()).disconnect()
    answers += many.enrol(processes, rounds, rounds)
    check_sequence(processes, others[1], answers[-rounds:])
    return figures | {f"{name}: enrolments by {CLIENTS} clients that a single one repeats exactly": len(answers)}
