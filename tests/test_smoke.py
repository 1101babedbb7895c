"""Everything that people do with Primum, once and small: these tests also run with the oldest supported versions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from typer.testing import CliRunner

import primum
from primum import Results, checks, policies, rewards, trials, values
from primum.cli import app
from reproduction import QUICK
from reproduction.chapters import constant_against_uniform
from reproduction.report import Report, files

pytestmark = [pytest.mark.smoke, pytest.mark.slow]  # each part has tests of its own

TEXT = """
title = "Constant against uniform"
horizon = 100
replications = 10
seed = 7
value = "mean"
policies = ["besa-plus", "besa"]
[arms]
standard = "constant(value=0.4)"
new = "uniform(low=0, high=1)"
"""
SCALE = dataclasses.replace(QUICK, constant_replications=30, floor_replications=6, constant_horizon=300)


@pytest.fixture(scope="module")
def results():
    arms = {
        "binary": rewards.Bernoulli(0.4),
        "beta": rewards.Beta(2, 3),
        "scipy": rewards.Scipy("triang", [0.3]),
        "mixture": rewards.paper_mixture(arms=1, seed=1)["arm 1"],
    }
    problem = primum.Problem(arms, values.Formula("mean - 0.5 * var + 0.1 * cvar(0.2)"))
    players = [policies.BesaPlus(), policies.Ucb1(), policies.Npts(), policies.Thompson()]
    return primum.simulate(problem, players, horizon=200, replications=20, seed=3, progress=False)


def test_simulate_and_summarise(results):
    assert (results.pulls.sum("arm").sel(step=200) == 200).all()
    assert np.isfinite(results.regret.values).all()
    assert results.summary().index.tolist() == results.labels
    assert "BESA+" in results.summary().to_latex()
    assert "regret" in str(results.compare("besa-plus", "ucb1"))


@pytest.mark.parametrize("kind", ["regret", "best-arm", "worst-arm", "reward", "final", "choices", "arms"])
def test_figures(results, kind, tmp_path):
    results.figure(kind, static=True).savefig(tmp_path / "figure.png")
    results.figure(kind, static=True).savefig(tmp_path / "figure.svg")
    results.figure(kind).write_html(tmp_path / "figure.html")
    assert all((tmp_path / f"figure.{suffix}").stat().st_size > 5_000 for suffix in ("png", "svg", "html"))


def test_net_cdf(results, tmp_path):
    results.save(tmp_path / "run.nc")
    assert Results.load(tmp_path / "run.nc") == results


def test_an_experiment_file(tmp_path):
    file, out, figure = tmp_path / "experiment.toml", tmp_path / "run.nc", tmp_path / "regret.png"
    file.write_text(TEXT)
    done = CliRunner().invoke(app, ["simulate", str(file), "--out", str(out), "--figure", str(figure)])
    assert done.exit_code == 0, done.output
    assert "Constant against uniform" in done.output
    assert Results.load(out).horizon == 100
    assert figure.exists()


@pytest.mark.parametrize("plugin", [values.CVaR(0.1), rewards.Beta(2, 3), policies.BesaPlus()], ids=str)
def test_checks(plugin):
    checks.assert_conforms(plugin)


def test_a_player_asks_and_is_told():
    player = primum.Player(policies.BesaPlus(), values.CVaR(0.1), arms=["A", "B"], seed=7)
    for outcome in (0.8, 0.2, 0.5, 0.9):
        player.tell(player.ask(), outcome)


def test_a_chapter_of_the_reproduction():
    experiments = constant_against_uniform.experiments(SCALE)
    played = {name: experiment.run(progress=False) for name, experiment in experiments.items()}
    chapter = constant_against_uniform.chapter(played, SCALE)
    recipes = {name: experiment.to_toml() for name, experiment in experiments.items()}
    written = dict(files(Report((chapter,), recipes, SCALE, primum.__version__)))
    assert written["index.html"].startswith(b"<!doctype html>")
    assert {name.split(".")[-1] for name in written} == {"toml", "png", "svg", "nc", "csv", "json", "md", "html"}


def test_live_trial(tmp_path):
    design = trials.Design(arms=["old", "new"], patients=20, policy="besa-plus", analysis="pooled-z")
    with trials.Live.start(design, tmp_path / "trial.db") as live:
        first = live.enrol("P-1", who="ward")
        live.record("P-1", 1, who="ward")
    assert CliRunner().invoke(app, ["trial", "verify", str(tmp_path / "trial.db")]).exit_code == 0
    with trials.Live(tmp_path / "trial.db") as again:
        assert again.enrol("P-1", who="ward").kit == first.kit
