"""The code in the documents and examples runs as it stands."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import runpy
import shlex
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
import typer

import primum
from primum import checks, cli, rewards
from primum.plugins import registry
from primum.plugins.parameters import NOUNS
from primum.plugins.registry import Plugin
from primum.runs import Experiment, Study
from primum.trials import Plan
from reproduction import __main__ as reproduction
from tests.rounding import native_functions_of, unlike

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    file for folder in ("", "docs/**/", "examples/**/", "benchmarks/") for file in ROOT.glob(f"{folder}*.md")
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)  # language and text

pytestmark = pytest.mark.usefixtures("fresh_registry")


def pages_with(*languages):
    found = [page for page in PAGES if any(language in languages for language, _ in BLOCK.findall(page.read_text()))]
    return pytest.mark.parametrize("page", found, ids=lambda page: str(page.relative_to(ROOT)))


def unlike_in(scope):
    """What plug-ins use that processors round differently, which the page on plug-ins advises against."""
    plugins = [thing for thing in scope.values() if isinstance(thing, type) and issubclass(thing, Plugin)]
    return [found for plugin in plugins for found in unlike(native_functions_of(plugin))]


def test_pages_are_found():
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    assert {"README.md", "docs/index.md", "docs/catalogue/values.md", "examples/primum-example/README.md"} <= names
    told = {language for page in PAGES for language, _ in BLOCK.findall(page.read_text())}
    assert told <= {"", "python", "text", "toml", "sh"}, "a language that no test here runs"


@pages_with("python")
def test_python_runs_and_prints_what_is_shown(page, capsys, monkeypatch):
    """All blocks of a page one after another; a block of text after one of Python is what that prints."""
    import plotly.graph_objects

    monkeypatch.setattr(plotly.graph_objects.Figure, "show", lambda figure: None)
    module = ModuleType(f"blocks_of_{page.stem.replace('-', '_')}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for language, text in BLOCK.findall(page.read_text()):
        if language == "python":
            capsys.readouterr()
            exec(compile(text, str(page), "exec", dont_inherit=True), module.__dict__)
        elif language == "text":
            printed = capsys.readouterr().out.splitlines()
            assert [line.rstrip() for line in printed] == text.splitlines()
    assert unlike_in(vars(module)) == []


@pages_with("toml")
def test_experiments_on_pages_run(page, tmp_path):
    for language, text in BLOCK.findall(page.read_text()):
        if language == "toml" and "designs" in tomllib.loads(text):
            plan = Plan.from_toml(text, str(page)).replace(replications=10)
            oc = plan.operate(store=tmp_path, progress=False, exact=False)
            assert oc.data["reject"].shape == (len(plan.designs), len(plan.scenarios))
        elif language == "toml":
            study = Study.from_toml(text, str(page))
            horizons = {"horizon": [20, 50]} if "horizon" in study.grid else {}
            study = study.replace(replications=2, horizon=50, grid=study.grid | horizons)
            table = study.run(store=tmp_path, progress=False).table()
            assert len(table) == len(study) * len(study.experiment(0).policies)


def commands(page):
    """Command lines that begin with `primum `, in blocks and within sentences."""
    text = page.read_text()
    lines = [line for language, block in BLOCK.findall(text) if language in ("", "sh") for line in block.splitlines()]
    lines += re.findall(r"`(primum [^`]+)`", BLOCK.sub("", text).replace("\n", " "))
    return [line for line in lines if line.startswith("primum ")]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_commands_on_pages_exist(page):
    """Each parses, with its arguments and options; nothing is run."""
    known = typer.main.get_command(cli.app).commands | {"reproduce": typer.main.get_command(reproduction.app)}
    for line in commands(page):
        _, name, *arguments = shlex.split(line, comments=True)
        if name in ("--help", "--version"):
            continue
        assert name in known, line
        if arguments:  # else the command is only named
            known[name].make_context(name, arguments)


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.toml")), ids=lambda file: file.name)
def test_example_files_run(file):
    experiment = Experiment.load(file)
    results = experiment.replace(replications=2, horizon=50).run(progress=False)
    assert results.replications.size == 2


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda file: file.name)
def test_example_scripts_run(script, capsys):
    scope = runpy.run_path(str(script), run_name=f"example_{script.stem}")
    assert unlike_in(scope) == []
    assert capsys.readouterr().out


def test_the_example_package_is_rounded_alike(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "primum-example" / "src"))
    assert unlike_in(vars(importlib.import_module("primum_example"))) == []


@pytest.mark.slow
def test_the_notebook_runs(capsys):
    notebook = json.loads((ROOT / "examples" / "value_in_a_notebook.ipynb").read_text())
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    scope = {"__name__": "value_in_a_notebook"}
    for cell in cells:
        exec(compile("".join(cell["source"]), "notebook", "exec", dont_inherit=True), scope)
    assert unlike_in(scope) == []
    said = capsys.readouterr().out
    assert said.count("passed") >= 10
    assert "FAILED" not in said


def test_readme_counts_the_claims_as_the_page_does():
    counts = re.findall(r"<!-- claims -->(.+)<!-- end of claims -->", (ROOT / "README.md").read_text())
    assert counts == re.findall(r"^Of \d+ claims, .*$", (ROOT / "docs" / "reproduction.md").read_text(), re.MULTILINE)


def test_the_overview_of_the_catalogue_has_every_plugin():
    listed = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "catalogue" / "index.md").read_text()))
    for family in registry.FAMILIES:
        assert {registry.find(family, name).__name__ for name in registry.names(family)} <= listed


MADE = {"arena-report/table.json", "site/index.html", "regret.html", "openapi.json", "report/index.html"}
EXAMPLES = {  # the files of the stories "in one file", which are not written
    "src/primum/values/worse_of_two.py",
    "src/primum/policies/fading_greedy.py",
    "src/primum/rewards/triangular.py",
    "src/primum/trials/analyses/arcsine_z.py",
}


def test_every_path_that_the_documents_name_is_there():
    """A path in backquotes is that of a file or a folder, or its end: `trials/simulation/pieces.py`."""
    listed = [path for path in ROOT.rglob("*") if not {".git", ".venv", "site", "__pycache__"} & set(path.parts)]
    there = {f"/{path.relative_to(ROOT).as_posix()}{'/' * path.is_dir()}" for path in listed}
    ends = {path[place:] for path in there for place, letter in enumerate(path) if letter == "/"}
    missing = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]:
        if page.name != "CHANGELOG.md":  # tells of what is gone
            text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
            for path in re.findall(r"`\.{0,2}/?(\w[\w./-]*(?:/|\.(?:py|js|md|toml|html|css|json)))`", text):
                if f"/{path}" not in ends and path not in MADE | EXAMPLES:
                    missing.append(f"{path} in {page.name}")
    assert missing == []


def test_every_module_in_the_sketch_of_the_architecture_is_there():
    sketch = (ROOT / "CONTRIBUTING.md").read_text().split("Imports only point down this list:")[1].split("```")[1]
    named = re.findall(r"(?:^|\s)(\w+(?:/|\.py))(?=\s)", sketch)
    assert len(named) > 20
    package = ROOT / "src" / "primum"
    assert [name for name in named if not (package / name).exists()] == []
    folders = {f"{path.name}/" for path in package.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= set(named)


def test_a_folder_is_small_enough_to_be_read():
    """Folders of plug-ins, which have one in a module, aside."""
    counts = Counter(path.parent for path in (ROOT / "src").rglob("*.py") if path.name != "__init__.py")
    large = {folder: count for folder, count in counts.items() if count > 16 and folder.name not in NOUNS}
    assert large == {}


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
