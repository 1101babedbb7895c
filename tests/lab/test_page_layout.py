"""All places of the page, on small and large screens, in light and dark: they fit, and axe finds nothing wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from .browsing import cards, drawing, step, tab
from .questions import data

TABS = ("Best arm", "Worst arm", "Choices", "Reward", "Final regret", "Table", "Replay", "Take away")
LONG = "a name that goes on and on, without_an_end_that_anybody_could_see_on_a_small_screen"


def places(page: Page) -> Iterator[str]:
    """Go from place to place, and say where."""
    drawing(page)
    yield "opening"
    page.locator(".examples > summary").click()
    yield "examples"
    page.locator(".examples > summary").click()
    arm = cards(page, "Arms").first
    if arm.get_attribute("open") is None:
        arm.locator("summary").first.click()
    arm.get_by_label("distribution").select_option("mixture")
    arm.get_by_label("kind").last.select_option("clipped")
    expect(arm.locator(".facts dd").first).to_have_text("0.35")
    step(page, "Arms").locator("details.csv > summary").click()
    yield "an arm with a form in a form, and a file"
    good = step(page, "What good means")
    good.get_by_label("value", exact=True).select_option("formula")
    good.get_by_label("formula", exact=True).fill("mean - vra")
    expect(good).to_contain_text("no function named 'vra'")
    good.locator("details summary").filter(has_text="What a formula may contain").click()
    yield "a formula that is wrong"
    policy = cards(page, "Who plays").first
    policy.locator("summary").first.click()
    policy.get_by_text("How it works").click()
    yield "policies"
    for mark in page.locator(".help > summary:visible").all():
        mark.click()
    yield "explanations"
    for name in TABS:
        tab(page, name)
        panel = page.get_by_role("tabpanel", name=name)
        expect(panel.locator("h2, h3, .happened, pre").locator("visible=true").first).not_to_be_empty()
        yield name


def is_fitting(page: Page) -> bool:
    """Whether the page is not to be moved sideways."""
    fits: bool = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    return fits


@pytest.mark.parametrize("width", [360, 1280, 1920])
def test_nothing_is_wider_than_the_screen(visitor, lab, width):
    arms = [{"name": LONG, "distribution": "uniform"}, {"name": "b", "distribution": "constant(value=0.4)"}]
    asked = data(arms=arms, policies=["besa-plus", "cvar-ucb(alpha=0.25, bound='brown')", "ucb1"])
    page = visitor.open(f"/?run={lab.finish(asked)}", viewport={"width": width, "height": 800})
    run = page.get_by_role("button", name="Run", exact=True)
    for place in places(page):
        assert is_fitting(page), place
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        expect(run).to_be_in_viewport()
        page.evaluate("window.scrollTo(0, 0)")
        expect(run).to_be_in_viewport()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_wrong(visitor, lab, width, scheme):
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page = visitor.open(f"/?run={lab.finish(data())}", **options)
    axe, plain = Axe(), ("Best arm", "Worst arm", "Reward", "explanations", "examples")
    for place in places(page):
        if place not in plain:  # those are made of the same parts as others
            found = axe.run(page)
            assert found.violations_count == 0, f"{place}: {found.generate_report()}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_for_scripts(visitor, width, scheme):
    page = visitor.open("/docs", viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.locator("details.entry").first.wait_for()
    page.evaluate("() => document.querySelectorAll('details').forEach((each) => (each.open = true))")
    expect(page.locator("#document")).to_contain_text("curl -X POST")
    assert is_fitting(page)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
