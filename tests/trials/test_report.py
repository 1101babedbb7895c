"""The report on designs for a review board."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser

import pandas
import pytest
import xarray

from primum import trials
from primum.errors import PrimumError
from primum.trials import Plan
from primum.trials.operating.characteristics import CHARACTERISTICS
from primum.trials.operating.exact_characteristics import quick_law

from .test_plan import TEXT

HOSTILE = "</style></script><script>alert('x')</script> \"q\" & <img src=x onerror=alert(1)> $x$ =1"
FIGURES = ("trade-off", "power", "allocation", "estimates", "type-1", "drift")


def hostile() -> Plan:
    """Every text that a user gives has tags in it."""
    plan = Plan.from_toml(TEXT.replace('"new"', '"<b>new</b>"').replace("{ new =", '{ "<b>new</b>" ='))
    designs = {f"{HOSTILE} {name}": design for name, design in plan.designs.items()}
    scenarios = {f"{HOSTILE} {name}": plan.scenarios[name] for name in ("null", "effect")}
    return plan.replace(title=HOSTILE, purpose=f"{HOSTILE}\n\nSecond.", designs=designs, scenarios=scenarios)


def written(plan, folder, store):
    oc = plan.operate(store=store, progress=False)
    trials.report(oc, folder, title=plan.title, purpose=plan.purpose, progress=False)
    return oc


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Reports on a plain plan and on a hostile one, with the characteristics of the first."""
    folder = tmp_path_factory.mktemp("reports")
    plan = Plan.from_toml(TEXT)
    oc = written(plan, folder / "plain", folder / "store")
    written(hostile(), folder / "hostile", folder / "store")
    return folder, oc


class Page(HTMLParser):
    """Tags with attributes, and the cells of each table by its id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self._table: list[list[str]] = []
        self._in_cell = False
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self._table = self.tables.setdefault(dict(attrs).get("id", str(len(self.tables))), [])
        elif tag == "tr":
            self._table.append([])
        elif tag in ("td", "th"):
            self._table[-1].append("")
            self._in_cell = True

    def handle_data(self, data):
        self.text += data
        if self._in_cell:
            self._table[-1][-1] += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._in_cell = False


def page(folder) -> Page:
    return Page((folder / "index.html").read_text())


def test_all_files_are_there_and_listed(made):
    folder, _ = made
    found = {path.relative_to(folder / "plain").as_posix() for path in (folder / "plain").rglob("*") if path.is_file()}
    figures = {f"figures/{name}.{kind}" for name in FIGURES for kind in ("png", "svg")}
    tables = {f"tables/figure-{name}.csv" for name in FIGURES}
    tables |= {f"tables/{name}.csv" for name in ("summary", "all", "delay", "example-1", "example-2")}
    others = {"index.html", "plan.toml", "operating-characteristics.nc", "files.txt"}
    assert found == figures | tables | others
    assert set((folder / "plain/files.txt").read_text().split()) == found - {"files.txt"}


def test_every_link_of_the_page_leads_to_a_file_or_a_place_on_it(made):
    folder, _ = made
    shown = page(folder / "plain")
    places = {attributes.get("id") for _, attributes in shown.tags}
    links = [attributes["href"] for tag, attributes in shown.tags if tag == "a"]
    assert len(links) > 20
    for link in links:
        assert link[1:] in places if link.startswith("#") else (folder / "plain" / link).is_file(), link


@pytest.mark.parametrize("which", ["plain", "hostile"])
def test_the_page_needs_nothing_else(made, which):
    folder, _ = made
    shown = page(folder / which)
    assert not [tag for tag, _ in shown.tags if tag in ("script", "link", "iframe", "object", "base", "form")]
    sources = [attributes["src"] for tag, attributes in shown.tags if tag == "img"]
    assert len(sources) == len(FIGURES)
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert not re.search(r"url\(|@import", (folder / which / "index.html").read_text())


def test_text_of_users_is_only_text(made):
    folder, _ = made
    shown = page(folder / "hostile")
    assert not any(name.startswith("on") for _, attributes in shown.tags for name in attributes)
    assert HOSTILE in shown.text
    assert "<b>new</b>" in shown.text
    assert not [tag for tag, _ in shown.tags if tag == "b"]
    assert "Second." in shown.text
    names = pandas.read_csv(folder / "hostile/tables/summary.csv")["design"]
    assert names[0].startswith("</style>")


def test_numbers_of_the_main_table_are_those_of_the_data(made):
    folder, oc = made
    header, *rows = page(folder / "plain").tables["summary"]
    assert header[1:] == [
        "Rejects, %",
        "Patients: control",
        "Patients: new",
        "On best arm, %",
        "Total outcome",
        "Gain",
        "Bias",
    ]
    names = ["reject", "patients", "patients", "share", "outcome", "gain", "bias"]
    arms = [None, "control", "new", "new", None, None, "new"]
    scenario, compared = "", 0
    for row in rows:
        if len(row) == 1:
            scenario = row[0].split()[0]
            continue
        for name, arm, cell in zip(names, arms, row[1:], strict=True):
            at = {"design": row[0], "scenario": scenario} | ({} if arm is None else {"arm": arm})
            value, error = float(oc.data[name].sel(at)), float(oc.data[f"{name}_error"].sel(at))
            if name == "share" and scenario in ("null", "drift"):
                assert cell == "\u2013"
                continue
            scale = 100 if CHARACTERISTICS[name].unit == "probability" else 1
            number, _, precision = cell.partition(" ")
            rounding = 0.5 * 10.0 ** -len(number.partition(".")[2]) * 1.001
            assert float(number) == pytest.approx(scale * value, abs=rounding)
            if precision == "exact":
                assert error == 0
            else:
                assert float(precision.removeprefix("± ")) == pytest.approx(scale * error, abs=rounding)
            compared += 1
    assert compared == 2 * 4 * 7 - 2 * 2
    cells = [cell for row in rows for cell in row]
    assert any(cell.endswith("exact") for cell in cells)
    assert any("±" in cell for cell in cells)


def test_tables_have_the_same_numbers(made):
    folder, oc = made
    summary = pandas.read_csv(folder / "plain/tables/summary.csv", keep_default_na=False).set_index(
        ["scenario", "design"]
    )
    at = {"scenario": "effect", "design": "BESA+"}
    assert summary.loc[("effect", "BESA+"), "Rejects"] == float(oc.data["reject"].sel(at))
    exact = oc.data["exact"].sel(characteristic="reject").to_series()
    assert set(exact) == {True, False}
    assert summary["Rejects, exact"].to_dict() == exact.swaplevel().to_dict()
    every = pandas.read_csv(folder / "plain/tables/all.csv")
    assert every["value"].tolist() == pytest.approx(oc.table()["value"].tolist())
    with xarray.open_dataset(io.BytesIO((folder / "plain/operating-characteristics.nc").read_bytes())) as found:
        assert found["reject"].values.tolist() == oc.data["reject"].values.tolist()


def test_delays_are_those_of_designs_with_later_outcomes(made):
    folder, oc = made
    table = pandas.read_csv(folder / "plain/tables/delay.csv")
    assert table["delay in patients"].tolist() == [0, 2, 6, 12, 0, 3, 8, 15]
    late = oc.designs["BESA+"].replace(delay=trials.after_patients(6))
    options = {"replications": oc.replications, "seed": oc.seed, "store": oc.store, "exact": False, "progress": False}
    effect = trials.operate({"late": late}, {"effect": oc.scenarios["effect"]}, **options)
    assert table["Rejects (effect)"][2] == float(effect.data["reject"][0, 0])


def test_the_example_is_the_first_trial_of_each_design(made):
    folder, oc = made
    for number, design in enumerate(oc.designs.values(), 1):
        expected = trials.simulate_one(design, oc.scenarios["effect"], seed=oc.seed).patients
        found = pandas.read_csv(folder / f"plain/tables/example-{number}.csv")
        assert found["arm"].tolist() == expected["arm"].tolist()
        assert found["outcome"].tolist() == expected["outcome"].tolist()
    paths = [attributes["d"] for tag, attributes in page(folder / "plain").tags if tag == "path"]
    assert sum(path.count("M") for path in paths) == sum(design.patients for design in oc.designs.values())


def test_the_plan_reproduces_the_report(made):
    folder, oc = made
    plan = Plan.load(folder / "plain/plan.toml")
    assert plan == Plan.from_toml(TEXT)
    assert plan.to_toml() in page(folder / "plain").text
    assert plan.operate(store=oc.store, progress=False).data.identical(oc.data)


def test_designs_are_described_in_words(made):
    folder, _ = made
    text = page(folder / "plain").text
    for words in (
        "BESA+ (floor 2)",
        "The first 6 patients, 3 on each arm, in permuted blocks of 2, 4 or 6",
        "An outcome is known after 8 further patients",
        "Pooled Z; one-sided: an arm is better than the control; level 0.05",
        "90 % score interval",
        "Coverage, 90 % interval, new",
        "It takes allocation as fixed in advance.",
    ):
        assert words in text


def test_outcomes_that_are_not_binary_and_more_arms(tmp_path):
    plan = Plan.from_toml(
        """
        replications = 10
        seed = 1
        [designs.only]
        arms = ["a", "b", "c"]
        patients = 12
        policy = "uniform-random"
        analysis = "welch-t"
        blocks = 4
        [scenarios.same]
        arms = ["uniform", "uniform", "uniform"]
        """
    )
    written(plan, tmp_path / "report", tmp_path / "store")
    shown = page(tmp_path / "report")
    assert "Not all outcomes are 0 and 1" in shown.text
    assert "The rule sees new outcomes after every 4 patients" in shown.text
    assert "Holm's adjustment" in shown.text
    assert shown.tables["summary"][0][-2:] == ["Bias: b", "Bias: c"]
    assert not (tmp_path / "report/figures/trade-off.png").exists()
    assert not (tmp_path / "report/figures/type-1.png").exists()
    written(plan, tmp_path / "again", tmp_path / "another store")
    compared = [path for path in (tmp_path / "report").rglob("*.*") if path.is_file() and path.suffix != ".nc"]
    assert len(compared) > 10
    for path in compared:  # equal input gives equal bytes
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(tmp_path / "report")).read_bytes(), path


def test_an_incomplete_simulation_is_refused(made, tmp_path, monkeypatch):
    _, oc = made
    monkeypatch.setattr(oc, "is_complete", False)
    with pytest.raises(PrimumError, match="some are missing"):
        trials.report(oc, tmp_path / "report")
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(
    ("which", "width", "scheme"),
    [
        ("plain", 1280, "light"),
        ("hostile", 390, "dark"),
        pytest.param("plain", 390, "dark", marks=pytest.mark.long),
        pytest.param("hostile", 1280, "light", marks=pytest.mark.long),
    ],
)
def test_the_page_opens_and_fits_the_window(made, chromium, which, width, scheme):
    folder, _ = made
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    shown, said, asked = context.new_page(), [], []
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: said.append(str(error)))
    shown.on("request", lambda request: asked.append(request.url))
    shown.goto((folder / which / "index.html").as_uri())
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate("[...document.images].every((image) => image.naturalWidth > 0)")
    background = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()


def test_the_figure_of_the_type_1_error_names_what_it_covers(made):
    """It has the largest type I error of an exact design, and the caption says which designs are exact."""
    folder, oc = made
    figure = pandas.read_csv(folder / "plain/tables/figure-type-1.csv")
    assert figure["probability_of_success_of_all_arms"].agg(["min", "max"]).tolist() == [0.01, 0.99]
    text = " ".join(page(folder / "plain").text.split())
    for name, design in oc.designs.items():
        law = quick_law(design, progress=False)
        if law is None:
            assert f"For {name} only these probabilities are covered." in text
        else:
            largest = law.largest_type_1()
            assert f"{100 * largest.value:.1f} % at {largest.p:.3g} ({name})" in text
            drawn = figure[figure["design"] == name]
            assert drawn["middle"].max() == pytest.approx(largest.value, abs=1e-6)
            assert round(largest.p, 4) in drawn["probability_of_success_of_all_arms"].to_numpy()
    assert "whole null" not in text
