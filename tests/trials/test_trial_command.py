"""The command `primum trial operate`: what is printed, what is written, how it ends."""

from __future__ import annotations

import re

import numpy as np
import pandas
import pytest
import xarray
from typer.testing import CliRunner

from primum import trials
from primum.cli import app
from primum.store import content_store
from primum.trials import reporting
from primum.trials.operating import operate as operating
from primum.trials.reporting import sensitivity

from .test_plan import TEXT


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    """Results of one test are not those of another."""
    monkeypatch.setattr(content_store, "cache_folder", lambda: tmp_path / "store")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "design.toml"
    path.write_text(TEXT)
    return path


def run(*arguments, width=80):
    words = ["trial", "operate", *(str(argument) for argument in arguments)]
    result = CliRunner().invoke(app, words, env={"COLUMNS": str(width)})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def never(*arguments, **options):
    raise AssertionError("the simulation was started")


def test_a_row_for_each_design_in_each_scenario(file):
    result = run(file, width=200)
    assert result.exit_code == 0
    data = trials.Plan.load(file).operate(progress=False).data
    lines = re.findall(r"^ (null|effect|drift|step) +(BESA\+|equal) +([\d.]+) (± [\d.]+|exact)", result.stdout, re.M)
    assert [line[:2] for line in lines] == [
        (scenario, design) for scenario in ("null", "effect", "drift", "step") for design in ("BESA+", "equal")
    ]
    for scenario, design, shown, precision in lines:
        at = {"scenario": scenario, "design": design}
        error = 100 * float(data["reject_error"].sel(at))
        assert float(shown) == pytest.approx(100 * float(data["reject"].sel(at)), abs=0.051 * error + 0.0051)
        assert (precision == "exact") == (scenario in ("null", "effect"))
    assert "40 trials each; seed 7" in result.stdout
    assert "Results not saved" in result.stderr


@pytest.mark.parametrize("width", [40, 80])
def test_the_table_is_whole_on_a_narrow_terminal(file, width):
    shown = " ".join(run(file, width=width).stdout.split())
    for word in ("BESA+", "equal", "null", "step", "bias"):
        assert word in shown


def test_options_override_the_file(file):
    assert "20 trials each; seed 3" in run(file, "--replications", 20, "--seed", 3, width=200).stdout


def test_characteristics_are_saved(file, tmp_path):
    expected = trials.Plan.load(file).operate(progress=False)
    assert run(file, "--out", tmp_path / "oc.nc").exit_code == 0
    with xarray.open_dataset(tmp_path / "oc.nc", engine="h5netcdf") as found:
        np.testing.assert_array_equal(found["reject"], expected.data["reject"])
    result = run(file, "--out", tmp_path / "oc.csv")
    assert "written" in result.stderr
    table = pandas.read_csv(tmp_path / "oc.csv")
    assert table["value"].tolist() == pytest.approx(expected.table()["value"].tolist())


def test_a_plan_from_standard_input():
    result = CliRunner().invoke(app, ["trial", "operate", "-"], input=TEXT)
    assert result.exit_code == 0
    assert "BESA+ against equal randomisation" in result.stdout


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("seed = 7", "sed = 7", "no key named 'sed'; did you mean 'seed'?"),
        ('policy = "uniform-random"', "", "designs.equal: policy is missing"),
        ('["control", "new"]', '["control", "new", "third"]', "for each of the 3 arms, got 2"),
        ('"bernoulli(probability=0.5)"]', '"uniform"]', "needs outcomes 0 and 1"),
        ("[design]", "[design", "is not valid TOML"),
    ],
)
def test_bad_input_is_a_sentence(file, monkeypatch, old, new, sentence):
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1))
    monkeypatch.setattr(operating, "run_pieces", never)
    result = run(file)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path):
    result = run(tmp_path / "none.toml")
    assert (result.exit_code, "cannot read" in result.stderr) == (2, True)


@pytest.mark.parametrize("options", [("--out", "oc.txt"), ("--out", "no/oc.nc"), ("--report", "design.toml/report")])
def test_what_cannot_be_written_is_said_before_the_simulation(file, monkeypatch, options):
    monkeypatch.chdir(file.parent)
    monkeypatch.setattr(operating, "run_pieces", never)
    result = run(file, *options)
    assert result.exit_code == 2
    assert "must end in .nc or .csv" in result.stderr or "cannot write" in result.stderr


def test_an_interrupted_simulation_keeps_what_is_complete(file, tmp_path, monkeypatch):
    played = operating.run_pieces
    monkeypatch.setattr(operating, "run_pieces", lambda *cut, **options: played(*cut, **options) and False)
    monkeypatch.setattr(reporting, "report", never)
    result = run(file, "--out", tmp_path / "oc.csv", "--report", tmp_path / "report")
    assert result.exit_code == 130
    assert "run it again to resume" in result.stderr
    assert (tmp_path / "oc.csv").exists()
    assert not (tmp_path / "report/index.html").exists()


def test_an_interrupted_report_is_not_written(file, tmp_path, monkeypatch):
    monkeypatch.setattr(sensitivity, "run_pieces", lambda *cut, **options: False)
    result = run(file, "--report", tmp_path / "report")
    assert result.exit_code == 130
    assert "interrupted before the report was written" in result.stderr
    assert list((tmp_path / "report").iterdir()) == []
