"""Commands about the people of a live trial, for whoever has the server."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from primum.cli.terminal import Plugins, load_plugins, say
from primum.text import listed

if TYPE_CHECKING:
    from primum.live.people.admission import Invitation
    from primum.trials import Live

JournalPlace = Annotated[
    str, typer.Argument(metavar="JOURNAL", help="File of the journal, or postgresql://user@host/database.")
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name that entries of the journal have for this person.")]


@contextmanager
def opened(place: str, plugins: list[str] | None = None) -> Iterator[Live]:
    """A trial, while a command needs it."""
    from primum import trials

    load_plugins(plugins)
    with trials.Live(place) as live:
        yield live


def writer() -> str:
    """Who does what a command does."""
    return f"{getpass.getuser()} (command line)"


def person(
    journal: JournalPlace,
    name: Name,
    role: Annotated[
        list[str] | None,
        typer.Option(
            help="enrol, record, monitor, statistician, auditor, unblinder, administrator or approver; repeatable."
        ),
    ] = None,
    plugins: Plugins = None,
) -> None:
    """Propose a person and print a one-time code; without roles, give one who has access a new code."""
    with opened(journal, plugins) as live:
        print_code(live.admit(name, role, who=writer()) if role else live.renew(name, who=writer()))


def print_code(given: Invitation) -> None:
    """Print a one-time code, alone on a line of standard output."""
    say(
        f"The one-time code of {given.name!r} ({listed(given.roles)}) is on the next line. It is shown this once, and "
        f"valid until {given.expires[:10]}; give it to nobody else."
    )
    typer.echo(given.code)


def approve(
    journal: JournalPlace,
    name: Name,
    check: Annotated[
        str, typer.Option(prompt="Check number", metavar="NUMBER", help="Number that this person sees and tells you.")
    ],
    plugins: Plugins = None,
) -> None:
    """Approve a person, whom you have asked for the check number, face to face or by telephone."""
    with opened(journal, plugins) as live:
        found = live.approve(name, check, who=writer())
    say(f"approved: {found.name}, {listed(found.roles)}")
