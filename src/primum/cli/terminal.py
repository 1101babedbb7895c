"""What all commands share: sentences for the person at the terminal, exit codes, help texts."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

INTERRUPTED = 130  # as shells report a program ended by Ctrl-C
OUT_SUFFIXES = (".nc", ".csv")  # of a study or a trial; an experiment has the first only
STORE_HELP = (
    "Folder of stored results; $PRIMUM_CACHE or ~/.cache/primum by default. The least recently used are removed beyond "
    "4 GB, or $PRIMUM_STORE_GB."
)


def say(text: str, style: str = "") -> None:
    """A sentence for the person at the terminal, beside the output."""
    Console(stderr=True).print(Text(text), style=style, soft_wrap=True)
