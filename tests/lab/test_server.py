"""The laboratory as a process: started, interrupted, killed and started again."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
import threading
import time
import webbrowser

import pytest
from typer.testing import CliRunner

from primum.cli import app
from primum.errors import PrimumError
from primum.lab import server
from primum.lab.server import serve
from primum.web.server import listen

from .laboratory import laboratory
from .questions import data

pytestmark = pytest.mark.slow

LARGE = data(horizon=20_000, replications=5_000, policies=["besa-plus"])  # a minute of work, in several pieces


def followed(lab, id, until):
    with lab.client.stream("GET", f"/api/runs/{id}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data:"):
                status = json.loads(line.removeprefix("data:"))
                if until(status):
                    return status
    return status


def test_what_was_finished_is_there_after_a_kill_and_the_rest_starts_again(tmp_path):
    with laboratory(tmp_path) as lab:
        small = lab.client.post("/api/runs", json=data()).json()["id"]
        assert followed(lab, small, lambda status: False)["state"] == "finished"
        table = lab.client.get(f"/api/runs/{small}/summary.json").json()
        large = lab.client.post("/api/runs", json=LARGE).json()["id"]
        assert followed(lab, large, lambda status: status["replications"] > 0)["state"] == "running"
        lab.process.send_signal(signal.SIGKILL)
        lab.process.wait()
    with laboratory(tmp_path) as lab:
        again = lab.client.get(f"/api/runs/{small}").json()
        assert again["run"]["state"] == "finished"
        assert lab.client.get(f"/api/runs/{small}/summary.json").json() == table
        reopened = lab.client.get(f"/api/runs/{large}").json()
        assert reopened["run"]["state"] == "unstarted"
        assert lab.client.post("/api/runs", json=reopened["question"]).json()["id"] == large
        assert followed(lab, large, lambda status: status["replications"] > 0)["state"] == "running"


def test_an_interruption_ends_it_without_complaint_though_somebody_follows_a_run(tmp_path):
    with laboratory(tmp_path) as lab:
        large = lab.client.post("/api/runs", json=LARGE).json()["id"]
        with lab.client.stream("GET", f"/api/runs/{large}/events") as stream:
            lines = stream.iter_lines()
            next(lines)  # it answers, so it heeds signals
            lab.process.send_signal(signal.SIGINT)
            assert not any('"unstarted"' in line for line in lines), "or the page would take the run for abandoned"
        assert lab.process.wait(timeout=60) == 0
        assert lab.process.stderr.read() == ""


def test_started_and_stopped_in_quick_succession_it_leaves_no_traceback(tmp_path):
    for _ in range(2):
        with laboratory(tmp_path) as lab:
            lab.client.get("/api/health")
            lab.process.send_signal(signal.SIGINT)
            assert lab.process.wait(timeout=60) == 0
            assert lab.process.stderr.read() == ""


def test_streams_that_close_at_once_leave_no_followers(tmp_path):
    with laboratory(tmp_path) as lab:
        large = lab.client.post("/api/runs", json=LARGE).json()["id"]
        for _ in range(20):
            with lab.client.stream("GET", f"/api/runs/{large}/events"):
                pass
        assert lab.client.head(f"/api/runs/{large}/events").status_code == 200
        while lab.client.get("/api/health").json()["watchers"]:  # the server notices each end within moments
            time.sleep(0.05)
        assert lab.client.delete(f"/api/runs/{large}").json()["state"] == "cancelled"


def test_another_host_is_served_where_it_is_allowed(tmp_path):
    with laboratory(tmp_path, "--allow-host", "lab.example.org", "--allow-host", "b.example.org") as lab:
        statuses = {
            host: lab.client.get("/api/health", headers={"host": host}).status_code
            for host in ("lab.example.org", "b.example.org", "evil.example", lab.address.removeprefix("http://"))
        }
    assert list(statuses.values()) == [200, 200, 421, 200]


@pytest.mark.parametrize(
    ("host", "browser", "terminal", "display", "opened"),
    [
        ("127.0.0.1", True, True, ":0", True),
        ("127.0.0.1", False, True, ":0", False),
        ("127.0.0.1", True, False, ":0", False),
        ("127.0.0.1", True, True, None, False),
        ("0.0.0.0", True, True, ":0", False),
    ],
)
def test_the_page_is_opened_for_who_sits_at_this_machine(
    monkeypatch, tmp_path, host, browser, terminal, display, opened
):
    started, finished = [], threading.Event()

    def open_page(address):
        started.append(address)
        finished.set()
        raise webbrowser.Error("there is none")

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(webbrowser, "open", open_page)
    monkeypatch.setattr(server._Server, "run", lambda self, sockets: [each.close() for each in sockets])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    if display is not None:
        monkeypatch.setenv("DISPLAY", display)
    serve(host, 0, tmp_path, seconds=1, runs=1, browser=browser, warm_up=False)
    if opened:
        assert finished.wait(60)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", started[0])
    else:
        assert not any(thread.name == "_open_page" for thread in threading.enumerate())
        assert started == []


def test_it_listens_at_the_loopback_address_only(monkeypatch):
    asked = []
    monkeypatch.setattr(server, "serve", lambda host, port, *_, **options: asked.append((host, port, options)))
    assert CliRunner().invoke(app, ["lab"]).exit_code == 0
    options = {"seconds": 600, "runs": 100, "allowed_hosts": (), "browser": True, "warm_up": True, "plugins": ()}
    assert asked == [("127.0.0.1", 8000, options)]
    with listen("127.0.0.1", 0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


def test_connections_do_not_wait_to_send_more_at_a_time():
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken_is_told():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PrimumError, match=f"cannot listen at 127.0.0.1, port {port}: .*try --port {port + 1}"):
            listen("127.0.0.1", port)


def test_an_address_that_is_none_is_told():
    with pytest.raises(PrimumError, match="cannot listen at no.such.host.invalid"):
        listen("no.such.host.invalid", 8000)
