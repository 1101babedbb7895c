"""People who visit the laboratory with a browser: they note whatever goes wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from primum.lab.http.schemas import Catalogue

PATIENCE = 120_000  # milliseconds: the machine may be busy, and kernels may have to be compiled
expect.set_options(timeout=PATIENCE)
# Plotly takes most of the time of a page: where a test is not about figures, each is an empty picture
UNCOMPARED = {"sentence": "", "points": [], "ceiling": {"share": [], "power": []}}
UNDRAWN = """
const newPlot = async (plot) => {
    plot.innerHTML = '<svg class="main-svg" width="300" height="150"></svg>';
    Object.assign(plot, { _fullData: [], layout: {} });
};
window.Plotly = { newPlot, react: newPlot };
"""


@dataclass
class Visitor:
    """Opens pages of a laboratory, each in a browser that knows nothing yet, and hears what they complain about."""

    browser: Browser
    address: str
    complaints: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    refusals: set[int] = field(default_factory=set)
    draws: bool = True
    compares: bool = False  # the page of trials computes its frontier, which takes seconds

    def open(self, path: str = "/", *, address: str = "", **options: Any) -> Page:
        """A page of the laboratory, or of the one at another address; options are those of a browser context."""
        home = address or self.address
        wanted = {"viewport": {"width": 1280, "height": 900}} | options
        page = self.browser.new_context(**wanted).new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._see(request.url, home))
        if not self.draws:
            page.route("**/plotly.min.js*", lambda route: route.fulfill(content_type="text/javascript", body=UNDRAWN))
        if not self.compares:
            page.route("**/api/trials/frontier*", lambda route: route.fulfill(json=UNCOMPARED))
        page.goto(home + path)
        return page

    def expect_refusal(self, status: int) -> None:
        """An answer of this status is part of the test; the browser notes each on its console."""
        self.refusals.add(status)

    def leave(self) -> list[str]:
        """Close all pages; what they complained about, and what they asked of other hosts."""
        for context in self.browser.contexts:
            context.close()
        return self.complaints + self.strangers

    def _hear(self, message: ConsoleMessage) -> None:
        expected = any(f"responded with a status of {status} " in message.text for status in self.refusals)
        if message.type in ("error", "warning") and not expected:
            self.complaints.append(f"{message.type}: {message.text} {message.location}")

    def _see(self, url: str, home: str) -> None:
        if not url.startswith((home + "/", "data:", "blob:" + home + "/")):
            self.strangers.append(url)


def opened(fold: Locator) -> Locator:
    """A step, an arm or a policy, opened if it is not."""
    if fold.get_attribute("open") is None:
        fold.locator("summary").first.click()
    return fold


def step(page: Page, name: str) -> Locator:
    """One of the three steps of the question, opened."""
    return opened(page.locator("details.step").filter(has=page.get_by_role("heading", name=name, exact=True)))


def cards(page: Page, name: str) -> Locator:
    """The arms or the policies of a step."""
    return step(page, name).locator("details.card")


def pick(scope: Locator, label: str, name: str) -> None:
    """Choose the plug-in of that name in the dialog that the last button with the label opens."""
    scope.get_by_role("button", name=re.compile(rf"^{label}\b")).last.click()
    dialog = scope.page.get_by_role("dialog")
    dialog.locator(f'[role=option][data-name="{name}"]').click()
    expect(dialog).to_have_count(0)


def offered(page: Page) -> Catalogue:
    """What the laboratory of a page offers; other tests may have defined more in this process."""
    return Catalogue.model_validate(page.evaluate("fetch('/api/catalogue').then((answer) => answer.json())"))


def tab(page: Page, name: str) -> None:
    """Go to a tab of the answer."""
    page.get_by_role("tab", name=name, exact=True).click()


def drawing(page: Page) -> dict[str, Any]:
    """What is drawn, as Plotly has it; it waits for a first figure."""
    page.locator("primum-figure .main-svg[role=img]").wait_for()
    shown: dict[str, Any] = page.evaluate(
        """() => {
            const {_fullData: traces, layout: {xaxis, font}} = document.querySelector("primum-figure .plot");
            const trace = ({name, legendgroup, line, x, y}) => ({name, legendgroup, line, x: [...x], y: [...y]});
            const said = (name) => document.querySelector(`primum-figure ${name}`).textContent;
            return {title: said("h2"), subtitle: said(".subtitle"), data: traces.map(trace), layout: {xaxis, font}};
        }"""
    )
    return shown


def run_line(page: Page) -> Locator:
    """The line in the run bar that says what a run takes, how far it is, or why it cannot be."""
    return page.locator("primum-run-bar .line")


def finished(page: Page) -> None:
    """Wait until the answer is to the question as it stands, and complete."""
    expect(page.locator("primum-answer .about")).not_to_have_class("about stale")
    expect(page.locator("primum-run-bar [aria-live]")).to_contain_text("Finished")


def ends(shown: dict[str, Any]) -> dict[str, float]:
    """The last point of each line of a drawing, by its name."""
    return {trace["name"]: trace["y"][-1] for trace in shown["data"] if trace["line"]["width"]}
