"""Faults of the store: an error sentence, nothing half-written, and the trial goes on afterwards.

A full disk is real for SQLite: the system refuses to let files grow. For PostgreSQL, where that would stop the whole
server for lack of write-ahead log, a trigger raises the error that it gives when a table cannot be extended.
"""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import threading
import traceback
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from primum.errors import PrimumError
from primum.live import JournalUnavailable, Live
from primum.live.journal import databases, storage
from tests import read_only
from tests.live import journals

ONLY_SQLITE = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
ONLY_POSTGRESQL = pytest.mark.parametrize("place", ["postgresql"], indirect=True)

FULL_DISK = """
import json, os, resource, sys
from primum.errors import PrimumError
from primum.live import JournalUnavailable, Live
place, acknowledged, refused = sys.argv[1], [], []
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
with Live(place) as live:
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(place), most))
    for number in range(1, 200):
        try:
            acknowledged.append([live.enrol(f"P-{number}").participant, live.enrol(f"P-{number}").kit])
        except JournalUnavailable as error:
            refused.append(str(error))
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    known = [participant.participant for participant in live.participants()]
    live.enrol("P-200")
print(json.dumps([acknowledged, refused, known]))
"""
FULL_START = """
import json, os, resource, sys
from primum.live import JournalUnavailable
from tests.live import journals
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), most))
try:
    journals.start(sys.argv[1])
except JournalUnavailable as error:
    print(error, os.listdir(os.path.dirname(sys.argv[1])))
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
journals.start(sys.argv[1]).disconnect()
"""
READ_ONLY = """
import sys
from primum.errors import PrimumError
from primum.live import Live
try:
    live = Live(sys.argv[1])
    print(live.status().enrolled)
    live.enrol("P-3")
except PrimumError as error:
    print(type(error).__name__, error)
"""


def started(place, patients=12):
    live = journals.start(place, patients, ())
    live.enrol("P-1")
    live.record("P-1", 1)
    live.enrol("P-2")
    return live


def child(program, *arguments):
    done = read_only.python(program, *arguments, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(live, match):
    """Whatever would write is refused in a sentence."""
    for attempt in (
        lambda: live.enrol("P-3"),
        lambda: live.record("P-2", 1),
        lambda: live.admit("Ward 3", ["enrol"]),
        lambda: live.allocations(),
    ):
        with pytest.raises(JournalUnavailable, match=match) as caught:
            attempt()
        assert "\n" not in str(caught.value)


def goes_on(live, place):
    assert live.enrol("P-3").number == 3
    assert live.record("P-2", 0).state == "known"
    assert live.verify().ok
    with Live(place) as again:
        assert again.participants() == live.participants()


@ONLY_SQLITE
def test_a_file_moved_away_and_back(place, tmp_path):
    with started(place) as live:
        before = journals.contents(place)
        Path(place).rename(tmp_path / "away.db")
        refused(live, "unable to open database file")
        with pytest.raises(JournalUnavailable, match="unable to open"):
            live.status()
        assert not Path(place).exists()
        (tmp_path / "away.db").rename(place)
        assert journals.contents(place) == before
        goes_on(live, place)


@ONLY_POSTGRESQL
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGQUIT], ids=["in order", "by a crash"])
def test_a_server_stopped_and_started(place, postgresql, by):
    with started(place) as live:
        before = journals.contents(place)
        postgresql.stop(by)
        try:
            refused(live, "No such file or directory")
            with pytest.raises(JournalUnavailable, match="cannot read the journal postgresql"):
                live.status()
            assert live.enrol("P-1").number == 1  # is known, and never changes
        finally:
            postgresql.start()
        assert journals.contents(place) == before
        goes_on(live, place)


@ONLY_POSTGRESQL
def test_a_connection_lost_in_a_transaction(place, postgresql):
    is_lost = threading.Event()

    def clock():  # which is asked for while the journal is locked
        if is_lost.is_set():
            with psycopg.connect(postgresql.address(), autocommit=True) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                    [place.partition("@/")[2].partition("?")[0]],
                )
        return journals.BEGIN

    started(place).disconnect()
    with Live(place, clock=clock) as live:
        before = journals.contents(place)
        is_lost.set()
        refused(
            live, "terminating connection|connection is closed|server closed|connection is lost|closed the connection"
        )
        is_lost.clear()
        assert journals.contents(place) == before
        goes_on(live, place)


@ONLY_SQLITE
def test_a_file_that_can_only_be_read(place, tmp_path):
    started(place).disconnect()
    before = journals.contents(place)
    read_only.make_read_only(tmp_path)
    try:
        said = child(READ_ONLY, place)
    finally:
        tmp_path.chmod(0o755)
    Path(place).chmod(0o644)
    assert said.splitlines()[-1].startswith("JournalUnavailable cannot")
    assert journals.contents(place) == before
    Path(place).chmod(0o444)
    said = child(READ_ONLY, place)  # the file alone
    assert said.startswith("2\nJournalUnavailable cannot write to the journal")
    assert "readonly" in said
    Path(place).chmod(0o644)
    with Live(place) as live:
        goes_on(live, place)


@ONLY_POSTGRESQL
def test_a_database_that_can_only_be_read(place):
    started(place).disconnect()
    database = place.partition("@/")[2].partition("?")[0]
    journals.execute(place, f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    with Live(place) as live:
        assert live.status().enrolled == 2
        refused(live, "read-only transaction")
    with psycopg.connect(place, autocommit=True, options="-c default_transaction_read_only=off") as other:
        other.execute(f"ALTER DATABASE {database} RESET default_transaction_read_only")
    with Live(place) as live:
        goes_on(live, place)


@ONLY_SQLITE
def test_a_full_disk(place):
    """Acknowledged entries are there, others are not, and afterwards there is room again."""
    journals.start(place, 200, ()).disconnect()
    acknowledged, refused_with, known = json.loads(child(FULL_DISK, place))
    assert acknowledged
    assert refused_with
    assert all("cannot write to the journal" in sentence for sentence in refused_with)
    assert known == [participant for participant, _ in acknowledged]
    with Live(place) as live:
        there = [(each.participant, each.kit) for each in live.allocations()]
        assert there[:-1] == [tuple(each) for each in acknowledged]
        assert live.verify().ok


@ONLY_SQLITE
@pytest.mark.parametrize("most_bytes", [0, 4_096, 20_000])
def test_a_start_on_a_full_disk_leaves_nothing_behind(place, most_bytes):
    said = child(FULL_START, place, most_bytes)
    assert said.startswith("cannot create")
    assert said.endswith("[]\n")
    with Live(place) as live:
        assert live.verify().ok


@ONLY_POSTGRESQL
@pytest.mark.parametrize("table", ["primum_journal", "primum_head"])
def test_a_full_disk_of_the_server(place, table):
    with started(place) as live:
        before = journals.contents(place)
        journals.execute(
            place,
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$",
        )
        journals.execute(
            place, f"CREATE TRIGGER full_disk AFTER INSERT OR UPDATE ON {table} EXECUTE FUNCTION full_disk()"
        )
        refused(live, "could not extend file: No space left on device")
        journals.execute(place, "DROP FUNCTION full_disk CASCADE")
        assert journals.contents(place) == before
        goes_on(live, place)


def test_another_writer_who_does_not_let_go(place, monkeypatch):
    monkeypatch.setattr(databases, "BUSY_SECONDS", 1)
    with started(place) as live:
        before = journals.contents(place)
        if "://" in place:
            with psycopg.connect(place) as other:
                other.execute("LOCK TABLE primum_journal IN EXCLUSIVE MODE")
                with pytest.raises(JournalUnavailable, match="lock timeout"):
                    live.enrol("P-3")
        else:
            with closing(sqlite3.connect(place)) as other:
                other.execute("BEGIN IMMEDIATE")
                with pytest.raises(JournalUnavailable, match="locked"):
                    live.enrol("P-3")
        assert journals.contents(place) == before
        goes_on(live, place)


@ONLY_SQLITE
def test_a_reader_who_does_not_let_go_delays_nothing_but_the_one_file(place):
    with started(place) as live:
        with closing(sqlite3.connect(place)) as reader:
            reader.execute("BEGIN")
            old = reader.execute("SELECT count(*) FROM primum_journal").fetchone()
            assert live.admit("Ward 3", ["enrol"]).code
            assert reader.execute("SELECT count(*) FROM primum_journal").fetchone() == old
        goes_on(live, place)
        assert Path(f"{place}-wal").stat().st_size == 0  # and the file has everything


@ONLY_SQLITE
def test_an_entry_that_could_not_be_moved_to_the_one_file_is_there(place, monkeypatch):
    """A person's code is shown once, so it must not be lost to what happens after the entry is written."""
    with started(place) as live, monkeypatch.context() as patch:
        patch.setattr(storage, "closing", _fail)
        code = live.admit("Ward 3", ["enrol"]).code
    with Live(place) as again:
        assert again.redeem(code, "a good one").person.name == "Ward 3"


def _fail(_):
    raise sqlite3.OperationalError("database or disk is full")


@ONLY_POSTGRESQL
def test_an_address_with_a_password_is_shown_without_it(place):
    with pytest.raises(JournalUnavailable) as caught:
        Live(place.replace("postgres@/", "postgres:hunter2@/nowhere_"))
    assert "hunter2" not in str(caught.value)


PASSWORDS = (
    "hunter2",
    "hun/ter2",
    "hun?ter2",
    "hun@ter2",
    "hun:ter2",
    "hun#ter2",
    "hun ter2",
    "hun%2Fter2",
    "hun%ter2",
)
FORMS = (
    "postgresql://u:{}@127.0.0.1:1/trial",
    "postgres+psycopg://u:{}@127.0.0.1:1/trial",
    "postgresql://u@127.0.0.1:1/trial?password={}",
    "postgresql://127.0.0.1:1/trial?user=u&sslpassword={}",
    "postgresql://u@127.0.0.1:1/trial?Password={}",
    "postgresql://u@127.0.0.1:1/trial?options={}",
    "postgresql://u:{}@127.0.0.1:nowhere/trial",
    "postgresql:/u:{}@127.0.0.1/trial",
    "postgresql:u:{}@127.0.0.1/trial",
    "mysql://u:{}@127.0.0.1/trial",
)


@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize("form", FORMS)
def test_no_message_has_the_password_of_an_address(form, password):
    with pytest.raises(PrimumError) as caught:
        Live(form.format(password))
    said = "".join(traceback.format_exception(caught.value))
    assert not re.search(r"hun.{0,3}ter2", said.replace(form.format(password), ""))
    assert "hun" not in str(caught.value)
    assert "ter2" not in str(caught.value)


@pytest.mark.parametrize("password", PASSWORDS)
def test_the_password_of_an_address_is_the_one_that_the_server_gets(password, monkeypatch):
    given = []
    monkeypatch.setattr(psycopg, "connect", lambda address, **options: given.append((address, options)))
    databases.PostgreSQL(f"postgresql://u:{quote(password, safe='/?:@#')}@host:5/trial?application_name=x").connect()
    [(address, options)] = given
    assert address == "postgresql://u@host:5/trial?application_name=x"
    assert options["password"] == password
