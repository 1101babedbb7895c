"""The command line: parse, call, print. Slow imports are inside the command that needs them."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from primum.cli import trial
from primum.cli.terminal import INTERRUPTED, OUT_SUFFIXES, STORE_HELP, say
from primum.errors import PrimumError

if TYPE_CHECKING:
    from pandas import DataFrame

    from primum.experiments import Study
    from primum.experiments.study_results import StudyResults
    from primum.results import Results

STANDARD_OUTPUT = 1  # as a file descriptor
SUMMARY_COLUMNS = 80  # of the terminal that a summary with one policy per line needs
TEXT_COLUMNS = 100  # at most
FIGURE_SUFFIXES = (".html", ".png", ".svg", ".pdf")


class Commands(TyperGroup):
    """All commands; an error that the user can fix is a sentence, not a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except PrimumError as error:
            say(str(error), "red")
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            say("interrupted", "red")
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=Commands,
    help="A laboratory for safety-aware bandits: first, do no harm.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(trial.app, name="trial")


def _show_version(wanted: bool) -> None:
    if wanted:
        from primum import __version__

        typer.echo(__version__)
        raise typer.Exit


class _Sentences(logging.Handler):
    """Warnings as sentences; an exception that was logged with its traceback is reported as an error anyway."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is None:
            say(record.getMessage(), "yellow")


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand != "lab":  # whose log is for the person who runs it
        log, handler = logging.getLogger("primum"), _Sentences()
        log.addHandler(handler)
        context.call_on_close(lambda: log.removeHandler(handler))


@app.command()
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
    threads: Annotated[int | None, typer.Option(min=1, help="Number of threads; all processors by default.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the regret to this .html, .png, .svg or .pdf file.")] = None,
    store: Annotated[Path | None, typer.Option(help=STORE_HELP)] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on the Dask scheduler at this address, tcp://host:8786.")
    ] = None,
) -> None:
    """Run an experiment or a study and print a summary.

    With a seed it is stored in pieces: stop it at any time, and the next run resumes.
    """
    from contextlib import nullcontext

    from primum import executors
    from primum.experiments import Study
    from primum.store.files import writable

    study = Study.load(os.fspath(file))
    options = {"policies": policies and split(policies), "seed": seed, "horizon": horizon, "replications": replications}
    study = study.replace(**{key: given for key, given in options.items() if given is not None})
    for key in ("seed", "horizon", "replications"):
        if options[key] is not None and key in study.grid:
            raise PrimumError(f"--{key}: the study varies {key}; edit its grid instead")
    allowed = OUT_SUFFIXES if study.dims else OUT_SUFFIXES[:1]
    if out and out.suffix not in allowed:
        raise PrimumError(f"--out must end in {' or '.join(allowed)}, got {out.name!r}")
    for path in filter(None, (out, figure)):
        writable(path)  # before the run, so that nothing is lost
    if figure:
        _check_figure(figure, study)
    with executors.cluster(cluster) if cluster else nullcontext() as executor:
        if not study.dims and not study.is_seeded:  # nobody can ask for it again
            results = study.experiment(0).run(threads=threads, executor=executor)
        else:
            found = study.run(store=store, threads=threads, executor=executor)
            if study.dims:
                _finish_study(found, out, figure)
                return
            results = found.results
    _finish(results, study.title, out, figure)


def _finish(results: Results, title: str, out: Path | None, figure: Path | None) -> None:
    """Print and write the results of an experiment."""
    done = len(results.replications)
    if out and done:
        results.save(out)
    if figure and done:
        _draw(results.picture("regret"), figure)
    if done:
        console = Console()
        console.print(_summary(results, title, console.width))
        _say_written(out, figure, "run.nc")
    if done < results.requested:
        say(f"interrupted: {done} of {results.requested} replications are complete", "red")
        raise typer.Exit(INTERRUPTED)


def _finish_study(results: StudyResults, out: Path | None, figure: Path | None) -> None:
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
        _draw(results.picture("ratios"), figure)
    console = Console()
    console.print(_study_table(results, table))
    _say_written(out, figure, "table.csv")
    if not results.is_complete:
        say("interrupted; run it again to resume", "red")
        raise typer.Exit(INTERRUPTED)


def _say_written(out: Path | None, figure: Path | None, example: str) -> None:
    if out or figure:
        say(f"written: {', '.join(str(path) for path in (out, figure) if path)}")
    if not out:
        say(f"Results not saved; use --out {example} to keep them.")


def _study_table(results: StudyResults, table: DataFrame) -> Table:
    counts = sorted(set(table["replications"]))
    replications = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    about = f"{len(results):,} experiments; {replications} replications; seed {results.study.base['seed']}"
    shown = Table(
        title=Text(results.study.title) if results.study.title else None,
        caption=Text(f"{about}; regret with its 95 % interval"),
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for name in (*results.dims, "policy", "regret", "from", "to", "best arm", "stuck"):
        is_text = name in results.dims or name == "policy"
        shown.add_column(name, justify="left" if is_text else "right", overflow="fold")
    places = list(zip(*(table[name] for name in results.dims), strict=True))
    for number, row in enumerate(table.to_dict("records")):
        if number and places[number] != places[number - 1]:
            shown.add_section()
        numbers = (f"{row[name]:.4g}" for name in ("regret_mean", "regret_low", "regret_high"))
        shares = f"{row['best_arm_share']:.1%}", f"{row['stuck_share']:.2%}"
        shown.add_row(*(Text(str(part)) for part in places[number]), Text(row["title"]), *numbers, *shares)
    return shown


def split(policies: str) -> list[str]:
    """The policies in a text, between commas outside parentheses.

    >>> split("besa-plus(floor=2, order='index'), ucb1")
    ["besa-plus(floor=2, order='index')", 'ucb1']
    """
    parts, depth = [""], 0
    for letter in policies:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _check_figure(path: Path, study: Study) -> None:
    if path.suffix.lower() not in FIGURE_SUFFIXES:
        raise PrimumError(f"--figure must end in {', '.join(FIGURE_SUFFIXES)}, got {path.name!r}")
    experiment = study.experiment(0)
    if not study.dims and (experiment.horizon == 1 or experiment.steps in ("last", [experiment.horizon])):
        raise PrimumError("--figure needs two recorded steps or more; leave out steps in the experiment")


def _draw(picture: Any, path: Path) -> None:
    from primum.store.files import write

    kind = path.suffix.lower().removeprefix(".")
    if kind == "html":
        settings = {"showSendToCloud": False}  # nothing leaves the page
        content = picture.interactive().to_html(config=settings).encode()
    else:
        drawn = io.BytesIO()
        picture.static().savefig(drawn, format=kind)
        content = drawn.getvalue()
    write(path, content)


def _summary(results: Results, title: str, width: int) -> Table:
    rows = [
        {
            "policy": row["title"],
            "mean regret": f"{row['regret_mean']:.4g}",
            "95 % interval": f"{row['regret_low']:.4g} to {row['regret_high']:.4g}",
            "median": f"{row['regret_median']:.4g}",
            "best arm": f"{row['best_arm_share']:.1%}",
            "stuck": f"{row['stuck_share']:.2%}",
        }
        for row in results.summary().to_dict("records")
    ]
    caption = (
        f"after {results.steps[-1]} steps; {len(results.replications)} replications; seed {results.seed}; "
        f"value: {results.problem.value.display_name}; stuck: the best arms got less than a fifth of the pulls "
        "that uniform random choice would give them"
    )
    if results.problem.best.all():
        caption += "; all arms are equally good, so there is no regret"
    table = Table(
        title=Text(title) if title else None,
        caption=Text(caption),
        box=SIMPLE_HEAD,
        show_header=width >= SUMMARY_COLUMNS,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for name in rows[0] if width >= SUMMARY_COLUMNS else ("name", "number"):
        table.add_column(name, justify="left" if name in ("policy", "name") else "right", overflow="fold")
    for row in rows:
        if width >= SUMMARY_COLUMNS:
            table.add_row(*map(Text, row.values()))
        else:
            for name, number in row.items():
                table.add_row(name, Text(number))
            table.add_section()
    return table


@app.command()
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


@app.command()
def lab(
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 admits other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 chooses a free one.")] = 8000,
    seconds: Annotated[float, typer.Option(min=1, help="Limit the processor time of a run.")] = 600,
    runs: Annotated[int, typer.Option(min=1, help="Limit the runs that wait or run at a time.")] = 100,
    store: Annotated[
        Path | None,
        typer.Option(help="Folder for results and links; $PRIMUM_CACHE or ~/.cache/primum by default."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Serve requests to this host name, for example behind a proxy; repeatable."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser when the laboratory is ready.")] = True,
    warm_up: Annotated[bool, typer.Option(hidden=True)] = True,
) -> None:
    """Open the laboratory: a web page to define arms and a safety value, run policies and inspect the results."""
    from primum.lab.server import serve

    serve(
        host,
        port,
        store,
        seconds=seconds,
        runs=runs,
        allowed_hosts=allow_host or (),
        browser=browser,
        warm_up=warm_up,
    )


@app.command("list")
def list_(
    family: Annotated[
        Literal["values", "rewards", "policies", "all"], typer.Argument(help="The family to list.")
    ] = "all",
    name: Annotated[str, typer.Argument(help="A name; all by default.")] = "",
) -> None:
    """List values, reward distributions and policies, with parameters and properties."""
    # built-in plug-ins are known once their package is imported
    import primum.policies
    import primum.rewards
    import primum.values  # noqa: F401
    from primum.plugins.descriptions import describe
    from primum.plugins.registry import FAMILIES, find, names

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


@app.command()
def check(
    plugin: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:CLASS", help="'my_values.py:WorstThird(share=0.2)'; without a class, all in the module."
        ),
    ],
) -> None:
    """Check your own value, reward distribution or policy."""
    from primum import checks

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


@app.command()
def bench() -> None:
    """Measure speed on this machine, in about ten seconds."""
    from primum.experiments.benchmark import CASES, measure

    for title, case in CASES.items():
        with Console(stderr=True).status(title):
            speed = measure(*case())
        rate = f"{speed.steps_per_second / 1e6:.2f} million steps per CPU second"
        typer.echo(f"{title:<34}{rate:>39}; first run, compiling: {speed.first:.1f} s")


def main() -> None:
    """The command `primum`."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a letter that the terminal does not have
    try:
        app(prog_name="primum")
    except OSError as error:  # what it prints cannot be written, for example to a full disk
        os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_OUTPUT)  # where Python writes the rest at its end
        say(f"input or output failed: {error}", "red")
        sys.exit(2)
