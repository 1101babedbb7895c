"""The page responds: quick changes run by themselves, edits survive a reload, and the bar tells all the same."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .browsing import cards, drawing, finished, opened, run_line
from .questions import data

pytestmark = pytest.mark.usefixtures("undrawn")


def about(page: Page) -> Locator:
    return page.locator("primum-answer .about")


def field(page: Page, name: str) -> Locator:
    return page.get_by_label(name, exact=True)


def test_a_quick_change_runs_by_itself(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data())}")
    drawing(page)
    before = page.url
    opened(cards(page, "Arms").first).get_by_label("value", exact=True).fill("0.3")
    expect(page).not_to_have_url(before)
    finished(page)
    first = page.url
    field(page, "Seed").fill("4")
    expect(about(page)).to_have_text("100 steps, seed 4.")
    assert page.url != first
    page.go_back()  # runs that start by themselves are one entry of the history
    expect(page).to_have_url(before)


def test_typing_is_one_change(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data())}")
    drawing(page)
    started: list[str] = []
    page.on("request", lambda request: request.method == "POST" and started.append(request.url))
    field(page, "Seed").press("End")
    field(page, "Seed").press_sequentially("4567", delay=30)
    expect(about(page)).to_have_text("100 steps, seed 34567.")
    assert [url for url in started if url.endswith("/api/runs")] == [f"{lab.address}/api/runs"]


def test_a_long_run_waits_for_a_person(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data())}")
    drawing(page)
    before = page.url
    field(page, "Horizon").fill("100,000")
    field(page, "Replications").fill("1e3")
    expect(about(page)).to_contain_text("Settings changed. Press Run to update.")
    expect(run_line(page)).to_have_text(re.compile(r"^Takes about \d+ (s|min)\.$"))
    page.wait_for_timeout(1_000)  # longer than the pause after which a quick one starts
    assert page.url == before
    expect(field(page, "Horizon")).to_have_value("100,000")


def test_enter_in_a_field_runs(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data())}")
    drawing(page)
    page.route("**/api/cost", lambda route: None)  # never answered: nothing starts by itself
    field(page, "Replications").fill("1e1")
    field(page, "Replications").press("Enter")
    finished(page)
    expect(page.locator("primum-figure .subtitle")).to_contain_text("of 10 replications")


def test_edits_survive_a_reload(visitor, lab):
    shared = f"/?run={lab.finish(data())}"
    page = visitor.open(shared)
    drawing(page)
    field(page, "Horizon").fill("200000")
    field(page, "Replications").fill("5000")
    expect(about(page)).to_contain_text("Press Run")
    page.reload()
    drawing(page)
    expect(field(page, "Horizon")).to_have_value("200000")
    expect(field(page, "Replications")).to_have_value("5000")
    expect(about(page)).to_contain_text("100 steps, seed 3. Settings changed. Press Run to update.")
    page.goto(lab.address + shared)  # a link shows what was shared
    drawing(page)
    expect(field(page, "Horizon")).to_have_value("100")
    expect(about(page)).to_have_text("100 steps, seed 3.")


def test_an_example_runs_at_once(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data())}")
    drawing(page)
    page.get_by_text("Start from an example").click()
    page.get_by_role("button", name="Nothing to learn").click()
    expect(about(page)).to_have_text("Nothing to learn: 2,000 steps, seed 1.")
    finished(page)


def test_screen_readers_hear_the_percentage_of_the_bar(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data())}")
    drawing(page)
    page.evaluate(
        """() => {
            const part = (name) => document.querySelector(`primum-run-bar ${name}`);
            const [bar, aloud] = [part("progress"), part("[aria-live]")];
            window.heard = [];
            new MutationObserver(() => {
                const said = aloud.textContent.match(/Running, (\\d+) percent done/);
                const shown = Math.round(100 * bar.value);
                if (said) window.heard.push([Number(said[1]), shown, bar.getAttribute("aria-valuetext")]);
            }).observe(aloud, { childList: true, characterData: true, subtree: true });
        }"""
    )
    field(page, "Horizon").fill("2000")
    field(page, "Replications").fill("4000")
    field(page, "Replications").press("Enter")
    finished(page)
    heard = page.evaluate("window.heard")
    assert heard
    assert len(heard) <= 5  # at each quarter, and no more
    for said, bar, text in heard:
        assert (said, text) == (bar, f"{bar} percent")
