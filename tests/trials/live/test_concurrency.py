"""Many who enrol at once: one allocation for each participant, and the sequence that one client would get."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from primum.trials.live import Live
from primum.trials.live.entries import ENROLLED, OUTCOME
from tests.trials.live import journals

PROCESSES, THREADS = 5, 10
ENROL = """
import json, sys, threading
from primum.trials.live import Live
place, first, last, threads = sys.argv[1], *map(int, sys.argv[2:])
answers, began = [], threading.Barrier(threads)
with Live(place) as live:
    print("ready", flush=True)
    sys.stdin.readline()
    def enrol(thread):
        began.wait()
        for number in range(first + thread, last, threads):
            found = live.enrol(f"P-{number // REPEATED}", who=f"Client {thread}")
            answers.append([found.participant, found.number, found.kit])
            if number % 2:
                live.record(found.participant, number % 3 % 2)
    clients = [threading.Thread(target=enrol, args=(thread,)) for thread in range(threads)]
    for client in clients: client.start()
    for client in clients: client.join()
print(json.dumps(answers))
"""


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


def in_processes(place: str, enrolments: int, repeated: int = 1) -> list[tuple[str, int, str]]:
    """What threads of several processes are told, who begin at once."""
    share, program = enrolments // PROCESSES, ENROL.replace("REPEATED", str(repeated))
    with ExitStack() as stack:
        running = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", program, place, *map(str, (each * share, each * share + share, THREADS))],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for each in range(PROCESSES)
        ]
        for process in running:
            assert process.stdout.readline() == "ready\n"
        for process in running:
            print("go", file=process.stdin, flush=True)
        found = [tuple(answer) for process in running for answer in json.loads(process.communicate()[0])]
    assert len(found) == enrolments
    return found


def check_sequence(place: str, other: str, answers: Iterable[tuple[str, int, str]]) -> None:
    """What many were told is what one client is told who does the same in that order, in a trial with the same secret."""
    told = {participant: (number, kit) for participant, number, kit in answers}
    with Live(place) as live:
        assert live.verify().ok
        written = live.entries()[1:-1]
        patients = live.design.patients
    assert {entry.kind for entry in written} == {ENROLLED, OUTCOME}
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


def test_a_thousand_enrolments_of_one_participant_at_once_are_one(place):
    with journals.start(place) as live, Live(place) as other:
        live.enrol("P-1")
        found = in_threads(50, lambda thread: [(live, other)[thread % 2].enrol("P-2") for _ in range(20)])
        assert (len(found), {each.number for each in found}, len({each.kit for each in found})) == (1_000, {2}, 1)
        assert [each.participant for each in live.participants()] == ["P-1", "P-2"]
        assert live.verify().entries == 3


def test_a_thousand_enrolments_of_one_participant_in_processes_are_one(place):
    journals.start(place).disconnect()
    found = in_processes(place, 1_000, repeated=1_000)
    assert {(participant, number) for participant, number, _ in found} == {("P-0", 1)}
    assert len(set(found)) == 1
    with Live(place) as live:
        assert live.verify().entries == 2


def test_many_clients_get_the_sequence_that_one_would_get(place, tmp_path, same_secret):
    """50 clients in one process; outcomes come in between, so allocations depend on the order."""
    patients = 400
    with journals.start(place, patients, ()) as live:

        def enrol(thread):
            for number in range(thread, patients, 50):
                found = live.enrol(f"P-{number}", who=f"Client {thread}")
                yield found.participant, found.number, found.kit
                if number % 2:
                    live.record(found.participant, number % 3 % 2)

        answers = in_threads(50, enrol)
    check_sequence(place, str(tmp_path / "one.db"), answers)


def test_many_processes_get_the_sequence_that_one_would_get(place, tmp_path, same_secret):
    journals.start(place, 400, ()).disconnect()
    check_sequence(place, str(tmp_path / "one.db"), in_processes(place, 400))


def test_enrolments_and_outcomes_at_once_are_recomputed(place):
    """Allocations depend on what was known before each: verification recomputes them in the order of the journal."""
    with journals.start(place, 300, (100, 200)) as live:

        def visit(thread):
            for number in range(thread, 300, 20):
                live.enrol(f"P-{number}")
                live.record(f"P-{number}", (number * 7) % 3 == 0)
                if number % 5 == 0:
                    live.correct(f"P-{number}", (number * 7) % 3 != 0, reason="wrong form")
            return ()

        in_threads(20, visit)
        status = live.status()
        assert (status.enrolled, status.looks_taken) == (300, 2)
        found = live.verify()
        assert (found.ok, found.entries) == (True, 1 + 300 + 300 + 60 + 2)
