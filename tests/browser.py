"""A Chromium for the tests: one that is installed, else Debian's package when root, else Playwright's own.

Run as a program, it makes sure that there is one.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (  # it runs as root in many a container, and must ask nothing of the network
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # no page for the address bar of each window, which nobody sees and which costs as much as the page of a small test
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,HttpsUpgrades,MediaRouter,OptimizationHints,PaintHolding",
)


def find() -> str | None:
    """The path of a Chromium, or None."""
    installed = next(filter(None, map(shutil.which, NAMES)), None)
    if installed:
        return installed
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or "~/.cache/ms-playwright").expanduser()
    return next((str(path) for path in sorted(folder.glob("chromium-*/chrome-*/chrome"))), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; while it is there, its thread has an event loop, and can have no other."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=find(), args=list(QUIET))
        try:
            yield launched
        finally:
            launched.close()


class Shared:
    """A browser for all that a process tests, which has the event loop of its thread only while it is used."""

    def __init__(self, launched: Browser) -> None:
        self.launched, self.loop = launched, asyncio.get_running_loop()
        asyncio._set_running_loop(None)

    @contextmanager
    def used(self) -> Iterator[Browser]:
        """The browser, which has no page before and after."""
        asyncio._set_running_loop(self.loop)
        try:
            yield self.launched
            for context in self.launched.contexts:
                context.close()
        finally:
            asyncio._set_running_loop(None)


@contextmanager
def shared() -> Iterator[Shared]:
    """A browser that is launched once."""
    with chromium() as launched:
        browser = Shared(launched)
        yield browser
        asyncio._set_running_loop(browser.loop)


@contextmanager
def page(launched: Browser, **viewport: int) -> Iterator[Page]:
    """A new page of a browser context that knows nothing yet."""
    page = launched.new_page(viewport=viewport)
    yield page
    page.close()


def install() -> None:
    """Install one, in the way that this machine allows."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        silent = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=False, env=silent)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], check=False, env=silent
        )
    if not find():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


if __name__ == "__main__":
    if not find():
        install()
    if not find():
        sys.exit("the tests need a Chromium, and none could be installed; put one on the PATH as 'chromium'")
