"""The table of the page: aligned numbers, and paired comparisons of policies."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .browsing import drawing, tab
from .questions import data, question

pytestmark = pytest.mark.usefixtures("undrawn")

POLICIES = ["besa-plus", "ucb1", "thompson"]


@pytest.fixture
def page(visitor, lab) -> Page:
    page = visitor.open(f"/?run={lab.finish(data(policies=POLICIES))}")
    drawing(page)
    tab(page, "Table")
    return page


def numbers(cells: Locator) -> list[str]:
    """The numbers in the cells of a column, with the minus sign of Python and without units."""
    expect(cells).not_to_have_count(0)
    return [text.replace("\u2212", "-").removesuffix(" %") for text in cells.all_inner_texts()]


def decimals(number: str) -> int:
    return len(number.partition(".")[2])


@pytest.mark.parametrize(
    ("column", "field", "factor"),
    [("Regret, mean", "regret_mean", 1), ("Reward", "reward", 1), ("Best arm", "best_arm_share", 100)],
)
def test_numbers_of_a_column_have_the_same_decimals(page, column, field, factor):
    summary = question(policies=POLICIES).experiment().run(progress=False).summary()
    shown = numbers(page.locator(f'td[data-column="{column}"] > span'))
    ends = " to ".join(numbers(page.locator(f'td[data-column="{column}"] > small'))).split(" to ")
    assert {decimals(number) for number in shown + ends} == {decimals(shown[0])}
    accuracy = 0.5 * 10.0 ** -decimals(shown[0])
    assert [float(number) for number in shown] == pytest.approx((factor * summary[field]).tolist(), abs=1.01 * accuracy)


def test_an_interval_of_shares_has_two_ends(page):
    """Were all shares written with one decimal, a narrow interval would read 0.4 to 0.4 %."""
    row = {"policy": "a", "title": "A", "regret_mean": 1, "regret_low": 0.5, "regret_high": 2, "regret_median": 1}
    row |= {"reward": 0.5, "reward_low": 0.4, "reward_high": 0.6, "stuck_share": None, "stuck_low": None}
    row |= {"best_arm_share": 0.9961, "best_arm_low": 0.9959, "best_arm_high": 0.9963, "stuck_high": None}
    row |= {"worst_arm_share": 0.0039, "worst_arm_low": 0.0037, "worst_arm_high": 0.0041}
    summary = {"step": 10, "replications": 5, "rows": [row], "comparisons": []}
    page.evaluate("summary => document.querySelector('primum-summary').show(summary, 'an id', { unit: null })", summary)
    for column, text in {
        "Best arm": "99.61 %99.59 to 99.63 %",
        "Worst arm": "0.39 %0.37 to 0.41 %",
        "Stuck": "",
    }.items():
        expect(page.locator(f'td[data-column="{column}"]').first).to_have_text(text)


def test_policies_are_compared_in_pairs(page):
    regret = question(policies=POLICIES).experiment().run(progress=False).summary()["regret_mean"]
    page.get_by_label("Reference policy").select_option("UCB1")
    rows = page.get_by_role("table", name="Regret of each policy minus that of UCB1").locator("tbody tr")
    expect(rows.locator("th")).to_have_text(["BESA+", "Thompson sampling"])
    shown = numbers(rows.locator("td:nth-child(2)"))
    differences = [regret[policy] - regret["ucb1"] for policy in ("besa-plus", "thompson")]
    assert [float(number) for number in shown] == pytest.approx(differences, abs=0.51)


def test_on_a_small_screen_each_policy_is_a_block(page):
    page.set_viewport_size({"width": 360, "height": 800})
    table = page.get_by_role("region", name="After 100 steps, 20 replications")
    expect(table).to_be_visible()
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth"), "nothing is hidden at its side"
