"""Where things are kept between processes, and the hash of the code that made them."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
DECIDE = (  # what takes part in a simulation, and the checks, whose functions are compiled too
    "checks",
    "engine.py",
    "kernels",
    "plugins",
    "policies",
    "problem.py",
    "rewards",
    "simulation.py",
    "values",
)


def folder(name: str) -> Path:
    """A folder of this name in `$PRIMUM_CACHE` or `~/.cache/primum`; it need not exist yet."""
    return Path(os.environ.get("PRIMUM_CACHE") or "~/.cache/primum").expanduser() / name


@functools.cache
def sources() -> str:
    """A hash of the source code of all that takes part in a simulation: what other code made is not taken for ours."""
    return _digest([path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] in DECIDE])


@functools.cache
def everything() -> str:
    """A hash of all files of the package."""
    return _digest([path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"])


def _digest(files: list[Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted(files):
        content = path.read_bytes()
        whole.update(f"{path.relative_to(PACKAGE).as_posix()} {len(content)}\n".encode())
        whole.update(content)
    return whole.hexdigest()
