"""A link opens the same settings and results in any browser, also after a restart."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .browsing import cards, drawing, finished, step, tab
from .laboratory import laboratory
from .questions import data


def asked(page: Page) -> dict[str, list[str]]:
    """The question as it stands on the page."""
    return {
        "arms": cards(page, "Arms").locator("> summary .words").all_inner_texts(),
        "value": step(page, "Safety value").locator("> summary .gist").all_inner_texts(),
        "policies": cards(page, "Policies").locator("> summary .name").all_inner_texts(),
        "run": [field.input_value() for field in page.locator("primum-run-bar input").all()],
    }


def test_a_copied_link_shows_the_same_to_somebody_else(visitor, lab):
    changes = {"title": "Mine & <b>yours</b>", "value": "cvar(alpha=0.2)", "policies": ["besa-plus(floor=2)", "ucb1"]}
    page = visitor.open(f"/?run={lab.finish(data(**changes))}", permissions=["clipboard-read", "clipboard-write"])
    shown = drawing(page)
    assert shown["title"] == "Cumulative regret (value: CVaR 20 %)"
    expect(page.locator("primum-answer .about")).to_have_text("Mine & <b>yours</b>: 100 steps, seed 3.")
    tab(page, "Export")
    page.get_by_role("button", name="Copy: Link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    other = visitor.open(link.removeprefix(lab.address))
    assert drawing(other) == shown
    assert asked(other) == asked(page)
    assert "BESA+ (floor 2)" in asked(other)["policies"]


def test_a_link_outlives_the_laboratory(visitor, tmp_path):
    with laboratory(tmp_path) as lab:
        link = f"/?run={lab.finish(data())}"
        page = visitor.open(link, address=lab.address)
        shown, before = drawing(page), asked(page)
        page.close()  # or it would go on asking
    with laboratory(tmp_path) as lab:
        page = visitor.open(link, address=lab.address)
        assert drawing(page) == shown
        assert asked(page) == before
        page.close()


def test_back_and_forward(visitor, lab):
    page = visitor.open(f"/?run={lab.finish(data())}")
    subtitle, replications = page.locator("primum-figure .subtitle"), page.get_by_label("Replications", exact=True)
    expect(subtitle).to_contain_text("of 20 replications")
    first = page.url
    replications.fill("21")
    page.get_by_role("button", name="Run", exact=True).click()
    finished(page)
    expect(subtitle).to_contain_text("of 21 replications")
    second = page.url
    assert second != first
    page.go_back()
    expect(subtitle).to_contain_text("of 20 replications")
    expect(replications).to_have_value("20")
    expect(page).to_have_url(first)
    page.go_forward()
    expect(subtitle).to_contain_text("of 21 replications")
    expect(replications).to_have_value("21")
    expect(page).to_have_url(second)
