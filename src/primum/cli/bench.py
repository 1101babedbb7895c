"""The command `primum bench`."""

from __future__ import annotations

import typer
from rich.console import Console

from primum.cli.terminal import Plugins, load_plugins, say
from primum.errors import PrimumError


def bench(plugins: Plugins = None) -> None:
    """Measure speed on this machine, in about ten seconds; also that of your own values and policies."""
    from primum.runs.benchmark import CASES, cases_of, measure

    cases, failed = CASES | cases_of(load_plugins(plugins)), False
    width = max(map(len, cases)) + 1
    for title, case in cases.items():
        try:
            with Console(stderr=True).status(title):
                speed = measure(*case())
        except PrimumError as error:  # a policy of your own, for example, need not take the problem
            say(f"{title}: {error}", "red")
            failed = True
            continue
        rate = f"{speed.steps_per_second / 1e6:.2f} million steps per CPU second"
        typer.echo(f"{title:<{width}}{rate:>39}; first run, compiling: {speed.first:.1f} s")
    if failed:
        raise typer.Exit(2)
