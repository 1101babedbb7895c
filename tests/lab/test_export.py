"""What is taken away from a run gives the same numbers."""

from __future__ import annotations

import contextlib
import io

import pytest

from primum import Results
from primum.lab.export import files
from primum.runs import Experiment

from .questions import question

NESTED = [
    {
        "name": "a'b\"\\",
        "distribution": "clipped(distribution=truncated-normal(location=0.4, deviation=0.3), high=0.9)",
    },
    {"name": "END", "distribution": {"name": "empirical", "data": [0.1, 0.5, 0.9] * 10}},
    {"name": "mixed", "distribution": "mixture(components=[uniform, constant(value=1)], weights=[0.25, 0.75])"},
]
QUESTIONS = {
    "plain": question(),
    "nested": question(arms=NESTED, value="cvar(alpha=0.2)", policies=["besa-plus(floor=2)", "epsilon-greedy"]),
    "formula": question(value={"name": "formula", "text": "mean - 0.5 * var"}),
}


def ran(script: str) -> Results:
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(script, names)
    results = names["results"]
    assert isinstance(results, Results)
    return results


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_script_gives_the_same_numbers(name):
    experiment = QUESTIONS[name].experiment()
    assert ran(files.python(experiment)) == experiment.run(progress=False)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_command_holds_the_experiment(name):
    experiment = QUESTIONS[name].experiment()
    first, *lines = files.command(experiment).splitlines()
    end = first.split("'")[1]
    assert lines.index(end) == len(lines) - 1, "the text must not end early"
    assert Experiment.from_toml("\n".join(lines[:-1])) == experiment


def test_a_plug_in_of_another_package_is_imported(fresh_registry):
    from dataclasses import dataclass

    from primum import values

    @dataclass(frozen=True)
    class Elsewhere(values.MomentValue):
        weight: float = 1.0

        @staticmethod
        def from_moments(n, mean, variance, weight):
            return weight * mean

    script = files.python(question(value="elsewhere(weight=2)").experiment())
    assert f"from {__name__} import Elsewhere\n" in script
    assert "value=Elsewhere(weight=2.0)" in script


def test_the_table_has_every_pair_and_no_number_that_is_none():
    results = question(policies=["besa-plus", "ucb1", "besa"], replications=1).experiment().run(progress=False)
    told = files.summary(results)
    assert [(row["a"], row["b"]) for row in told.comparisons] == [
        ("BESA+", "UCB1"),
        ("BESA+", "BESA"),
        ("UCB1", "BESA"),
    ]
    assert told.rows[0]["regret_low"] is None, "a single replication has no interval"
    assert told.rows[1]["regret_mean"] == pytest.approx(float(results.regret.sel(policy="ucb1")[0, -1]))
