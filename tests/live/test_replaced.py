"""A journal that was replaced is never adopted: kits would be given again, and outcomes go to other people."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from primum.errors import ParameterError, PrimumError
from primum.live import JournalUnavailable, Live
from primum.live.journal.holding import held
from primum.live.journal.restoring import restore
from primum.live.service.seen_head import check_head, shown
from primum.live.service.service_file import ServiceFile
from tests.live import journals

ONLY_SQLITE = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
HOLD = """
import sys
from pathlib import Path
from primum.live.journal.holding import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def fill(live, first, last):
    for number in range(first, last + 1):
        live.enrol(f"P-{number}")
        live.record(f"P-{number}", number % 2)


def refused(live):
    """Whatever is asked of a trial."""
    for ask in (
        lambda: live.enrol("P-9"),
        lambda: live.enrol("P-1"),  # is known, and not said either
        lambda: live.record("P-1", 1),
        lambda: live.status(),
        lambda: live.participants(),
        lambda: live.people(),
        lambda: live.allocations(),
    ):
        with pytest.raises(JournalUnavailable, match="another file was put in its place"):
            ask()


def moved(path, source):
    os.replace(source, path)


def copied(path, source):
    shutil.copyfile(source, path)


def backed_up(path, source):
    with closing(sqlite3.connect(source)) as there, closing(sqlite3.connect(path)) as here:
        there.backup(here)


@ONLY_SQLITE
@pytest.mark.parametrize("put", [moved, backed_up])
def test_a_backup_in_place_of_a_journal_in_use_is_refused_for_good(place, tmp_path, put):
    with journals.start(place) as live:
        fill(live, 1, 2)
        live.backup(tmp_path / "copy.db")
        kept = tmp_path / "kept.db"
        lost = live.enrol("P-3")
        live.backup(kept)
        put(place, tmp_path / "copy.db")
        refused(live)
        refused(live)
        with Live(place) as other:  # goes on, until it has as many entries
            fill(other, 4, 6)
        refused(live)
        put(place, kept)
        refused(live)
    with Live(place) as again:
        assert again.enrol("P-3") == lost


@ONLY_SQLITE
@pytest.mark.parametrize("put", [moved, backed_up])
@pytest.mark.parametrize("entries", [1, 8])
def test_the_journal_of_another_trial_is_refused_for_good(place, tmp_path, put, entries):
    other = tmp_path / "other.db"
    with journals.start(str(other)) as another:
        fill(another, 1, entries)
    with journals.start(place) as live:
        fill(live, 1, 2)
        put(place, other)
        refused(live)
        with Live(place) as there:
            assert there.status().enrolled == entries


def test_a_journal_that_is_refused_once_is_not_adopted_by_folding_it_anew(place):
    """Errors throw the state in memory away; what was seen is remembered all the same."""
    with journals.start(place) as live:
        fill(live, 1, 3)
        [(number,)] = journals.select(place, "SELECT number FROM primum_head")
        rows = journals.rows(place)
        live._state = None  # as after an error while it was written to
        journals.execute(place, "DELETE FROM primum_journal WHERE number > ?", number - 2)
        journals.execute(place, "UPDATE primum_head SET number = ?, hash = ?", number - 2, rows[number - 3][2])
        assert live.verify().ok  # nothing in it says that there was more
        refused(live)


def test_what_others_add_is_no_replacement(place):
    with journals.start(place) as live, Live(place) as other:
        for number in range(1, 6):
            fill((live, other)[number % 2], number, number)
            assert (live, other)[1 - number % 2].status().enrolled == number


# the head that the service has seen


@pytest.fixture
def file(tmp_path):
    found = ServiceFile(tmp_path / "trial.db.service")
    yield found
    found.close()


def test_a_service_that_starts_again_knows_where_the_journal_ended(place, file):
    with journals.start(place) as live:
        check_head(live, file, "")
        fill(live, 1, 2)
        with Live(place) as other:
            fill(other, 3, 3)
        live.status()
        assert (file.head().number, file.head().hash) == (live.status().entries, live.status().head)
    with Live(place) as again:
        check_head(again, file, "")
        check_head(again, file, shown(again.head))


def test_a_shorter_journal_is_refused_at_the_start_unless_its_very_end_is_expected(place, file):
    with journals.start(place) as live:
        check_head(live, file, "")
        fill(live, 1, 3)
        ends = [f"{number}:{hash}" for number, _, hash in journals.rows(place)]
    journals.execute(place, "DELETE FROM primum_journal WHERE number > 4")
    journals.execute(place, "UPDATE primum_head SET number = ?, hash = ?", 4, ends[3].partition(":")[2])
    with Live(place) as live:
        for expect in ("", ends[2], ends[0]):  # an older end says nothing about what came later
            with pytest.raises(JournalUnavailable, match=r"does not have entry 7, .*--expect 4:"):
                check_head(live, file, expect)
        for expect in (ends[6], f"4:{'0' * 64}", "9999:abcdef0123"):
            with pytest.raises(ParameterError, match="is expected: another journal was put in its place"):
                check_head(live, file, expect)
        assert file.head().number == 7
        check_head(live, file, ends[3])
        assert file.head().number == 4
        fill(live, 9, 9)
        assert file.head().number == 6


@ONLY_SQLITE
def test_the_journal_of_another_trial_is_refused_at_the_start(place, file, tmp_path):
    with journals.start(place) as live:
        check_head(live, file, "")
        fill(live, 1, 1)
    with journals.start(str(tmp_path / "other.db")) as other:
        fill(other, 1, 5)
        with pytest.raises(JournalUnavailable, match="is of another trial"):
            check_head(other, file, "")


# restore


@pytest.fixture
def trial(tmp_path):
    """A journal, and a back-up that lacks the third participant."""
    place = tmp_path / "trial.db"
    with journals.start(str(place)) as live:
        fill(live, 1, 2)
        live.backup(tmp_path / "copy.db")
        fill(live, 3, 3)
    return place, tmp_path / "copy.db"


def test_a_restore_keeps_what_it_replaces_and_says_what_is_lost(trial):
    place, backup = trial
    before, saved = journals.contents(str(place)), journals.contents(str(backup))
    found = restore(backup, place)
    assert (found.lost, found.participants) == (2, ["P-3"])
    assert journals.contents(str(place)) == saved == journals.contents(str(backup))
    assert journals.contents(str(found.kept)) == before
    assert (found.head.number, found.head.hash) == (saved[0][-1][0], saved[0][-1][2])
    assert place.stat().st_mode & 0o777 == 0o600
    again = restore(found.kept, place)  # and back
    assert (again.lost, journals.contents(str(place))) == (0, before)
    assert again.kept != found.kept


def test_a_restore_is_refused_while_a_service_has_the_journal(trial):
    place, backup = trial
    before = journals.contents(str(place))
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as service:
        assert service.stdout.readline() == "held\n"
        with pytest.raises(PrimumError, match="a service has the journal; stop it first"):
            restore(backup, place)
        with held(place):  # a second process of the service
            pass
        assert journals.contents(str(place)) == before
        service.kill()
    assert restore(backup, place).lost == 2


def test_a_service_does_not_begin_during_a_restore(trial):
    place, _ = trial
    with (
        held(place, alone=True),
        pytest.raises(PrimumError, match="a restore of the journal is under way"),
        held(place),
    ):
        raise AssertionError


def test_a_restore_of_what_is_no_backup_changes_nothing(trial, tmp_path):
    place, backup = trial
    before, names = journals.contents(str(place)), {*os.listdir(tmp_path)}
    letter, damaged, other = tmp_path / "letter", tmp_path / "damaged.db", tmp_path / "other.db"
    letter.write_text("Dear Sir or Madam")
    shutil.copy(backup, damaged)
    journals.execute(str(damaged), "UPDATE primum_journal SET text = 'x' WHERE number = 2")
    with journals.start(str(other)) as another:
        fill(another, 1, 1)
    for source, said in (
        (letter, "not sound"),
        (damaged, "not sound"),
        (other, "is the back-up of another trial"),
        (place, "is the journal itself"),
        (tmp_path / "nothing.db", "there is no journal"),
        ("postgresql://u@127.0.0.1:1/trial", "pg_restore"),
    ):
        with pytest.raises(PrimumError, match=said):
            restore(source, place)
    assert journals.contents(str(place)) == before
    assert {*os.listdir(tmp_path)} - {"letter", "damaged.db", "other.db"} <= names | {"trial.db.lock"}


@pytest.mark.parametrize("damage", ["gone", "a letter", "empty"])
def test_a_journal_that_cannot_be_read_is_restored_and_kept(trial, damage):
    place, backup = trial
    if damage == "gone":
        place.unlink()
    else:
        place.write_bytes(b"Dear Sir or Madam" * 1000 if damage == "a letter" else b"")
    found = restore(backup, place)
    assert found.lost == (0 if damage == "gone" else None)
    assert (found.kept is None) == (damage == "gone")
    with Live(place) as live:
        assert live.status().enrolled == 2


# reads do not wait for a writer


def test_who_waits_for_another_writer_holds_up_no_reader(place):
    with journals.start(place) as live, Live(place) as other:
        fill(live, 1, 1)
        is_writing, is_over = threading.Event(), threading.Event()

        def hold(draft):
            is_writing.set()
            is_over.wait()

        holder = threading.Thread(target=lambda: other._do("another process", hold))
        holder.start()
        is_writing.wait()
        waiting = [threading.Thread(target=lambda n=n: live.enrol(f"P-{n}")) for n in range(2, 8)]
        for thread in waiting:
            thread.start()
        seen = []
        reader = threading.Thread(target=lambda: seen.append((live.status().enrolled, len(live.people()))))
        reader.start()
        reader.join(20)
        assert seen == [(1, 0)]  # while the writers still wait
        assert live.enrol("P-1").number == 1
        assert all(thread.is_alive() for thread in waiting)
        is_over.set()
        for thread in (holder, *waiting):
            thread.join()
        assert live.status().enrolled == 7
