"""The whole reproduction at a tiny scale: killed at random moments it still produces the same bytes."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import xarray
from typer.testing import CliRunner

from primum.cli import app
from primum.cli import reproduce as finder
from primum.errors import PrimumError
from primum.policies import BesaPlus
from primum.runs import Experiment
from primum.store import Store
from reproduction import FULL, QUICK, Scale, reproduce, running
from reproduction.claims import CLAIMS
from tests.read_only import make_read_only, python

ROOT = Path(__file__).resolve().parents[2]
TINY = """Scale(
    "tiny", constant_replications=30, floor_replications=6, environments=3, mixture_replications=4, long_replications=1,
    clinical_replications=12, rescaled_replications=6, rho_replications=4, other_replications=3,
    other_mixture_replications=2, constant_horizon=300, mixture_horizon=200, clinical_horizon=200,
)"""
PROGRAM = f"""
import sys
from primum.runs import pieces
from primum.policies import BesaPlus
from primum.store import Store
from reproduction import Scale, reproduce
pieces.PIECE_STEPS = 6_000
reproduce(sys.argv[1], {TINY}, Store(sys.argv[2]), progress=False)
"""


def start(out, store):
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(out), str(store)]
    return subprocess.Popen(command, cwd=ROOT)


def digests(folder):
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A report that was not interrupted, made once for all test processes: it takes most of a minute."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "undisturbed"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process makes it, the others wait
        if not (folder / "ended").exists():
            assert start(folder / "report", folder / "store").wait() == 0
            (folder / "ended").touch()
    return folder


@pytest.mark.long
@pytest.mark.parametrize("times", [1, 3])
def test_killed_at_random_moments_it_ends_with_the_same_bytes(undisturbed, tmp_path, times):
    """A moment is a number of files in the store, so that it does not depend on how fast the machine is."""
    out, store = tmp_path / "report", tmp_path / "store"
    whole = len(digests(undisturbed / "store"))
    chance, kills = random.Random(7), 0
    for _ in range(times):
        before = len(digests(store)) if store.exists() else 0
        moment = before + chance.randrange(1, max(2, (whole - before) // 2))
        process = start(out, store)
        while process.poll() is None and (not store.exists() or len(list(store.rglob("*"))) < moment):
            time.sleep(0.002)
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert before <= len([path for path in store.rglob("*") if path.is_file()])
    assert kills == times
    assert not (out / "index.html").exists(), "it must have been killed before the end"

    # between two runs a file is damaged
    some = chance.choice(sorted(path for path in store.rglob("*") if path.is_file() and path.suffix != ".partial"))
    some.write_bytes(some.read_bytes()[:-3] + b"bad")
    process = start(out, store)
    assert process.wait() == 0
    assert digests(out) == digests(undisturbed / "report")


def test_a_second_run_computes_nothing(undisturbed, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_files", lambda *_: pytest.fail("computed again"))
    judged = reproduce(tmp_path, eval(TINY), Store(undisturbed / "store"), progress=False)
    assert digests(tmp_path) == digests(undisturbed / "report")
    assert len(judged) == 30


def test_a_report_in_the_store_is_that_of_these_sources(tmp_path, monkeypatch):
    """A change of the program, as one of the library, makes another report."""
    before = running._key(QUICK)
    for name, change in (("same", ""), ("changed", "# a comment")):
        shutil.copytree(running.HERE, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        (tmp_path / name / "claims.py").write_text((running.HERE / "claims.py").read_text() + change)
        monkeypatch.setattr(running, "HERE", tmp_path / name)
        assert (running._key(QUICK) == before) == (not change)


def test_every_claim_is_judged_once(undisturbed):
    about = json.loads((undisturbed / "report" / "verdicts.json").read_text())
    assert [one["number"] for one in about["judgements"]] == list(CLAIMS)
    assert {one["verdict"] for one in about["judgements"]} <= {"holds", "holds in part", "fails", "undecided"}


def test_every_figure_of_the_paper_is_there_in_all_forms(undisturbed):
    report = undisturbed / "report"
    names = set(digests(report))
    for i in range(1, 10):
        assert any(name.startswith(f"figures/figure-{i}") and name.endswith(".svg") for name in names), i
    stems = {name.removesuffix(".svg").removeprefix("figures/") for name in names if name.endswith(".svg")}
    for stem in stems:
        assert {f"figures/{stem}.png", f"data/{stem}.nc", f"data/{stem}.csv"} <= names


def test_an_experiment_file_gives_the_numbers_of_the_report(undisturbed):
    report = undisturbed / "report"
    results = Experiment.load(report / "experiments" / "figure-1.toml").run(progress=False)
    data = xarray.load_dataset(report / "data" / "figure-1.nc")
    shown = data["middle"].sel(policy=BesaPlus.title, step=results.steps[-1]).values
    mean = float(results.regret.sel(policy="besa-plus").isel(step=-1).mean())
    assert mean in shown.tolist()


def test_what_an_earlier_report_left_is_removed_and_nothing_else(undisturbed, tmp_path):
    reproduce(tmp_path, eval(TINY), Store(undisturbed / "store"), progress=False)
    (tmp_path / "figures" / "old.svg").write_text("of an earlier report")
    (tmp_path / "figures" / "mine.svg").write_text("mine")
    listing = tmp_path / "files.txt"
    listing.write_text(listing.read_text() + "figures/old.svg\n../outside\n")
    (tmp_path.parent / "outside").write_text("elsewhere")
    reproduce(tmp_path, eval(TINY), Store(undisturbed / "store"), progress=False)
    assert not (tmp_path / "figures" / "old.svg").exists()
    assert (tmp_path / "figures" / "mine.svg").exists()
    assert (tmp_path.parent / "outside").exists()


def command(*arguments):
    result = CliRunner().invoke(app, ["reproduce", *map(str, arguments)], env={"COLUMNS": "100"})
    assert "Traceback" not in result.output
    return result


def test_the_command_shows_the_verdicts(undisturbed, tmp_path, monkeypatch):
    monkeypatch.setattr("reproduction.__main__.QUICK", eval(TINY))
    result = command("--quick", "--out", tmp_path, "--store", undisturbed / "store")
    assert result.exit_code == 0
    about = json.loads((tmp_path / "verdicts.json").read_text())
    for one in about["judgements"]:
        assert any(
            line.split()[:1] == [str(one["number"])] and one["verdict"] in line for line in result.stdout.splitlines()
        ), one["number"]
    assert f"written: {tmp_path / 'index.html'}" in result.stderr.replace("\n", "")


def test_interrupted_it_says_that_nothing_is_lost(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("reproduction.__main__.reproduce", interrupted)
    result = command("--out", tmp_path, "--store", tmp_path / "store")
    assert result.exit_code == 130
    assert "run it again to resume" in result.stderr


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The package without its source around it, as from a wheel, and an empty current folder."""
    file = tmp_path / "site-packages" / "primum" / "version.py"
    file.parent.mkdir(parents=True)
    file.write_bytes(finder.VERSION_FILE.read_bytes())
    monkeypatch.setattr(finder, "VERSION_FILE", file)
    folder = tmp_path / "current"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_an_installed_package_says_where_the_reproduction_is(installed):
    def is_refused():
        result = command("--quick")
        assert (result.exit_code, result.stdout) == (2, "")
        return "run this in a clone of the repository" in result.stderr

    assert is_refused()
    (installed / "reproduction").mkdir()
    (installed / "reproduction" / "__main__.py").write_text("raise SystemExit('something else')")
    assert is_refused()
    other = installed / "src" / "primum" / "version.py"
    other.parent.mkdir(parents=True)
    other.write_text('__version__ = "0.0.1"')
    assert is_refused()
    other.write_bytes(finder.VERSION_FILE.read_bytes())
    assert finder.source() == installed


@pytest.mark.parametrize("arguments", [["primum", "reproduce"], ["reproduction"]], ids=str)
def test_it_is_the_same_program_by_either_name(arguments, tmp_path):
    (tmp_path / "file").write_text("")
    command = [sys.executable, "-m", *arguments, "--quick", "--out", tmp_path / "file", "--store", tmp_path / "store"]
    cwd = tmp_path if arguments[0] == "primum" else ROOT  # the first finds it
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("cannot write")
    assert not (tmp_path / "store").exists()


def test_help_has_its_options():
    result = command("--help")
    assert result.exit_code == 0
    assert "reproduce [OPTIONS]" in result.stdout
    assert {"--quick", "--out", "--store"} <= set(result.stdout.split())


def test_where_it_cannot_write_it_says_so_before_it_computes(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PrimumError, match="cannot write"):
        reproduce(tmp_path / "file", QUICK, Store(tmp_path / "store"), progress=False)
    assert not (tmp_path / "store").exists()


def test_a_store_that_cannot_be_written_is_told_before_it_computes(tmp_path, monkeypatch, caplog):
    def interrupted(*_, **__):
        assert "cannot write to the store" in caplog.text
        raise KeyboardInterrupt

    monkeypatch.setattr(running.pieces, "run", interrupted)
    (tmp_path / "file").write_text("")
    with pytest.raises(KeyboardInterrupt):
        reproduce(tmp_path / "report", QUICK, Store(tmp_path / "file"), progress=False)


def test_a_complete_store_that_may_only_be_read_is_enough(undisturbed, tmp_path):
    shutil.copytree(undisturbed / "store", tmp_path / "store")
    make_read_only(tmp_path / "store")
    done = python(PROGRAM, tmp_path / "report", tmp_path / "store", cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    assert digests(tmp_path / "report") == digests(undisturbed / "report")


def test_the_full_scale_is_large():
    assert isinstance(FULL, Scale)
    assert FULL.constant_replications == 20_000
    assert FULL.environments >= 50
    assert FULL.mixture_replications >= 200
