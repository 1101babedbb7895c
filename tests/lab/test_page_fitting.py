"""The page fits: figures are in sight, help is over the page, a phone shows the answer first, colours stand out."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from primum.figures import style

from .browsing import drawing, tab
from .test_page_layout import FIGURES, is_fitting


@pytest.mark.parametrize("size", [(1280, 720), pytest.param((1440, 900), marks=pytest.mark.long)])
def test_the_whole_figure_is_in_sight_and_there_is_one_scroll_bar(visitor, size):
    page = visitor.open(viewport={"width": size[0], "height": size[1]})
    drawing(page)
    expect(page.locator("primum-figure .xtitle")).to_be_in_viewport(ratio=1)
    for name in ("Best arm", "Worst arm", "Reward"):
        tab(page, name)
        expect(page.get_by_role("tabpanel", name=name)).to_contain_text(FIGURES[name])
        expect(page.locator("primum-figure .xtitle")).to_be_in_viewport(ratio=1)
        expect(page.locator("primum-figure .plot")).to_be_in_viewport(ratio=1)
    scrolling = """[...document.querySelectorAll("body *")].filter((element) => {
        const { scrollHeight, clientHeight } = element;
        return /auto|scroll/.test(getComputedStyle(element).overflowY)
            && 0 < clientHeight && clientHeight + 1 < scrollHeight;
    }).map((element) => element.outerHTML.slice(0, 100))"""
    assert page.evaluate(scrolling) == []


def test_help_opens_over_the_page(visitor):
    page = visitor.open()
    drawing(page)
    places = "[...document.querySelectorAll('.step, .plot, .tabs')].map((each) => each.getBoundingClientRect().top)"
    before = page.evaluate(places)
    for topic in ("arms", "horizon, replications and seed"):
        page.get_by_role("button", name=f"Help: {topic}").click()
        words = page.locator(".help-text:popover-open")
        expect(words).to_have_count(1)
        expect(words).to_be_in_viewport(ratio=1)
        assert page.evaluate(places) == before
        page.keyboard.press("Escape")
        expect(words).to_have_count(0)


def test_on_a_phone_the_answer_comes_first(visitor):
    page = visitor.open(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    drawing(page)
    boxes = {name: page.locator(name).bounding_box() for name in ("primum-answer", ".question", "primum-run-bar")}
    assert boxes["primum-answer"]["y"] < boxes[".question"]["y"]
    expect(page.locator("primum-answer > .verdict")).to_be_in_viewport(ratio=1)
    middle = "element => { const { top, bottom } = element.getBoundingClientRect(); return (top + bottom) / 2; }"
    tabs = [each.evaluate(middle) for each in page.get_by_role("tab").all()]
    assert max(tabs) - min(tabs) < 1
    bottoms = "element => element.getBoundingClientRect().bottom"
    parts = page.locator("primum-run-bar :is(input, .fields > button, .primary)").all()
    ends = [part.evaluate(bottoms) for part in parts]
    assert max(ends) - min(ends) < 2  # one line
    assert boxes["primum-run-bar"]["height"] < 90
    assert is_fitting(page)


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.long)])
def test_the_toolbar_covers_no_title(visitor, width):
    page = visitor.open(viewport={"width": width, "height": 844})
    drawing(page)
    tab(page, "Allocation")
    titles = page.locator("primum-figure .annotation")
    expect(titles).to_have_count(4)
    page.locator("primum-figure .plot").hover()
    bar = page.locator("primum-figure .modebar").bounding_box()
    for title in titles.all():
        box = title.bounding_box()
        apart = box["y"] >= bar["y"] + bar["height"] or box["x"] + box["width"] <= bar["x"]
        assert apart, (box, bar)


def test_arms_and_policies_stand_out_in_the_dark(visitor):
    page = visitor.open(color_scheme="dark")
    shown = drawing(page)
    lines = {trace["line"]["color"] for trace in shown["data"] if trace["line"]["width"]}
    assert lines == {style.ON_DARK.get(colour, colour) for colour in style.COLOURS[:4]}
    drawn = page.locator(".policy .sample line").first.evaluate("line => getComputedStyle(line).stroke")
    assert drawn == "rgb(58, 139, 206)"
    tab(page, "Allocation")
    expect(page.get_by_role("tabpanel", name="Allocation")).to_contain_text(FIGURES["Allocation"])
    page.wait_for_function("document.querySelector('.plot')._fullData[0].stackgroup !== undefined")
    fills = page.evaluate("document.querySelector('.plot')._fullData.map((trace) => trace.fillcolor)")
    assert set(fills) == {style.ON_DARK[colour] for colour in style.ramp(2)}
