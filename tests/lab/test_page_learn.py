"""The article: every widget shows what the engine gives, and reacts to mouse and keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from primum import policies, simulate, trials, values
from primum.problem import Problem
from primum.rewards import Beta, Constant, Uniform

from .test_page_layout import SCREENS, check_with_axe, is_fitting

WIDGETS = ["good", "regret", "duel", "patients", "stuck", "floor", "analysis"]


def widget(page: Page, name: str) -> Locator:
    """A widget that shows something, without a fault."""
    found = page.locator(f"learn-{name}")
    found.scroll_into_view_if_needed()
    settle(found)
    return found


def settle(found: Locator) -> None:
    expect(found).to_have_attribute("aria-busy", "false")
    expect(found.locator(".fault")).to_be_empty()


def test_the_spread_decides_what_is_good(visitor):
    good = widget(visitor.open("/learn"), "good")
    expect(good.locator(".finding")).to_have_text(re.compile("worst tenth, the new treatment is better"))
    slider = good.get_by_role("slider")
    slider.focus()
    for _ in range(4):
        slider.press("ArrowRight")
    expect(good.locator("output")).to_have_text("0.16")
    expect(good.locator(".finding")).to_have_text(
        "By the average and the average minus the variance, the new treatment is better. "
        "By the worst tenth, the standard treatment is better."
    )
    slider.press("End")
    expect(good.locator(".finding")).to_have_text(re.compile("By the average, the new treatment is better"))
    size = 0.55 * 0.45 / 0.26**2 - 1
    wide = values.CVaR(alpha=0.1).true_value(Beta(0.55 * size, 0.45 * size))
    expect(good.get_by_role("img", name="worst tenth")).to_have_attribute(
        "aria-label", re.compile(f"standard 0.36, new {wide:.2f}")
    )


def test_regret_depends_on_what_good_means(visitor):
    regret = widget(visitor.open("/learn"), "regret")
    cells = regret.locator("tbody td")
    wrong = float(cells.nth(1).inner_text())
    assert wrong > float(cells.nth(0).inner_text()) > float(cells.nth(2).inner_text()) > 0
    regret.get_by_role("radio", name="Average").check()
    settle(regret)
    expect(regret).to_contain_text("Better: the gamble treatment")
    assert float(cells.nth(1).inner_text()) < float(cells.nth(0).inner_text())
    slider = regret.get_by_role("slider")
    slider.press("Home")
    assert float(cells.nth(0).inner_text()) < 0.2
    expect(regret.get_by_role("img")).to_have_attribute("aria-label", re.compile("Regret after 1 patients"))


def test_a_duel_is_drawn_patient_by_patient(visitor):
    duel = widget(visitor.open("/learn"), "duel")
    drawn, one = duel.locator(".sign:not(.open)"), duel.get_by_role("button", name="Draw one patient")
    small = drawn.count()
    one.press("Enter")
    expect(drawn).to_have_count(small + 1)
    duel.get_by_role("button", name="Draw all").click()
    expect(drawn).to_have_count(2 * small)
    expect(one).to_be_disabled()
    told = re.search(
        r"A has (\S+), B has (\S+): patient (\d+) gets treatment (\w)", duel.locator(".finding").inner_text()
    )
    problem = Problem({"A": Beta(4, 5), "B": Uniform(0, 1)}, values.Mean())
    pulls = simulate(problem, [policies.BesaPlus()], horizon=60, replications=1, seed=1).pulls
    before, after = (pulls.sel(step=int(told[3]) - back).values.ravel() for back in (1, 0))
    assert "AB"[int((after - before).argmax())] == told[4] == ("A" if float(told[1]) > float(told[2]) else "B")
    duel.get_by_role("button", name="Next patient").click()
    expect(one).to_be_enabled()


def test_the_reader_plays_against_besa_plus(visitor):
    patients = widget(visitor.open("/learn"), "patients")
    patients.get_by_role("button", name="Give A", exact=True).press("Enter")
    expect(patients.locator(".finding")).to_have_text(
        re.compile(r"Patient 1 got treatment A: outcome \d\.\d\d. 49 to go")
    )
    for _ in range(10):
        button = patients.get_by_role("button", name="Give A to 5 patients")
        if button.is_enabled():
            button.press("Space")
    expect(patients.locator(".finding")).to_have_text(
        re.compile("You gave (0|50) of 50 patients the worse treatment, BESA. ")
    )
    told = re.search(
        r"Treatment (\w) was better. You gave (\d+) .* BESA\+ (\d+)", patients.locator(".finding").inner_text()
    )
    problem = Problem({"standard": Constant(0.4), "new": Uniform(0, 1)}, values.Mean())
    pulls = simulate(problem, [policies.BesaPlus()], horizon=100, replications=8, seed=1, steps=[50, 100]).pulls
    besa = int(pulls.sel(step=50, arm="standard").values.ravel()[0])
    assert (int(told[2]), int(told[3])) == (0 if told[1] == "A" else 50, besa)
    patients.get_by_role("button", name="Another trial").click()
    expect(patients.locator(".finding")).to_have_text(re.compile("Trial 2 of 8"))
    expect(patients).to_contain_text("Treatment A: 0 patients")


def test_stuck_trials_are_told_apart(visitor):
    stuck = widget(visitor.open("/learn"), "stuck")
    rows = stuck.get_by_role("button")
    on_new = [int(row.inner_text().split("\n")[-1].split(" ")[0]) for row in rows.all()]
    assert len(on_new) == 8
    expect(stuck.locator(".finding")).to_have_text(re.compile(f"^In {sum(n < 5 for n in on_new)} of 8 trials"))
    best = rows.nth(on_new.index(max(on_new)))
    best.press("Enter")
    expect(best).to_have_attribute("aria-pressed", "true")
    expect(stuck.locator("[aria-live]")).to_have_text(
        re.compile(f"Trial {on_new.index(max(on_new)) + 1}: .* {max(on_new)} patients got it")
    )


def test_a_higher_floor_frees_trials_and_costs_elsewhere(visitor):
    floor = widget(visitor.open("/learn"), "floor")
    cells = floor.locator("tbody td")
    numbers = lambda: [float(text.split(" ")[0]) for text in cells.all_inner_texts()]  # noqa: E731
    before = numbers()
    floor.get_by_role("radio", name="10").check()
    settle(floor)
    expect(floor).to_contain_text("at least 5 of the first 10 patients, 47 of the first 100 and 70 of the first 1,000")
    hard_stuck, hard_regret, _, easy_regret = numbers()
    assert hard_stuck < before[0] / 10
    assert hard_regret < before[1]
    assert easy_regret > 2 * before[3]
    floor.get_by_role("radio", name="10").press("ArrowLeft")
    expect(floor.get_by_role("radio", name="5")).to_be_checked()


def test_the_analysis_has_the_exact_numbers(visitor):
    analysis = widget(visitor.open("/learn"), "analysis")
    analysis.get_by_role("radio", name="Exact test").check()
    analysis.get_by_role("slider").fill("0.6")
    settle(analysis)
    test = trials.ConditionalExact(alpha=0.05, sided="greater")
    design = trials.Design(arms=["control", "new"], patients=100, policy="besa-plus", burn_in=5, analysis=test)
    law = trials.exact(design, progress=False)
    expected = f"{law.type_1(0.3):.1%}", f"{law.reject(0.3, 0.6):.1%}", f"{law.patients(0.3, 0.6)[1]:.0f}"
    row = analysis.locator("tbody tr", has_text="BESA+")
    assert [text.replace(" %", "%") for text in row.locator("td").all_inner_texts()] == list(expected)


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_article_fits_and_axe_finds_nothing_wrong(visitor, width, scheme):
    page = visitor.open("/learn", viewport={"width": width, "height": 800}, color_scheme=scheme)
    for name in WIDGETS:
        widget(page, name)
    assert page.locator(".widget").count() == len(WIDGETS)
    assert is_fitting(page)
    check_with_axe(page, scheme)


def test_a_refusal_is_shown_and_the_next_try_works(visitor):
    visitor.expect_refusal(503)
    page = visitor.open("/learn")
    widget(page, "floor")
    busy = {"status": 503, "json": {"errors": {"": "the laboratory is busy"}}}
    page.route("**/api/trials/**", lambda route: route.fulfill(**busy))
    analysis = page.locator("learn-analysis")
    analysis.scroll_into_view_if_needed()
    analysis.get_by_role("slider").press("Home")
    expect(analysis.locator(".fault")).to_contain_text("the laboratory is busy")
    page.unroute("**/api/trials/**")
    analysis.get_by_role("slider").press("End")
    settle(analysis)
    expect(analysis.locator(".finding")).to_contain_text("more patients the better treatment")
