"""The report, from chapters that are made up."""

from __future__ import annotations

import csv
import functools
import io
import itertools
import json
import re
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import xarray
from playwright.sync_api import Browser

import primum
from primum.errors import PrimumError
from primum.figures import Bars, Curves, Forest, Panels
from primum.figures.kinds.forest import Row
from primum.figures.parts import Line
from primum.figures.table import frame
from primum.runs import Experiment
from reproduction.judgement import Claim, Judgement, Part
from reproduction.report import Chapter, Figure, Report, Table, files, rendering
from reproduction.report.numbers import effect, interval, number, tally, with_interval
from reproduction.scale import FULL, QUICK
from tests import browser

HOSTILE = "</script><script>alert('x')</script> \"quoted\" & 'single' <img src=x onerror=alert(1)> --> $x$ | *a*"
VOID = {"meta", "img", "br", "link", "path", "circle"}

STEPS = np.array([1, 10, 100])
MIDDLE = np.array([0.1, 1 / 3, 7.0])
CURVES = Curves(HOSTILE, HOSTILE, "Regret", STEPS, (Line(HOSTILE, MIDDLE, MIDDLE - 0.1, MIDDLE + 0.1),))
PANELS = Panels("Panels", "Two of them", (CURVES, CURVES))
FOREST = Forest("Forest", "Rows", "Difference", (Row("besa", 1.0, 0.5, 1.5), Row("ucb1", -1.0, -1.5, 0.5)))
BARS = Bars("Bars", "Some", "Floor", "Share", ("1", "2"), (Line("besa", MIDDLE[:2], MIDDLE[:2], MIDDLE[:2]),))

EXPERIMENT = Experiment.from_toml(
    """
    horizon = 10
    replications = 2
    seed = 7
    value = "mean"
    policies = ["besa", "ucb1"]
    [arms]
    a = "constant(value=0.4)"
    b = "uniform"
    """
).replace(title=HOSTILE)
EXPERIMENTS = {"one": EXPERIMENT} | {f"many/{i:02d}": EXPERIMENT.replace(seed=i) for i in range(9)}


def judgement(number: int, *parts: Part, note: str = "", evidence: tuple[str, ...] = ("curves",)) -> Judgement:
    claim = Claim(number, "Section 5", HOSTILE, f"Claim <{number}>", "The whole interval is above 0.")
    others = {"after 10 steps": parts}
    return claim.judge(parts, evidence=evidence, replications=2_000, seed=7, note=note, other_conditions=others)


PASSES = Part("regret of BESA minus that of BESA+", 312.4, 301.2, 323.9, at_least=0)
FAILS = Part("fraction of replications that are stuck", 0.171, 0.166, 0.176, at_most=0.01)
OPEN = Part("ratio of variances", 0.8, 0.5, 1.2, at_most=1)
CHAPTERS = (
    Chapter(
        "first",
        HOSTILE,
        f"{HOSTILE}\n\nA second paragraph.",
        (
            Figure("curves", HOSTILE, HOSTILE, CURVES, ("one",)),
            Figure("panels", "Panels: two", "", PANELS, tuple(name for name in EXPERIMENTS if name != "one")),
            Table(
                "table",
                HOSTILE,
                HOSTILE,
                ("Policy", "Regret"),
                ((HOSTILE, "1.5"), ("ucb1", "2 to 3")),
                ("one", "many/01"),
            ),
        ),
        (judgement(3, FAILS, note=HOSTILE, evidence=("curves", "table")), judgement(1, PASSES)),
    ),
    Chapter(
        "second",
        "Second",
        "",
        (
            Figure("forest", "Forest", "", FOREST, tuple(f"many/{i:02d}" for i in range(8))),
            Figure("bars", "Bars", "", BARS),
        ),
        (judgement(2, PASSES, OPEN, FAILS), judgement(4, PASSES, OPEN, OPEN)),
    ),
)


OPENING = {"What holds": f"{HOSTILE} (claim 1).\n\nA second paragraph.", "What does not": "The third (claim 3)."}


def report(chapters=CHAPTERS, experiments=EXPERIMENTS, scale=FULL) -> Report:
    recipes = {name: one.to_toml() for name, one in experiments.items()}
    return Report(chapters, recipes, scale, primum.__version__, OPENING)


@functools.cache
def built() -> dict[str, bytes]:
    return dict(files(report()))


class Page(HTMLParser):
    """Tags, and that each is closed in its turn."""

    def __init__(self, content: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(content)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in <{tag}>"
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    def all(self, name: str) -> list[str]:
        return [attributes[name] for _, attributes in self.tags if name in attributes]


@functools.cache
def page() -> Page:
    return Page(built()["index.html"].decode())


def test_all_files_are_there_and_the_page_comes_last():
    figures = ("curves", "panels", "forest", "bars")
    expected = {f"experiments/{name}.toml" for name in EXPERIMENTS} | {"verdicts.json", "index.html", "data/table.csv"}
    expected.add("report.md")
    expected |= {f"figures/{name}.{kind}" for name in figures for kind in ("png", "svg")}
    expected |= {f"data/{name}.{kind}" for name in figures for kind in ("nc", "csv")}
    assert set(built()) == expected
    assert list(built())[-1] == "index.html"
    assert built()["figures/curves.png"].startswith(b"\x89PNG")
    assert Experiment.from_toml(built()["experiments/many/03.toml"].decode()) == EXPERIMENTS["many/03"]


def test_equal_input_gives_equal_bytes():
    again = dict(files(report()))
    assert [name for name in again if again[name] != built()[name]] == []


def test_anchors_are_unique_and_every_link_leads_somewhere():
    anchors = page().all("id")
    assert len(anchors) == len(set(anchors))
    folders = {f"{parent}/" for name in built() for parent in map(str, Path(name).parents)}
    for target in page().all("href"):
        if target.startswith("#"):
            assert target[1:] in anchors
        elif not target.startswith("https://arxiv.org/"):
            assert urllib.parse.unquote(target) in built().keys() | folders
    assert {"claim-1", "claim-2", "claim-3", "first", "curves", "table"} <= set(anchors)


def test_the_page_opens_with_prose_that_links_to_the_claims():
    html = built()["index.html"].decode()
    first = html[html.index('id="summary"') : html.index('<section id="claims">')]
    assert re.findall(r'<a href="#(claim-\d+)">claim&nbsp;\d+</a>', first) == ["claim-1", "claim-3"]
    assert "<img src=x" not in first
    markdown = built()["report.md"].decode()
    assert markdown.index("## What holds") < markdown.index("[claim 3](#claim-3)") < markdown.index("## Claims and")


@pytest.mark.parametrize("width", [390, pytest.param(1440, marks=pytest.mark.long)])
def test_printing_opens_what_is_folded(tmp_path: Path, chromium: Browser, width: int):
    (tmp_path / "index.html").write_bytes(built()["index.html"])
    with browser.page(chromium, width=width, height=800) as page:
        page.goto((tmp_path / "index.html").as_uri())
        folded = page.locator("details:not([open])")
        before = folded.count()
        assert before > 5
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert folded.count() == 0
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert folded.count() == before


def test_nothing_is_loaded_and_only_our_scripts_run():
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page().all("src"))
    assert not any(tag in ("link", "iframe", "object", "base", "form") for tag, _ in page().tags)
    assert not any(name.startswith("on") for _, attributes in page().tags for name in attributes)
    (policy,) = (given["content"] for tag, given in page().tags if given.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy.split("style-src")[0]
    assert "http" not in policy
    assert b"showSendToCloud: false" in built()["index.html"]  # Plotly offers to upload a chart unless told not to


def test_text_is_text():
    kinds = [given.get("type") for tag, given in page().tags if tag == "script"]
    assert kinds == ["application/json"] * 4 + [None, None]
    assert sum(HOSTILE in said for said in page().words) > 8  # titles, texts, quotes, notes and cells, as they are
    assert EXPERIMENTS["one"].to_toml() in page().words


def test_claims_are_sorted_and_carry_verdict_rule_and_numbers():
    shown = [int(anchor.removeprefix("claim-")) for anchor in page().all("id") if anchor.startswith("claim-")]
    assert shown == [1, 2, 3, 4]
    said = " ".join(" ".join(page().words).split())
    for words_of_it in (
        "1 holds",
        "1 holds in part",
        "1 fails",
        "1 is undecided",
        "301 to 324",
        "of 3 parts, 1 passes and 2 are open",
        "of 3 parts, 1 passes, 1 fails and 1 is open",
    ):
        assert words_of_it in said
    assert "2,000 replications, seed 7." in said
    assert 'for file in experiments/many/*.toml; do primum simulate "$file"' in said
    assert "experiments/many/07.toml; do" in said  # eight of nine: not the whole folder


def test_a_quick_report_says_so():
    chapters = (Chapter("only", "Only", "", (), (judgement(1, PASSES, evidence=()),)),)
    quick, full = (report(chapters, {}, scale) for scale in (QUICK, FULL))
    for text in (rendering.html(quick, {}), rendering.markdown(quick)):
        assert "This is the quick scale." in text
    assert "This is the quick scale." not in rendering.html(full, {})


def test_verdicts_are_those_of_the_judgements():
    content = built()["verdicts.json"]
    assert content.endswith(b"}\n")
    said = json.loads(content)
    assert (said["scale"], said["version"]) == ("full", primum.__version__)
    assert [one["verdict"] for one in said["judgements"]] == ["holds", "holds in part", "fails", "undecided"]
    assert said["judgements"][2] == CHAPTERS[0].judgements[0].plain()


@pytest.mark.parametrize("name", ["curves", "panels", "forest", "bars"])
def test_csv_and_netcdf_hold_equal_numbers(name: str):
    data = xarray.load_dataset(io.BytesIO(built()[f"data/{name}.nc"]), engine="h5netcdf")
    rows = list(csv.DictReader(io.StringIO(built()[f"data/{name}.csv"].decode())))
    axes = data["middle"].dims
    assert len(rows) == data["middle"].size
    for row, place in zip(rows, itertools.product(*(range(data.sizes[axis]) for axis in axes)), strict=True):
        at = dict(zip(axes, place, strict=True))
        for variable in ("middle", "low", "high"):
            assert float(row[variable] or "nan") == pytest.approx(float(data[variable].isel(at)), rel=0, nan_ok=True)
        for axis in axes:
            assert row[axis] == str(data[axis].isel({axis: at[axis]}).item())


def test_arrays_with_other_axes_have_rows_of_their_own():
    data = xarray.Dataset({"a": ("x", [1, 2]), "b": ("y", [0.5])}, {"x": [10, 20], "y": ["only"]})
    assert frame(data).to_csv(index=False) == "x,a,y,b\n10,1,,\n20,2,,\n,,only,0.5\n"


@pytest.mark.parametrize(
    ("chapters", "experiments", "says"),
    [
        ((CHAPTERS[0], CHAPTERS[0]), EXPERIMENTS, "'claim-1' twice|'claim-3' twice"),
        ((Chapter("claims", "", "", (), ()),), {}, "'claims' twice"),
        ((Chapter("a b", "", "", (), ()),), {}, "got 'a b'"),
        ((), {"../up": EXPERIMENT}, "got '..'"),
        ((Chapter("a", "", "", (Figure("f", "", "", BARS, ("onne",)),), ()),), EXPERIMENTS, "did you mean 'one'"),
        ((Chapter("a", "", "", (), (judgement(1, PASSES, evidence=("x",)),)),), {}, "no figure or table named 'x'"),
    ],
)
def test_names_that_do_not_work_are_refused(chapters, experiments, says):
    with pytest.raises(PrimumError, match=says):
        report(chapters, experiments)


def test_numbers_are_as_exact_as_their_intervals():
    assert [number(given, 4) for given in (0.0, 1e-7, -1234.5, np.nan, np.inf, 2e12)] == [
        "0",
        "1e-07",
        "-1,234",
        "not a number",
        "∞",
        "2e+12",
    ]
    assert number(-0.001, decimals=1) == "0.0"
    assert (effect(FAILS), interval(FAILS)) == ("0.171", "0.166 to 0.176")
    exact = Part.exact("bound minus regret", 12345.678, at_least=0)
    assert (effect(exact), interval(exact)) == ("12,346", "exact")


@pytest.mark.parametrize(
    ("low", "high"), [(0.4, 0.4 + 1e-3), (0.4, 0.4 + 1e-9), (1e6, 1e6 + 1e-3), (-1.0, -1.0 + 1e-7)]
)
def test_the_ends_of_an_interval_differ(low, high):
    first, second = interval(Part("fraction", low, low, high, at_most=1)).split(" to ")
    assert first != second
    _, ends = with_interval((low, low, high)).split(" [")
    first, second = ends.removesuffix("]").split(", ")
    assert first != second


def test_an_interval_without_width_is_one_number():
    assert interval(Part("all replications alike", 0.4, 0.4, 0.4, at_most=1)) == "0.4"
    assert with_interval((0.4, 0.4, 0.4)) == "0.4"


def test_parts_are_counted():
    told = {(PASSES,): "", (PASSES, PASSES): "both parts pass", (OPEN, OPEN, OPEN): "all 3 parts are open"}
    told |= {(PASSES, FAILS, OPEN, OPEN): "of 4 parts, 1 passes, 1 fails and 2 are open"}
    for parts, said in told.items():
        assert tally(judgement(1, *parts)) == said


def test_markdown_has_all_claims_and_no_signs_of_its_own():
    whole = rendering.markdown(report())
    claims = [line.split(" | ") for line in whole.splitlines() if line.startswith("| [")]
    assert [(cells[0], cells[2].split("<br>")[0], cells[3]) for cells in claims] == [
        ("| [1](#claim-1)", "Claim &lt;1&gt;", "✓ holds"),
        ("| [2](#claim-2)", "Claim &lt;2&gt;", "◐ holds in part"),
        ("| [3](#claim-3)", "Claim &lt;3&gt;", "✗ fails"),
        ("| [4](#claim-4)", "Claim &lt;4&gt;", "? undecided"),
    ]
    assert claims[1][-1].endswith(" (of 3 parts, 1 passes, 1 fails and 1 is open) |")
    assert claims[3][-1].endswith(" (of 3 parts, 1 passes and 2 are open) |")
    assert "Of 4 claims, 1 holds, 1 holds in part, 1 fails and 1 is undecided." in whole
    assert "<script" not in whole
    assert "<img" not in whole
    for line in whole.splitlines():
        if line.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", line)) in (3, 6)  # no cell breaks its row
    for name in re.findall(r"\]\(#([^)]*)\)", whole):
        assert f'<a id="{name}"></a>' in whole
    for name in re.findall(r"!\[.*\]\(figures/(.*)\)", whole):
        assert f"figures/{name}" in built()
    assert len(re.findall(r"!\[", whole)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, pytest.param(1000, marks=pytest.mark.long)])
def test_a_browser_draws_the_figures_and_has_no_complaint(tmp_path: Path, chromium: Browser, width: int):
    for name, content in built().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    with browser.page(chromium, width=width, height=800) as page:
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((tmp_path / "index.html").as_uri() + "#claim-2")
        assert page.locator("#claim-2 details[open]").count() >= 1
        figures = page.locator("figure")
        assert figures.count() == 4
        assert not figures.first.is_visible()
        page.evaluate("location.hash = 'curves'")  # a link to a figure opens the chapter it is folded in
        figures.first.wait_for()
        for chapter in page.locator(".chapter > details:not([open]) > summary").all():
            chapter.click()
        for i in range(4):
            figures.nth(i).scroll_into_view_if_needed()
            figures.nth(i).locator(".js-plotly-plot .main-svg").first.wait_for()
        page.wait_for_function("document.querySelectorAll('.js-plotly-plot .plot-container').length == 5")  # two panels
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert said == []
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
