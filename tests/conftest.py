"""A browser and a PostgreSQL for the tests, or a loud word that there is none."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests import browser
from tests import postgresql as servers
from tests.sentences import Sentences


@pytest.fixture(scope="session")
def launched() -> Iterator[browser.Shared]:
    with browser.shared() as launched:
        yield launched


@pytest.fixture(scope="module")  # in between, modules may have event loops of their own
def chromium(launched) -> Iterator[Browser]:
    """The browser of all tests of a process, with no page open."""
    with launched.used() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def postgresql():
    """A running PostgreSQL, one for each process of tests; skips where there is none, which the summary repeats."""
    if not servers.find():
        pytest.skip(servers.MISSING)
    with servers.server() as running:
        yield running


@pytest.fixture
def sentences(request) -> Sentences:
    """The sentences of this test, which are in a file."""
    return Sentences(request.node.nodeid, request.config.getoption("--write-sentences"))


def pytest_terminal_summary(terminalreporter):
    """Say loudly that PostgreSQL was left out."""
    skipped = [
        report for report in terminalreporter.stats.get("skipped", ()) if servers.MISSING in str(report.longrepr)
    ]
    if skipped:
        terminalreporter.section("WARNING", sep="!", red=True, bold=True)
        terminalreporter.line(f"{servers.MISSING}. Tests skipped: {len(skipped)}.", red=True)
