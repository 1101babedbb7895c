"""Connections that only wait keep nobody out, and each address has its share."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import uvicorn
from starlette.testclient import httpx

from primum.lab.http.app import create
from primum.lab.jobs.limits import Limits
from primum.lab.jobs.manager import JobManager
from primum.store import Store
from primum.web import connections, middleware
from primum.web.server import configuration, listen

from .questions import data

pytestmark = pytest.mark.slow
PATIENCE = 30  # seconds until a test gives up

LONG = data(horizon=20_000, replications=5_000, policies=["besa-plus"])  # a minute of work


class Server(uvicorn.Server):
    """A laboratory in a thread of this process, so that a test can set its limits."""

    def __init__(self, manager: JobManager) -> None:
        super().__init__(configuration(create(manager)))
        self.listening = listen("127.0.0.1", 0)
        self.port = self.listening.getsockname()[1]

    def connect(self, sent: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
        """A connection from an address of this machine, on which something was sent."""
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE, (source, 0))
        connection.sendall(sent)
        return connection

    def client(self, source: str = "127.0.0.1") -> httpx.Client:
        transport = httpx.HTTPTransport(local_address=source)
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", transport=transport, timeout=PATIENCE)


@pytest.fixture
def server(tmp_path) -> Iterator[Server]:
    manager = JobManager(Store(tmp_path / "store"), Store(tmp_path / "questions"), Limits(runs=4))
    server = Server(manager)
    thread = threading.Thread(target=server.run, args=[[server.listening]])
    thread.start()
    yield server
    manager.stop_following()
    server.should_exit = True
    thread.join()
    manager.close()


def request(rest: bytes = b"\r\n", start: bytes = b"GET /api/health") -> bytes:
    return start + b" HTTP/1.1\r\nHost: localhost\r\n" + rest


def read(connection: socket.socket) -> bytes:
    """All that is sent before the end; nothing of a connection that is cut off."""
    try:
        return b"".join(iter(lambda: connection.recv(4096), b""))
    except ConnectionResetError:
        return b""


def test_requests_that_never_come_are_not_waited_for(server, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE_SECONDS", 0.2)
    with ExitStack() as open_ones, server.client() as client:
        run = client.post("/api/runs", json=LONG).json()["id"]
        stream = server.connect(request(start=f"GET /api/runs/{run}/events".encode()))
        open_ones.enter_context(stream)
        silent, half, trickling = (
            [open_ones.enter_context(server.connect(sent)) for _ in range(20)]
            for sent in (b"", request(b"X-Slow: "), request() + request(b"X-Slow: "))
        )
        ends = time.monotonic() + PATIENCE
        for one in (*half, *trickling):  # a byte now and then is not a request
            with pytest.raises(OSError):  # noqa: PT011, PT012
                while time.monotonic() < ends:
                    one.sendall(b"x")
                    time.sleep(0.02)
        assert [read(one) for one in silent] == [b""] * len(silent)
        stream.settimeout(PATIENCE)
        while b'"running"' not in stream.recv(4096):  # later than all others were closed
            pass
        assert client.get("/api/health").json()["watchers"] == 1


def test_a_client_that_reads_nothing_is_not_waited_for(server, monkeypatch):
    monkeypatch.setattr(connections, "PATIENCE_SECONDS", 0.2)
    with server.client() as client:
        (plotly,) = re.findall(r'src="([^"]*plotly[^"]*)"', client.get("/").text)
        size = len(client.get(plotly, headers={"accept-encoding": "identity"}).content)
    with server.connect(request(start=f"GET {plotly}".encode()) * 5) as lazy:  # more than the system holds for a reader
        until(lambda: len(server.server_state.connections) == 1)
        until(lambda: not server.server_state.connections)
        assert 0 < len(read(lazy)) < 5 * size


def until(condition) -> None:
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_waiting_connections_give_way(server, monkeypatch):
    """Others get in while one address opens as many as it can; theirs stay, though they are older."""
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 60)
    with ExitStack() as open_ones, server.client("127.0.0.2") as other:
        assert other.get("/api/health").status_code == 200
        for _ in range(300):
            open_ones.enter_context(server.connect(request(b"X-Half: ")))
        assert other.get("/api/health").status_code == 200, "on the connection that it has"
        until(lambda: len(server.server_state.connections) <= 60)
        # a connection that the server's thread is making has no address yet
        both = {"127.0.0.1", "127.0.0.2"}
        until(lambda: {getattr(each, "address", None) for each in list(server.server_state.connections)} == both)
        with server.client() as same:
            assert same.get("/api/health").status_code == 200, "those who send their request at once get in anyway"


def test_a_body_that_does_not_come_is_not_waited_for(server, monkeypatch):
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.2)
    header = request(b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{", b"POST /api/runs")
    with server.connect(header) as half:
        told = read(half)
    assert told.startswith(b"HTTP/1.1 408 ")
    assert json.loads(told.partition(b"\r\n\r\n")[2])["errors"] == {"": "the request was not complete after 0.2 s"}


def test_one_address_cannot_have_all_requests(server, monkeypatch):
    monkeypatch.setattr(middleware, "MOST_REQUESTS_OF_ADDRESS", 5)
    with ExitStack() as open_ones, server.client() as client, server.client("127.0.0.2") as other:
        run = client.post("/api/runs", json=LONG).json()["id"]
        for _ in range(5):
            open_ones.enter_context(server.connect(request(start=f"GET /api/runs/{run}/events".encode())))
        until(lambda: other.get("/api/health").json()["watchers"] == 5)
        refused = client.get("/api/health")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "10")
        sentence = "one address can have at most 5 requests at a time, event streams included, got 6"
        assert refused.json()["errors"] == {"": f"{sentence}; try again in 10 s"}
        monkeypatch.setattr(middleware, "MOST_REQUESTS", 5)
        busy = other.get("/api/health")
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "10")
        open_ones.close()
        until(lambda: client.get("/api/health").status_code == 200)


def test_streams_that_all_close_at_once_leave_no_followers(server, monkeypatch):
    monkeypatch.setattr(middleware, "MOST_REQUESTS_OF_ADDRESS", 300)
    with server.client() as client, ExitStack() as open_ones:
        run = client.post("/api/runs", json=LONG).json()["id"]
        for i in range(250):
            stream = open_ones.enter_context(server.connect(request(start=f"GET /api/runs/{run}/events".encode())))
            if i % 2:  # cut off, instead of closed
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        until(lambda: client.get("/api/health").json()["watchers"] == 250)
        open_ones.close()
        until(lambda: client.get("/api/health").json()["watchers"] == 0)
        assert client.delete(f"/api/runs/{run}").json()["state"] == "cancelled"


def test_addresses_are_those_that_a_proxy_forwards_and_no_other_can_be_claimed(server):
    """Of four runs an address can have two. A proxy is on this machine, at 127.0.0.1, and nowhere else."""

    def start(client, seed, forwarded):
        return client.post("/api/runs", json=LONG | {"seed": seed}, headers={"x-forwarded-for": forwarded})

    with server.client() as proxy, server.client("127.0.0.2") as direct:
        assert [start(direct, seed, f"192.0.2.{seed}").status_code for seed in (1, 2, 3)] == [202, 202, 429]
        assert start(proxy, 4, "192.0.2.1").status_code == 202, "another address than that of the direct client"
        assert start(proxy, 5, "192.0.2.7, 192.0.2.1").status_code == 202
        known = server.config.app.state.manager._scheduler._past.keys()
        assert known == {"127.0.0.2", "192.0.2.1"}, "the last address in the header is the one that the proxy saw"
