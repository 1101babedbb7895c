"""Clients of one journal, in threads and in processes, who begin at once.

Run as a program, it reads lines with a place, the first number, the number after the last, and how many participants
share them: it says that it is ready, waits for a line, enrols, and prints what it was told.
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

THREADS = 10  # of a process
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


class Processes:
    """Processes whose threads enrol at once, as often as they are asked to."""

    def __init__(self, number: int) -> None:
        self._stack = ExitStack()
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": Path(__file__).parents[2]}
        command = [sys.executable, "-m", __name__]
        self._running = [self._stack.enter_context(subprocess.Popen(command, **options)) for _ in range(number)]

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def enrol(self, place: str, enrolments: int, participants: int) -> list[Told]:
        """What they are told."""
        share = enrolments // len(self._running)
        for number, process in enumerate(self._running):
            asked = place, number * share, (number + 1) * share, participants
            print(json.dumps(asked), file=process.stdin, flush=True)
        for process in self._running:
            assert process.stdout.readline() == "ready\n"
        for process in self._running:
            print("go", file=process.stdin, flush=True)
        found = [tuple(told) for process in self._running for told in json.loads(process.stdout.readline())]
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


def _enrol(place: str, first: int, last: int, participants: int) -> None:
    with Live(place) as live:
        print("ready", flush=True)
        sys.stdin.readline()

        def work(thread: int) -> Iterator[Told]:
            numbers = (number % participants for number in range(first + thread, last, THREADS))
            return enrol(live, numbers)

        print(json.dumps(in_threads(THREADS, work)), flush=True)


if __name__ == "__main__":
    for line in sys.stdin:
        _enrol(*json.loads(line))
