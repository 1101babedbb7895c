"""The program: `python -m reproduction`, or `primum reproduce`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from primum.cli import main, tables
from primum.cli.terminal import INTERRUPTED, StoreFolder, say
from primum.errors import PrimumError
from primum.store import Store
from reproduction import FULL, QUICK, reproduce

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def command(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer replications: about a minute.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("report"),
    store: StoreFolder = None,
) -> None:
    """Reproduce the paper: every figure, and a verdict on every claim.

    You can stop it at any time; the next run resumes.
    """
    try:
        judged = reproduce(out, QUICK if quick else FULL, Store(store))
    except PrimumError as error:
        say(str(error), "red")
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        say("interrupted; run it again to resume", "red")
        raise typer.Exit(INTERRUPTED) from None
    console = Console()
    table = tables.empty(("", "the paper's claim", "verdict"), ("the paper's claim", "verdict"))
    colours = {"holds": "green", "holds in part": "yellow", "fails": "red", "undecided": "cyan"}
    for claim in judged:
        table.add_row(str(claim["number"]), Text(claim["claim"]), Text(claim["verdict"], colours[claim["verdict"]]))
    console.print(table)
    counts = Counter(claim["verdict"] for claim in judged)
    say(", ".join(f"{verdict}: {count}" for verdict, count in counts.items()))
    say(f"written: {out / 'index.html'}")


if __name__ == "__main__":
    main(app, "python -m reproduction")
