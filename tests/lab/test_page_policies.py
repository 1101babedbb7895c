"""Who plays, on the page."""

from __future__ import annotations

from playwright.sync_api import expect

from .browsing import cards, drawing, run_line, step


def test_the_same_policy_plays_twice_with_other_parameters(visitor):
    page = visitor.open()
    drawing(page)
    players = step(page, "Who plays")
    policies = cards(page, "Who plays")
    players.get_by_label("one more policy").select_option("besa-plus")
    expect(players).to_contain_text("Uses any value.")
    players.get_by_role("button", name="Add", exact=True).click()
    expect(policies).to_have_count(5)
    added = policies.last
    expect(players).to_contain_text("policies must differ, got 'besa-plus' twice")
    expect(run_line(page)).to_have_text("To run it, correct this first: policies must differ, got 'besa-plus' twice")
    added.get_by_label("floor", exact=True).fill("2.5")
    expect(added.locator(".name")).to_have_text("besa-plus(floor=2.5)")
    expect(players).not_to_contain_text("must differ")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    added.get_by_text("How it works, and where it comes from").click()
    expect(added.locator(".source")).to_contain_text("floor")
    added.get_by_role("button", name="Move up").click()
    expect(policies.nth(3).locator(".name")).to_have_text("besa-plus(floor=2.5)")
    policies.nth(3).get_by_role("button", name="Remove").click()
    expect(policies.locator(".name")).to_have_text(["besa-plus", "besa", "thompson", "ucb1"])


def test_a_policy_says_what_it_needs_and_why_it_cannot_play(visitor):
    page = visitor.open()
    drawing(page)
    policy = cards(page, "Who plays").filter(has=page.locator(".name", has_text="thompson"))
    policy.locator("summary").first.click()
    expect(policy).to_contain_text("Always uses the value mean. Needs rewards in [0, 1].")
    cards(page, "Arms").last.get_by_label("high", exact=True).fill("3")
    fault = "thompson needs rewards in [0, 1], and arm 'gamble' (uniform(high=3)) has them in [0, 3]"
    expect(policy.locator(".fault").filter(has_text="needs")).to_contain_text(fault)
    expect(policy.locator("> summary")).to_contain_text("cannot play")
    expect(step(page, "Who plays").locator("> summary .gist")).to_contain_text("thompson cannot play")
    expect(run_line(page)).to_contain_text(fault)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    policy.get_by_role("button", name="Remove").click()
    expect(run_line(page)).to_have_text("Takes less than 1 s.")
