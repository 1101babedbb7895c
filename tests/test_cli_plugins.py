"""``--plugins``: one's own value, policy or distribution by its name, in every command that takes names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from typer.testing import CliRunner

from primum import Results
from primum.checks import loading
from primum.cli import app
from primum.errors import PrimumError
from primum.lab.export.files import command
from primum.lab.sandbox.sandbox import Sandbox
from primum.plugins import registry
from primum.runs import Experiment, benchmark
from primum.store import content_store
from tests.lab.laboratory import laboratory
from tests.lab.questions import data

OWN = """
from dataclasses import dataclass

import numpy as np

from primum import policies, rewards, values
from primum.kernels import random_arm
from primum.plugins.parameters import parameter


class WorstThird(values.SafetyValue):
    title = "Worst third"

    @staticmethod
    def estimate(sample):
        return np.sort(sample)[: max(1, sample.size // 3)].mean()


class AnyArm(policies.Policy):
    title = "Any arm"

    @staticmethod
    def choose(history):
        return random_arm(history, 1.0)


@dataclass(frozen=True)
class Ramp(rewards.RewardDistribution):
    top: float = parameter(1.0, "largest reward", low=0.0, high=1.0, open_low=True)

    @property
    def support(self):
        return 0.0, self.top

    def quantile(self, u):
        return self.top * np.sqrt(np.asarray(u))
"""
EXPERIMENT = """
horizon = 30
replications = 4
seed = 1
value = "worst-third"
policies = ["any-arm", "ucb1"]
arms = { a = "ramp(top=0.5)", b = "uniform" }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch, fresh_registry):
    monkeypatch.setattr(content_store, "cache_folder", lambda: tmp_path / "store")
    monkeypatch.chdir(tmp_path)
    for name in ("own_values", "other"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "own_values.py").write_text(OWN)
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    yield tmp_path
    for name in ("own_values", "other"):
        sys.modules.pop(name, None)


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("place", ["own_values.py", "{}/own_values.py", "own_values"])
def test_simulate_knows_own_plug_ins(folder, place):
    without = run("simulate", "experiment.toml")
    assert without.exit_code == 2
    assert "no policy named 'any-arm'" in without.stderr
    result = run("simulate", "experiment.toml", "--plugins", place.format(folder), "--out", "run.nc")
    assert result.exit_code == 0, result.stderr
    assert "Any arm" in result.stdout
    assert Results.load("run.nc").labels == ["any-arm", "ucb1"]


def test_several_modules_and_the_same_one_twice(folder):
    (folder / "other.py").write_text(OWN.replace("AnyArm", "SomeArm").replace("WorstThird", "A").replace("Ramp", "B"))
    options = ("--plugins", "own_values.py", "--plugins", "other.py", "--plugins", folder / "own_values.py")
    result = run("simulate", "experiment.toml", *options, "--policies", "some-arm")
    assert result.exit_code == 0, result.stderr


def test_they_are_listed_and_checked(folder):
    shown = run("list", "values", "worst-third", "--plugins", "own_values.py")
    assert shown.stdout.startswith("worst-third\n")
    checked = run("check", "any-arm", "--plugins", "own_values.py")
    assert checked.stdout.startswith("any-arm\n✓ compiles")


def test_bench_measures_them_and_says_which_it_cannot_measure(folder, monkeypatch):
    monkeypatch.setattr(benchmark, "SHORTEST_SECONDS", 0.001)
    monkeypatch.setattr(benchmark, "CASES", {})
    (folder / "other.py").write_text(
        "from dataclasses import dataclass\nfrom primum import policies\n"
        "from primum.plugins.parameters import parameter\n"
        "@dataclass(frozen=True)\nclass Needy(policies.Policy):\n"
        "    c: float = parameter(text='constant')\n"
        "    @staticmethod\n    def choose(history, c):\n        return 0\n"
    )
    result = run("bench", "--plugins", "other.py", "--plugins", "own_values.py")
    assert result.exit_code == 2
    assert "10 Bernoulli arms, mean, Needy: needy: c is missing" in result.stderr
    assert re.search(r"10 Bernoulli arms, mean, Any arm +\d+\.\d\d million", result.stdout)
    assert re.search(r"20 mixtures, Worst third, BESA\+ +\d+\.\d\d million", result.stdout)


@pytest.mark.parametrize(
    "arguments", [("simulate", "experiment.toml"), ("list",), ("check", "mean"), ("bench",), ("lab",)]
)
@pytest.mark.parametrize(
    ("place", "content", "said"),
    [
        ("nowhere.py", None, "cannot import nowhere.py: there is no file nowhere.py"),
        ("nowhere", None, "cannot import nowhere: ModuleNotFoundError: No module named 'nowhere'"),
        ("other.py", "1 / 0", "cannot import other.py: ZeroDivisionError: division by zero"),
        ("other.py", "x = 1", "other.py defines no value, no reward distribution and no policy"),
        ("json.py", OWN, "cannot import json.py: another module named json is loaded already; rename the file"),
    ],
)
def test_a_module_that_is_no_use_is_a_sentence(folder, arguments, place, content, said):
    if content:
        (folder / place).write_text(content)
    result = run(*arguments, "--plugins", place)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_a_module_that_failed_can_be_loaded_when_it_is_repaired(folder):
    (folder / "other.py").write_text("1 / 0")
    with pytest.raises(PrimumError):
        loading.plugin_classes("other.py")
    (folder / "other.py").write_text(OWN)
    assert [cls.name for cls in loading.plugin_classes("other.py")] == ["worst-third", "any-arm", "ramp"]


def test_the_processes_of_the_sandbox_know_them(folder):
    loading.plugin_classes("own_values.py")
    arm = registry.build("rewards", "ramp")
    with Sandbox(processes=1) as without, pytest.raises(PrimumError):
        without._request(2.0, "ramp", registry.build, "rewards", arm.spec())
    with Sandbox(processes=1, plugins=["own_values.py"]) as sandbox:
        assert sandbox._request(2.0, "ramp", registry.build, "rewards", arm.spec()) == arm
        sandbox.check(arm)


def test_they_are_sent_to_other_processes(folder):
    loading.plugin_classes("own_values.py")
    experiment = Experiment.from_toml(EXPERIMENT)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        assert experiment.run(executor=executor, progress=False) == experiment.run(progress=False)


def test_the_laboratory_offers_and_runs_them(folder):
    asked = data(
        value={"name": "worst-third"},
        policies=[{"name": "any-arm"}],
        arms=[{"name": "a", "distribution": {"name": "ramp"}}, {"name": "b", "distribution": {"name": "uniform"}}],
    )
    with laboratory(folder / "store", "--plugins", "own_values.py") as running:
        offered = running.client.get("/api/catalogue").json()
        assert "worst-third" in str(offered)
        id = running.finish(asked)
        summary = running.client.get(f"/api/runs/{id}/summary.json").json()
        assert summary["rows"][0]["title"] == "Any arm"
        shown = running.client.get(f"/api/runs/{id}/command.sh").text
    assert "primum simulate - --out run.nc --plugins own_values <<" in shown


def test_the_exported_command_gives_the_numbers(folder):
    loading.plugin_classes("own_values.py")
    experiment = Experiment.from_toml(EXPERIMENT)
    text = command(experiment).replace("primum simulate", f"{sys.executable} -m primum.cli simulate", 1)
    subprocess.run(["sh", "-c", text], check=True, env={**os.environ, "PRIMUM_CACHE": str(folder / "cache")})
    assert Results.load("run.nc") == experiment.run(progress=False)
