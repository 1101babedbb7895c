"""The example files of trials, and the analysis of CONTRIBUTING.md."""

from __future__ import annotations

import configparser
import doctest
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
import typer

from primum import checks, cli, trials

ROOT = Path(__file__).resolve().parent.parent.parent
LIVE = ROOT / "examples" / "live-trial"
FILES = [*sorted((ROOT / "examples" / "trials").glob("*.toml")), LIVE / "design.toml"]


def test_examples_are_found():
    assert [file.name for file in FILES] == ["four-arms.toml", "two-arms.toml", "design.toml"]


def test_the_example_of_a_live_trial_starts_and_its_service_has_a_command_that_exists(tmp_path):
    with trials.Live.start(trials.Plan.load(LIVE / "design.toml"), tmp_path / "trial.db", design="adaptive") as live:
        assert live.settings.due_days == 28
        assert live.enrol("P-1", eligibility=live.settings.eligibility, consent="2020-02-01", who="ward").number == 1
    unit = configparser.ConfigParser(strict=True, interpolation=None)
    unit.optionxform = str
    unit.read(LIVE / "primum-trial.service")
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert program.endswith("/primum")
    command = typer.main.get_command(cli.app)
    for word in words[:2]:
        command, words = command.commands[word], words[1:]
    command.make_context("serve", [*words])  # which empties its list
    proxy = (LIVE / "nginx.conf").read_text()
    assert f"127.0.0.1:{words[words.index('--port') + 1]}" in proxy
    assert f"server_name {words[words.index('--allow-host') + 1]};" in proxy


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_example_files_run(file, tmp_path):
    plan = trials.Plan.load(file)
    small = {
        name: design.replace(analysis=design.analysis.spec() | {"runs": 9})
        if isinstance(design.analysis, trials.RandomisationTest)
        else design
        for name, design in plan.designs.items()
    }
    oc = plan.replace(designs=small, replications=10).operate(exact=False, store=tmp_path, progress=False)
    assert set(oc.data["design"].values) == set(plan.designs)
    assert set(oc.data["scenario"].values) == set(plan.scenarios)
    size = oc.data["patients"].sum("arm").values
    np.testing.assert_allclose(size, oc.data["size"].values)
    assert ((oc.data["reject"] >= 0) & (oc.data["reject"] <= 1)).all()


@pytest.mark.usefixtures("fresh_registry")
def test_the_analysis_in_one_file_is_complete(tmp_path, monkeypatch):
    story = re.search(
        r"^`src/primum/trials/analyses/(\w+)\.py`.*?```python\n(.*?)```",
        (ROOT / "CONTRIBUTING.md").read_text(),
        re.DOTALL | re.MULTILINE,
    )
    file = tmp_path / f"{story[1]}.py"
    file.write_text(story[2])
    monkeypatch.setitem(sys.modules, file.stem, None)  # put back when the test ends
    (plugin,) = checks.load(str(file))
    assert plugin.family == "analyses"
    done = doctest.testmod(sys.modules[file.stem])
    assert done.attempted == 5
    assert done.failed == 0
    test = type(plugin)(sided="greater")
    design = trials.Design(arms=["a", "b"], patients=40, policy="uniform-random", analysis=test)
    law = trials.exact(design, progress=False)
    # the test is approximate: its level is 0.05, and 0.3 against 0.7 is a large difference
    assert 0.02 < law.type_1(0.4) < 0.08
    assert law.reject(0.3, 0.7) > 0.7
