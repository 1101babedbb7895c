"""Clients of one journal, in threads and in processes, who begin at once.

Run as a program with a place, the first number, the number after the last, threads, and how many numbers share a
participant: it says that it is ready, waits for a line, enrols, and prints what it was told.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from primum.live import Live
from primum.live.journal.entries import ENROLLED, OUTCOME
from tests.live import journals

PROCESSES, THREADS = 5, 10
Told = tuple[str, int, str]  # participant, number and kit


def enrol(live: Live, numbers: Iterable[int], *, outcomes: bool = True) -> Iterator[Told]:
    """Enrol participants, and record the outcomes of some, so that allocations depend on the order."""
    for number in numbers:
        found = live.enrol(f"P-{number}", who="Client")
        yield found.participant, found.number, found.kit
        if outcomes and number % 2:
            live.record(found.participant, number % 3 % 2, who="Client")


def in_threads(number: int, work: Callable[[int], Iterable[Any]]) -> list[Any]:
    """All that some threads give, which begin at once."""
    began, answers = threading.Barrier(number), list[Any]()

    def run(thread: int) -> None:
        began.wait()
        answers.extend(work(thread))

    threads = [threading.Thread(target=run, args=(thread,)) for thread in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def in_processes(place: str, enrolments: int, participants: int) -> list[Told]:
    """What threads of several processes are told."""
    share = enrolments // PROCESSES
    with ExitStack() as stack:
        running = []
        for first in range(0, enrolments, share):
            numbers = map(str, (first, first + share, participants))
            process = subprocess.Popen(
                [sys.executable, "-m", __name__, place, *numbers],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=Path(__file__).parents[2],
            )
            running.append(stack.enter_context(process))
        for process in running:
            assert process.stdout.readline() == "ready\n"
        for process in running:
            print("go", file=process.stdin, flush=True)
        found = [tuple(told) for process in running for told in json.loads(process.communicate()[0])]
    assert len(found) == enrolments
    return found


def check_sequence(place: str, other: str, answers: Iterable[Told]) -> None:
    """What many were told is what one client is told who does the same in that order, with the same secret."""
    told = {participant: (number, kit) for participant, number, kit in answers}
    with Live(place) as live:
        assert live.verify().ok
        written, patients = live.entries()[1:-1], live.design.patients
    assert {entry.kind for entry in written} <= {ENROLLED, OUTCOME}
    with journals.start(other, patients, ()) as one:
        for entry in written:
            participant = entry.data["participant"]
            if entry.kind == OUTCOME:
                one.record(participant, entry.data["outcome"])
                continue
            found = one.enrol(participant)
            assert (found.number, found.kit) == told.pop(participant)
            assert (found.number, found.kit, found.arm) == tuple(entry.data[key] for key in ("patient", "kit", "arm"))
    assert not told


def _main(place: str, first: int, last: int, participants: int) -> None:
    with Live(place) as live:
        print("ready", flush=True)
        sys.stdin.readline()

        def work(thread: int) -> Iterator[Told]:
            numbers = (number % participants for number in range(first + thread, last, THREADS))
            return enrol(live, numbers)

        print(json.dumps(in_threads(THREADS, work)))


if __name__ == "__main__":
    _main(sys.argv[1], *map(int, sys.argv[2:]))
