"""The command `primum reproduce`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from primum.cli.terminal import INTERRUPTED, STORE_HELP, say


def reproduce(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer replications: about a minute.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("report"),
    store: Annotated[Path | None, typer.Option(help=STORE_HELP)] = None,
) -> None:
    """Reproduce the paper: every figure, and a verdict on every claim.

    You can stop it at any time; the next run resumes.
    """
    from primum.paper import FULL, QUICK, reproduce
    from primum.store import Store

    try:
        judged = reproduce(out, QUICK if quick else FULL, Store(store))
    except KeyboardInterrupt:
        say("interrupted; run it again to resume", "red")
        raise typer.Exit(INTERRUPTED) from None
    console = Console()
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name, justify in (("", "right"), ("the paper's claim", "left"), ("verdict", "left")):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    colours = {"holds": "green", "holds in part": "yellow", "fails": "red", "undecided": "cyan"}
    for claim in judged:
        table.add_row(str(claim["number"]), Text(claim["claim"]), Text(claim["verdict"], colours[claim["verdict"]]))
    console.print(table)
    counts = Counter(claim["verdict"] for claim in judged)
    say(", ".join(f"{verdict}: {count}" for verdict, count in counts.items()))
    say(f"written: {out / 'index.html'}")
