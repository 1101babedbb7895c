"""A Chromium for the tests: one that is installed, else Debian's package when root, else Playwright's own.

Run as a program, it makes sure that there is one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync")


def find() -> str | None:
    """The path of a Chromium, or None."""
    installed = next(filter(None, map(shutil.which, NAMES)), None)
    if installed:
        return installed
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or "~/.cache/ms-playwright").expanduser()
    return next((str(path) for path in sorted(folder.glob("chromium-*/chrome-*/chrome"))), None)


def install() -> None:
    """Install one, in the way that this machine allows."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], check=False)
    if not find():
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "playwright"], check=True)
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


if __name__ == "__main__":
    if not find():
        install()
    if not find():
        sys.exit("the tests need a Chromium, and none could be installed; put one on the PATH as 'chromium'")
