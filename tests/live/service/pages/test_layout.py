"""All views, on small and large screens, light and dark: they fit, fingers can press, and axe finds no violation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

FINGER_PIXELS = 44
SIZES = [(360, "light"), *(pytest.param(*size, marks=pytest.mark.long) for size in [(768, "dark"), (1280, "light")])]


def places(page: Page) -> Iterator[str]:
    """Go from view to view, and say where."""
    yield "enrol"
    page.get_by_label("Participant code").fill("P-100")
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_be_focused()
    yield "answer"
    page.get_by_role("button", name="Next participant").click()
    page.get_by_label("Participant code").fill("Anna Smith")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Change the code")).to_be_visible()
    yield "question"
    page.get_by_role("link", name="Outcomes").click()
    page.locator(".list.known summary").click()
    expect(page.get_by_role("button", name="Record: P-003")).to_be_visible()
    yield "outcomes"
    page.get_by_role("button", name="Record: P-003").click()
    yield "record"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Correct: P-001").click()
    page.get_by_role("button", name="Save the correction").click()
    expect(page.get_by_text("Fill in this field.")).to_be_visible()
    yield "correct"
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Monitor").click()
    expect(page.locator(".chart polyline").first).to_be_visible()
    yield "monitor"
    page.get_by_role("link", name="Statistics").click()
    page.get_by_role("button", name="Show unblinded data").click()
    expect(page.locator(".chart polyline").first).to_be_attached()  # no height if chance has chosen one arm only
    yield "statistics"
    page.get_by_role("link", name="Journal").click()
    page.get_by_role("button", name="Verify").click()
    expect(page.locator(".verdict")).to_contain_text("sound")
    page.locator(".journal .link summary").first.click()
    yield "journal"
    page.get_by_role("link", name="Administration").click()
    expect(page.locator(".people li").first).to_be_visible()
    yield "administration"
    page.get_by_role("button", name="Add a person").click()
    for role in ("record", "auditor"):
        page.get_by_role("checkbox", name=role).check()
    yield "a new person"
    page.keyboard.press("Escape")


def is_fitting(page: Page) -> bool:
    """Whether the page is not to be moved sideways."""
    fits: bool = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    return fits


def small_targets(page: Page) -> list[str]:
    """The buttons and fields of a view that are too low for a finger."""
    found: list[str] = page.evaluate(
        """(least) => [...document.querySelectorAll("main :is(button, input, select, textarea, summary)")]
            .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < least)
            .map((each) => each.outerHTML)""",
        FINGER_PIXELS,
    )
    return found


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_views_fit_and_axe_finds_nothing_wrong(person, width, scheme):
    person.expect_refusal(422)
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page = person.open(**options)
    expect(page.get_by_label("Name")).to_be_focused()
    found = Axe().run(page)
    assert found.violations_count == 0, f"log in: {found.generate_report()}"
    page = person.log_in("everybody", **options)
    for place in places(page):
        assert is_fitting(page), place
        if place in ("enrol", "answer", "question", "outcomes", "record", "correct"):
            assert small_targets(page) == [], place
        found = Axe().run(page)
        assert found.violations_count == 0, f"{place}: {found.generate_report()}"
