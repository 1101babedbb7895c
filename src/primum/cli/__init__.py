"""The command line: parse, call, print. Slow imports are inside the command that needs them."""

from __future__ import annotations

import io
import logging
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from primum.cli import arena, bench, catalogue, check, lab, reproduce, simulate, trial
from primum.cli.terminal import INTERRUPTED, say
from primum.errors import PrimumError

STANDARD_OUTPUT = 1  # as a file descriptor


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
app.command()(simulate.simulate)
app.command(add_help_option=False, context_settings=reproduce.FORWARD)(reproduce.reproduce)
app.command()(lab.lab)
app.command()(arena.arena)
app.command("list")(catalogue.list_)
app.command()(check.check)
app.command()(bench.bench)
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


def main(program: typer.Typer = app, name: str = "primum") -> None:
    """The command `primum`, or another program with commands of its own."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a letter that the terminal does not have
    try:
        program(prog_name=name)
    except OSError as error:  # what it prints cannot be written, for example to a full disk
        os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_OUTPUT)  # where Python writes the rest at its end
        say(f"input or output failed: {error}", "red")
        sys.exit(2)
