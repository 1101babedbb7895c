"""The policies on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .browsing import cards, drawing, opened, pick, run_line, step

pytestmark = pytest.mark.usefixtures("undrawn")


def test_the_same_policy_plays_twice_with_other_parameters(visitor):
    page = visitor.open()
    drawing(page)
    players = step(page, "Policies")
    policies = cards(page, "Policies")
    pick(players, "Add a policy", "besa-plus")
    expect(policies).to_have_count(5)
    added = policies.last
    expect(added).to_contain_text("Works with every value.")
    expect(added.locator(".name")).to_have_text("BESA+ (floor 2)")
    added.get_by_label("floor", exact=True).fill("1")
    expect(players).to_contain_text("policies must differ, got 'besa-plus' twice")
    expect(run_line(page)).to_have_text("Correct this first: policies must differ, got 'besa-plus' twice")
    expect(added.locator("> summary")).to_contain_text("invalid")
    added.get_by_label("floor", exact=True).fill("2.5")
    expect(added.locator(".name")).to_have_text("BESA+ (floor 2.5)")
    expect(players).not_to_contain_text("must differ")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    added.get_by_text("Details and reference").click()
    expect(added.locator(".source")).to_contain_text("floor")
    added.get_by_role("button", name="Move up").click()
    expect(policies.nth(3).locator(".name")).to_have_text("BESA+ (floor 2.5)")
    policies.nth(3).get_by_role("button", name="Remove").click()
    expect(policies.locator(".name")).to_have_text(["BESA+", "BESA", "Thompson sampling", "UCB1"])


def test_what_is_added_or_copied_differs_from_those_that_play(visitor):
    page = visitor.open()
    drawing(page)
    players, policies = step(page, "Policies"), cards(page, "Policies")
    pick(players, "Add a policy", "boltzmann")
    expect(policies.last.locator(".name")).to_have_text("Boltzmann exploration")
    for name in ("Boltzmann exploration (temperature 0.2)", "Boltzmann exploration (temperature 0.4)"):
        opened(policies.last).get_by_role("button", name="Duplicate").click()
        expect(policies.last.locator(".name")).to_have_text(name)
    besa = opened(policies.nth(1))
    expect(besa.get_by_role("button", name="Duplicate")).to_be_disabled()
    expect(besa).to_contain_text("BESA has no parameters to vary, so it cannot be duplicated.")
    players.get_by_role("button", name="Add a policy").click()
    dialog = page.get_by_role("dialog")
    used = dialog.locator('[data-name="besa"]')
    expect(used).to_contain_text("It is in the list already and has no parameters to vary.")
    expect(used).to_have_attribute("aria-disabled", "true")
    dialog.get_by_role("combobox").fill("besa")
    dialog.get_by_role("combobox").press("Enter")  # BESA comes first
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(policies).to_have_count(7)
    expect(players.locator("> summary .wrong")).to_have_text("")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()


def test_every_policy_with_parameters_can_play_as_often_as_there_is_room(visitor):
    page = visitor.open()
    drawing(page)
    faults = page.evaluate(
        """async () => {
            const base = document.querySelector("script[src*=main]").src.replace("main.js", "");
            const [{variant}, {api}, {catalogue}] = await Promise.all(
                ["question/policy-variant", "lib/api", "lib/catalogue"].map((name) => import(`${base}${name}.js`)));
            const arms = [{name: "a", distribution: "uniform"}];
            const found = {};
            for (const {name, start, parameters} of catalogue.policies) {
                const policies = [start];
                while (policies.length < 12) {
                    const next = variant(policies, policies[0]);
                    if (!next) break;
                    policies.push(next);
                }
                const {errors} = await api.appraise({arms, value: "mean", policies});
                const single = parameters.filter(({many}) => !many);
                const enough = single.length === 0 ? 1 : single.every(({kind}) => kind === "choice") ? 2 : 12;
                if (policies.length < enough || Object.keys(errors).length) found[name] = [policies.length, errors];
            }
            return found;
        }"""
    )
    assert faults == {}


def test_a_policy_says_what_it_needs_and_why_it_is_not_applicable(visitor):
    page = visitor.open()
    drawing(page)
    policy = cards(page, "Policies").filter(has=page.locator(".name", has_text="Thompson sampling"))
    opened(policy)
    expect(policy).to_contain_text("Always uses its own value: mean. Needs rewards in [0, 1].")
    opened(cards(page, "Arms").last).get_by_label("high", exact=True).fill("3")
    fault = "Thompson sampling needs rewards in [0, 1], and arm 'gamble' (uniform on [0, 3]) has them in [0, 3]"
    expect(policy.locator(".fault").filter(has_text="needs")).to_contain_text(fault)
    expect(policy.locator("> summary")).to_contain_text("not applicable")
    expect(step(page, "Policies").locator("> summary .gist")).to_contain_text("Thompson sampling not applicable")
    expect(run_line(page)).to_contain_text(fault)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    policy.get_by_role("button", name="Remove").click()
    expect(run_line(page)).to_contain_text("Takes ")
