"""The command `primum reproduce`, whose program is beside the package in its source."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import typer

from primum import version
from primum.errors import PrimumError

VERSION_FILE = Path(version.__file__).resolve()
FORWARD = {"ignore_unknown_options": True, "allow_extra_args": True}  # the program knows its options


def reproduce(context: typer.Context) -> None:
    """Reproduce the paper: every figure, and a verdict on every claim. Needs a clone of the repository."""
    sys.path.insert(0, str(source()))
    importlib.import_module("reproduction.__main__").app(context.args, prog_name=context.command_path)


def source() -> Path:
    """The folder of the clone: that of an editable install, or the current one if it has our version."""
    for folder in (VERSION_FILE.parents[2], Path.cwd()):
        theirs = folder / "src" / "primum" / VERSION_FILE.name
        if (folder / "reproduction").is_dir() and theirs.is_file() and theirs.read_bytes() == VERSION_FILE.read_bytes():
            return folder
    raise PrimumError(
        "the reproduction of the paper is in Primum's source, not in the installed package: run this in a clone of "
        f"the repository, or in the unpacked source distribution, of version {version.__version__}"
    )
