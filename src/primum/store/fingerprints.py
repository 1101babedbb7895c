"""Fingerprints of what native code and stored results depend on.

*Native code* (`native_code`) depends on the sources that are compiled, byte for byte, because Numba keeps line numbers;
on the processor that Numba compiles for and its features; and on the versions of Python, NumPy, Numba and llvmlite.

*Results* (`results`) depend on the versions of Python, Primum, NumPy, SciPy and Numba; on the part of Primum that
simulates, with its data; and on the classes of foreign plug-ins with all that they refer to (see `objects` and
`modules`). Comments, docstrings and formatting do not count. Keys in the store have this fingerprint, and so
have results that are saved or exported (`primum.results.provenance`).

Not covered by the fingerprint of results:

- the processor: on another one, SciPy may round the last digit of rewards of beta and SciPy distributions differently
  ("What is reproducible" in docs/ideas.md);
- files, environment variables and network resources that a foreign plug-in reads, and its docstrings;
- code that a foreign plug-in reaches by a name made at run time (`importlib.import_module`, `getattr`, `exec`);
- what a program assigns to the globals of a foreign module after its import;
- an edit of a foreign module between its import and the first fingerprint: its file is read once, at that moment, and
  again only after a reload.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

from primum.store.modules import source_digest
from primum.store.objects import object_digest
from primum.version import __version__

PACKAGE = Path(__file__).resolve().parents[1]
SIMULATION_PATHS = (
    "kernels",
    "plugins",
    "policies",
    "problem.py",
    "rewards",
    "runs/part.py",
    "values",
)
TRIAL_PATHS = (*SIMULATION_PATHS, "trials")
COMPILED_PATHS = (*TRIAL_PATHS, "checks")  # checks compile their own functions
PACKAGES = ("numpy", "scipy", "numba")  # whose versions decide on results


@functools.cache
def versions() -> dict[str, str]:
    """The versions of Python, Primum and the packages that results depend on."""
    from importlib.metadata import version  # it takes a while to import

    ours = {"python": platform.python_version(), "primum": __version__}
    return ours | {name: version(name) for name in PACKAGES}


@functools.cache
def native_code() -> str:
    """The fingerprint of native code."""
    from importlib.metadata import version

    from numba.core.registry import cpu_target

    processor = cpu_target.target_context.codegen().magic_tuple()  # not always this one: NUMBA_CPU_NAME, say
    packages = (version(name) for name in ("numpy", "numba", "llvmlite"))
    return _digest([*processor, sys.version, *packages, _raw(_files(COMPILED_PATHS, ".py"), PACKAGE)])


def results(classes: Iterable[type] = (), paths: tuple[str, ...] = SIMULATION_PATHS) -> str:
    """The fingerprint of results that objects of these classes take part in, computed by our code in some paths.

    A ParameterError says what cannot be determined.
    """
    versions_used = [f"{name} {number}" for name, number in versions().items()]
    foreign = {object_digest(cls) for cls in classes if not is_ours(cls)}
    return _digest([*versions_used, _sources(paths), *sorted(foreign)])


def is_ours(cls: type) -> bool:
    """Whether a class is part of Primum."""
    return cls.__module__.partition(".")[0] == "primum"


@functools.cache
def everything(package: Path) -> str:
    """A hash of all files of a package."""
    return _raw([path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"], package)


@functools.cache
def _sources(paths: tuple[str, ...]) -> str:
    code = [f"{path.relative_to(PACKAGE).as_posix()} {source_digest(path)}" for path in _files(paths, ".py")]
    return _digest([*code, _raw(_files(paths, ".csv"), PACKAGE)])


def _files(paths: tuple[str, ...], suffix: str) -> list[Path]:
    chosen = [PACKAGE / path for path in paths]
    return sorted(path for path in PACKAGE.rglob(f"*{suffix}") if any(path.is_relative_to(one) for one in chosen))


def _raw(files: list[Path], package: Path) -> str:
    """A hash of files of a package, byte for byte."""
    return _digest(
        f"{path.relative_to(package).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(files)
    )


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
