"""The service as a process: started, asked by many, and stopped."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import sqlite3
import threading

import pytest
from starlette.testclient import httpx

from primum.errors import PrimumError
from primum.live import Live
from primum.live.journal.restoring import restore
from primum.live.service import server
from primum.live.service.seen_head import shown
from tests.live.joining import password_of

from .serving import process

pytestmark = pytest.mark.slow


@pytest.fixture
def journal(tmp_path, first_entries):
    return shutil.copy(first_entries[0], tmp_path / "trial.db")


@pytest.fixture
def headers(first_entries):
    return {"authorization": f"Bearer {first_entries[1]['everything']}"}


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal_it_leaves_one_file_with_everything(journal, headers, sent):
    with process(journal) as service:
        enrolled = service.client.post("/api/participants", json={"participant": "P-1"}, headers=headers).json()
        code, said = service.end(sent)
    assert code == 0
    assert said.endswith(f"The trial is at {service.address}; Ctrl-C stops it.\n")
    assert sorted(os.listdir(journal.parent)) == [journal.name, f"{journal.name}.lock", f"{journal.name}.service"]
    with Live(journal) as live:
        [found] = live.allocations(who="test")
        assert (found.participant, found.kit) == ("P-1", enrolled["kit"])
        assert live.verify().ok


@pytest.mark.parametrize("sent", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_a_request_that_is_open_when_it_is_stopped_is_answered(journal, headers, sent):
    with process(journal) as service:
        service.client.get("/api/health")
        writer = sqlite3.connect(journal, isolation_level=None)  # keeps the service from writing
        writer.execute("BEGIN IMMEDIATE")
        answers = []

        def enrol():
            with httpx.Client(base_url=service.address, timeout=120) as client:
                answers.append(client.post("/api/participants", json={"participant": "P-1"}, headers=headers))

        asking = threading.Thread(target=enrol)
        asking.start()
        port = int(service.address.rpartition(":")[2])
        while not is_being_answered(service, headers):
            pass
        service.process.send_signal(sent)
        while is_listening(port):  # the service has noticed
            pass
        writer.execute("ROLLBACK")
        writer.close()
        asking.join()
        assert service.process.wait(timeout=120) == 0
    assert answers[0].status_code == 200
    with Live(journal) as live:
        assert live.status().enrolled == 1


def is_being_answered(service, headers) -> bool:
    """Whether the writer waits: then another one, who was later, has to wait as well."""
    try:
        service.client.post("/api/notes", json={"text": "waits"}, headers=headers, timeout=2)
    except httpx.TimeoutException:
        return True
    return False


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_a_thousand_requests_at_once_give_one_allocation(journal, headers):
    server._open_files(server.MOST_CONNECTIONS)  # this process has as many

    async def ask(address):
        limits = httpx.Limits(max_connections=1000)
        async with httpx.AsyncClient(base_url=address, limits=limits, timeout=120, headers=headers) as client:
            asked = [client.post("/api/participants", json={"participant": "P-1"}) for _ in range(1000)]
            return await asyncio.gather(*asked)

    with process(journal) as service:
        answers = asyncio.run(ask(service.address))
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.text for answer in answers}) == 1
        assert service.client.get("/api/status", headers=headers).json()["enrolled"] == 1


def test_behind_a_proxy_on_this_machine(journal):
    with process(journal, "trial.example.org") as service:
        forwarded = {"host": "trial.example.org", "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7"}
        wrong = {"name": "monitor", "password": "a wrong one"}
        told = [service.client.post("/api/login", json=wrong, headers=forwarded).status_code for _ in range(6)]
        assert told == [401] * 5 + [429]
        login = {"name": "monitor", "password": password_of("monitor")}
        other = forwarded | {"x-forwarded-for": "192.0.2.8", "origin": "https://trial.example.org"}
        cookie = service.client.post("/api/login", json=login, headers=other).headers["set-cookie"]
        assert "Secure" in cookie
        assert service.client.get("/api/health", headers={"host": "evil.example"}).status_code == 421


def test_a_journal_that_is_none_is_told(tmp_path):
    with pytest.raises(PrimumError, match="there is no journal"):
        server.serve(str(tmp_path / "none.db"), "127.0.0.1", 0, browser=False)


def test_a_service_does_not_start_with_an_older_journal_unless_its_end_is_expected(journal, headers, tmp_path):
    older = shutil.copy(journal, tmp_path / "older.db")
    with process(journal) as service:
        service.client.post("/api/participants", json={"participant": "P-1"}, headers=headers).raise_for_status()
        with pytest.raises(PrimumError, match="a service has the journal"):
            restore(older, journal)
        service.end(signal.SIGTERM)
    found = restore(older, journal)
    assert found.participants == ["P-1"]
    with pytest.raises(PrimumError, match="which was there when it was served last") as caught:
        server.serve(str(journal), "127.0.0.1", 0, browser=False)
    assert f"--expect {shown(found.head)}" in str(caught.value)
    with process(journal, expect=shown(found.head)) as service:
        assert f"The journal ends at {shown(found.head)}." in "".join(service.said)
        again = service.client.post("/api/participants", json={"participant": "P-2"}, headers=headers)
        assert again.json()["number"] == 1
