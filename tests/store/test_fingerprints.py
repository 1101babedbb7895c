"""Fingerprints: what changes native code or results changes them, and nothing else does."""

from __future__ import annotations

import ast
import itertools
import shutil
from importlib import metadata

import pytest

from primum.store import fingerprints


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package that a test may change."""
    copy = tmp_path / "primum"
    shutil.copytree(fingerprints.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "static"))
    monkeypatch.setattr(fingerprints, "PACKAGE", copy)
    return copy


@pytest.fixture(autouse=True)
def nothing_remembered():
    """As in a new process, and for the tests that follow."""
    forget()
    yield
    forget()


def forget():
    for function in (
        fingerprints.versions,
        fingerprints.native_code,
        fingerprints.everything,
        fingerprints._sources,
    ):
        function.cache_clear()


def changed(package, file, old, new):
    """Which fingerprints change with the text of a file."""
    functions = {
        "native_code": fingerprints.native_code,
        "results": fingerprints.results,
        "everything": lambda: fingerprints.everything(package),
    }
    forget()
    before = {name: function() for name, function in functions.items()}
    text = (package / file).read_text()
    assert old in text
    (package / file).write_text(text.replace(old, new, 1))
    forget()
    return [name for name, function in functions.items() if function() != before[name]]


POLICY = "policies/epsilon_greedy.py"


@pytest.mark.parametrize("file", [POLICY, "kernels/streams.py"])
def test_words_and_formatting_leave_results_alone(package, file):
    first = ast.get_docstring(ast.parse((package / file).read_text()), clean=False)
    assert changed(package, file, first, "Other words.") == ["native_code", "everything"]
    assert changed(package, file, "\n\n", "\n# a comment\n\n\n") == ["native_code", "everything"]
    inner = '\n    """'
    if inner in (package / file).read_text():
        assert changed(package, file, inner, inner + "More words. ") == ["native_code", "everything"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (POLICY, "parameter(0.1", "parameter(0.2"),
        ("kernels/streams.py", "53", "52"),
        ("runs/part.py", "max(16,", "max(32,"),
    ],
)
def test_code_that_takes_part_changes_both(package, file, old, new):
    assert changed(package, file, old, new) == ["native_code", "results", "everything"]


def test_data_that_takes_part_changes_results(package):
    assert changed(package, "rewards/data/veteran.csv", "\n", "\n\n") == ["results", "everything"]


def test_code_that_takes_no_part_changes_neither(package):
    assert changed(package, "results/results.py", "return", "return None or") == ["everything"]


def test_all_that_a_simulation_imports_takes_part():
    """What plays and what it is made of imports nothing else of the package than errors and where things are kept."""
    without_effect = {"errors", "store", "text"}
    known = {("primum/" + path.removesuffix(".py")).replace("/", ".") for path in fingerprints.SIMULATION_PATHS}
    known |= {f"primum.{name}" for name in without_effect}
    for path in fingerprints._files(fingerprints.SIMULATION_PATHS, ".py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("primum."):
                above = [*itertools.accumulate(node.module.split("."), "{}.{}".format)]
                assert known & {*above}, f"{path} imports {node.module}"


@pytest.mark.parametrize("package", ["numpy", "numba", "llvmlite", "scipy", "primum"])
def test_versions_change_what_depends_on_them(monkeypatch, package):
    native, results = fingerprints.native_code(), fingerprints.results()
    real = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: real(name) + ".post1" * (name == package))
    if package == "primum":  # its metadata can be older than its code
        monkeypatch.setattr(fingerprints, "__version__", "0.2.0.post1")
    forget()
    assert (fingerprints.native_code() != native) == (package in ("numpy", "numba", "llvmlite"))
    assert (fingerprints.results() != results) == (package in ("numpy", "numba", "scipy", "primum"))


def test_python_changes_both(monkeypatch):
    native, results = fingerprints.native_code(), fingerprints.results()
    monkeypatch.setattr("platform.python_version", lambda: "3.99")
    monkeypatch.setattr("sys.version", "3.99")
    forget()
    assert fingerprints.native_code() != native
    assert fingerprints.results() != results


@pytest.mark.parametrize(
    ("name", "given"),
    [("llvmlite.binding.get_host_cpu_name", lambda: "abacus"), ("numba.core.config.CPU_NAME", "abacus")],
)
def test_the_processor_changes_native_code(monkeypatch, name, given):
    native = fingerprints.native_code()
    monkeypatch.setattr(name, given)
    forget()
    assert fingerprints.native_code() != native


def test_sources_are_read_once(monkeypatch):
    first = fingerprints.results()
    monkeypatch.setattr(fingerprints, "source_digest", None)
    assert fingerprints.results() == first
