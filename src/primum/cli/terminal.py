"""What all commands share: sentences for the person at the terminal, exit codes, help texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from primum.plugins.registry import Plugin

INTERRUPTED = 130  # as shells report a program ended by Ctrl-C
OUT_SUFFIXES = (".nc", ".csv")  # of a study or a trial; an experiment has the first only

Threads = Annotated[int | None, typer.Option(min=1, help="Number of threads; all processors by default.")]
StoreFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder of stored results; $PRIMUM_CACHE or ~/.cache/primum by default. The least recently used are "
        "removed beyond 4 GB, or $PRIMUM_STORE_GB."
    ),
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run on the Dask scheduler at this address, tcp://host:8786.")
]
Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugins",
        metavar="MODULE",
        help="Load your own values, distributions and policies from this .py file or module; repeatable.",
    ),
]


def load_plugins(places: Sequence[str] | None) -> list[type[Plugin]]:
    """The classes of plug-ins in the modules of ``--plugins``, known by their names from now on."""
    if not places:
        return []
    from primum.checks.loading import plugin_classes

    return [cls for place in dict.fromkeys(places) for cls in plugin_classes(place)]


def say(text: str, style: str = "") -> None:
    """A sentence for the person at the terminal, beside the output."""
    Console(stderr=True).print(Text(text), style=style, soft_wrap=True)
