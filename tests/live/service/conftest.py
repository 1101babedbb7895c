"""A live trial for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from primum.live import Live
from tests.clocks import Clock

from .made_up_trial import Served, begun, served_by, ticking


@pytest.fixture
def clock() -> Clock:
    return Clock(1_000.0)


@pytest.fixture(scope="session")
def first_entries(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """The journal of a trial that has people and no participants, to be copied; and tokens."""
    path = tmp_path_factory.mktemp("begun") / "trial.db"
    live, tokens = begun(path)
    live.disconnect()
    return path, tokens


@pytest.fixture
def served(tmp_path, first_entries, clock) -> Iterator[Served]:
    journal, tokens = first_entries
    path = shutil.copy(journal, tmp_path / "trial.db")
    with served_by(Live(path, clock=ticking(days=1)), tokens, clock) as found:
        yield found


@pytest.fixture
def served_open(tmp_path, clock) -> Iterator[Served]:
    """A trial that is not blinded."""
    with served_by(*begun(tmp_path / "open.db", blinded=False), clock) as found:
        yield found
