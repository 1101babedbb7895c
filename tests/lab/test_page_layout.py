"""All parts of the page, on small and large screens, light and dark: they fit, and axe finds no violation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from .browsing import cards, drawing, offered, pick, step, tab
from .questions import data

FIGURES = {  # and what is to be read there
    "Best arm": "Best arm (value: mean)",
    "Worst arm": "Worst arm (value: mean)",
    "Allocation": "Share of pulls of each arm",
    "Reward": "Expected reward per step",
    "Final regret": "Regret after 100 steps (value: mean)",
}
OTHERS = {"Table": "Paired comparisons", "Replay": "Step 1 of 100", "Export": "import primum"}
SCREENS = [  # the colours of the other scheme are examined too; other widths in the long form
    (360, "light"),
    pytest.param(360, "dark", marks=pytest.mark.long),
    pytest.param(1280, "light", marks=pytest.mark.long),
    pytest.param(1280, "dark", marks=pytest.mark.long),
]
OTHER = {"light": "dark", "dark": "light"}
CONTRAST = {"runOnly": ["color-contrast"]}
LONG = "a name that goes on and on, without_an_end_that_anybody_could_see_on_a_small_screen"


def places(page: Page) -> Iterator[tuple[str, str]]:
    """Go from place to place, and say where, and which part of the page is another than before."""
    drawing(page)
    yield "opening", "body"
    page.locator(".examples > summary").click()
    yield "examples", "primum-presets"
    page.locator(".examples > summary").click()
    arm = cards(page, "Arms").first
    if arm.get_attribute("open") is None:
        arm.locator("summary").first.click()
    pick(arm, "distribution", "mixture")
    pick(arm, "type", "clipped")
    expect(arm.locator(".facts dd").first).to_have_text("0.35")
    step(page, "Arms").locator("details.csv > summary").click()
    yield "an arm with a form in a form, and a file", "primum-arms"
    step(page, "Arms").get_by_role("button", name="Add an arm").click()
    expect(page.locator(".picture svg")).to_have_count(len(offered(page).rewards))
    yield "distributions to choose from", "dialog"
    page.keyboard.press("Escape")
    good = step(page, "Safety value")
    pick(good, "value", "formula")
    good.get_by_label("Formula", exact=True).fill("mean - vra")
    expect(good).to_contain_text("no function named 'vra'")
    good.locator("details summary").filter(has_text="Formula syntax").click()
    yield "a formula that is wrong", "primum-value"
    step(page, "Policies").get_by_role("button", name="Add a policy").click()
    yield "policies to choose from", "dialog"
    page.keyboard.press("Escape")
    policy = cards(page, "Policies").first
    policy.locator("summary").first.click()
    policy.get_by_text("Details and reference").click()
    yield "policies", "primum-policies"
    for mark in page.locator(".help > button:visible").all():
        page.keyboard.press("Escape")
        mark.click()
        expect(page.locator(".help-text:popover-open")).to_be_in_viewport(ratio=1)
    yield "explanations", "primum-run-bar"
    for name, text in (FIGURES | OTHERS).items():
        tab(page, name)
        expect(page.get_by_role("tabpanel", name=name)).to_contain_text(text)
        yield name, "primum-answer"


def is_fitting(page: Page) -> bool:
    """Whether the page is not to be moved sideways."""
    fits: bool = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    return fits


def check_with_axe(page: Page, scheme: str, part: str = "body") -> None:
    """axe finds nothing wrong with a part of a page, and nothing with its colours under the other scheme."""
    found = Axe().run(page, part)
    assert found.violations_count == 0, found.generate_report()
    page.emulate_media(color_scheme=OTHER[scheme])
    found = Axe().run(page, part, CONTRAST)
    assert found.violations_count == 0, f"{OTHER[scheme]}: {found.generate_report()}"
    page.emulate_media(color_scheme=scheme)


@pytest.mark.parametrize("width", [360, *(pytest.param(width, marks=pytest.mark.long) for width in (1280, 1920))])
def test_nothing_is_wider_than_the_screen(visitor, lab, width):
    arms = [{"name": LONG, "distribution": "uniform"}, {"name": "b", "distribution": "constant(value=0.4)"}]
    asked = data(arms=arms, policies=["besa-plus", "cvar-ucb(alpha=0.25, bound='brown')", "ucb1"])
    page = visitor.open(f"/?run={lab.finish(asked)}", viewport={"width": width, "height": 800})
    run = page.get_by_role("button", name="Run", exact=True)
    for place, _ in places(page):
        assert is_fitting(page), place
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        expect(run).to_be_in_viewport()
        page.evaluate("window.scrollTo(0, 0)")
        expect(run).to_be_in_viewport()


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_axe_finds_nothing_wrong(visitor, lab, width, scheme):
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page = visitor.open(f"/?run={lab.finish(data())}", **options)
    for place, part in places(page):
        if place not in FIGURES:  # they are made of the same parts as the opening
            check_with_axe(page, scheme, part)


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_documentation_of_the_api(visitor, width, scheme):
    page = visitor.open("/docs#schema-Run", viewport={"width": width, "height": 800}, color_scheme=scheme)
    expect(page.locator("#schema-Run")).to_have_attribute("open", "")
    start = page.locator("details.entry").filter(has_text="Start a run.")
    start.locator("summary").click()
    expect(start).to_contain_text("curl -X POST")
    assert is_fitting(page)
    check_with_axe(page, scheme)
