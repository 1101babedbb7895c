"""Exports of the page reproduce its numbers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

import primum
from primum import Results
from primum.runs import Experiment

from .browsing import tab
from .questions import data, question

ARMS = [
    {"name": 'it\'s "old" & <b>', "distribution": {"name": "constant", "value": 0.4}},
    {"name": "new", "distribution": "mixture(components=[bernoulli(probability=0.3), uniform(low=0.2, high=0.9)])"},
]
CHANGES = {"arms": ARMS, "value": "mean-variance(rho=0.5)", "policies": ["besa-plus(floor=2)", "ucb1"]}


@pytest.fixture
def page(visitor, lab) -> Page:
    page = visitor.open(f"/?run={lab.finish(data(**CHANGES))}")
    page.locator("primum-figure .main-svg").first.wait_for()
    tab(page, "Export")
    return page


@pytest.fixture(scope="module")
def expected() -> Results:
    return question(**CHANGES).experiment().run(progress=False)


def taken(page: Page, name: str, folder: Path) -> Path:
    """The file behind a link."""
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile(f"^{name}$")).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_the_data_are_those_of_python(page, expected, tmp_path):
    assert Results.load(taken(page, r".* \(netCDF\)", tmp_path)) == expected
    asked = Experiment.load(taken(page, r"Experiment file \(TOML\)", tmp_path))
    assert asked == question(**CHANGES).experiment()
    table = pd.read_csv(taken(page, r"Summary table \(CSV\)", tmp_path))
    assert table["policy"].tolist() == expected.summary().index.tolist()
    assert table["regret_mean"].tolist() == pytest.approx(expected.summary()["regret_mean"].tolist(), rel=1e-12)


def test_figures_are_taken_as_they_are_set(page, expected, tmp_path):
    tab(page, "Regret")
    page.get_by_role("button", name="UCB1 learns the mean", exact=True).click()
    page.locator("primum-answer").get_by_text("median", exact=True).click()
    tab(page, "Export")
    rows = pd.read_csv(taken(page, "Regret as CSV", tmp_path))
    assert rows["policy"].unique().tolist() == ["BESA+ (floor 2)"]
    assert rows["middle"].iloc[-1] == pytest.approx(expected.summary()["regret_median"].iloc[0], rel=1e-12)
    with Image.open(taken(page, "Regret as PNG", tmp_path)) as picture:
        assert picture.width > 500
    drawn = taken(page, "Allocation as SVG", tmp_path).read_text(encoding="utf-8")
    assert "<svg" in drawn


def test_the_script_gives_the_same_numbers(page, expected, capsys):
    script = page.get_by_label("Python script", exact=True)
    expect(script).to_contain_text("primum.simulate(")
    names: dict[str, object] = {}
    exec(script.inner_text(), names)
    assert names["results"] == expected
    assert "besa-plus(floor=2)" in capsys.readouterr().out


def test_the_command_gives_the_same_numbers(page, expected, tmp_path):
    command = page.get_by_label("Command line", exact=True)
    expect(command).to_contain_text("primum simulate -")
    environment = os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(Path(primum.__file__).parents[1]),
    }
    subprocess.run(["bash"], input=command.inner_text(), text=True, cwd=tmp_path, env=environment, check=True)
    assert Results.load(tmp_path / "run.nc") == expected
