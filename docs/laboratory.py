"""Screenshots of the laboratory for the documentation, light and dark: part of `make figures`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize, expect

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests import browser  # noqa: E402
from tests.lab.laboratory import laboratory  # noqa: E402

WIDE = ViewportSize(width=1280, height=900)
COLOURS = 256  # of a screenshot
TIMEOUT = 60_000  # milliseconds: kernels may have to be compiled


def main() -> None:
    """Take all screenshots."""
    with tempfile.TemporaryDirectory() as folder, laboratory(Path(folder)) as lab, browser.chromium() as chromium:
        for scheme in ("light", "dark"):
            page = chromium.new_page(viewport=WIDE, color_scheme=scheme)
            page.goto(lab.address)
            drawn(page)
            take(page, f"laboratory-{scheme}")
            page.get_by_role("tab", name="Replay").click()
            page.get_by_role("slider", name="Step").fill("40")
            expect(page.get_by_text("the higher value wins").first).to_be_visible(timeout=TIMEOUT)
            take(page, f"laboratory-replay-{scheme}")
            page.goto(f"{lab.address}/trials")
            expect(page.locator("trial-results")).to_have_attribute("aria-busy", "false", timeout=TIMEOUT)
            take(page, f"laboratory-trials-{scheme}")


def drawn(page: Page) -> None:
    """Wait for the figure."""
    expect(page.locator("primum-figure .main-svg").first).to_be_visible(timeout=TIMEOUT)


def take(page: Page, name: str) -> None:
    """Write a screenshot, reduced in colours to keep the repository small."""
    path = HERE / "figures" / f"{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path.relative_to(HERE.parent))


if __name__ == "__main__":
    main()
