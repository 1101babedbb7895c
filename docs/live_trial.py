"""Screenshots of a live trial for the documentation: part of `make figures`."""

from __future__ import annotations

import random
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, Page, ViewportSize

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from laboratory import take  # noqa: E402

from primum import trials  # noqa: E402
from primum.live.service.app import create  # noqa: E402
from primum.web.hosts import Hosts  # noqa: E402
from primum.web.server import address_at, listen  # noqa: E402
from tests import browser  # noqa: E402
from tests.live.joining import ON_SERVER, join, password_of  # noqa: E402

DESIGN = HERE.parent / "examples" / "live-trial" / "design.toml"
PARTICIPANTS, DAYS, SUCCESS = 74, 60, {"standard": 0.3, "new": 0.55}
LOW, FORM, WIDE = (ViewportSize(width=w, height=h) for w, h in ((820, 520), (820, 780), (1280, 900)))
PEOPLE = {
    "ward-3": ["enrol"],
    "study-nurse": ["record"],
    "monitor": ["monitor"],
    "a.smith": ["administrator"],
    "b.jones": ["approver"],
}


class Calendar:
    """A clock that begins some weeks ago."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC) - timedelta(days=DAYS)

    def __call__(self) -> datetime:
        return self.now


def conduct(live: trials.Live, clock: Calendar) -> None:
    """Two months of a trial."""
    chance, awaited = random.Random(7), []
    for number in range(1, PARTICIPANTS + 1):
        clock.now += timedelta(days=DAYS / PARTICIPANTS)
        consent = clock.now.date().isoformat()
        code, criteria = f"S01-{number:03}", live.settings.eligibility
        arm = live.enrol(code, eligibility=criteria, consent=consent, who="ward-3").arm
        awaited.append((clock.now + timedelta(days=chance.uniform(28.1, 35)), code, arm))
        for due in [each for each in awaited if each[0] <= clock.now]:
            awaited.remove(due)
            if chance.random() < 0.95:  # some are late
                live.record(due[1], int(chance.random() < SUCCESS[due[2]]), who="study-nurse")


@contextmanager
def served(live: trials.Live) -> Iterator[str]:
    """The address of a service."""
    with listen("127.0.0.1", 0) as listening:
        server = uvicorn.Server(uvicorn.Config(create(live, Hosts("127.0.0.1")), log_level="warning"))
        running = threading.Thread(target=server.run, args=([listening],))
        running.start()
        try:
            yield address_at("127.0.0.1", listening)
        finally:
            server.should_exit = True
            running.join()


def page_of(chromium: Browser, address: str, name: str, size: ViewportSize, view: str = "") -> Page:
    """A page, after a person has logged in."""
    page = chromium.new_page(viewport=size, color_scheme="light", locale="en-GB")
    page.goto(f"{address}/#{view}")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password_of(name))
    page.keyboard.press("Enter")
    page.locator("#person").get_by_text(name).wait_for()
    page.wait_for_load_state("networkidle")
    return page


def at_the_clinic(chromium: Browser, address: str, criteria: list[str]) -> None:
    """Enrol a participant, and what is due."""
    page = page_of(chromium, address, "ward-3", FORM)
    page.get_by_label("Participant code").fill("S01-075")
    for criterion in criteria:
        page.get_by_role("checkbox", name=criterion).check()
    page.get_by_label("Date of the written consent").fill(datetime.now(UTC).date().isoformat())
    take(page, "live-trial-enrol")
    page.get_by_role("button", name="Continue").click()
    page.set_viewport_size(FORM)
    page.get_by_role("button", name="Enrol", exact=True).wait_for()
    take(page, "live-trial-check")
    page.keyboard.press("Enter")
    page.set_viewport_size(FORM)
    page.locator(".confirmation").wait_for()
    take(page, "live-trial-confirmation")
    take(page_of(chromium, address, "study-nurse", FORM), "live-trial-outcomes")


def in_the_office(chromium: Browser, address: str, live: trials.Live) -> None:
    """A new person, who is approved, and the end of the trial."""
    page = page_of(chromium, address, "a.smith", FORM, "people")
    page.get_by_role("button", name="Add a person").click()
    page.get_by_label("Name").fill("c.brown")
    page.get_by_role("checkbox", name="statistician").check()
    page.get_by_role("button", name="Add", exact=True).click()
    code = page.locator("p.one-time").inner_text()
    take(page, "live-trial-code")
    page.get_by_role("button", name="Done").click()
    live.redeem(code, password_of("c.brown"))
    take(page_of(chromium, address, "monitor", WIDE), "live-trial-monitor")
    approver = page_of(chromium, address, "b.jones", LOW)
    approver.get_by_role("button", name="Approve: c.brown").wait_for()
    take(approver, "live-trial-approvals")
    for participant in live.participants():  # at the end most outcomes are known
        if participant.outcome is None and participant.number % 25:
            live.record(participant.participant, 1, who="study-nurse", confirm=True)
    live.end_recruitment(reason="all planned visits are over", who=ON_SERVER)
    page.reload()
    page.get_by_role("button", name="Propose to lock the trial").click()
    page.get_by_role("region", name="Participants without an outcome").wait_for()
    take(page, "live-trial-lock")


def main() -> None:
    """Take all screenshots."""
    clock = Calendar()
    with tempfile.TemporaryDirectory() as folder:
        plan = trials.Plan.load(DESIGN)
        with trials.Live.start(plan, Path(folder) / "trial.db", design="adaptive", clock=clock) as live:
            for name, roles in PEOPLE.items():
                join(live, name, roles)
            conduct(live, clock)
            clock.now = datetime.now(UTC)
            with served(live) as address, browser.chromium() as chromium:
                at_the_clinic(chromium, address, list(live.settings.eligibility))
                in_the_office(chromium, address, live)


if __name__ == "__main__":
    main()
