"""Arms imported from a CSV file on the page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .browsing import cards, drawing, finished, opened, pick, step, tab

pytestmark = pytest.mark.usefixtures("undrawn")

OUTCOMES = "id,treatment,days,weight\n1,old,10,60\n2,new,30,70\n3,old,20,61\n4,new,50,72\n"
HOSTILE = "<img src=x onerror=alert(1)>.csv"


@pytest.fixture
def upload(visitor) -> tuple[Page, Locator]:
    page = visitor.open()
    drawing(page)
    return page, opened(step(page, "Arms").locator("details.csv"))


def test_a_file_that_is_chosen_becomes_arms(upload, visitor):
    page, part = upload
    with page.expect_file_chooser() as chooser:
        part.get_by_text("Choose a CSV file").click()
    chooser.value.set_files({"name": HOSTILE, "mimeType": "text/csv", "buffer": OUTCOMES.encode()})
    said = part.locator(".hint[aria-live]")
    expect(said).to_have_text(
        f"{HOSTILE}: 4 outcomes in 2 arms: arms from column 'treatment', outcomes from column 'days'; "
        "rescaled 10 -> 0, 50 -> 1."
    )
    arms = cards(page, "Arms")
    expect(arms.locator("> summary .name")).to_have_text(["old", "new"])
    expect(arms.first.get_by_label("data")).to_have_value("0, 0.25")
    low, high = part.get_by_label("outcome rescaled to 0"), part.get_by_label("outcome rescaled to 1")
    expect(low).to_have_value("10")
    high.fill("90")
    high.blur()
    expect(said).to_contain_text("rescaled 10 -> 0, 90 -> 1")
    expect(arms.first.get_by_label("data")).to_have_value("0, 0.125")
    visitor.expect_refusal(422)
    high.fill("45")
    high.blur()
    expect(part.locator(".fault")).to_contain_text("line 5: days must be in [10, 45], got '50'")
    part.get_by_label("Clip outcomes outside this range").check()
    expect(said).to_contain_text("rescaled 10 -> 0, 45 -> 1; 1 outcome clipped.")
    part.get_by_label("Clip outcomes outside this range").uncheck()
    expect(part.locator(".fault")).to_contain_text("must be in [10, 45]")
    high.fill("90")
    high.blur()
    expect(said).to_contain_text("rescaled 10 -> 0, 90 -> 1.")
    high.fill("5")
    high.blur()
    expect(part.locator(".fault")).to_contain_text("low must be less than high, got low=10 and high=5")
    expect(said).to_contain_text("rescaled 10 -> 0, 90 -> 1. The arms keep the scale from 10 to 90.")
    part.get_by_label("outcome column").select_option("weight")
    expect(said).to_contain_text("outcomes from column 'weight'; rescaled 60 -> 0, 72 -> 1")
    expect(high).to_have_value("72")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()


def test_a_file_that_is_dropped_becomes_arms(upload):
    page, part = upload
    dropped = page.evaluate_handle(
        """text => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "outcomes.csv"));
            return transfer;
        }""",
        "arm;outcome\na;0.5\nb;1\n",
    )
    part.locator(".drop").dispatch_event("drop", {"dataTransfer": dropped})
    expect(part).to_contain_text("outcomes.csv: 2 outcomes in 2 arms")
    expect(part).to_contain_text("not rescaled")
    expect(cards(page, "Arms").locator("> summary .name")).to_have_text(["a", "b"])
    title = page.get_by_label("Title (optional)")
    expect(title).to_have_value("outcomes")
    title.fill("Survival")
    part.get_by_label("outcome rescaled to 1").fill("2")
    part.get_by_label("outcome rescaled to 1").blur()
    expect(part).to_contain_text("rescaled 0 -> 0, 2 -> 1")
    expect(title).to_have_value("Survival")
    expect(cards(page, "Arms").first.locator("> summary .label")).to_have_text("empirical (1 observation)")


def sent(part: Locator, content: str) -> None:
    part.locator("input[type=file]").set_input_files(
        {"name": "trial.csv", "mimeType": "text/csv", "buffer": content.encode()}
    )


def test_a_wide_file_becomes_arms_and_its_columns_can_be_chosen(upload, visitor):
    page, part = upload
    arms, said = cards(page, "Arms").locator("> summary .name"), part.locator(".hint[aria-live]")
    sent(part, "patient,old,new\n101,10,20\n105,14,25\n103,,40\n")
    expect(arms).to_have_text(["patient", "old", "new"])  # patients are not counted 1, 2, 3
    expect(part.get_by_label("layout")).to_have_value("wide")
    part.get_by_label("patient", exact=True).uncheck()
    expect(said).to_have_text("trial.csv: 5 outcomes in 2 arms: a column for each arm; rescaled 10 -> 0, 40 -> 1.")
    expect(arms).to_have_text(["old", "new"])
    part.get_by_label("outcome rescaled to 1").fill("60")
    part.get_by_label("outcome rescaled to 1").blur()
    expect(said).to_contain_text("rescaled 10 -> 0, 60 -> 1.")
    expect(arms).to_have_text(["old", "new"])
    visitor.expect_refusal(422)
    part.get_by_label("layout").select_option("long")
    expect(part.locator(".fault")).to_contain_text("cannot tell which column names the arms")
    part.get_by_label("arm column").select_option("patient")
    part.get_by_label("outcome column").select_option("new")
    expect(arms).to_have_text(["101", "105", "103"])


@pytest.mark.parametrize("content", ["arm,days\na,10\nb,NA\na,20\nb,\nb,50\n", "a,b\n10,nan\n20,.\n,50\n"])
def test_missing_outcomes_are_left_out_on_request(upload, visitor, content):
    page, part = upload
    arms, fault = cards(page, "Arms").locator("> summary .name"), part.locator(".fault")
    visitor.expect_refusal(422)
    sent(part, content)
    expect(fault).to_contain_text("must be a finite number, got ")
    expect(fault).to_contain_text("trial.csv, line ")
    expect(arms).to_have_text(["sure", "gamble"])
    leave = part.get_by_label("Leave out 2 missing outcomes")
    leave.check()
    expect(part.locator(".hint[aria-live]")).to_contain_text("3 outcomes in 2 arms")
    expect(part.locator(".hint[aria-live]")).to_contain_text("; 2 missing outcomes left out.")
    expect(fault).to_have_text("")
    expect(arms).to_have_text(["a", "b"])
    leave.uncheck()
    expect(fault).to_contain_text("must be a finite number, got ")
    expect(arms).to_have_text(["a", "b"])
    expect(leave).to_be_visible()


def test_a_file_with_a_wrong_and_a_missing_outcome_says_what_is_wrong(upload, visitor):
    _, part = upload
    visitor.expect_refusal(422)
    sent(part, "arm,days\na,\nb,many\n")
    expect(part.locator(".fault")).to_have_text("trial.csv, line 3: days must be a finite number, got 'many'")
    expect(part.get_by_text("Leave out")).to_be_hidden()
    expect(part.get_by_label("arm column").locator("option")).to_have_text(["arm", "days"])


@pytest.mark.parametrize(("words", "layout"), [("one row per outcome", "long"), ("one column per arm", "wide")])
def test_the_sample_files_can_be_downloaded_and_imported(upload, words, layout):
    page, part = upload
    with page.expect_download() as download:
        part.get_by_role("link", name=words).click()
    assert download.value.suggested_filename == f"primum-sample-{layout}.csv"
    sent(part, download.value.path().read_text())
    expect(part.locator(".hint[aria-live]")).to_contain_text("137 outcomes in 2 arms")
    expect(part.get_by_label("layout")).to_have_value(layout)
    expect(cards(page, "Arms").locator("> summary .name")).to_have_text(["standard", "test"])


def test_results_are_also_in_the_unit_of_the_file(upload, visitor):
    page, part = upload
    sent(part, "arm,days\nold,100\nold,200\nnew,300\nnew,500\n")  # rescaled to 0, 0.25, 0.5 and 1
    old = opened(cards(page, "Arms").first)
    expect(old.locator(".facts .in-unit")).to_have_text(["150 days", "50 days", "150 days", "250 days"])
    page.get_by_label("Replications", exact=True).fill("20")
    page.get_by_label("Horizon", exact=True).fill("50")
    pick(step(page, "Policies"), "Add a policy", "round-robin")
    page.get_by_role("button", name="Run", exact=True).click()
    finished(page)
    tab(page, "Table")
    turns = page.locator("primum-summary tr").filter(has_text="Round robin").first
    sum_of_gaps = re.compile(r"^6250(\.0+)? days$")  # 25 of 50 pulls, 250 each
    expect(turns.locator('[data-column="Regret, mean"] .in-unit')).to_have_text(sum_of_gaps)
    expect(turns.locator('[data-column="Regret, median"] .in-unit')).to_have_text(sum_of_gaps)
    expect(turns.locator('[data-column="Reward"] .in-unit')).to_have_text(re.compile(r"^275(\.0+)? days$"))
    expect(turns.locator(".in-unit")).to_have_count(3)

    again = visitor.open(page.url.removeprefix(visitor.address))  # the link keeps the unit
    expect(opened(cards(again, "Arms").first).locator(".facts .in-unit").first).to_have_text("150 days")
    again.close()

    part.get_by_label("Unit of the outcomes").fill("")
    expect(old.locator(".facts .in-unit").first).to_have_text("150 in the unit of the file")
    part.get_by_label("Unit of the outcomes").fill("d")
    pick(step(page, "Safety value"), "value", "mean-variance")
    expect(old.locator(".facts .in-unit")).to_have_text(["150 d", "50 d"])  # it adds days to squared days
    page.get_by_role("button", name="Run", exact=True).click()
    finished(page)
    expect(turns.locator(".in-unit")).to_have_text([re.compile(r"^275(\.0+)? d$")])
    step(page, "Arms").get_by_role("button", name="Remove all arms").click()
    pick(step(page, "Arms"), "Add an arm", "uniform")
    expect(cards(page, "Arms").last.locator(".facts dd").first).to_have_text("0.5")
    expect(page.locator(".facts .in-unit")).to_have_count(0)


def test_a_file_without_outcomes_leaves_the_arms_as_they_are(upload, visitor):
    page, part = upload
    visitor.expect_refusal(422)
    part.locator("input[type=file]").set_input_files(
        {"name": "x.csv", "mimeType": "text/csv", "buffer": b"patient,drug,note\np1,a,good\np2,b,bad\n"}
    )
    expect(part.locator(".fault")).to_contain_text("x.csv: cannot tell which column")
    expect(cards(page, "Arms").locator("> summary .name")).to_have_text(["sure", "gamble"])
    expect(part.get_by_label("arm column").locator("option")).to_have_text(["patient", "drug", "note"])
