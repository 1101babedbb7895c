"""A laboratory for the tests: in this process, and as a process of its own for browsers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from primum.lab.desk import Desk
from starlette.testclient import TestClient

from primum.lab import app as application
from primum.store import Store


@pytest.fixture
def desk(tmp_path) -> Iterator[Desk]:
    desk = Desk(Store(tmp_path / "store"), Store(tmp_path / "questions"))
    yield desk
    desk.close()


@pytest.fixture
def client(desk, monkeypatch) -> Iterator[TestClient]:
    monkeypatch.setattr(application, "warm_up", lambda: None)  # what a test needs is compiled when it is needed
    with TestClient(application.create(desk), raise_server_exceptions=False) as client:
        yield client
