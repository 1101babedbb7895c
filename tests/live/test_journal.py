"""The journal of a live trial, in both stores: starting, sharing, catching up, backing up."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from datetime import timedelta

import pytest

from primum.errors import ParameterError, PrimumError
from primum.live import JournalUnavailable, Live, journal_at, verify
from primum.live.journal import storage as journal
from tests.live import journals

ENROL = """
import sys
from primum.live import Live
with Live(sys.argv[1]) as live:
    for line in sys.stdin:
        print(live.enrol(line.strip(), who="Another process").number, flush=True)
"""


def fill(live, participants=4):
    for number in range(1, participants + 1):
        live.enrol(f"P-{number}", who="Ward 3")
        live.record(f"P-{number}", number % 2, who="Ward 3")


def arms(live):
    return [(each.participant, each.arm, each.kit) for each in live.allocations(who="Statistician")]


def test_a_journal_is_never_overwritten(place):
    with journals.start(place) as live:
        fill(live)
    before = journals.contents(place)
    with pytest.raises(ParameterError, match="never overwritten"):
        journals.start(place)
    assert journals.contents(place) == before


def test_a_journal_is_opened_again(place):
    with journals.start(place) as live:
        fill(live)
        before = live.participants(), live.status().head
    with Live(place) as again:
        assert (again.participants(), again.status().head) == before
        assert again.enrol("P-2") == live.enrol("P-2")
        assert again.enrol("P-5").number == 5


def test_what_is_no_journal_is_refused(place, tmp_path):
    with pytest.raises(JournalUnavailable, match="there is no journal|cannot read the journal"):
        Live(place)
    other = tmp_path / "letter.db"
    other.write_text("Dear Sir or Madam, " * 1_000)
    with pytest.raises(JournalUnavailable, match="not a database"):
        Live(other)
    with pytest.raises(JournalUnavailable, match="there is no journal"):
        Live(tmp_path)


def test_a_start_that_fails_leaves_nothing_behind(place, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(journal.Writing, "append", fail)
        with pytest.raises(JournalUnavailable, match="No space left"):
            journals.start(place)
    with journals.start(place) as live:
        assert live.verify().ok


def test_of_two_who_start_a_journal_at_once_one_succeeds(place):
    began, answers = threading.Barrier(2), []

    def start():
        began.wait()
        try:
            journals.start(place).disconnect()
            answers.append("started")
        except PrimumError:
            answers.append("refused")

    threads = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == ["refused", "started"]
    with Live(place) as live:
        assert live.verify().entries == 1


def test_two_who_share_a_journal_take_turns(place):
    with journals.start(place) as one, Live(place) as other:
        for number in range(1, 9, 2):
            assert one.enrol(f"P-{number}").number == number
            assert other.enrol(f"P-{number}") == one.enrol(f"P-{number}")
            assert other.enrol(f"P-{number + 1}").number == number + 1
            other.record(f"P-{number}", 1)
        assert one.participants() == other.participants()
        assert arms(one) == arms(other)
        assert one.verify().ok


def test_two_processes_that_share_a_journal_take_turns(place):
    with journals.start(place) as live:
        with subprocess.Popen(
            [sys.executable, "-c", ENROL, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other:
            for number in range(1, 9, 2):
                print(f"P-{number}", file=other.stdin, flush=True)
                assert int(other.stdout.readline()) == number
                assert live.enrol(f"P-{number + 1}").number == number + 1
            other.stdin.close()
        assert (other.returncode, live.status().enrolled) == (0, 8)
        assert live.verify().ok


def test_verification_while_others_write_is_no_false_alarm(place):
    with journals.start(place, 400, ()) as live, Live(place) as other:
        found = []

        def check():
            while len(found) < 50:
                found.append(other.verify())

        thread = threading.Thread(target=check)
        thread.start()
        number = 0
        while thread.is_alive() and number < 400:
            number += 1
            live.enrol(f"P-{number}")
        thread.join()
    assert [each.problem for each in found if not each.ok] == []
    assert len({each.entries for each in found}) > 1


def test_a_clock_that_moves_back_is_noted(place):
    times = {"now": journals.BEGIN}
    with journals.start(place, clock=lambda: times["now"]) as live:
        live.enrol("P-1")
        times["now"] -= timedelta(hours=1)
        live.enrol("P-2")
        times["now"] += timedelta(hours=3)
        live.record("P-2", 1)
        found = live.verify()
        assert (found.ok, found.notes) == (True, ["the clock moved back by 3600.000 s before entry 3"])
        assert live.status().enrolled == 2


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_copy_of_the_one_file_is_a_backup_while_the_trial_is_open(place, tmp_path):
    copy = tmp_path / "copy.db"
    with journals.start(place) as live, Live(place) as other:
        shutil.copy(place, copy)  # right after the start
        first = journal_at(copy)
        assert verify(first).entries == 1
        first.close()
        copy.unlink()
        fill(live, 2)
        fill(other, 3)
        shutil.copy(place, copy)
        assert journals.contents(str(copy)) == journals.contents(place)
        with Live(copy) as restored:
            expected = live.enrol("P-4")
            assert restored.enrol("P-4").arm == expected.arm
            assert restored.verify().ok


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_backup_while_others_write_is_sound(place, tmp_path):
    with journals.start(place, 200, ()) as live:

        def enrol():
            for number in range(1, 201):
                live.enrol(f"P-{number}")

        thread = threading.Thread(target=enrol)
        thread.start()
        found = [live.backup(tmp_path / f"{number}.db") for number in range(10)]
        thread.join()
        with pytest.raises(ParameterError, match="never overwritten"):
            live.backup(tmp_path / "0.db")
    assert all(each.ok for each in found)
    sizes = [each.entries for each in found]
    assert sizes == sorted(sizes)
    for number, each in enumerate(found):
        with Live(tmp_path / f"{number}.db") as restored:
            assert restored.status().entries == each.entries


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_dump_of_postgresql_is_a_backup(place, postgresql):
    with journals.start(place) as live:
        fill(live)
        dump = postgresql.run("pg_dump", place)
        expected = live.enrol("P-5")
    other = postgresql.new_database()
    postgresql.run("psql", "-v", "ON_ERROR_STOP=1", "-d", other, "-f", "-", input=dump)
    with Live(other) as restored:
        assert restored.verify().ok
        assert restored.status().enrolled == 4
        assert restored.enrol("P-5").arm == expected.arm
        restored.record("P-5", 1)
    with pytest.raises(ParameterError, match="pg_dump"):
        live.backup("copy.db")
