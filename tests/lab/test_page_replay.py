"""One replication step by step, on the page: what Python replays."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, expect

from primum.replay import Step, replay

from .browsing import tab
from .questions import data, question

pytestmark = pytest.mark.usefixtures("undrawn")

HORIZON, SEED = 100, 3


def played(policy: str, replication: int = 0) -> tuple[Step, ...]:
    problem = question().experiment().problem()
    return replay(problem, policy, horizon=HORIZON, seed=SEED, replication=replication, count=HORIZON).steps


@pytest.fixture
def page(visitor, lab) -> Page:
    page = visitor.open(f"/?run={lab.finish(data(horizon=HORIZON, seed=SEED))}")
    page.locator("primum-figure .main-svg").first.wait_for()
    tab(page, "Replay")
    return page


def shows(page: Page, step: Step) -> None:
    """That the step is on the page, with its arm, its reason, and what was known before."""
    name = ("standard", "new")[step.arm]
    expect(page.locator(".happened")).to_contain_text(f"Step {step.step} of {HORIZON}: '{name}' is chosen. Reward: ")
    sentence = step.why.sentence
    expect(page.locator(".why")).to_have_text(f"{sentence[0].upper()}{sentence[1:]}.")
    expect(page.locator(".records td.with-bar > span:first-child")).to_have_text([str(count) for count in step.pulls])
    expect(page.locator(".records tr.chosen th")).to_have_text(f"{name} (chosen)")
    expect(page.locator(".duels > .duel")).to_have_count(1 if step.why.duels else 0)


def test_it_goes_step_by_step(page):
    steps = played("besa-plus")
    shows(page, steps[0])
    for step in steps[1:6]:
        page.get_by_role("button", name="Next step").click()
        shows(page, step)
    page.get_by_role("button", name="Previous step").click()
    shows(page, steps[4])
    page.get_by_role("button", name="Last step").click()
    shows(page, steps[-1])
    page.get_by_role("button", name="First step").click()
    shows(page, steps[0])
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".happened")).not_to_contain_text("Step 1 of")
    page.get_by_role("button", name="Pause").click()
    at = int(page.get_by_label("Step", exact=True).input_value())
    assert at > 1
    shows(page, steps[at - 1])


def test_a_duel_is_shown_with_its_samples(page):
    duelled = next(step for step in played("besa-plus") if step.why.duels and step.step > 20)
    page.get_by_label("Step", exact=True).fill(str(duelled.step))
    shows(page, duelled)
    duel = duelled.why.duels[-1]
    names = [("standard", "new")[arm] for arm in (duel.a, duel.b, duel.winner)]
    shown = page.locator(".duel")
    expect(shown.locator("summary")).to_have_text(
        f"The deciding duel: '{names[0]}' against '{names[1]}': '{names[2]}' wins"
    )
    for row, sample in zip(shown.locator("figure").all(), duel.samples, strict=True):
        expect(row.locator("circle")).to_have_count(len(sample.rewards))


def test_the_floor_is_told(page):
    tried = next(step for step in played("besa-plus") if step.why.kind == "floor")
    page.get_by_label("Step", exact=True).fill(str(tried.step))
    shows(page, tried)
    expect(page.locator(".why")).to_contain_text("fewer than 1 x ln(t) = ")


def scores(page: Page) -> list[str]:
    """The texts of the column with scores or challenges."""
    return page.locator(".records td.compared > span:first-child").all_inner_texts()


def test_scores_are_shown_with_the_highest_one_marked(page):
    page.get_by_label("Policy", exact=True).select_option("UCB1")
    steps = played("ucb1")
    for step in (steps[9], steps[40]):
        page.get_by_label("Step", exact=True).fill(str(step.step))
        shows(page, step)
        expect(page.locator(".records thead th.compared")).to_have_text("Upper confidence bound")
        assert [float(text) for text in scores(page)] == pytest.approx(step.why.scores, rel=1e-3)
        places = [dot.bounding_box()["x"] for dot in page.locator(".records .track .dot").all()]
        assert max(places) == places[step.arm]
    page.get_by_label("Step", exact=True).fill("1")  # the opening compares nothing, and the column stays
    shows(page, steps[0])
    assert scores(page) == ["", ""]
    page.get_by_label("Policy", exact=True).select_option("BESA+")
    shows(page, played("besa-plus")[0])
    expect(page.locator(".records thead th.compared")).to_be_hidden()


def test_ties_and_rounds_are_told(visitor, lab):
    arms = [{"name": name, "distribution": "constant(value=0.4)"} for name in ("one", "other")]
    run = lab.finish(data(arms=arms, policies=["min", "sda(ties='leader')"]))
    page = visitor.open(f"/?run={run}")
    tab(page, "Replay")
    page.get_by_label("Step", exact=True).fill("3")
    expect(page.locator(".why")).to_contain_text("'one' and 'other' share the highest worst reward so far, 0.4; chance")
    assert scores(page) == ["0.4 (tied)", "0.4 (tied)"]
    page.get_by_label("Policy", exact=True).select_option("SDA (ties leader)")
    expect(page.locator(".why")).to_contain_text("leads, and no arm has fewer rewards")
    page.get_by_label("Step", exact=True).fill("4")
    expect(page.locator(".why")).to_contain_text("leads with 2 rewards, and the challenger")
    assert sorted(scores(page)) == ["leads", "loses: 0.4 against 0.4"]


def test_of_many_arms_the_one_that_is_chosen_is_in_sight(visitor, lab):
    arms = [{"name": f"arm {i}", "distribution": "uniform"} for i in range(50)]
    page = visitor.open(f"/?run={lab.finish(data(arms=arms, policies=['ucb1']))}")
    tab(page, "Replay")
    for step in (1, 50, 25):  # at first, all arms are tried in turn
        page.get_by_label("Step", exact=True).fill(str(step))
        expect(page.locator(".records tr.chosen th")).to_have_text(f"arm {step - 1} (chosen)")
        for box, part in ((".strip .rows", "circle.now"), (".records", "tr.chosen")):
            ends = time.monotonic() + 10
            while not is_in_sight(page, box, part):  # the strip is drawn after the records
                assert time.monotonic() < ends
                page.wait_for_timeout(20)


def is_in_sight(page, box, part):
    frame, place = page.locator(box).bounding_box(), page.locator(part).bounding_box()
    if frame is None or place is None:
        return False
    return frame["y"] <= place["y"] <= frame["y"] + frame["height"] - place["height"]


def test_what_is_filled_in_before_the_answer_has_come_counts(visitor, lab):
    run, page, held = lab.finish(data(horizon=HORIZON, seed=SEED)), visitor.open(), []
    page.route("**/summary.json*", lambda route: held.append(route))
    page.goto(f"{lab.address}/?run={run}")
    with page.expect_request("**/summary.json*"):
        tab(page, "Replay")
    page.get_by_label("Replication", exact=True).fill("7")
    page.get_by_label("Step", exact=True).fill("60")
    expect(page.locator("primum-replay .fault")).to_be_empty()
    held[-1].continue_()
    shows(page, played("besa-plus", replication=7)[59])


def test_a_step_that_is_not_there_is_refused(page):
    page.get_by_label("Step", exact=True).fill("101")
    told = page.locator("primum-replay .fault")
    expect(told).to_have_text("The step must be a whole number from 1 to 100, got '101'.")


def test_the_slider_is_moved_by_keys(page):
    steps, slider = played("besa-plus"), page.get_by_label("Steps", exact=True)
    slider.focus()
    for key, at in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", HORIZON), ("Home", 1)):
        page.keyboard.press(key)
        shows(page, steps[at - 1])
        expect(slider).to_have_attribute("aria-valuetext", f"step {at} of {HORIZON}")


def test_another_policy_and_another_replication(page):
    page.get_by_label("Policy", exact=True).select_option("UCB1")
    shows(page, played("ucb1")[0])
    page.get_by_label("Replication", exact=True).fill("7")
    page.get_by_label("Step", exact=True).fill("60")
    shows(page, played("ucb1", replication=7)[59])
    page.get_by_label("Replication", exact=True).fill("20")
    expect(page.locator("primum-replay .fault")).to_have_text(
        "The replication must be a whole number from 0 to 19, got '20'."
    )
