"""Screenshots of a live trial for the documentation: part of `make figures`."""

from __future__ import annotations

import random
import sys
import tempfile
import threading
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

DESIGN = HERE.parent / "examples" / "live-trial" / "design.toml"
PARTICIPANTS, DAYS, SUCCESS = 74, 60, {"standard": 0.3, "new": 0.55}
TABLET, WIDE = ViewportSize(width=900, height=560), ViewportSize(width=1280, height=860)


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
        arm = live.enrol(f"S01-{number:03}", who="Ward 3").arm
        awaited.append((clock.now + timedelta(days=chance.uniform(24, 34)), f"S01-{number:03}", arm))
        for due in [each for each in awaited if each[0] <= clock.now]:
            awaited.remove(due)
            if chance.random() < 0.95:  # some are late
                live.record(due[1], int(chance.random() < SUCCESS[due[2]]), who="Ward 3")


def page_of(chromium: Browser, address: str, token: str, view: str, size: ViewportSize) -> Page:
    """A view, after logging in."""
    page = chromium.new_page(viewport=size, color_scheme="light")
    page.goto(f"{address}/#{view}")
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    return page


def main() -> None:
    """Take all screenshots."""
    clock = Calendar()
    with tempfile.TemporaryDirectory() as folder:
        plan = trials.Plan.load(DESIGN)
        with trials.Live.start(plan, Path(folder) / "trial.db", design="adaptive", clock=clock) as live:
            conduct(live, clock)
            people = {"enrol": "Ward 3", "monitor": "Trial monitor"}
            tokens = {role: live.admit(name, [role], who="administrator") for role, name in people.items()}
            listening = listen("127.0.0.1", 0)
            server = uvicorn.Server(uvicorn.Config(create(live, Hosts("127.0.0.1")), log_level="warning"))
            running = threading.Thread(target=server.run, args=([listening],))
            running.start()
            address = address_at("127.0.0.1", listening)
            with browser.chromium() as chromium:
                page = page_of(chromium, address, tokens["enrol"], "enrol", TABLET)
                page.get_by_label("Participant code").fill("S01-075")
                page.keyboard.press("Enter")
                page.locator(".answer").wait_for()
                take(page, "live-trial-enrol")
                page = page_of(chromium, address, tokens["monitor"], "monitor", WIDE)
                page.get_by_text("Accrual").first.wait_for()
                page.wait_for_load_state("networkidle")
                take(page, "live-trial-monitor")
            server.should_exit = True
            running.join()


if __name__ == "__main__":
    main()
