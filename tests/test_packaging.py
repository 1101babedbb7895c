"""What is distributed: the source has all that its documents use, the wheel all that the package uses."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from uvicorn.protocols.http.h11_impl import H11Protocol

from primum.web.connections import Connection

ROOT = Path(__file__).parents[1]
NOT_DISTRIBUTED = {".ci/run"}  # how our own server calls `make test`
MADE_BY_MAKE = {"report/index.html", "site/index.html"}


@pytest.fixture(scope="module")
def known():
    """All files but those that git ignores."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode or not listed.stdout:
        pytest.skip("not a checkout")
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The folder in the source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as whole:
        whole.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def test_the_source_distribution_has_every_file(known, unpacked):
    included = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert included - {"PKG-INFO"} == known - NOT_DISTRIBUTED


def test_the_wheel_has_every_file_of_the_package(known):
    included = {f"src/{file.distribution_path}" for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    assert included == {name for name in known if name.startswith("src/primum/")}


def test_what_the_documents_name_is_in_the_source_distribution(unpacked):
    helped = subprocess.run(["make", "help"], cwd=unpacked, capture_output=True, text=True, check=True)
    assert "make reproduce" in helped.stdout
    named = set(re.findall(r"[\w-]+(?:/[\w-]+)*\.(?:py|txt|toml|md|html)\b", (unpacked / "Makefile").read_text()))
    for page in ("README.md", "CONTRIBUTING.md"):
        named |= set(re.findall(r"\]\(([^)#:]+)\)", (unpacked / page).read_text()))
    assert {"constraints.txt", "constraints-oldest.txt", "benchmarks/speed.py", "CONTRIBUTING.md"} <= named
    assert [name for name in named - MADE_BY_MAKE if not (unpacked / name).exists()] == []


def test_every_package_that_is_imported_is_declared():
    declared = {canonicalize_name(requirement.name) for requirement in required()}
    distributions = packages_distributions()
    undeclared = set()
    for path in [*(ROOT / "src" / "primum").rglob("*.py"), *(ROOT / "reproduction").rglob("*.py")]:
        for package in imported(path) - sys.stdlib_module_names - {"primum", "reproduction"}:
            if declared.isdisjoint(map(canonicalize_name, distributions.get(package, []))):
                undeclared.add(f"{package} in {path.relative_to(ROOT)}")
    assert undeclared == set()


def test_the_parser_of_requests_that_connections_build_upon_is_declared():
    """uvicorn can do with another one, and may come to."""
    assert issubclass(Connection, H11Protocol)
    assert "h11" in {requirement.name for requirement in required()}


def test_constraints_meet_what_is_required():
    newest, oldest = (pinned(ROOT / file) for file in ("constraints.txt", "constraints-oldest.txt"))
    for requirement in required():
        assert newest[canonicalize_name(requirement.name)] in requirement.specifier, requirement
    for requirement in required(extras=("live",)):
        (bound,) = requirement.specifier
        release = Version(bound.version).release
        assert oldest[canonicalize_name(requirement.name)].release[: len(release)] == release, requirement


def test_the_core_requires_neither_web_nor_database():
    core, live = ({requirement.name for requirement in required(extras)} for extras in ((), ("live",)))
    assert {"fastapi", "starlette", "anyio", "uvicorn", "h11", "pydantic"} <= live - core


def pinned(constraints):
    names = (line.split("==") for line in constraints.read_text().splitlines())
    return {canonicalize_name(name): Version(version) for name, version in names}


def required(extras=("cluster", "postgresql")):
    """What the package requires, with some extras and the extras that these name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    given, found = [*project["dependencies"]], []
    for extra in extras:
        given += project["optional-dependencies"][extra]
    for requirement in map(Requirement, given):  # grows while it is read
        if requirement.name == "primum":
            given += [each for extra in requirement.extras for each in project["optional-dependencies"][extra]]
        else:
            found.append(requirement)
    return found


def imported(path):
    """The top-level packages that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition(".")[0])
    return found
