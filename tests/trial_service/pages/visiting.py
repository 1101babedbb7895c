"""The service as a process of its own, and people who visit its pages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.lab.browsing import Visitor

SAID = "The trial is at "
STARTING = "import sys; from primum.trial_service.server import serve; serve(sys.argv[1], '127.0.0.1', 0, browser=False)"


@dataclass
class Place:
    """Where a trial is served, its journal, and the tokens of its people."""

    address: str
    journal: Path
    tokens: dict[str, str]


@contextmanager
def served(journal: Path, tokens: dict[str, str]) -> Iterator[Place]:
    """A service that responds; it is gone afterwards."""
    process = subprocess.Popen([sys.executable, "-c", STARTING, str(journal)], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = []
    try:
        for line in process.stderr:
            said.append(line)
            if SAID in line:
                yield Place(line.split(SAID)[1].split(";")[0], journal, tokens)
                break
        else:
            raise AssertionError("".join(said))
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


class Person(Visitor):
    """Visits the pages of a trial."""

    def __init__(self, browser: Browser, place: Place) -> None:
        super().__init__(browser, place.address)
        self.place = place
        self.expect_refusal(401)  # at first nobody is logged in

    def log_in(self, name: str, view: str = "", **options: Any) -> Page:
        """A page at a view, after the person with this name has logged in."""
        page = self.open(f"/#{view}" if view else "/", **options)
        page.get_by_label("Token", exact=True).fill(self.place.tokens[name])
        page.keyboard.press("Enter")
        expect(page.locator("#person")).to_contain_text(name)
        return page
