"""The table of the page: numbers stand in line, and policies are compared in pairs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .browsing import drawing, tab
from .questions import data, question

POLICIES = ["besa-plus", "ucb1", "thompson"]


@pytest.fixture
def page(visitor, lab) -> Page:
    page = visitor.open(f"/?run={lab.finish(data(policies=POLICIES))}")
    drawing(page)
    tab(page, "Table")
    return page


def numbers(cells: Locator) -> list[str]:
    """What the cells of a column say, with the minus sign of Python."""
    expect(cells).not_to_have_count(0)
    return [text.replace("\u2212", "-") for text in cells.all_inner_texts()]


def decimals(number: str) -> int:
    return len(number.partition(".")[2])


@pytest.mark.parametrize(("column", "field"), [("Regret, mean", "regret_mean"), ("Reward", "reward")])
def test_numbers_of_a_column_have_the_same_decimals(page, column, field):
    summary = question(policies=POLICIES).experiment().run(progress=False).summary()
    shown = numbers(page.locator(f'td[data-column="{column}"] > span'))
    ends = " to ".join(numbers(page.locator(f'td[data-column="{column}"] > small'))).split(" to ")
    assert {decimals(number) for number in shown + ends} == {decimals(shown[0])}
    accuracy = 0.5 * 10.0 ** -decimals(shown[0])
    assert [float(number) for number in shown] == pytest.approx(summary[field].tolist(), abs=1.01 * accuracy)


def test_policies_are_compared_in_pairs(page):
    regret = question(policies=POLICIES).experiment().run(progress=False).summary().set_index("policy")["regret_mean"]
    page.get_by_label("Compared with").select_option("ucb1")
    rows = page.get_by_role("table", name="Regret of each policy less that of ucb1").locator("tbody tr")
    expect(rows.locator("th")).to_have_text(["besa-plus", "thompson"])
    shown = numbers(rows.locator("td:nth-child(2)"))
    differences = [regret[policy] - regret["ucb1"] for policy in ("besa-plus", "thompson")]
    assert [float(number) for number in shown] == pytest.approx(differences, abs=0.51)


def test_on_a_small_screen_each_policy_is_a_block(page):
    page.set_viewport_size({"width": 360, "height": 800})
    table = page.get_by_role("region", name="After 100 steps, 20 replications")
    expect(table).to_be_visible()
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth"), "nothing is hidden at its side"
