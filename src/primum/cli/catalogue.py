"""The command `primum list`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from primum.cli.terminal import Plugins, load_plugins
from primum.errors import PrimumError

TEXT_COLUMNS = 100  # at most


def list_(
    family: Annotated[
        Literal["values", "rewards", "policies", "all"], typer.Argument(help="The family to list.")
    ] = "all",
    name: Annotated[str, typer.Argument(help="A name; all by default.")] = "",
    plugins: Plugins = None,
) -> None:
    """List values, reward distributions and policies, with parameters and properties."""
    # built-in plug-ins are known once their package is imported
    import primum.policies
    import primum.rewards
    import primum.values  # noqa: F401
    from primum.plugins.descriptions import describe
    from primum.plugins.registry import FAMILIES, find, names

    load_plugins(plugins)
    if name and family == "all":
        raise PrimumError(f"give the family of {name!r} too, for example: primum list values {name}")
    console = Console()
    console.width = min(console.width, TEXT_COLUMNS)
    for each in FAMILIES if family == "all" else (family,):
        if family == "all":
            console.rule(each)
        for known in [find(each, name).name] if name and family != "all" else names(each):
            description = describe(find(each, known))
            console.print(Text(known, "bold"))
            for line in description.lines():
                _print_indented(console, line)
            console.print()


def _print_indented(console: Console, line: str) -> None:
    """Print a line below a name, wrapped, with the dash of a parameter in the margin."""
    first, text = ("  - ", line[2:]) if line.startswith("- ") else ("  ", line)
    style = "dim" if text.startswith("Reference: ") else ""
    for number, part in enumerate(Text(text, style).wrap(console, max(1, console.width - len(first)))):
        console.print(Text(first if number == 0 else " " * len(first)) + part)
