"""The file of the service: sessions that survive a restart and are those of all processes, and the last head seen."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from primum.errors import PrimumError
from primum.live import JournalUnavailable, Live
from primum.live.service.access import COOKIE
from primum.live.service.app import create
from primum.live.service.service_file import SeenHead, ServiceFile, beside
from primum.live.service.sessions import Sessions
from primum.web.hosts import Hosts
from tests.live.joining import password_of

from .serving import process

LOGIN = {"name": "monitor", "password": password_of("monitor")}


@pytest.fixture
def journal(tmp_path, first_entries):
    return shutil.copy(first_entries[0], tmp_path / "trial.db")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trial.db.service"


def test_only_its_owner_can_read_it(path):
    with closing(ServiceFile(path)) as file:
        Sessions(file, lambda: 0.0).begin("hash")
        for each in path.parent.glob("*.service*"):
            assert stat.S_IMODE(each.stat().st_mode) == 0o600, each


def test_it_has_no_key_of_a_session(path):
    with closing(ServiceFile(path)) as file:
        key = Sessions(file, lambda: 0.0).begin("hash of the record")
    content = path.read_bytes()
    assert b"hash of the record" in content
    assert key.encode() not in content


def test_a_session_goes_on_in_another_process_and_after_a_restart(path, clock):
    with closing(ServiceFile(path)) as file:
        key = Sessions(file, clock).begin("hash")
        with closing(ServiceFile(path)) as other:
            assert Sessions(other, clock).record_hash(key) == "hash"
    with closing(ServiceFile(path)) as again:
        found = Sessions(again, clock)
        assert found.record_hash(key) == "hash"
        clock.now += 31 * 60
        assert found.record_hash(key) is None


def test_a_session_ended_in_one_process_has_ended_in_all(path, clock):
    with closing(ServiceFile(path)) as file, closing(ServiceFile(path)) as other:
        key = Sessions(file, clock).begin("hash")
        Sessions(other, clock).end(key)
        assert Sessions(file, clock).record_hash(key) is None


def test_use_in_one_process_keeps_a_session_alive_in_all(path, clock):
    with closing(ServiceFile(path)) as file, closing(ServiceFile(path)) as other:
        key = Sessions(file, clock).begin("hash")
        for each in (file, other) * 3:
            clock.now += 20 * 60
            assert Sessions(each, clock).record_hash(key) == "hash"


def test_many_threads_and_processes_begin_sessions_at_once(path, clock):
    keys, files = [], [ServiceFile(path) for _ in range(2)]

    def begin(number):
        found = Sessions(files[number % 2], clock)
        keys.extend(found.begin(f"hash {number}") for _ in range(10))

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(Sessions(files[0], clock).record_hash(key) is not None for key in keys) == 80
    for file in files:
        file.close()


def test_old_sessions_are_removed(path, clock):
    with closing(ServiceFile(path)) as file:
        found = Sessions(file, clock)
        for number in range(5):
            found.begin(f"hash {number}")
        clock.now += 12 * 60 * 60
        found.begin("hash")
        with file.using() as database:
            assert database.execute("SELECT count(*) FROM session").fetchone() == (1,)


def test_the_last_head_is_kept(path):
    with closing(ServiceFile(path)) as file:
        assert file.head() is None
        for number in (7, 8):
            file.note_head(SeenHead(number, f"{number}" * 64, "c" * 64))
    with closing(ServiceFile(path)) as again:
        assert again.head() == SeenHead(8, "8" * 64, "c" * 64)


def test_a_file_that_cannot_be_used_is_told_in_a_sentence(path, tmp_path):
    path.write_text("no database, and longer than the header of one" * 20)
    for odd in (path, tmp_path):
        with pytest.raises(JournalUnavailable, match="cannot use the file .* of the service: "):
            ServiceFile(odd)


def test_where_it_is(monkeypatch):
    assert beside("/srv/trial.db") == Path("/srv/trial.db.service")
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    address = "postgresql://primum:secret@db.example.org/trial"
    found = beside(address)
    assert found.parent == Path("/state/primum")
    assert found.name.startswith("trial-")
    assert found == beside("postgresql://other@db.example.org/trial?sslmode=require")
    assert found != beside("postgresql://primum@db2.example.org/trial")
    assert "secret" not in str(found)
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert beside(address).parent == Path.home() / ".local/state/primum"


def test_a_session_that_cannot_be_looked_up_is_told_without_details(journal, path, caplog):
    file = ServiceFile(path)
    with Live(journal) as live, TestClient(create(live, Hosts("testserver"), file=file)) as client:
        assert client.post("/api/login", json=LOGIN).status_code == 200
        file.close()
        told = client.get("/api/me")
    assert told.status_code == 503
    assert str(path) not in told.text
    assert "closed database" in caplog.text


def test_a_back_up_has_no_sessions(journal, tmp_path):
    with Live(journal) as live:
        live.backup(tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        tables = {name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "session" not in tables


@pytest.mark.slow
def test_a_person_stays_logged_in_when_the_service_is_started_again(journal):
    with process(journal) as service:
        assert service.client.post("/api/login", json=LOGIN).status_code == 200
        key = service.client.cookies[COOKIE]
        assert service.end(signal.SIGTERM)[0] == 0
    with process(journal) as service:
        service.client.cookies[COOKIE] = key
        assert service.client.get("/api/me").json()["name"] == "monitor"
        with Live(journal) as live:
            live.dismiss("monitor", who="root (command line)")
        assert service.client.get("/api/me").status_code == 401


@pytest.mark.slow
def test_two_processes_of_the_service_share_sessions(journal):
    with process(journal) as one, process(journal) as other:
        assert one.client.post("/api/login", json=LOGIN).status_code == 200
        other.client.cookies[COOKIE] = one.client.cookies[COOKIE]
        assert other.client.get("/api/me").json() == one.client.get("/api/me").json()
        assert other.client.post("/api/logout").status_code == 204
        assert one.client.get("/api/me").status_code == 401
        assert [each.end(signal.SIGTERM)[0] for each in (one, other)] == [0, 0]
    assert sorted(os.listdir(journal.parent)) == [journal.name, f"{journal.name}.lock", f"{journal.name}.service"]


@pytest.mark.slow
def test_a_service_whose_file_cannot_be_used_does_not_start(journal, tmp_path):
    from primum.live.service import server

    with pytest.raises(PrimumError, match="cannot use the file .* of the service"):
        server.serve(str(journal), "127.0.0.1", 0, browser=False, state=tmp_path)
