"""The code in the documents and examples runs as it stands."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from primum.experiments import Experiment

ROOT = Path(__file__).resolve().parent.parent


pytestmark = pytest.mark.usefixtures("fresh_registry")


def code(document, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)


@pytest.mark.parametrize("document", ["README.md", "docs/plugins.md"])
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
