"""The page of the laboratory as one finds it: an answer is there before anything is asked."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from primum.lab.presets import OPENING, preset

from .browsing import cards, drawing, ends, run_line


def test_it_opens_with_an_experiment_drawn(visitor):
    page = visitor.open()
    shown = drawing(page)
    assert shown["title"] == "Accumulated regret by mean"
    assert shown["subtitle"].startswith("mean of 300 replications")
    summary = preset(OPENING, {}).experiment().run(progress=False).summary()
    assert ends(shown) == pytest.approx(dict(zip(summary["policy"], summary["regret_mean"])), rel=1e-6)
    expect(page).to_have_url(re.compile(r"/\?run=[0-9a-f]{32}$"))
    expect(page.locator("primum-answer .about")).to_have_text("A sure thing against a gamble: 2,000 steps, seed 1.")
    expect(run_line(page)).to_have_text("Takes less than 1 s.")
    picture = page.get_by_role("img", name=re.compile("^Accumulated regret by mean, .* besa-plus 56.4, besa 113"))
    expect(picture).to_be_visible()


def test_an_example_replaces_the_question_and_can_be_drawn_anew(visitor):
    page = visitor.open()
    drawing(page)
    page.get_by_text("Start from an example").click()
    coins = page.locator(".example-card").filter(has_text="Coins")
    coins.get_by_label("arms: number of arms").fill("7")
    coins.get_by_role("button", name="Coins").click()
    expect(cards(page, "Arms")).to_have_count(7)
    expect(page.locator("primum-answer .about")).to_have_text("The question has changed since; run it to see.")
    page.get_by_text("Start from an example").click()
    before = cards(page, "Arms").first.locator(".label").inner_text()
    coins.get_by_role("button", name="New draw").click()
    expect(cards(page, "Arms").first.locator(".label")).not_to_have_text(before)
    visitor.expect_refusal(422)
    coins.get_by_label("arms: number of arms").fill("51")
    coins.get_by_role("button", name="Coins").click()
    expect(page.locator("primum-presets .fault")).to_contain_text("arms must be in [2, 50], got 51")


def test_a_link_that_nobody_knows_gives_the_opening_example(visitor):
    visitor.expect_refusal(404)
    page = visitor.open("/?run=" + "0" * 32)
    drawing(page)
    expect(page.locator("#notice")).to_contain_text(f"No run ‘{'0' * 32}’ is known here.")
