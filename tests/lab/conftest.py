"""A laboratory for the tests: in this process, and as a process of its own for browsers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from primum.lab.app import create
from primum.lab.desk import Desk
from primum.store import Store


@pytest.fixture(scope="module")
def desk(tmp_path_factory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("laboratory")
    desk = Desk(Store(folder / "store"), Store(folder / "questions"))
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def client(desk) -> Iterator[TestClient]:
    with TestClient(create(desk), raise_server_exceptions=False) as client:
        yield client
