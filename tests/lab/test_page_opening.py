"""The opening page of the laboratory, which shows the results of an example."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from primum.lab.drafts.presets import OPENING, preset

from .browsing import cards, drawing, ends, opened, pick, run_line, step


def test_it_opens_with_an_experiment_drawn(visitor):
    page = visitor.open()
    shown = drawing(page)
    assert shown["title"] == "Cumulative regret (value: mean)"
    assert shown["subtitle"].startswith("mean of 300 replications")
    summary = preset(OPENING, {}).experiment().run(progress=False).summary()
    assert ends(shown) == pytest.approx(dict(zip(summary["title"], summary["regret_mean"])), rel=1e-6)
    expect(page).to_have_url(re.compile(r"/\?run=[0-9a-f]{32}$"))
    expect(page.locator("primum-answer .about")).to_have_text("A sure thing against a gamble: 2,000 steps, seed 1.")
    expect(run_line(page)).to_contain_text("Takes ")
    words = re.compile(r"^Cumulative regret \(value: mean\), .* BESA\+ 56.4, BESA 113")
    picture = page.get_by_role("img", name=words)
    expect(picture).to_be_visible()


def test_all_three_steps_are_in_sight(visitor):
    page = visitor.open(viewport={"width": 1440, "height": 900})
    drawing(page)
    for fold in page.locator("details.step").all():
        expect(fold).to_be_in_viewport(ratio=1)
    sure, gamble = page.locator("primum-arms details.card").all()
    for text in ("sure", "constant 0.4", "mean 0.4", "safety value 0.4"):
        expect(sure.locator("> summary").get_by_text(text, exact=True)).to_be_visible()
    expect(sure.locator("> summary .badge")).to_be_hidden()
    expect(gamble.locator("> summary .badge")).to_be_visible()
    gists = page.locator("details.step > summary .gist")
    expect(gists).to_have_text(
        [
            "2 arms: sure and gamble",
            "mean: \u2018gamble\u2019 is best",
            "BESA+, BESA, Thompson sampling and UCB1",
        ]
    )


def test_the_title_of_an_example_is_its_own(visitor):
    page = visitor.open()
    drawing(page)
    title, text = page.get_by_label("Title (optional)"), page.get_by_text("One arm always gives 0.4").last
    expect(title).to_have_value("A sure thing against a gamble")
    expect(text).to_be_visible()
    page.get_by_label("Seed", exact=True).fill("7")
    expect(title).to_have_value("A sure thing against a gamble")
    page.reload()
    expect(title).to_have_value("A sure thing against a gamble")
    expect(text).to_be_visible()
    opened(cards(page, "Arms").first).get_by_label("value", exact=True).fill("0.3")
    expect(title).to_have_value("")
    expect(text).to_be_hidden()
    title.fill("Mine")
    pick(step(page, "Safety value"), "value", "cvar")
    expect(title).to_have_value("Mine")


def test_what_was_said_of_the_last_question_is_not_shown_for_this_one(visitor):
    page = visitor.open()
    drawing(page)
    asked = []
    page.route("**/api/appraisal", lambda route: asked.append(route))  # it is not answered yet
    page.get_by_text("Start from an example").click()
    page.locator(".example-card").filter(has_text="Bernoulli arms").get_by_role("button", name="Bernoulli arms").click()
    arms = cards(page, "Arms")
    expect(arms).to_have_count(5)
    expect(arms.first.locator(".label")).to_have_text("Bernoulli")
    expect(arms.first.locator(".worth")).to_be_hidden()
    expect(arms.nth(1).locator(".badge")).to_be_hidden()
    expect(page.locator("primum-value .gist")).to_have_text("Mean: …")
    expect(page.locator("primum-policies .gist")).to_contain_text("BESA+, Thompson sampling, KL-UCB")
    asked[0].continue_()
    expect(arms.first.locator(".label")).to_contain_text("Bernoulli(0.")
    expect(arms.first.locator(".worth")).to_be_visible()


def test_an_example_replaces_the_question_and_can_be_drawn_anew(visitor):
    page = visitor.open()
    drawing(page)
    page.get_by_text("Start from an example").click()
    coins = page.locator(".example-card").filter(has_text="Bernoulli arms")
    coins.get_by_label("arms: number of arms").fill("7")
    coins.get_by_role("button", name="Bernoulli arms").click()
    expect(cards(page, "Arms")).to_have_count(7)
    expect(page.locator("primum-answer .about")).to_have_text("Bernoulli arms: 2,000 steps, seed 1.")  # it runs at once
    page.get_by_text("Start from an example").click()
    before = cards(page, "Arms").first.locator(".label").inner_text()
    coins.get_by_role("button", name="New draw").click()
    expect(cards(page, "Arms").first.locator(".label")).not_to_have_text(before)
    visitor.expect_refusal(422)
    coins.get_by_label("arms: number of arms").fill("51")
    coins.get_by_role("button", name="Bernoulli arms").click()
    expect(page.locator("primum-presets .fault")).to_contain_text("arms must be a whole number in [2, 50], got 51")


def test_a_link_that_nobody_knows_gives_the_opening_example(visitor):
    visitor.expect_refusal(404)
    page = visitor.open("/?run=" + "0" * 32)
    drawing(page)
    expect(page.locator("#notice")).to_contain_text(
        "This server has no run \u201800000000000000000000000000000000\u2019. Showing the opening example instead."
    )
