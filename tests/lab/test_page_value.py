"""The safety value on the page: chosen or written as a formula, with its consequences."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from .browsing import drawing, pick, step

pytestmark = pytest.mark.usefixtures("undrawn")


def test_another_value_ranks_the_arms_anew(visitor):
    page = visitor.open()
    drawing(page)
    good = step(page, "Safety value")
    first = good.locator("table.ranking tbody tr").first
    verdict, others = good.locator(".verdict"), good.locator("table.alternatives tbody tr.differs")
    expect(first).to_contain_text("gamble")
    expect(verdict).to_have_text("'gamble' is best by mean, 0.1 ahead of 'sure'. CVaR 10 % would choose 'sure'.")
    expect(others).to_have_text(["CVaR 10 %suredifferent"])
    expect(good).to_contain_text("mean is well-behaved: unbiased, with bounded differences gamma = 1.")

    pick(good, "value", "cvar")
    expect(verdict).to_contain_text("'sure' is best by CVaR 10 %, 0.35 ahead of 'gamble'.")
    expect(first).to_contain_text("sure")
    names = ["mean", "mean - var", "median", "entropic risk (theta 1)"]
    expect(others.locator("th")).to_have_text(names)
    expect(good).to_contain_text("CVaR 10 % is not well-behaved: the estimator is biased")
    expect(good.locator("> summary .gist")).to_have_text(re.compile(r"^CVaR 10 %: .sure. is best$"))

    alpha = good.get_by_label("alpha", exact=True)
    alpha.fill("0.9")
    expect(verdict).to_contain_text("'gamble' is best by CVaR 90 %, 0.05 ahead of 'sure'.")
    alpha.fill("1.5")
    expect(good.locator(".fault:visible").filter(has_text="alpha")).to_have_text(
        "cvar: alpha must be in (0, 1], got 1.5"
    )
    expect(good).to_contain_text("Showing results for the last valid value.")
    expect(verdict).to_contain_text("CVaR 90 %")


def test_a_formula_is_corrected_while_it_is_typed(visitor):
    page = visitor.open()
    drawing(page)
    good = step(page, "Safety value")
    pick(good, "value", "formula")
    text = good.get_by_label("Formula", exact=True)
    expect(text).to_have_value("mean - 0.5 * var")
    text.fill("mean - 2 * vra")
    expect(good.locator(".fault:visible").filter(has_text="formula")).to_have_text(
        "formula: 'vra' at position 12: no function named 'vra'; did you mean 'var'?"
    )
    expect(good).to_contain_text("Showing results for the last valid formula.")
    text.focus()
    for key in ("End", "ArrowLeft", "Backspace", "ArrowRight", "r"):  # the letters in their places, from within
        page.keyboard.press(key)
    expect(text).to_have_value("mean - 2 * var")
    expect(good.locator(".verdict")).to_contain_text("'sure' is best by mean - 2 * var, 0.0667 ahead")
    expect(good).to_contain_text("is well-behaved: unbiased, with bounded differences gamma = 3.")
    expect(text).to_be_focused()
    text.press("Home")
    page.keyboard.type("0.5 * ")
    expect(good.locator(".verdict")).to_contain_text("by 0.5 * mean - 2 * var,")
    assert text.evaluate("field => field.selectionStart") == len("0.5 * "), "the cursor stays where one types"
    good.get_by_role("button", name="prob(0.3)").click()
    expect(good.locator(".verdict")).to_contain_text("'sure' is best by prob(0.3), 0.3 ahead")
