"""The command `primum check`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from primum.cli.terminal import Plugins, load_plugins, say


def check(
    plugin: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:CLASS", help="'my_values.py:WorstThird(share=0.2)'; without a class, all in the module."
        ),
    ],
    plugins: Plugins = None,
) -> None:
    """Check your own value, reward distribution or policy."""
    from primum import checks

    load_plugins(plugins)
    console, errors = Console(), Console(stderr=True)
    good, bad = ("✓", "✗") if console.encoding.startswith("utf") else ("ok", "NO")
    done = failed = 0
    for each in checks.load(plugin):
        console.print(Text(str(each), "bold"), soft_wrap=True)
        findings = checks.findings(each)
        while True:
            with errors.status("compiling and checking"):
                finding = next(findings, None)
            if finding is None:
                break
            done, failed = done + 1, failed + (not finding.passed)
            mark = Text(good, "green") if finding.passed else Text(bad, "red")
            console.print(mark, Text(f"{finding.check}: {finding.sentence}"), soft_wrap=True)
    if failed:
        say(f"{failed} of {done} checks failed", "red")
        raise typer.Exit(1)
    say(f"all {done} checks passed", "green")
