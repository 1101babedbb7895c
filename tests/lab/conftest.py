"""A laboratory for the tests: in this process, and as a process of its own for browsers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from primum.lab.http.app import create
from primum.lab.jobs.manager import JobManager
from primum.lab.sandbox.sandbox import sandboxed
from primum.store import Store
from primum.web.hosts import Hosts

from .browsing import Visitor
from .laboratory import Laboratory, laboratory


@pytest.fixture(scope="module")
def manager(tmp_path_factory) -> Iterator[JobManager]:
    folder = tmp_path_factory.mktemp("laboratory")
    with sandboxed():
        manager = JobManager(Store(folder / "store"), Store(folder / "questions"))
        yield manager
        manager.close()


@pytest.fixture(scope="module")
def client(manager) -> Iterator[TestClient]:
    with TestClient(create(manager, Hosts("testserver")), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Iterator[Laboratory]:
    with laboratory(tmp_path_factory.mktemp("laboratory")) as lab:
        yield lab


@pytest.fixture
def visitor(chromium, lab) -> Iterator[Visitor]:
    visitor = Visitor(chromium, lab.address)
    yield visitor
    assert visitor.leave() == []


@pytest.fixture
def undrawn(visitor) -> None:
    """Pages show empty pictures instead of figures, which take most of their time."""
    visitor.draws = False
