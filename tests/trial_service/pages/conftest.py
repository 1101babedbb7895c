"""A trial with people and participants, served by a process of its own to browsers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser

from primum import trials
from tests import browser

from .visiting import Person, Place, served

TITLE = "Two doses in acute pain"
ROLES = ("enrol", "record", "monitor", "statistician", "auditor", "administrator")
DUE_DAYS, GRACE_DAYS = 14, 3
ENROLLED = {"P-001": 30, "P-002": 25, "P-003": 20, "P-004": 15, "P-005": 2}  # days ago
OUTCOMES = {"P-001": 1, "P-002": 0}


@pytest.fixture(scope="module")  # not longer: other modules have event loops of their own
def chromium() -> Iterator[Browser]:
    with browser.chromium() as launched:
        yield launched


def started(path: str, **settings: object) -> dict[str, str]:
    """A trial in a journal, in which five participants are enrolled; the tokens of its people by their names."""
    design = trials.Design(
        arms=["placebo", "verum"], patients=12, policy="uniform-random", analysis=trials.RandomisationTest()
    )
    now = datetime.now(UTC)
    times = [now - timedelta(days=40)]
    conduct = trials.LiveSettings(due_days=DUE_DAYS, grace_days=GRACE_DAYS, **settings)  # type: ignore[arg-type]
    with trials.Live.start(design, path, settings=conduct, title=TITLE, who="setup", clock=lambda: times[-1]) as live:
        tokens = {f"the-{role}": live.admit(f"the-{role}", [role], who="setup") for role in ROLES}
        tokens["everybody"] = live.admit("everybody", ROLES, who="setup")
        for participant, days in ENROLLED.items():
            times.append(now - timedelta(days=days))
            live.enrol(participant, who="setup")
        for participant, outcome in OUTCOMES.items():
            live.record(participant, outcome, who="setup")
    return tokens


@pytest.fixture
def place(tmp_path) -> Iterator[Place]:
    """A blinded trial with outcomes 0 and 1."""
    tokens = started(str(tmp_path / "trial.db"))
    with served(tmp_path / "trial.db", tokens) as place:
        yield place


@pytest.fixture
def measured(tmp_path) -> Iterator[Place]:
    """An open trial with outcomes from 0 to 10."""
    tokens = started(str(tmp_path / "measured.db"), blinded=False, outcomes=(0, 10))
    with served(tmp_path / "measured.db", tokens) as place:
        yield place


@pytest.fixture
def person(chromium, request) -> Iterator[Person]:
    """A person who visits the trial; what the browser complained about is an error."""
    name = "measured" if "measured" in request.fixturenames else "place"
    person = Person(chromium, request.getfixturevalue(name))
    yield person
    assert person.leave() == []
