"""Folders of files that are written together, such as reports."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from primum.errors import PrimumError
from primum.store.files import writable, write

LISTING = "files.txt"


def prepared(out: str | os.PathLike[str]) -> Path:
    """The folder, created if it does not exist, before anything is computed."""
    folder = Path(out)
    _make(folder / LISTING)
    writable(folder / LISTING)
    return folder


def write_all(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files by their paths in a folder, and remove those that were written there earlier and are not among them.

    Each file is written at once or not at all, in the order given.
    """
    for name, content in contents.items():
        _make(folder / name)
        write(folder / name, content)
    _remove_old(folder, contents)


def _remove_old(folder: Path, current: Iterable[str]) -> None:
    """Remove the files that an earlier listing has and this one does not, and nothing else."""
    listing = folder / LISTING
    known = listing.read_text().splitlines() if listing.is_file() else []
    for name in set(known) - set(current):
        path = (folder / name).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file():
            path.unlink()
    write(listing, "".join(f"{name}\n" for name in current).encode())


def _make(path: Path) -> None:
    """Create the folder of a file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise PrimumError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None
