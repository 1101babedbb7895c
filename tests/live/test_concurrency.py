"""Many who enrol at once: one allocation for each participant, and the sequence that one client would get."""

from __future__ import annotations

import pytest

from primum.live import Live
from tests.live import journals
from tests.live.clients import Processes, check_sequence, enrol, in_threads

PATIENTS, CLIENTS = 400, 50  # the campaign live_enrolments has more patients, and more processes


@pytest.fixture(scope="module")
def processes():
    with Processes(2) as running:
        yield running


def test_a_thousand_enrolments_of_one_participant_at_once_are_one(place):
    with journals.start(place) as live, Live(place) as other:
        live.enrol("P-1")
        found = in_threads(CLIENTS, lambda thread: [(live, other)[thread % 2].enrol("P-2") for _ in range(20)])
        assert (len(found), {each.number for each in found}, len({each.kit for each in found})) == (1_000, {2}, 1)
        assert [each.participant for each in live.participants()] == ["P-1", "P-2"]
        assert live.verify().entries == 3


def test_a_thousand_enrolments_of_one_participant_in_processes_are_one(place, processes):
    journals.start(place).disconnect()
    found = processes.enrol(place, 1_000, participants=1)
    assert {(participant, number) for participant, number, _ in found} == {("P-0", 1)}
    assert len(set(found)) == 1
    with Live(place) as live:
        assert live.verify().entries == 2


def test_many_clients_get_the_sequence_that_one_would_get(place, tmp_path, same_secret):
    with journals.start(place, PATIENTS, ()) as live:
        answers = in_threads(CLIENTS, lambda thread: enrol(live, range(thread, PATIENTS, CLIENTS)))
    check_sequence(place, str(tmp_path / "one.db"), answers)


def test_processes_get_the_sequence_that_one_would_get(place, tmp_path, same_secret, processes):
    journals.start(place, PATIENTS, ()).disconnect()
    check_sequence(place, str(tmp_path / "one.db"), processes.enrol(place, PATIENTS, PATIENTS))


def test_enrolments_and_outcomes_at_once_are_recomputed(place):
    """Allocations depend on what was known before each: verification recomputes them in the order of the journal."""
    with journals.start(place, 300, (100, 200)) as live:

        def visit(thread):
            for number in range(thread, 300, 20):
                live.enrol(f"P-{number}")
                live.record(f"P-{number}", (number * 7) % 3 == 0)
                if number % 5 == 0:
                    right = (number * 7) % 3 != 0
                    live.correct(f"P-{number}", right, replaces=not right, reason="wrong form")
            return ()

        in_threads(20, visit)
        status = live.status()
        assert (status.enrolled, status.looks_taken) == (300, 2)
        found = live.verify()
        assert (found.ok, found.entries) == (True, 1 + 300 + 300 + 60 + 2)
