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
    whole = hashlib.sha256()
    for source in sorted(PACKAGE.rglob("*.py")):
        if source.relative_to(PACKAGE).parts[0] not in SHOWS:
            whole.update(source.read_bytes())
    return whole.hexdigest()
