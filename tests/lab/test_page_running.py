"""A run on the page: its figures are refined, it can be cancelled, and refusals are explained."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, Route, expect

from primum import Results
from primum.runs import Experiment

from .browsing import drawing, finished, run_line, step
from .laboratory import laboratory
from .questions import data, question

pytestmark = pytest.mark.usefixtures("undrawn")


def test_figures_sharpen_while_it_runs_and_what_is_complete_stays_when_it_is_stopped(visitor, lab):
    page = visitor.open()
    drawing(page)
    ask(page, horizon=5_000, replications=20_000)
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(run_line(page)).to_have_text(re.compile(r"^[\d,]+ of 20,000 replications, about \d+ (s|min) left$"))
    first = shown_replications(page, after=0)
    shown_replications(page, after=first)
    page.get_by_role("button", name="Cancel").click()
    expect(run_line(page)).to_have_text(re.compile(r"^Cancelled after [\d,]+ of 20,000 replications\.$"))
    expect(page.get_by_role("progressbar")).to_be_hidden()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    id = page.url.split("run=")[1]
    complete = lab.client.get(f"/api/runs/{id}").json()["run"]["replications"]
    expect(run_line(page)).to_contain_text(f"{complete:,} of 20,000")
    expect(page.locator("primum-figure .subtitle")).to_contain_text(f"of {complete:,} replications")
    asked = Experiment.from_toml(lab.client.get(f"/api/runs/{id}/experiment.toml").text)
    assert (asked.horizon, asked.replications) == (5_000, complete)
    partial, whole = Results.from_bytes(lab.client.get(f"/api/runs/{id}/results.nc").content), asked.run(progress=False)
    assert np.array_equal(partial.pulls, whole.pulls)
    assert partial.summary().equals(whole.summary())


def test_a_small_run_gives_the_numbers_of_python(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data())}")
    drawing(page)
    ask(page, seed=11, replications=25)
    finished(page)
    expect(page.locator("primum-figure .subtitle")).to_contain_text("25 replications")
    id = page.url.split("run=")[1]
    expected = question(seed=11, replications=25).experiment().run(progress=False)
    assert Results.from_bytes(lab.client.get(f"/api/runs/{id}/results.nc").content) == expected
    seed = page.get_by_label("Seed", exact=True)
    page.get_by_role("button", name="New seed").click()
    expect(seed).not_to_have_value("11")
    expect(page.locator("primum-answer .about")).to_have_text(f"100 steps, seed {seed.input_value()}.")  # by itself
    seed.fill("11")
    expect(page.locator("primum-answer .about")).to_have_text("100 steps, seed 11.")


def test_a_start_is_seen_at_once_and_the_figure_keeps_its_description(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data())}")
    drawing(page)
    held: list[Route] = []
    page.route("**/api/runs", lambda route: held.append(route))  # the laboratory takes its time
    ask(page, seed=12)
    expect(run_line(page)).to_have_text("Starting…")
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "0")
    about = page.locator("primum-answer .about")
    expect(about).to_have_text("100 steps, seed 3. Computing results for the new settings.")
    page.get_by_role("button", name="Cancel").click()
    expect(about).to_have_text("100 steps, seed 3. Settings changed. Press Run to update.")
    page.get_by_role("button", name="Run", exact=True).click()
    for route in held:
        route.continue_()
    finished(page)
    expect(about).to_have_text("100 steps, seed 12.")


def test_on_a_small_screen_the_answer_comes_into_view(visitor, lab):
    small = {"width": 360, "height": 640}
    page = visitor.open(f"/?run={lab.finish(data())}", viewport=small, reduced_motion="reduce")
    drawing(page)
    expect(page.get_by_role("tab", name="Regret", exact=True)).to_be_in_viewport()  # it is above the settings
    step(page, "Arms")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect(page.get_by_role("tab", name="Regret", exact=True)).not_to_be_in_viewport()
    ask(page, seed=12)
    expect(page.get_by_role("tab", name="Regret", exact=True)).to_be_in_viewport()


def test_fields_of_the_run_say_what_is_wrong(visitor):
    page = visitor.open()
    drawing(page)
    horizon = page.get_by_label("Horizon", exact=True)
    horizon.fill("ten")
    expect(run_line(page)).to_have_text("horizon must be a whole number in [2, 1000000], got 'ten'")
    expect(horizon).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()


def test_too_much_is_refused_with_by_how_much(visitor):
    page = visitor.open()
    drawing(page)
    page.get_by_label("Horizon", exact=True).fill("1000000")
    page.get_by_label("Replications", exact=True).fill("50000")
    told = r"^this run needs about .* of processor time, [\d,.]+ times the limit of 10 min.*; it would fit with "
    expect(run_line(page)).to_have_text(re.compile(told))
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    page.get_by_label("Horizon", exact=True).fill("1000")
    page.get_by_label("Replications", exact=True).fill("50")
    expect(run_line(page)).to_contain_text("Takes ")


def test_a_full_laboratory_is_asked_again(visitor, tmp_path):
    visitor.expect_refusal(503)
    with laboratory(tmp_path, "--runs", "1") as lab:
        page = visitor.open(address=lab.address)
        drawing(page)
        page.clock.install()
        large = lab.client.post("/api/runs", json=data(horizon=20_000, replications=5_000)).json()["id"]
        me = {"follower": "me"}
        with lab.client.stream("GET", f"/api/runs/{large}/events", params=me):  # somebody follows it, so it goes on
            ask(page, seed=10, replications=10)  # with the same seed, its replications are in the store
            told = r"^the queue is full: 1 of 1 runs; try again in \d+ s\. Retrying in \d+ s\.$"
            expect(run_line(page)).to_have_text(re.compile(told))
            expect(page.get_by_role("button", name="Cancel")).to_be_visible()
            assert lab.client.delete(f"/api/runs/{large}").json()["state"] == "running", "it is somebody else's"
            assert lab.client.delete(f"/api/runs/{large}", params=me).json()["state"] == "cancelled"
        page.clock.run_for(600_000)  # the longest that a laboratory asks to wait
        finished(page)
        expect(page.locator("primum-figure .subtitle")).to_contain_text("mean of 10 replications")
        page.close()  # or it would go on asking


def test_a_run_that_others_follow_goes_on_and_says_so(visitor, lab):
    page = visitor.open()
    drawing(page)
    ask(page, horizon=5_000, replications=20_000, seed=13)
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(run_line(page)).to_have_text(re.compile(r"left$"))
    with lab.client.stream("GET", f"/api/runs/{page.url.split('run=')[1]}/events"):  # somebody with the same link
        page.get_by_role("button", name="Cancel").click()
        goes_on = r"^Not cancelled: others follow this run\. [\d,]+ of 20,000 replications, about .* left$"
        expect(run_line(page)).to_have_text(re.compile(goes_on))
        expect(page.locator("primum-run-bar [aria-live]")).to_contain_text("Not cancelled: others follow this run.")
        shown_replications(page, after=shown_replications(page, after=0))
        expect(run_line(page)).to_have_text(re.compile(goes_on))
    cancel = page.get_by_role("button", name="Cancel")
    while cancel.is_visible():  # the laboratory notices the end of the other stream within moments
        cancel.click()
        page.wait_for_timeout(200)
    expect(run_line(page)).to_have_text(re.compile(r"^Cancelled after [\d,]+ of 20,000 replications\.$"))


def ask(page: Page, **fields: int) -> None:
    """Change fields of the run bar, and run."""
    for name, number in fields.items():
        page.get_by_label(name.capitalize(), exact=True).fill(str(number))
    page.get_by_role("button", name="Run", exact=True).click()


def shown_replications(page: Page, after: int) -> int:
    """The replications that the figure shows of this run, when they are more than that."""
    found: int = page.wait_for_function(
        """after => {
            const subtitle = document.querySelector("primum-figure .subtitle").textContent;
            const count = Number(subtitle.match(/([\\d,]+) replications?/)[1].replaceAll(",", ""));
            return count !== 300 && count > after && count; // 300 are of the run before
        }""",
        arg=after,
    ).json_value()
    return found
