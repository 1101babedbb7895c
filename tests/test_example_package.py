"""A package of another author: installed, its plug-ins have names everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PACKAGE = Path(__file__).resolve().parent.parent / "examples" / "primum-example"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Runs Python where the package is installed."""
    target = tmp_path_factory.mktemp("installed") / "site-packages"
    target.mkdir()
    paths = [str(target), str(PACKAGE.parent.parent / "src"), os.environ.get("PYTHONPATH", "")]

    def run(*arguments):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, env=environment, cwd=target, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    offline = "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"
    run("-m", "pip", "install", *offline, "--target", target, PACKAGE)
    return run


def test_its_names_are_known(python):
    listed = python("-m", "primum.cli", "list")
    for name in ("expected-utility", "kumaraswamy", "satisficer"):
        assert f"\n{name}\n" in listed


def test_its_experiment_runs(python, tmp_path):
    out = tmp_path / "run.nc"
    options = "--replications", 5, "--horizon", 60, "--out", out
    shown = python("-m", "primum.cli", "simulate", PACKAGE / "experiment.toml", *options)
    assert "Satisficer" in shown
    assert "value: Expected utility (aversion 3)" in shown
    assert out.exists()


def test_it_can_be_checked_by_name(python):
    shown = python("-m", "primum.cli", "check", "primum_example:ExpectedUtility(aversion=3)")
    assert shown.startswith("expected-utility(aversion=3)\n✓ compiles")


@pytest.mark.long
def test_its_own_tests_pass(python):
    assert "6 passed" in python("-m", "pytest", "-q", "-p", "no:cacheprovider", PACKAGE / "tests")


ON_WORKERS = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
import primum

if __name__ == "__main__":
    problem = primum.Problem({"a": "kumaraswamy", "b": "uniform"}, "expected-utility")
    settings = {"horizon": 50, "replications": 20, "seed": 1, "progress": False}
    here = primum.simulate(problem, ["satisficer"], **settings)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        print(primum.simulate(problem, ["satisficer"], executor=executor, **settings) == here)
"""


@pytest.mark.long
def test_its_plug_ins_reach_the_workers_by_name(python, tmp_path):
    (tmp_path / "script.py").write_text(ON_WORKERS)
    assert python(tmp_path / "script.py") == "True\n"
