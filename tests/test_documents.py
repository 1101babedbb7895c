"""The code in the documents and examples runs as it stands."""

from __future__ import annotations

import doctest
import json
import re
import runpy
import sys
from pathlib import Path

import pytest

import primum
from primum import checks, rewards
from primum.experiments import Experiment

ROOT = Path(__file__).resolve().parent.parent


pytestmark = pytest.mark.usefixtures("fresh_registry")


def code(document, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)


@pytest.mark.parametrize("document", ["README.md", "docs/plugins.md", "docs/theory.md"])
def test_snippets_run_one_after_another(document, capsys, monkeypatch):
    import plotly.graph_objects

    monkeypatch.setattr(plotly.graph_objects.Figure, "show", lambda figure: print("shown"))
    scope = {"__name__": f"snippets_of_{Path(document).stem}"}
    snippets = code(document, "python")
    assert len(snippets) >= 3
    for snippet in snippets:
        exec(compile(snippet, document, "exec", dont_inherit=True), scope)
    assert "besa-plus" in capsys.readouterr().out


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.toml")), ids=lambda file: file.name)
def test_example_files_run(file):
    experiment = Experiment.load(file)
    results = experiment.replace(replications=2, horizon=50).run(progress=False)
    assert results.replications.size == 2


def test_the_documented_experiment_runs():
    (text,) = code("docs/experiment-files.md", "toml")
    results = Experiment.from_toml(text).replace(replications=2, horizon=50).run(progress=False)
    assert results.labels == ["besa-plus", "marab(penalty=0.1)"]


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda file: file.name)
def test_example_scripts_run(script, capsys):
    runpy.run_path(str(script), run_name=f"example_{script.stem}")
    assert capsys.readouterr().out


def test_the_notebook_runs(capsys):
    notebook = json.loads((ROOT / "examples" / "value_in_a_notebook.ipynb").read_text())
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    scope = {"__name__": "value_in_a_notebook"}
    for cell in cells:
        exec(compile("".join(cell["source"]), "notebook", "exec", dont_inherit=True), scope)
    said = capsys.readouterr().out
    assert said.count("passed") >= 10
    assert "FAILED" not in said


def test_every_example_is_listed():
    listed = re.findall(r"^\| \[(.*?)\]\((.*?)\)", (ROOT / "examples" / "README.md").read_text(), re.MULTILINE)
    names = {file.name for file in (ROOT / "examples").iterdir()} - {"README.md", "__pycache__"}
    assert {target for _, target in listed} == names


@pytest.mark.parametrize("number", range(3), ids=["value", "policy", "reward distribution"])
def test_the_one_file_stories_are_complete(number, tmp_path, monkeypatch):
    told, code_of_it = re.findall(
        r"^`src/primum/(\w+/\w+)\.py`.*?```python\n(.*?)```",
        (ROOT / "CONTRIBUTING.md").read_text(),
        re.DOTALL | re.MULTILINE,
    )[number]
    file = tmp_path / f"{told.split('/')[1]}.py"
    file.write_text(code_of_it)
    monkeypatch.setitem(sys.modules, file.stem, None)  # put back when the test ends
    (plugin,) = checks.load(str(file))
    assert plugin.family == told.split("/")[0]
    checks.assert_conforms(plugin)
    module = sys.modules[file.stem]
    assert doctest.testmod(module).attempted == 1
    assert doctest.testmod(module).failed == 0
    given = {"values": "mean", "policies": "besa-plus", "rewards": "bernoulli(probability=0.4)"} | {
        plugin.family: plugin.name
    }
    problem = primum.Problem({"a": given["rewards"], "b": rewards.Uniform(0, 1)}, given["values"])
    results = primum.simulate(problem, [given["policies"]], horizon=50, replications=5, seed=1, progress=False)
    assert (results.regret.values >= 0).all()
