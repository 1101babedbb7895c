"""The core runs without what the extras install, and where one is missed, a sentence says how to install it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from primum.errors import PrimumError, needing_extra

DESIGN = Path(__file__).parents[1] / "examples" / "live-trial" / "design.toml"
LAB = "the laboratory needs the package uvicorn: pip install 'primum[lab]'"
LIVE = "a live trial needs the package uvicorn: pip install 'primum[live]'"
SENTENCES = {
    ("lab",): LAB,
    ("trial", "serve", "trial.db"): LIVE,
}
HELP = [("--help",), ("lab", "--help"), ("trial", "start", "--help"), ("list", "policies")]
# one process, in which neither web nor database can be imported; pydantic can, as newer versions of Typer use it
CORE_ALONE = """
import json, sys
from importlib.abc import MetaPathFinder

EXTRAS = {"fastapi", "starlette", "anyio", "uvicorn", "h11", "psycopg"}

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import primum
from primum import arena, checks, replay, theory, trials, values
from primum.cli import app
from typer.testing import CliRunner

problem = primum.Problem({"old": "constant(value=0.4)", "new": "uniform(low=0, high=1)"}, values.Mean())
results = primum.simulate(problem, ["ucb1"], horizon=50, replications=3, seed=7, progress=False)
design = trials.Design(arms=["old", "new"], patients=20, policy="uniform-random", analysis="pooled-z")
found = {"pulls": int(results.pulls.sel(step=50).sum()), "rejected": trials.exact(design).type_1(0.3)}
with trials.Live.start(design, "trial.db") as live:
    found["live"] = live.enrol("P-1").number
try:
    trials.Live("postgresql://user@host/database")
except primum.PrimumError as error:
    found["PostgreSQL"] = str(error)
done = {" ".join(command): CliRunner().invoke(app, command) for command in json.loads(sys.argv[1])}
found["commands"] = {name: [result.exit_code, result.output] for name, result in done.items()}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What one process without the extras computes and says."""
    commands = json.dumps([*SENTENCES, *HELP])
    ran = subprocess.run(
        [sys.executable, "-c", CORE_ALONE, commands],
        cwd=tmp_path_factory.mktemp("core"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_the_core_simulates_and_computes_trials(found):
    assert found["pulls"] == 150
    assert 0 < found["rejected"] < 0.1


@pytest.mark.parametrize(("command", "sentence"), SENTENCES.items(), ids=[" ".join(each[:2]) for each in SENTENCES])
def test_a_command_says_which_extra_it_needs(found, command, sentence):
    assert found["commands"][" ".join(command)] == [2, f"{sentence}\n"]


@pytest.mark.parametrize("command", HELP, ids=" ".join)
def test_help_and_lists_need_no_extra(found, command):
    code, output = found["commands"][" ".join(command)]
    assert code == 0
    assert len(output) > 200


def test_a_live_trial_in_a_file_needs_no_extra_and_one_in_postgresql_says_which(found):
    assert found["live"] == 1
    sentence = "a journal in PostgreSQL needs the package psycopg: pip install 'primum[postgresql]'"
    assert found["PostgreSQL"] == sentence


def test_a_module_of_ours_that_is_missing_is_no_missing_extra():
    with pytest.raises(ModuleNotFoundError, match=r"primum\.no_such_module"), needing_extra("lab", "the laboratory"):
        import primum.no_such_module  # noqa: F401


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastapi.sse", None)
    said = r"the laboratory needs the package fastapi: pip install 'primum\[lab\]'"
    with pytest.raises(PrimumError, match=said), needing_extra("lab", "the laboratory"):
        from fastapi.sse import EventSourceResponse  # noqa: F401
