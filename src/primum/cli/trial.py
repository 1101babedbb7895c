"""Commands for trials."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from primum.cli import live_people, live_trial, tables, trial_frontier
from primum.cli.terminal import INTERRUPTED, OUT_SUFFIXES, Cluster, Plugins, StoreFolder, Threads, load_plugins, say
from primum.errors import PrimumError

if TYPE_CHECKING:
    from primum.trials import OperatingCharacteristics
    from primum.trials.operating.summary import Number, SummaryRow

WIDEST = 100_000  # columns that no table has
RESUME = "; run it again to resume"

app = typer.Typer(help="Design adaptive trials, compute what they do, and run them.", no_args_is_help=True)


@app.command()
def operate(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="Designs and scenarios; - reads standard input.")],
    out: Annotated[
        Path | None, typer.Option(help="Save the operating characteristics to this file, FILE.nc or FILE.csv.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a report for a review board to this folder.")
    ] = None,
    replications: Annotated[int | None, typer.Option(help="Override the number of replications in the file.")] = None,
    seed: Annotated[int | None, typer.Option(help="Override the seed in the file.")] = None,
    threads: Threads = None,
    store: StoreFolder = None,
    cluster: Cluster = None,
    plugins: Plugins = None,
) -> None:
    """Compute the operating characteristics of designs, and print the main ones.

    With a seed they are stored in pieces: stop at any time, and the next run resumes.
    """
    from contextlib import nullcontext

    from primum import trials
    from primum.runs import executors
    from primum.store import Store
    from primum.store.files import writable, write
    from primum.store.folders import prepared
    from primum.text import csv_of
    from primum.trials.operating.summary import summary

    load_plugins(plugins)
    plan = trials.Plan.load(os.fspath(file))
    given = {"replications": replications, "seed": seed}
    plan = plan.replace(**{key: number for key, number in given.items() if number is not None})
    if out and out.suffix not in OUT_SUFFIXES:
        raise PrimumError(f"--out must end in {' or '.join(OUT_SUFFIXES)}, got {out.name!r}")
    if out:
        writable(out)  # before the run, so that nothing is lost
    if report:
        prepared(report)
    kept = Store(store) if plan.seed is not None or store else None  # else nobody can ask for it again
    with executors.cluster(cluster) if cluster else nullcontext() as executor:
        oc = plan.operate(store=kept, threads=threads, executor=executor)
        if out:
            is_csv = out.suffix == ".csv"
            write(out, csv_of(oc.table()).encode() if is_csv else bytes(oc.data.to_netcdf(engine="h5netcdf")))
        _print(oc, summary(oc), plan.title)
        if oc.is_complete and report:
            try:
                trials.report(oc, report, title=plan.title, purpose=plan.purpose, threads=threads, executor=executor)
            except KeyboardInterrupt:
                say(f"interrupted before the report was written{RESUME if plan.seed is not None else ''}", "red")
                raise typer.Exit(INTERRUPTED) from None
    written = [*([out] if out else []), *([report / "index.html"] if report and oc.is_complete else [])]
    if written:
        say(f"written: {', '.join(map(str, written))}")
    else:
        say("Results not saved; use --out oc.csv or --report DIR to keep them.")
    if not oc.is_complete:
        say(f"interrupted{RESUME if plan.seed is not None else ''}", "red")
        raise typer.Exit(INTERRUPTED)


def _print(oc: OperatingCharacteristics, rows: list[SummaryRow], title: str) -> None:
    """A line for each design in each scenario; on a narrow terminal, one for each characteristic."""
    console = Console()
    wide = _new_table(oc, title, ["scenario", "design"], [name.lower() for name in rows[0].numbers])
    for number, row in enumerate(rows):
        if number and row.scenario != rows[number - 1].scenario:
            wide.add_section()
        wide.add_row(Text(row.scenario), Text(row.design), *map(_cell, row.numbers.values()))
    unlimited = console.options.update(max_width=WIDEST)
    if console.measure(wide, options=unlimited).maximum <= console.width:
        console.print(wide)
        return
    narrow = _new_table(oc, title, ["scenario", "characteristic"], list(oc.designs))
    for scenario in oc.scenarios:
        mine = [row for row in rows if row.scenario == scenario]
        for name in mine[0].numbers:
            narrow.add_row(Text(scenario), Text(name.lower()), *(_cell(row.numbers[name]) for row in mine))
        narrow.add_section()
    console.print(narrow)


def _cell(number: Number) -> Text:
    return Text(f"{number.text} {number.precision}".strip())


def _new_table(oc: OperatingCharacteristics, title: str, names: list[str], numbers: list[str]) -> Table:
    caption = (
        f"{tables.span(map(int, oc.data['trials'].values.ravel()))} trials each; seed {oc.seed}; "
        "± standard error, or exact; rejects: any difference is declared, also a false one; "
        "gain: total outcome minus that of equal randomisation"
    )
    return tables.empty([*names, *numbers], names, title, caption)


for _command in (
    trial_frontier.frontier,
    live_trial.start,
    live_trial.rehearse,
    live_trial.serve,
    live_trial.verify,
    live_trial.analyse,
    live_trial.export,
    live_trial.backup,
    live_trial.restore,
    live_people.person,
    live_people.approve,
):
    app.command()(_command)
