"""The verdict above the tabs, and policies that learn another value than the one that counts."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from primum import Results

from .browsing import cards, drawing, finished, opened, pick, step, tab
from .questions import data

RISKY = {"value": "cvar(alpha=0.2)", "policies": ["besa-plus", "ucb1"]}  # by CVaR the constant arm is best


def verdict(page: Page) -> Locator:
    return page.locator("primum-answer > .verdict")


def test_it_is_that_of_the_results_and_above_the_tabs(visitor, lab):
    id = lab.finish(data(horizon=500, replications=60))
    page = visitor.open(f"/?run={id}")
    drawing(page)
    results = Results.from_bytes(lab.client.get(f"/api/runs/{id}/results.nc").content)
    expect(verdict(page)).to_have_text(str(results.verdict()))
    above, below = verdict(page).bounding_box(), page.get_by_role("tablist").bounding_box()
    assert above["y"] + above["height"] <= below["y"]
    tab(page, "Table")
    expect(verdict(page)).to_be_visible()


def test_it_says_when_nothing_can_be_told(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data(replications=5))}")
    expect(verdict(page)).to_have_text("The policies cannot be told apart yet, with 5 replications.")
    page.get_by_label("Replications", exact=True).fill("50")
    finished(page)
    expect(verdict(page)).not_to_contain_text("with 5 replications")


def test_equal_arms_are_said_to_be_so(visitor, lab):
    arms = [{"name": name, "distribution": "bernoulli(probability=0.5)"} for name in ("a", "b")]
    page = visitor.open(f"/?run={lab.finish(data(arms=arms))}")
    told = "All 2 arms are equally good by the mean: no choice is wrong, and every policy has a regret of 0."
    expect(verdict(page)).to_have_text(told)
    drawing(page)
    expect(page.locator("primum-figure .subtitle")).to_contain_text("all arms are equally good, so regret is always 0")


def test_a_policy_that_learns_another_value_says_so(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data(**RISKY))}")
    names = {trace["name"] for trace in drawing(page)["data"]}
    assert names == {"BESA+", "UCB1 (learns the mean)"}
    expect(verdict(page)).to_contain_text(
        "UCB1 learns the mean, by which 'new' is best; by CVaR 20 %, 'standard' is best."
    )
    expect(page.locator("primum-answer .policy")).to_have_text(["BESA+", "UCB1 learns the mean"])
    tab(page, "Table")
    expect(page.locator("primum-summary tbody").first.locator("th")).to_have_text([" BESA+", " UCB1 learns the mean"])
    ucb = cards(page, "Policies").last
    expect(ucb.locator("> summary")).to_contain_text("learns the mean")
    pick(step(page, "Safety value"), "value", "mean")
    expect(ucb.locator("> summary")).not_to_contain_text("learns")


def test_value_has_one_meaning_on_a_card(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data(**RISKY))}")
    drawing(page)
    constant = opened(cards(page, "Arms").first)
    expect(constant.get_by_label("value", exact=True)).to_have_count(1)  # the parameter of the constant
    expect(constant.locator(".facts dt")).to_have_text(["mean", "std. dev.", "safety value", "gap"])
    expect(constant.locator(".density text.value")).to_have_text("safety value 0.4")
