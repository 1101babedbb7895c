"""Arms imported from a CSV file on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .browsing import cards, drawing, opened, step

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


def test_a_file_without_outcomes_leaves_the_arms_as_they_are(upload, visitor):
    page, part = upload
    visitor.expect_refusal(422)
    part.locator("input[type=file]").set_input_files(
        {"name": "x.csv", "mimeType": "text/csv", "buffer": b"patient,drug,note\np1,a,good\np2,b,bad\n"}
    )
    expect(part.locator(".fault")).to_contain_text("x.csv: cannot tell which column")
    expect(cards(page, "Arms").locator("> summary .name")).to_have_text(["sure", "gamble"])
    expect(part.get_by_label("arm column").locator("option")).to_have_text(["patient", "drug", "note"])
