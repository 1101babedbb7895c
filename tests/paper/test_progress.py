"""Progress bars of the reproduction."""

from __future__ import annotations

import sys

import pytest

from primum.experiments import Experiment
from primum.paper import progress
from primum.paper.progress import ReproductionProgress, cost

TEXT = """
horizon = 100
replications = 20
seed = 1
value = "mean"
policies = ["besa-plus", "npts"]
[arms]
a = "constant(value=0.4)"
b = "uniform"
"""


@pytest.fixture
def experiments():
    one = Experiment.from_toml(TEXT)
    return {"short": one, "long": one.replace(replications=180)}


def test_a_slow_policy_counts_for_more(experiments):
    both, npts = progress.STEP_COSTS["besa-plus"][0] + progress.STEP_COSTS["npts"][0], progress.STEP_COSTS["npts"][0]
    assert cost(experiments["short"]) == pytest.approx(100 * 20 * both)
    assert cost(experiments["short"].replace(policies=["npts"])) == pytest.approx(100 * 20 * npts)
    many = {"name": "paper-mixture", "arms": 20, "seed": 1}
    mixture = experiments["short"].replace(arms=None, arms_from=many, policies=["besa-plus"])
    assert cost(mixture) == pytest.approx(100 * 20 * progress.STEP_COSTS["besa-plus"][1])


def test_the_whole_moves_with_the_piece(experiments, monkeypatch):
    monkeypatch.setattr(progress, "DRAWING_COST", 0.0)
    seen = []

    class Recorded(ReproductionProgress):
        def show(self, text, fraction=0.0, cost=0.0):
            seen.append((text, round(fraction, 3), round((self._finished + cost) / self._total, 3)))

    with Recorded(experiments, shown=False) as bars:
        bars.done("short")
        with bars.piece("long", range(90, 180)) as piece:
            piece.say("simulating")
            piece.update(90 * 100)
            piece.update(90 * 200)
        bars.done("long")
    assert seen == [
        ("short", 0, 0.1),
        ("long: simulating", 0, 0.55),
        ("long: simulating", 0.5, 0.775),
        ("long: simulating", 1, 1.0),
        ("long", 0, 1.0),
    ]


def test_without_a_terminal_there_is_a_line_for_each_tenth(experiments, monkeypatch, capsys):
    monkeypatch.setattr(progress, "DRAWING_COST", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    with ReproductionProgress(experiments) as bars:
        bars.done("short")
        bars.show("judging")
        bars.done("long")
    assert capsys.readouterr().err.splitlines() == ["10 % done: short", "100 % done: long"]
