"""All views, on small and large screens, light and dark: they fit, fingers can press, and axe finds no violation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.live.joining import ON_SERVER

from .conftest import CRITERIA

FINGER_PIXELS = 44
SIZES = [(360, "light"), (390, "dark"), (820, "light"), (820, "dark"), (1280, "light")]
FOR_FINGERS = (
    *("log in", "join", "enrol", "incomplete", "check", "answer", "question"),
    *("outcomes", "record", "correct", "withdraw", "unblinding", "arm"),
)


def fill_in(page: Page, code: str) -> None:
    """The form to enrol, up to the question whether the code is right."""
    page.get_by_label("Participant code").fill(code)
    for criterion in CRITERIA:
        page.get_by_role("checkbox", name=criterion).check()
    page.get_by_label("Date of the written consent").fill("2020-02-01")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("button", name="Enrol", exact=True)).to_be_focused()


def places(page: Page) -> Iterator[str]:
    """Go from view to view, and say where."""
    yield "enrol"
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("A participant must meet every criterion")).to_be_visible()
    yield "incomplete"
    fill_in(page, "P-100")
    yield "check"
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_be_focused()
    yield "answer"
    page.get_by_role("button", name="Next participant").click()
    fill_in(page, "Anna Smith")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Change the code")).to_be_visible()
    yield "question"
    page.get_by_role("link", name="Outcomes").click()
    page.locator(".list.known summary").click()
    expect(page.get_by_role("button", name="Record: P-003")).to_be_visible()
    yield "outcomes"
    page.get_by_role("button", name="Record: P-003").click()
    page.get_by_role("dialog").get_by_role("button", name="Success", exact=True).click()
    expect(page.get_by_label("Date of the outcome")).to_be_visible()
    yield "record"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Withdraw: P-003").click()
    yield "withdraw"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Correct: P-001").click()
    page.get_by_role("button", name="Save the correction").click()
    expect(page.get_by_text("Fill in this field.").first).to_be_visible()
    yield "correct"
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Unblinding").click()
    page.get_by_label("Participant code").fill("P-004")
    page.get_by_label("Reason").fill("seizure")
    yield "unblinding"
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Unblind", exact=True).click()
    expect(page.get_by_role("article", name="Allocation")).to_be_focused()
    yield "arm"
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
    page.get_by_label("Name").fill("numbers")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("p.one-time")).to_be_visible()
    yield "a one-time code"
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="End recruitment").click()
    yield "end of recruitment"
    page.get_by_label("Reason").fill("enough")
    page.get_by_label("Type the word end to confirm").fill("end")
    page.get_by_role("dialog").get_by_role("button", name="End recruitment").click()
    page.get_by_role("button", name="Propose to lock the trial").click()
    expect(page.get_by_role("region", name="Participants without an outcome")).to_be_visible()
    yield "the proposal to lock the trial"
    page.get_by_role("checkbox", name="I accept").check()
    page.get_by_label("Reason").fill("it is over")
    page.get_by_role("button", name="Propose the lock").click()
    expect(page.get_by_role("button", name="Withdraw the proposal")).to_be_visible()
    yield "a proposed lock"
    page.get_by_role("link", name="everybody").click()
    expect(page.get_by_role("button", name="Make a token")).to_be_visible()
    yield "account"
    page.get_by_role("link", name="Enrol").click()
    expect(page.get_by_text("Nobody can be enrolled now.")).to_be_visible()
    yield "no enrolment"


def approvals(page: Page) -> Iterator[str]:
    """The same for the approver, while a person waits and the lock is proposed."""
    expect(page.get_by_role("button", name="Look at the proposal")).to_be_visible()
    yield "approvals"
    page.get_by_role("button", name="Approve: statistics").click()
    yield "approve"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Look at the proposal").click()
    expect(page.get_by_role("region", name="Participants without an outcome")).to_be_visible()
    yield "approve the lock"
    page.keyboard.press("Escape")


def is_fitting(page: Page) -> bool:
    """Whether the page is not to be moved sideways."""
    fits: bool = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    return fits


def small_targets(page: Page) -> list[str]:
    """The buttons and fields of a view that are too low for a finger."""
    found: list[str] = page.evaluate(
        """(least) => [...document.querySelectorAll("main :is(button, input, select, textarea, summary)")]
            .filter((each) => each.checkVisibility())
            .filter((each) => (each.closest("label") ?? each).getBoundingClientRect().height < least)
            .map((each) => each.outerHTML)""",
        FINGER_PIXELS,
    )
    return found


def check(page: Page, place: str) -> None:
    """It fits, fingers can press it, and axe finds nothing."""
    assert is_fitting(page), place
    if place in FOR_FINGERS:
        assert small_targets(page) == [], place
    found = Axe().run(page)
    assert found.violations_count == 0, f"{place}: {found.generate_report()}"


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_views_fit_and_axe_finds_nothing_wrong(person, checked, width, scheme):
    person.expect_refusal(422)
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page = person.open(**options)
    expect(page.get_by_label("Name")).to_be_focused()
    check(page, "log in")
    page = person.log_in("everybody", **options)
    for place in places(page):
        check(page, place)
    invited = checked.live.admit("statistics", ["statistician"], who=ON_SERVER)
    page = person.open(f"/#join={invited.code}", **options)
    expect(page.get_by_label("New password", exact=True)).to_be_focused()
    check(page, "join")
    for label in ("New password", "New password again"):
        page.get_by_label(label, exact=True).fill("blue sea 17")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Check number")).to_be_visible()
    check(page, "waiting")
    page = person.log_in("the-approver", **options)
    for place in approvals(page):
        check(page, place)
