"""Record the laboratory's responses for the article in the documents: part of `make figures`."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, Request, expect

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests import browser  # noqa: E402
from tests.lab.laboratory import laboratory  # noqa: E402

TRIALS = 8  # in learn/trials.js
MOST_POSITIONS = 50  # of a slider that asks the laboratory
DIGITS = 6  # of a recorded number
TIMEOUT = 60_000  # milliseconds: kernels may have to be compiled


def main() -> None:
    """Try all that the article offers, and send each request again when its run has finished."""
    asked: dict[str, Request] = {}
    with tempfile.TemporaryDirectory() as folder, laboratory(Path(folder)) as lab, browser.chromium() as chromium:
        page = chromium.new_page()
        page.on("request", lambda request: asked.setdefault(key(request, lab.address), request))
        page.goto(f"{lab.address}/learn")
        explore(page)
        recording = {}
        for name, request in sorted(asked.items()):
            if name.startswith("/api/") and not name.endswith("/events"):
                headers = {"content-type": "application/json"} if request.post_data else {}
                told = lab.client.request(request.method, request.url, content=request.post_data, headers=headers)
                recording[name] = rounded(told.raise_for_status().json())
    lines = [f"{json.dumps(name)}: {json.dumps(told, separators=(',', ':'))}" for name, told in recording.items()]
    path = HERE / "learn.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(path.relative_to(HERE.parent))


def key(request: Request, address: str) -> str:
    """A request as lib/requests.js names it."""
    path = request.url.removeprefix(address).partition("?follower=")[0]
    return f"{path} {request.post_data or ''}".strip()


def explore(page: Page) -> None:
    """Move every control of every widget to each of its positions."""
    for widget in page.locator(".widget").all():
        widget.scroll_into_view_if_needed()
        settle(widget)
        move(widget)
        for radio in widget.get_by_role("radio").all():
            radio.check()
            settle(widget)
            move(widget)
        again = widget.get_by_role("button", name="Another trial")
        for _ in range(TRIALS if again.count() else 0):
            again.click()
            settle(widget)


def move(widget: Locator) -> None:
    """Move the sliders of a widget."""
    for slider in widget.get_by_role("slider").all():
        for position in positions(slider):
            slider.fill(position)
            settle(widget)


def settle(widget: Locator) -> None:
    """Wait until a widget has what it asked for."""
    expect(widget).to_have_attribute("aria-busy", "false", timeout=TIMEOUT)
    expect(widget.locator(".fault")).to_be_empty()


def positions(slider: Locator) -> list[str]:
    """The positions of a slider; only the lowest if it has very many, as it then moves through data that are there."""
    low, high, step = (float(slider.get_attribute(name)) for name in ("min", "max", "step"))
    count = round((high - low) / step) + 1
    return [f"{low + i * step:g}" for i in range(count if count <= MOST_POSITIONS else 1)]


def rounded(part: Any) -> Any:
    if isinstance(part, float):
        return float(f"{part:.{DIGITS}g}")
    if isinstance(part, dict):
        return {name: rounded(each) for name, each in part.items()}
    return [rounded(each) for each in part] if isinstance(part, list) else part


if __name__ == "__main__":
    main()
