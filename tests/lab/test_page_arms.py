"""The arms on the page: added, edited, plotted, and errors beside their fields."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from .browsing import cards, drawing, opened, pick, step

pytestmark = pytest.mark.usefixtures("undrawn")


def test_an_environment_is_built_from_nothing(visitor):
    page = visitor.open()
    arms = cards(page, "Arms")
    expect(arms).to_have_count(2)
    act(opened(arms.first), "Remove")
    expect(arms).to_have_count(1)
    named(arms.first, "old")
    pick(arms.first, "distribution", "bernoulli")
    arms.first.get_by_label("probability", exact=True).fill("0.25")
    expect(numbers(arms.first)).to_have_text(["0.25", "0.433", "0.25", "0"])

    pick(step(page, "Arms"), "Add an arm", "beta")
    expect(arms.last.get_by_label("name", exact=True)).to_have_value("old 2")
    named(arms.last, "new")
    expect(numbers(arms.last)).to_have_text(["0.5", "0.224", "0.5", "0"])
    expect(numbers(arms.first)).to_have_text(["0.25", "0.433", "0.25", "0.25"])
    expect(arms.last.locator(".badge")).to_be_visible()
    expect(arms.first.locator(".badge")).to_be_hidden()

    act(arms.first, "Duplicate")
    expect(arms.nth(1).get_by_label("name", exact=True)).to_be_visible()
    expect(names(arms)).to_have_text(["old", "old 2", "new"])
    act(arms.first, "Move down")
    expect(names(arms)).to_have_text(["old 2", "old", "new"])
    act(arms.last, "Move up")
    expect(names(arms)).to_have_text(["old 2", "new", "old"])
    expect(step(page, "Arms").locator("> summary .gist")).to_have_text("3 arms: old 2, new and old")
    ranking = step(page, "Safety value").locator("table.ranking")
    expect(ranking.locator("tbody tr")).to_have_text(["1new0.5000best", "2old 20.25000.2500", "2old0.25000.2500"])


def test_slider_number_and_drawing_go_together(visitor):
    page = visitor.open()
    arm = opened(cards(page, "Arms").last)
    slider, number = arm.get_by_label("high, slider"), arm.get_by_label("high", exact=True)
    expect(slider).to_have_value("133")
    slider.fill("100")
    expect(number).to_have_value("0.5")
    expect(numbers(arm).first).to_have_text("0.25")
    number.fill("0.8")
    expect(slider).to_have_value("120")
    expect(slider).to_have_attribute("aria-valuetext", "0.8")
    expect(arm.get_by_role("img")).to_have_attribute("aria-label", "Rewards from 0 to 1: mean 0.4, safety value 0.4")
    pick(arm, "distribution", "beta")
    expect(numbers(arm).first).to_have_text("0.5")
    smooth = arm.locator("svg.density polygon")
    before = smooth.get_attribute("points")
    arm.get_by_label("a", exact=True).fill("9")
    expect(numbers(arm).first).to_have_text("0.818")
    assert smooth.get_attribute("points") != before


def test_what_is_wrong_stands_beside_its_field_and_is_gone_when_it_is_right(visitor):
    page = visitor.open()
    drawing(page)
    sure, gamble = map(opened, cards(page, "Arms").all())
    field = sure.get_by_label("value", exact=True)
    field.fill("lots")
    expect(beside(field)).to_have_text("constant: value must be a finite number, got 'lots'")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("lots")
    expect(step(page, "Arms").locator("> summary .wrong")).to_have_text("1 error")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    gamble.get_by_label("high", exact=True).fill("-1")
    expect(beside(gamble.get_by_label("low", exact=True))).to_have_text(
        "uniform: low must be less than high, got low=0 and high=-1"
    )
    name = gamble.get_by_label("name", exact=True)
    name.fill("")
    expect(beside(name)).to_have_text("an arm's name must be a text that is not empty, got ''")
    name.fill("sure")
    expect(beside(name)).to_have_text("arms must differ, got 'sure' twice")
    name.fill("gamble")
    field.fill("0.4")
    gamble.get_by_label("high", exact=True).fill("1")
    for line in page.locator(".question .fault").all():
        expect(line).to_have_text("")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()


def test_distributions_within_distributions(visitor):
    page = visitor.open()
    arm = opened(cards(page, "Arms").first)
    pick(arm, "distribution", "mixture")
    parts = arm.locator(".inner-list > fieldset")
    expect(parts).to_have_count(2)
    arm.get_by_role("button", name="Add a component").click()
    expect(parts).to_have_count(3)
    pick(parts.nth(2), "type", "clipped")
    inner = parts.nth(2).locator("fieldset")
    pick(inner, "", "constant")
    inner.get_by_label("value", exact=True).fill("7")
    expect(numbers(arm).first).to_have_text("0.633")  # of 0.2, 0.7 on average, and 7 clipped to 1
    inner.get_by_label("value", exact=True).fill("x")
    expect(beside(inner.get_by_label("value", exact=True))).to_contain_text("value must be a finite number, got 'x'")
    arm.get_by_role("button", name="Remove 3").click()
    expect(numbers(arm).first).to_have_text("0.45")
    weights = arm.get_by_label("weights")
    weights.fill("0.75, 0.25")
    expect(numbers(arm).first).to_have_text("0.325")
    weights.fill("3, 1")
    expect(beside(weights)).to_have_text("mixture: weights[0] must be in (0, 1], got 3")


def act(arm: Locator, name: str) -> None:
    arm.get_by_role("button", name=name, exact=True).click()


def named(arm: Locator, name: str) -> None:
    arm.get_by_label("name", exact=True).fill(name)


def names(arms: Locator) -> Locator:
    return arms.locator("> summary .name")


def numbers(arm: Locator) -> Locator:
    """Mean, deviation, value and gap."""
    return arm.locator(".facts dd")


def beside(field: Locator) -> Locator:
    """The line that says what is wrong with a field, as those hear it who do not see it."""
    line = field.get_attribute("aria-describedby").split()[-1]
    return field.page.locator(f"#{line}")
