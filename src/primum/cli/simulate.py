"""The command `primum simulate`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from primum.cli import tables
from primum.cli.figures import check_suffix, write_figure
from primum.cli.terminal import INTERRUPTED, OUT_SUFFIXES, Cluster, Plugins, StoreFolder, Threads, load_plugins, say
from primum.errors import PrimumError
from primum.plugins.spec_text import split

if TYPE_CHECKING:
    from primum.results import Results
    from primum.runs import Study
    from primum.runs.studies.results import StudyResults

NONE_YET: list[Results] = []


def simulate(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.toml", help="Experiment or study file; - reads standard input.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Save the results to this netCDF file, FILE.nc; of a study also FILE.csv.")
    ] = None,
    policies: Annotated[str | None, typer.Option(help="Override the policies in the file: 'besa, ucb1'.")] = None,
    seed: Annotated[int | None, typer.Option(help="Override the seed in the file.")] = None,
    horizon: Annotated[int | None, typer.Option(help="Override the horizon in the file.")] = None,
    replications: Annotated[int | None, typer.Option(help="Override the number of replications in the file.")] = None,
    threads: Threads = None,
    figure: Annotated[Path | None, typer.Option(help="Draw a figure to this .html, .png, .svg or .pdf file.")] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="What to draw: regret (the default), best-arm, worst-arm, reward, final, choices or arms; of a study "
            "ratios (the default), profile or regret."
        ),
    ] = None,
    x: Annotated[str | None, typer.Option(help="The horizontal axis of the regret of a study.")] = None,
    row: Annotated[str | None, typer.Option(help="Draw the regret of a study in a panel for each of these.")] = None,
    store: StoreFolder = None,
    cluster: Cluster = None,
    plugins: Plugins = None,
) -> None:
    """Run an experiment or a study and print a summary.

    With a seed it is stored in pieces: stop it at any time, and the next run resumes.
    """
    from contextlib import nullcontext

    from primum.runs import Study, executors
    from primum.store import Store
    from primum.store.files import writable

    load_plugins(plugins)
    options = {"policies": policies and split(policies), "seed": seed, "horizon": horizon, "replications": replications}
    given = {key: part for key, part in options.items() if part is not None}
    study = Study.load(os.fspath(file), **given)
    for key in given:
        if key in study.grid:
            raise PrimumError(f"--{key}: the study varies {key}; edit its grid instead")
    allowed = OUT_SUFFIXES if study.dims else OUT_SUFFIXES[:1]
    if out and out.suffix not in allowed:
        raise PrimumError(f"--out must end in {' or '.join(allowed)}, got {out.name!r}")
    for path in filter(None, (out, figure)):
        writable(path)  # before the run, so that nothing is lost
    draw = _check_figure(figure, study, kind, x, row)
    has_seed = study.experiment(0).seed is not None  # else nobody can ask for it again
    kept = Store(store) if has_seed or store else None
    with executors.cluster(cluster) if cluster else nullcontext() as executor:
        found = study.run(store=kept, threads=threads, executor=executor)
    if study.dims:
        _finish_study(found, out, figure, draw, can_resume=has_seed)
    else:
        _finish(found.results, study.title, out, figure, draw)


def _finish(results: Results, title: str, out: Path | None, figure: Path | None, draw: Callable[[Any], Any]) -> None:
    """Print and write the results of an experiment."""
    done = len(results.replications)
    if out and done:
        results.save(out)
    if figure and done:
        write_figure(draw(results), figure)
    if done:
        console = Console()
        console.print(tables.summary(results, title, console.width))
        console.print(Text(str(results.verdict())))
        _say_written(out, figure, "run.nc")
    if done < results.requested:
        say(f"interrupted: {done} of {results.requested} replications are complete", "red")
        raise typer.Exit(INTERRUPTED)


def _finish_study(
    results: StudyResults, out: Path | None, figure: Path | None, draw: Callable[[Any], Any], *, can_resume: bool
) -> None:
    """Print and write the results of a study."""
    from primum.store.files import write
    from primum.text import csv_of

    table = results.table()
    if out:
        if out.suffix == ".csv":
            write(out, csv_of(table).encode())
        else:
            write(out, bytes(results.regret.to_dataset().to_netcdf(engine="h5netcdf")))
    if figure:
        write_figure(draw(results), figure)
    console = Console()
    console.print(tables.study(results, table))
    _say_written(out, figure, "table.csv")
    if not results.is_complete:
        say("interrupted; run it again to resume" if can_resume else "interrupted", "red")
        raise typer.Exit(INTERRUPTED)


def _say_written(out: Path | None, figure: Path | None, example: str) -> None:
    if out or figure:
        say(f"written: {', '.join(str(path) for path in (out, figure) if path)}")
    if not out:
        say(f"Results not saved; use --out {example} to keep them.")


def _check_figure(
    path: Path | None, study: Study, kind: str | None, x: str | None, row: str | None
) -> Callable[[Any], Any]:
    """What draws the figure of results; one that cannot be drawn is refused before the run."""
    from primum.errors import UnknownNameError
    from primum.results.figures import FIGURES
    from primum.runs.studies.figures import StudyFigures
    from primum.runs.studies.results import StudyResults

    options: dict[str, Any] = {"kind": kind or ("ratios" if study.dims else "regret")}
    if study.dims:
        options |= {"x": x, "row": row}
    for name, given in (("kind", kind), ("x", x), ("row", row)):
        if given and (path is None or name not in options):
            needed = "--figure FILE.png too" if path is None else "a study, which varies problems or parameters"
            raise PrimumError(f"--{name} {given} needs {needed}")
    if path is not None:
        check_suffix(path)
        experiment = study.experiment(0)
        if study.dims:
            StudyFigures(StudyResults(study, NONE_YET.__getitem__, False)).check(**options)
        elif options["kind"] not in FIGURES:
            raise UnknownNameError("figure", options["kind"], FIGURES)
        elif experiment.horizon == 1 or experiment.steps in ("last", [experiment.horizon]):
            raise PrimumError("--figure needs two recorded steps or more; leave out steps in the experiment")
    backend = "plotly" if path is None or path.suffix.lower() == ".html" else "matplotlib"
    return lambda results: results.figure(**options, backend=backend)
