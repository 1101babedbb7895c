"""Where things are kept between processes, and the hash of the code that made them."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
SHOWS = ("cli.py", "experiments", "figures", "paper", "player.py")  # nothing in these takes part in a simulation


def folder(name: str) -> Path:
    """A folder of this name in `$PRIMUM_CACHE` or `~/.cache/primum`; it need not exist yet."""
    return Path(os.environ.get("PRIMUM_CACHE") or "~/.cache/primum").expanduser() / name


@functools.cache
def sources() -> str:
    """A hash of the source code of all that takes part in a simulation: what other code made is not taken for ours."""
    return _digest([path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in SHOWS])


@functools.cache
def everything() -> str:
    """A hash of all files of the package."""
    return _digest([path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"])


def _digest(files: list[Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted(files):
        whole.update(path.read_bytes())
    return whole.hexdigest()
