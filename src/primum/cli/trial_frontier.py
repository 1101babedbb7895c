"""The command that compares many designs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from primum.cli import tables
from primum.cli.figures import check_suffix, write_figure
from primum.cli.terminal import INTERRUPTED, Plugins, StoreFolder, load_plugins, say
from primum.errors import PrimumError, UnknownNameError

if TYPE_CHECKING:
    from primum.trials import Frontier, Plan

MOST_ROWS = 20  # of the table, spread over the powers


def frontier(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="Designs and scenarios; - reads standard input.")],
    design: Annotated[str | None, typer.Option(help="Name of the design; the first in the file by default.")] = None,
    scenario: Annotated[
        str | None, typer.Option(help="Name of the scenario; the first in which another arm is best by default.")
    ] = None,
    power: Annotated[float, typer.Option(help="Show the design that helps most patients at this power.")] = 0.8,
    out: Annotated[Path | None, typer.Option(help="Save the table of all designs to this file, FILE.csv.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the figure to this .html, .png, .svg or .pdf file.")] = None,
    replications: Annotated[int, typer.Option(help="Simulated trials of each design, where nothing is exact.")] = 1_000,
    seed: Annotated[int, typer.Option(help="Seed of these trials.")] = 0,
    store: StoreFolder = None,
    plugins: Plugins = None,
) -> None:
    """Compare many designs: the share of patients on the best arm against the power of a valid test.

    They are the design with other policies, coins, burn-ins and looks. For two arms with outcomes 0 and 1 all is exact,
    with the ceiling above which no design of any kind can be. Stop at any time, and the next run resumes.
    """
    from primum import trials
    from primum.store import Store
    from primum.store.files import writable, write
    from primum.text import csv_of

    load_plugins(plugins)
    plan = trials.Plan.load(os.fspath(file))
    if design is not None and design not in plan.designs:
        raise UnknownNameError("design", design, plan.designs)
    if out and out.suffix != ".csv":
        raise PrimumError(f"--out must end in .csv, got {out.name!r}")
    if figure:
        check_suffix(figure)
    for path in filter(None, (out, figure)):
        writable(path)
    chosen = plan.designs[design or next(iter(plan.designs))]
    truth = plan.scenarios[_scenario(plan, chosen, scenario)]
    try:
        found = trials.frontier(chosen, truth, replications=replications, seed=seed, store=Store(store))
    except KeyboardInterrupt:
        say("interrupted; run it again to resume", "red")
        raise typer.Exit(INTERRUPTED) from None
    Console().print(_table(found, plan.title))
    say(_sentence(found, power))
    for name, reason in found.failed.items():
        say(f"left out: {name}: {reason}", "yellow")
    if out:
        write(out, csv_of(found.table()).encode())
    if figure:
        write_figure(found.figure(interactive=figure.suffix.lower() == ".html"), figure)
    if out or figure:
        say(f"written: {', '.join(str(path) for path in (out, figure) if path)}")


def _scenario(plan: Plan, design: object, name: str | None) -> str:
    """The name of the scenario, by default the first with a new arm that is best."""
    from primum.trials.frontiers.points import best_arms

    if name is not None:
        if name not in plan.scenarios:
            raise UnknownNameError("scenario", name, plan.scenarios)
        return name
    for each, truth in plan.scenarios.items():
        try:
            best_arms(design, truth)  # type: ignore[arg-type]
        except PrimumError:
            continue
        return each
    raise PrimumError("no scenario of the file has an arm that is better than the control")


def _table(found: Frontier, title: str) -> Table:
    """The designs that no other dominates, spread over their powers, and the one that was given."""
    rows = found.table()
    best = rows[~rows["dominated"]]
    places = sorted({round(i * (len(best) - 1) / (MOST_ROWS - 1)) for i in range(MOST_ROWS)})
    chosen = best if len(best) <= MOST_ROWS else best.iloc[places]
    own = found.points[0].name
    if own not in set(chosen["design"]):
        chosen = rows[rows["design"].isin({own, *chosen["design"]})]
    exact = found.points[0].is_exact
    caption = (
        f"{found.scenario.display_name}; {found.points[0].design.patients:,} patients; "
        f"{'exact' if exact else f'{found.replications:,} simulated trials each, ± standard error'}; "
        f"{len(chosen)} of the {len(best)} designs that no other dominates, of {len(rows)} in all, "
        "and the given one; patients whom an early stop leaves get the arm declared better, else the control"
    )
    table = tables.empty(["design", "on the best arm", "power"], ["design"], title, caption)
    for row in chosen.to_dict("records"):
        numbers = [
            f"{row[name]:.1%}" + ("" if exact else f" ± {row[f'{name}_error']:.1%}") for name in ("share", "power")
        ]
        name = f"{row['design']} (given)" if row["design"] == own else str(row["design"])
        table.add_row(Text(name), *map(Text, numbers))
    return table


def _sentence(found: Frontier, power: float) -> str:
    """What helps most patients at a power, and how much more is possible."""
    try:
        best = found.most_helped(power)
    except PrimumError as error:
        return str(error)
    limit = "" if found.ceiling is None else f"; no design gives more than {found.ceiling.at(best.power):.1%}"
    return f"most patients helped at a power of {power:.0%}: {best.name}, {best.share:.1%} on the best arm{limit}"
