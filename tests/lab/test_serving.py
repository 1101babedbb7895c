"""The laboratory as a process: started, interrupted, killed and started again."""

from __future__ import annotations

import json
import signal
import socket

import pytest
from typer.testing import CliRunner

from primum.cli import app
from primum.errors import PrimumError
from primum.lab import server
from primum.lab.server import listen

from .laboratory import laboratory
from .questions import data

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


def test_an_interruption_ends_it_though_somebody_follows_a_run(tmp_path):
    with laboratory(tmp_path) as lab:
        large = lab.client.post("/api/runs", json=LARGE).json()["id"]
        with lab.client.stream("GET", f"/api/runs/{large}/events") as stream:
            next(stream.iter_lines())
            lab.process.send_signal(signal.SIGINT)
            assert lab.process.wait(timeout=60) in (0, 130)


def test_it_listens_at_the_loopback_address_only(monkeypatch):
    asked = []
    monkeypatch.setattr(server, "serve", lambda host, port, *_, **__: asked.append((host, port)))
    assert CliRunner().invoke(app, ["lab"]).exit_code == 0
    assert asked == [("127.0.0.1", 8000)]
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
