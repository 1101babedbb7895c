"""A trial with people and participants, served to browsers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from primum import trials
from tests import browser
from tests.live.joining import join

from .visiting import Person, Place, served

TITLE = "Two doses in acute pain"
ROLES = ("enrol", "record", "monitor", "statistician", "auditor", "unblinder", "administrator", "approver")
EVERYBODY = tuple(role for role in ROLES if role != "approver")  # which no administrator can be
CRITERIA = ["Aged 18 or over", "No allergy to either drug"]
ENROLLED = {"P-001": 30, "P-002": 25, "P-003": 20, "P-004": 15, "P-005": 2}  # days ago
CONSENT = "2020-01-31"
OUTCOMES = {"P-001": 1, "P-002": 0}


@pytest.fixture(scope="module")  # not longer: other modules have event loops of their own
def chromium() -> Iterator[Browser]:
    with browser.chromium() as launched:
        yield launched


@contextmanager
def trial(path: Path, settings: trials.LiveSettings) -> Iterator[Place]:
    """A trial in which five participants are enrolled."""
    design = trials.Design(
        arms=["placebo", "verum"], patients=12, policy="uniform-random", analysis=trials.RandomisationTest()
    )
    now, past = datetime.now(UTC), [timedelta(days=40)]
    with trials.Live.start(design, path, settings=settings, title=TITLE, clock=lambda: now - past[-1]) as live:
        for role in ROLES:
            join(live, f"the-{role}", [role])
        join(live, "everybody", EVERYBODY)
        for participant, days in ENROLLED.items():
            past.append(timedelta(days=days))
            live.enrol(participant, eligibility=settings.eligibility, consent=CONSENT if settings.consent else None)
        for participant, outcome in OUTCOMES.items():
            live.record(participant, outcome)
    with trials.Live(path) as live, served(live) as place:
        yield place


@pytest.fixture
def place(tmp_path) -> Iterator[Place]:
    """A blinded trial with outcomes 0 and 1."""
    with trial(tmp_path / "trial.db", trials.LiveSettings(due_days=14, grace_days=3)) as place:
        yield place


@pytest.fixture
def measured(tmp_path) -> Iterator[Place]:
    """An open trial with outcomes from 0 to 10."""
    settings = trials.LiveSettings(blinded=False, outcomes=(0, 10), due_days=14, grace_days=3)
    with trial(tmp_path / "measured.db", settings) as place:
        yield place


@pytest.fixture
def checked(tmp_path) -> Iterator[Place]:
    """A trial in Auckland that asks for eligibility and consent."""
    settings = trials.LiveSettings(due_days=14, eligibility=CRITERIA, consent=True, time_zone="Pacific/Auckland")
    with trial(tmp_path / "checked.db", settings) as place:
        yield place


@pytest.fixture
def person(chromium, request) -> Iterator[Person]:
    """A person who visits the trial; what the browser complained about is an error."""
    name = next((name for name in ("measured", "checked") if name in request.fixturenames), "place")
    person = Person(chromium, request.getfixturevalue(name))
    yield person
    assert person.leave() == []
