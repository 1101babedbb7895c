"""Figures on the page: policies, statistic, axis and colours."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .browsing import drawing, ends, tab
from .questions import data, question

LINES = {
    "Best arm": "Best arm (value: mean)",
    "Worst arm": "Worst arm (value: mean)",
    "Reward": "Expected reward per step",
    "Final regret": "Regret after 100 steps (value: mean)",
}


@pytest.fixture
def answer(visitor, lab) -> Page:
    page = visitor.open(f"/?run={lab.finish(data(policies=['besa-plus', 'ucb1', 'thompson']))}")
    drawing(page)
    return page


def colours(shown) -> dict[str, str]:
    """The colour of each policy that has a line."""
    return {
        trace["name"]: trace["line"]["color"]
        for trace in shown["data"]
        if trace["line"]["width"] and re.fullmatch(r"\d+", trace["legendgroup"])
    }


def test_a_policy_that_is_hidden_stays_hidden_and_colours_stay_with_their_policies(answer):
    everywhere = colours(drawing(answer))
    assert list(everywhere) == ["BESA+", "UCB1", "Thompson sampling"]
    chip = answer.get_by_role("button", name="UCB1", exact=True)
    expect(chip).to_have_attribute("aria-pressed", "true")
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "false")
    answer.wait_for_function(
        "() => !document.querySelector('primum-figure .plot')._fullData.some(({name}) => name === 'UCB1')"
    )
    del everywhere["UCB1"]
    assert colours(drawing(answer)) == everywhere
    for name, title in LINES.items():
        tab(answer, name)
        expect(answer.locator("primum-figure h2")).to_have_text(title)
        assert colours(drawing(answer)) == everywhere
    tab(answer, "Allocation")
    expect(answer.locator("primum-figure h2")).to_have_text("Share of pulls of each arm (value: mean)")
    assert len(drawing(answer)["data"]) == 4, "two arms of two policies"
    answer.get_by_text("one per arm", exact=True).click()
    answer.wait_for_function(
        "() => document.querySelector('primum-figure .plot')._fullData.every(({stackgroup}) => !stackgroup)"
    )
    assert colours(drawing(answer)) == everywhere
    answer.get_by_role("button", name="Show all").click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    answer.wait_for_function(
        "() => document.querySelector('primum-figure .plot')._fullData.some(({name}) => name === 'UCB1')"
    )


def test_the_last_policy_cannot_be_hidden(answer):
    chips = answer.get_by_role("group", name="Policies shown in figures").locator(".policy")
    for chip in chips.all():
        chip.click()
    for chip in chips.all():
        expect(chip).to_have_attribute("aria-pressed", "true")


def test_median_and_logarithmic_steps(answer):
    summary = question(policies=["besa-plus", "ucb1", "thompson"]).experiment().run(progress=False).summary()
    assert ends(drawing(answer)) == pytest.approx(dict(zip(summary["title"], summary["regret_mean"])), rel=1e-6)
    assert drawing(answer)["layout"]["xaxis"]["type"] == "linear"
    answer.locator("primum-answer").get_by_text("median", exact=True).click()
    expect(answer.locator("primum-figure .subtitle")).to_contain_text("median of 20 replications")
    assert ends(drawing(answer)) == pytest.approx(dict(zip(summary["title"], summary["regret_median"])), rel=1e-6)
    expect(answer.locator(".figure-page")).to_contain_text("The band is from the pointwise 5 % to the 95 % quantile")
    answer.get_by_text("log", exact=True).click()
    answer.wait_for_function("() => document.querySelector('primum-figure .plot').layout.xaxis.type === 'log'")
    tab(answer, "Best arm")
    expect(answer.locator("primum-figure h2")).to_have_text("Best arm (value: mean)")
    assert drawing(answer)["layout"]["xaxis"]["type"] == "log"
    assert drawing(answer)["subtitle"].startswith("median of 20 replications")


LIGHT, DARK = "rgb(230, 236, 236)", "rgb(27, 36, 38)"
INKED = "ink => document.querySelector('primum-figure .plot').layout.font.color === ink"


def test_dark_as_the_system_has_it_and_by_the_switch(visitor):
    page = visitor.open(color_scheme="dark")
    assert drawing(page)["layout"]["font"]["color"] == LIGHT
    assert ground(page) == "rgb(20, 25, 27)"
    page.emulate_media(color_scheme="light")
    page.wait_for_function(INKED, arg=DARK)
    assert ground(page) == "rgb(251, 252, 252)"
    page.get_by_text("Dark", exact=True).click()
    page.wait_for_function(INKED, arg=LIGHT)
    page.reload()
    assert drawing(page)["layout"]["font"]["color"] == LIGHT, "the choice is remembered"
    expect(page.get_by_label("Dark")).to_be_checked()
    page.get_by_text("Light", exact=True).click()
    page.wait_for_function(INKED, arg=DARK)


def test_black_lines_are_white_on_a_dark_ground(visitor, lab):
    seven = ["besa-plus", "besa", "thompson", "ucb1", "ucb-v", "round-robin", "uniform-random"]
    page = visitor.open(f"/?run={lab.finish(data(policies=seven))}")
    assert colours(drawing(page))["Uniform random"] == "#000000"
    page.get_by_text("Dark", exact=True).click()
    page.wait_for_function(INKED, arg=LIGHT)
    assert colours(drawing(page))["Uniform random"] == "#FFFFFF"


def ground(page: Page) -> str:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour
