"""The service in a thread, and people who visit its pages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Page, expect

from primum.live.service.app import create
from primum.live.service.user_header import BehindProxy
from primum.trials import Live
from primum.web.hosts import Hosts
from primum.web.server import address_at, configuration, listen
from tests.lab.browsing import Visitor
from tests.live.joining import password_of

HOST = "127.0.0.1"
USER_HEADER = "X-Forwarded-User"  # in which a proxy on this machine names people


@dataclass
class Place:
    """Where a trial is served, and the trial."""

    address: str
    live: Live


@contextmanager
def served(live: Live) -> Iterator[Place]:
    """A service that responds; it is gone afterwards."""
    with listen(HOST, 0) as listening:
        app = BehindProxy(create(live, Hosts(HOST)), header=USER_HEADER)
        server = uvicorn.Server(configuration(app))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield Place(address_at(HOST, listening), live)
        finally:
            server.should_exit = True
            thread.join()


class Person(Visitor):
    """Visits the pages of a trial."""

    def __init__(self, browser: Browser, place: Place) -> None:
        super().__init__(browser, place.address)
        self.place = place
        self.expect_refusal(401)  # at first nobody is logged in

    def log_in(self, name: str, view: str = "", **options: Any) -> Page:
        """A page at a view, after the person with this name has logged in."""
        page = self.open(f"/#{view}" if view else "/", **options)
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(password_of(name))
        page.keyboard.press("Enter")
        expect(page.locator("#person")).to_contain_text(name)
        return page
