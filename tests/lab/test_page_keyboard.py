"""The page by keyboard: the focus is always visible, and never lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .browsing import cards, drawing, finished, opened, pick, step

pytestmark = pytest.mark.usefixtures("undrawn")

FAR = 150  # stops of the Tab key, more than from one end of the page to the other
SEEN = """() => {
    const focused = document.activeElement;
    if (focused === document.body) return "";
    const outlined = (element) => getComputedStyle(element).outlineStyle !== "none";
    const around = focused.closest("label, .drop") || focused; // small or unseen inputs are outlined with their label
    return outlined(focused) || outlined(around) ? "seen" : focused.outerHTML.slice(0, 200);
}"""


def focus_is_seen(page: Page) -> None:
    assert page.evaluate(SEEN) == "seen"


def reach(page: Page, wanted: Locator, key: str = "Tab") -> None:
    """Go there with the Tab key; each stop on the way can be seen."""
    for _ in range(FAR):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press(key)
        focus_is_seen(page)
    raise AssertionError(f"{wanted} cannot be reached with the {key} key")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        focus_is_seen(page)


def head(page: Page, name: str) -> Locator:
    """The line that opens a step of the question."""
    return page.locator("details.step > summary").filter(has_text=name)


def test_a_whole_session_by_keys(visitor):
    page = visitor.open()
    drawing(page)
    press(page, "Tab")
    expect(page.get_by_role("link", name="Skip to the results")).to_be_focused()
    arm = cards(page, "Arms").first
    reach(page, arm.locator("summary").first)
    press(page, "Enter")
    reach(page, arm.get_by_label("value", exact=True))
    press(page, "Control+a")
    page.keyboard.type("0.45")
    expect(arm.locator(".facts dd").first).to_have_text("0.45")

    reach(page, head(page, "Safety value"))
    press(page, "Enter")
    choice = step(page, "Safety value").get_by_role("button", name="value: Mean")
    reach(page, choice)
    press(page, "Enter")
    page.keyboard.type("worst fraction")
    press(page, "Enter")
    expect(step(page, "Safety value").get_by_role("button", name="value: Conditional value at risk")).to_be_focused()
    expect(head(page, "Safety value")).to_contain_text("CVaR 10 %: ")

    reach(page, head(page, "Policies"))
    press(page, "Enter")
    reach(page, page.get_by_role("button", name="Add a policy"))
    press(page, "Enter")
    page.keyboard.type("rou")
    press(page, "Enter")
    added = cards(page, "Policies").last
    expect(added.locator(".name")).to_have_text("Round robin")
    expect(added.locator("summary").first).to_be_focused()

    reach(page, page.get_by_label("Replications", exact=True))
    press(page, "Control+a")
    page.keyboard.type("10")
    press(page, "Control+Enter")
    finished(page)
    focus_is_seen(page)
    expect(page.locator("primum-figure .subtitle")).to_contain_text("mean of 10 replications")

    reach(page, page.get_by_role("tab", name="Regret", exact=True))
    press(page, "ArrowRight")
    expect(page.get_by_role("tab", name="Best arm")).to_be_focused()
    expect(page.locator("primum-figure h2")).to_have_text("Best arm (value: CVaR 10 %)")
    chip = page.get_by_role("button", name="Round robin", exact=True)
    reach(page, chip)
    press(page, "Space")
    expect(chip).to_have_attribute("aria-pressed", "false")
    reach(page, page.get_by_role("button", name="Show all"))
    press(page, "Enter")
    expect(chip).to_have_attribute("aria-pressed", "true")
    reach(page, page.get_by_role("tab", name="Best arm"), "Shift+Tab")
    press(page, "End")
    expect(page.get_by_role("tab", name="Export")).to_be_focused()
    press(page, "ArrowRight")
    expect(page.get_by_role("tab", name="Regret", exact=True)).to_be_focused()


def test_the_focus_stays_with_what_was_acted_on(visitor):
    page = visitor.open()
    drawing(page)
    arms = cards(page, "Arms")

    def act(on: Locator, name: str) -> None:
        on.get_by_role("button", name=name, exact=True).focus()
        press(page, "Enter")

    act(page.locator("primum-arms"), "Add an arm")
    press(page, "Enter")
    expect(arms.last.locator("summary").first).to_be_focused()
    act(arms.last, "Move up")
    expect(arms.nth(1).get_by_role("button", name="Move up")).to_be_focused()
    act(arms.nth(1), "Move up")
    expect(arms.first.locator("summary").first).to_be_focused()  # it cannot go further up
    act(arms.first, "Duplicate")
    expect(arms.nth(1).get_by_role("button", name="Duplicate")).to_be_focused()
    act(arms.nth(1), "Remove")
    expect(arms.nth(1).locator("summary").first).to_be_focused()

    opened(arms.first).locator("summary").first.focus()
    pick(arms.first, "distribution", "mixture")
    for name in ("Add a component", "Remove 3", "Remove 1"):
        act(arms.first, name)
    expect(arms.first.locator(".inner-list > fieldset")).to_have_count(1)


def test_escape_stops_a_run_and_the_focus_stays_in_the_bar(visitor):
    page = visitor.open()
    drawing(page)
    for name in ("Horizon", "Replications"):
        page.get_by_label(name, exact=True).fill("20000")
    run, cancel = (page.get_by_role("button", name=name, exact=True) for name in ("Run", "Cancel"))
    run.focus()
    press(page, "Enter")
    expect(cancel).to_be_focused()
    expect(page.locator("primum-run-bar .line")).to_contain_text("of 20,000 replications")
    press(page, "Escape")
    expect(run).to_be_focused()
    focus_is_seen(page)
    expect(page.locator("primum-run-bar .line")).to_contain_text("Cancelled after")
