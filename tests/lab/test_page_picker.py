"""The dialog in which plug-ins are chosen: groups, search, pictures, keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .browsing import cards, drawing, offered, opened, pick, run_line, step

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def page(visitor) -> Page:
    page = visitor.open()
    drawing(page)
    return page


def dialog(page: Page, name: str, button: str) -> Locator:
    step(page, name).get_by_role("button", name=button).click()
    return page.get_by_role("dialog")


def active(chooser: Locator) -> Locator:
    """The option that Enter chooses, as a screen reader is told."""
    return chooser.page.locator(f"#{chooser.get_by_role('combobox').get_attribute('aria-activedescendant')}")


@pytest.mark.parametrize(
    ("family", "place", "button"),
    [
        ("policies", "Policies", "Add a policy"),
        ("values", "Safety value", "value: Mean"),
        ("rewards", "Arms", "Add an"),
    ],
)
def test_everything_is_in_its_group_by_title(page, family, place, button):
    told = offered(page)
    chooser = dialog(page, place, button)
    groups = chooser.get_by_role("group")
    expect(groups.locator("h3")).to_have_text(told.groups[family])
    for i, group in enumerate(told.groups[family]):
        titles = sorted((form.title for form in getattr(told, family) if form.group == group), key=str.lower)
        assert sorted(groups.nth(i).locator("strong").all_text_contents(), key=str.lower) == titles


def test_each_policy_shows_its_requirements(page):
    chooser = dialog(page, "Policies", "Add a policy")
    expect(chooser.locator('[data-name="cvar-ucb"] .needs')).to_have_text("needs the horizon, rewards in (-inf, 1]")
    expect(chooser.locator('[data-name="mcdiarmid-ucb"] .needs')).to_have_text(
        "needs rewards in [0, 1], a value whose gamma is known"
    )
    expect(chooser.locator('[data-name="besa-plus"] .needs')).to_have_count(0)


def test_the_search_finds_titles_names_and_descriptions(page):
    chooser = dialog(page, "Policies", "Add a policy")
    search, shown = chooser.get_by_role("combobox", name="Search policies"), chooser.get_by_role("option")
    expect(search).to_be_focused()
    search.fill("besa-p")  # a name
    expect(shown).to_have_count(1)
    expect(active(chooser)).to_contain_text("BESA+")
    search.fill("Play-the-Winner")  # a title
    expect(chooser.get_by_role("status")).to_have_text("1 policy")
    search.fill("urn ball")  # words of a description, in any order
    expect(shown).to_have_count(1)
    expect(shown).to_contain_text("Randomised play-the-winner")
    search.fill("horizon")  # a requirement
    expect(shown.locator("strong")).to_have_text(["Explore then commit", "ExpExp", "MV-LCB", "CVaR-UCB"])
    expect(chooser.get_by_role("group")).to_have_count(3)
    search.fill("ucb1")
    expect(active(chooser)).to_contain_text("UCB1")
    search.fill("<b>nothing</b>")
    expect(chooser.get_by_role("status")).to_have_text("No policy matches “<b>nothing</b>”.")
    expect(shown).to_have_count(0)
    search.press("Enter")
    expect(chooser).to_be_visible()
    search.fill("")
    expect(shown).to_have_count(len(offered(page).policies))


def test_keys_move_choose_and_close(page):
    policies = cards(page, "Policies")
    chooser = dialog(page, "Policies", "Add a policy")
    search = chooser.get_by_role("combobox")
    expect(active(chooser)).to_contain_text("BESA+")
    search.press("ArrowDown")
    expect(active(chooser)).to_contain_text("Boltzmann exploration")
    expect(active(chooser)).to_have_attribute("aria-selected", "true")
    expect(chooser.locator('[aria-selected="true"]')).to_have_count(1)
    search.press("ArrowUp")
    search.press("ArrowUp")  # from the first to the last
    expect(active(chooser)).to_contain_text("Uniform random")
    expect(active(chooser)).to_be_in_viewport()
    search.press("Escape")
    expect(chooser).to_have_count(0)
    expect(policies).to_have_count(4)
    expect(step(page, "Policies").get_by_role("button", name="Add a policy")).to_be_focused()
    page.keyboard.press("Enter")
    search.press("ArrowDown")
    search.press("Enter")
    expect(policies.locator(".name")).to_have_text(
        ["BESA+", "BESA", "Thompson sampling", "UCB1", "Boltzmann exploration"]
    )
    expect(policies.last.locator("summary").first).to_be_focused()


def test_escape_in_the_dialog_does_not_cancel_a_run(page):
    for name in ("Horizon", "Replications"):
        page.get_by_label(name, exact=True).fill("20000")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(run_line(page)).to_contain_text("of 20,000 replications")
    chooser = dialog(page, "Policies", "Add a policy")
    page.keyboard.press("Escape")
    expect(chooser).to_have_count(0)
    expect(run_line(page)).not_to_contain_text("Cancelled")
    page.keyboard.press("Escape")
    expect(run_line(page)).to_contain_text("Cancelled after")


def test_the_value_that_is_chosen_is_active_and_choosing_it_again_keeps_its_parameters(page):
    good = step(page, "Safety value")
    pick(good, "value", "cvar")
    good.get_by_label("alpha", exact=True).fill("0.3")
    chooser = dialog(page, "Safety value", "value: Conditional value at risk")
    expect(active(chooser)).to_contain_text("Conditional value at risk")
    chooser.get_by_role("combobox").press("Enter")
    expect(chooser).to_have_count(0)
    expect(good.get_by_label("alpha", exact=True)).to_have_value("0.3")


def test_an_arm_is_chosen_by_its_picture(page):
    chooser = dialog(page, "Arms", "Add an arm")
    expect(active(chooser)).to_contain_text("Uniform")  # as the last arm
    expect(chooser.locator(".picture svg")).to_have_count(len(offered(page).rewards))
    for name, drawn in {"beta": "polygon", "bernoulli": ".stem", "mixture": "polygon", "scipy": "polygon"}.items():
        expect(chooser.locator(f'[data-name="{name}"] .picture {drawn}').first).to_be_attached()
    expect(chooser.locator('[data-name="bernoulli"] .picture .stem')).to_have_count(2)
    assert shape(chooser, "beta") != shape(chooser, "uniform")
    chooser.locator('[data-name="beta"]').click()
    expect(chooser).to_have_count(0)
    arms = cards(page, "Arms")
    expect(arms.last.locator("> summary .label")).to_have_text("Beta(2, 2)")
    expect(arms.last.locator("summary").first).to_be_focused()


def shape(chooser: Locator, name: str) -> str | None:
    return chooser.locator(f'[data-name="{name}"] .picture polygon').get_attribute("points")


def test_all_arms_can_be_removed_and_brought_back(page):
    place, arms = step(page, "Arms"), cards(page, "Arms")
    remove_all = place.get_by_role("button", name="Remove all arms")
    remove_all.click()
    expect(arms).to_have_count(0)
    empty = place.get_by_text("There are no arms. Add one, import a CSV file, or load an example.")
    expect(empty).to_be_visible()
    expect(place.get_by_role("button", name="Add an arm")).to_be_focused()
    expect(place.locator(".fault:visible")).to_have_count(0)
    expect(run_line(page)).to_have_text("Correct this first: arms must be a list of 1 to 50 arms, got []")
    place.get_by_role("button", name="Undo").click()
    expect(arms.locator("> summary .name")).to_have_text(["sure", "gamble"])
    expect(empty).to_be_hidden()
    for _ in range(2):
        opened(arms.first).get_by_role("button", name="Remove", exact=True).click()
    expect(empty).to_be_visible()
    expect(place.get_by_role("button", name="Undo")).to_be_hidden()
    pick(place, "Add an arm", "bernoulli")
    expect(arms.locator("> summary .name")).to_have_text(["arm 1"])
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()


def test_all_policies_can_be_removed(page):
    place, policies = step(page, "Policies"), cards(page, "Policies")
    for _ in range(4):
        opened(policies.first).get_by_role("button", name="Remove", exact=True).click()
    expect(place.get_by_text("There are no policies. Add one, or load an example.")).to_be_visible()
    expect(place.locator(".fault:visible")).to_have_count(0)
    expect(place.get_by_role("button", name="Add a policy")).to_be_focused()
    pick(place, "Add a policy", "ucb1")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
