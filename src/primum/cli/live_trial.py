"""Commands for live trials."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from primum.cli import tables
from primum.cli.live_people import JournalPlace, opened, print_code, writer
from primum.cli.terminal import Plugins, load_plugins, say
from primum.errors import needing_extra
from primum.text import listed

if TYPE_CHECKING:
    from primum.live import Statistics, Verification
    from primum.live.analysing import Comparison
    from primum.live.evidence import Evidence

FIRST_ADMINISTRATOR, FIRST_APPROVER = "administrator", "approver"
MOST_PREDICTABLE = 0.1  # part of the allocations that may follow from the data without a warning
NOT_SOUND = 1  # exit code of a verification that found something


def start(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.toml", help="Trial file with the design; - reads standard input.")
    ],
    journal: Annotated[
        str, typer.Option(metavar="JOURNAL", help="New file for the journal, or postgresql://user@host/database.")
    ],
    design: Annotated[str | None, typer.Option(help="Name of the design, if the file has several.")] = None,
    administrator: Annotated[
        str, typer.Option(help="Name of the first administrator, who proposes people.")
    ] = FIRST_ADMINISTRATOR,
    approver: Annotated[str, typer.Option(help="Name of the first approver, who approves them.")] = FIRST_APPROVER,
    plugins: Plugins = None,
) -> None:
    """Start a live trial: create its journal, and print a one-time code for the first administrator and approver."""
    from primum import trials
    from primum.live import predictable_share
    from primum.live.people.names import check_different

    check_different(administrator, approver)
    load_plugins(plugins)
    plan = trials.Plan.load(os.fspath(file))
    with trials.Live.start(plan, journal, design=design, who=writer()) as live:
        invited = [
            live.admit(administrator, ["administrator"], who=writer()),
            live.admit(approver, ["approver"], who=writer()),
        ]
        status = live.status()
        share = predictable_share(live.design, live.settings)
    if share > MOST_PREDICTABLE:
        say(
            f"In a rehearsal, {share:.0%} of the allocations, burn-in included, were determined by what was known "
            "before: whoever knows the design, the earlier allocations and the outcomes in their order can compute "
            "them, kit codes or not. With coin = 0.2 none is determined, with permuted blocks of random sizes few are, "
            "and a burn-in always its last one.",
            "yellow",
        )
    kind = "kit codes" if status.blinded else "the arm"
    say(f"started: {status.title}; {status.patients:,} participants; those who enrol see {kind}")
    for each in invited:
        print_code(each)
    say(f"next: primum trial serve {_shown(journal)}")


def serve(
    journal: JournalPlace,
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 admits other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 chooses a free one.")] = 8001,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Serve requests to this host name, for example behind a proxy; repeatable."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser when the service is ready.")] = True,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of the service, for sessions; otherwise beside the journal."),
    ] = None,
    user_header: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Header in which a proxy names the person: X-Forwarded-User, for example."),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Believe this proxy or network, not only this machine; repeatable."),
    ] = None,
    expect: Annotated[
        str,
        typer.Option(
            metavar="NUMBER:HASH",
            help="An end of the journal that was written down; its very end is accepted after a restore.",
        ),
    ] = "",
    rehearsal: Annotated[bool, typer.Option("--rehearsal", help="Serve the journal of a rehearsal, to train.")] = False,
    plugins: Plugins = None,
) -> None:
    """Serve a live trial: the API and the pages to enrol, record, monitor, analyse and audit."""
    with needing_extra("live", "a live trial"):
        from primum.live.service.server import serve as serve_trial

    load_plugins(plugins)
    serve_trial(
        journal,
        host,
        port,
        allowed_hosts=allow_host or (),
        browser=browser,
        state=state,
        user_header=user_header,
        trusted_proxies=trusted_proxy or (),
        expect=expect,
        rehearsal=rehearsal,
    )


def rehearse(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.toml", help="Trial file with the design; - reads standard input.")
    ],
    journal: Annotated[
        Path | None,
        typer.Option(metavar="JOURNAL", help="New file to keep its journal in, to train with."),
    ] = None,
    design: Annotated[str | None, typer.Option(help="Name of the design, if the file has several.")] = None,
    plugins: Plugins = None,
) -> None:
    """Rehearse a whole trial with made-up patients against the real service, in about a minute, up to the analysis."""
    from primum import trials

    with needing_extra("live", "a rehearsal"):
        import primum.live.service.server  # noqa: F401  # which runs as a process of its own
    from primum.live.rehearsing.rehearse import rehearse as rehearse_trial

    load_plugins(plugins)
    plan = trials.Plan.load(os.fspath(file))
    with tempfile.TemporaryDirectory(prefix="primum-rehearsal-") as folder:
        place = journal or Path(folder) / "rehearsal.db"
        found = rehearse_trial(plan, place, design=design, say=say, plugins=plugins or ())
    _print_statistics(found.statistics)
    say(f"rehearsed: {found.enrolled:,} made-up participants, {found.requests:,} requests, {found.entries:,} entries")
    if journal is not None:
        say(f"to train with it: primum trial serve {journal} --rehearsal")


def verify(
    journal: JournalPlace,
    expect: Annotated[
        str,
        typer.Option(
            metavar="NUMBER:HASH", help="An end of the journal that was written down: it must still be there."
        ),
    ] = "",
    plugins: Plugins = None,
) -> None:
    """Recompute all hashes and every allocation, and name the first entry that does not fit."""
    from primum.live import journal_at
    from primum.live import verify as verify_journal

    load_plugins(plugins)
    store = journal_at(journal)
    try:
        found = verify_journal(store, expect=expect)
    finally:
        store.close()
    _print_verification(found)
    if not found.ok:
        raise typer.Exit(NOT_SOUND)


def _print_verification(found: Verification) -> None:
    for note in found.notes:
        say(note, "yellow")
    if found.ok:
        typer.echo(f"sound: {found.entries:,} entries, all hashes and allocations recomputed")
        typer.echo(f"head {found.entries}:{found.head}")
    elif found.problem_entry is None:
        typer.echo(f"not sound: {found.problem}")
    else:
        typer.echo(f"not sound: entry {found.problem_entry:,}: {found.problem}")


def analyse(
    journal: JournalPlace,
    out: Annotated[Path | None, typer.Option(help="Also write the comparisons to this file, FILE.csv.")] = None,
    plugins: Plugins = None,
) -> None:
    """Analyse the trial as its design says; unblinded, so the journal notes who did it."""
    from primum.store.files import writable, write
    from primum.text import csv_of

    if out:
        writable(out)
    with opened(journal, plugins) as live:
        found = live.statistics(who=writer())
    _print_statistics(found)
    if out:
        write(out, csv_of(found.table()).encode())
        say(f"written: {out}")


def _print_statistics(found: Statistics) -> None:
    from primum.trials import RandomisationTest
    from primum.values import Mean

    console = Console()
    by_mean = found.value_title == Mean().display_name  # else its own column
    columns = ["arm", "participants", "outcomes known", "mean", *([] if by_mean else [found.value_title])]
    columns += ["interval of it"]
    arms = tables.empty(columns, ["arm"])
    for each in found.estimates:
        own = [] if by_mean else [_number(each.value)]
        arms.add_row(
            Text(each.arm),
            f"{each.patients:,}",
            f"{each.known:,}",
            _number(each.mean),
            *own,
            _range(each.low, each.high),
        )
    console.print(arms)
    for look in found.looks:
        what = [f"stopped: {look.stopped}"] if look.stopped else []
        what += [f"dropped: {', '.join(look.dropped)}"] if look.dropped else []
        what += [f"better: {', '.join(look.claimed)}"] if look.claimed else []
        typer.echo(f"look {look.look} at {look.patients:,} participants: {'; '.join(what) or 'the trial goes on'}")
    both = {found.analysis_title: found.analysis, RandomisationTest.title: found.randomisation_test}
    for title, rows in both.items():
        if rows:
            console.print(_comparisons(title, rows))
    if found.evidence:
        console.print(_evidence(found.evidence))
    typer.echo(found.estimand)
    for warning in found.warnings:
        say(warning, "yellow")


def _evidence(found: list[Evidence]) -> Table:
    columns = ["evidence at any time", "participants that count", "now", "largest so far", "limit"]
    table = tables.empty(columns, columns[:1])
    for each in found:
        for word, side in (("better", each.better), ("worse", each.worse)):
            table.add_row(
                Text(f"{each.arm} is {word} than {each.control}"),
                f"{each.used:,} of {each.patients:,}",
                *(f"{number:.4g}" for number in (side.now, side.largest, side.limit)),
            )
    return table


def _comparisons(title: str, rows: list[Comparison]) -> Table:
    columns = [title, "difference", rows[0].interval or "interval", "p-value", "favours", "significant"]
    table = tables.empty(columns, [title])
    for row in rows:
        table.add_row(
            Text(f"{row.arm} against {row.control}"),
            _number(row.estimate),
            _range(row.low, row.high),
            _number(row.p_value),
            Text(row.favours or "neither"),
            "" if row.significant is None else "yes" if row.significant else "no",
        )
    return table


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{_number(low)} to {_number(high)}"


def _number(given: float | None) -> str:
    return "not defined" if given is None else f"{given:.4g}"


def export(
    journal: JournalPlace,
    to: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write to; it must not have these files yet.")],
    unblinded: Annotated[
        bool, typer.Option(help="With arms, the kit list and the whole journal; the journal notes who did it.")
    ] = False,
    plugins: Plugins = None,
) -> None:
    """Write the trial as CSV and JSON lines: blinded, or with arms and the kit list."""
    with opened(journal, plugins) as live:
        written = live.export(to, unblinded=unblinded, who=writer())
    say(f"written: {', '.join(map(str, written))}")


def backup(
    journal: JournalPlace,
    to: Annotated[Path, typer.Option(metavar="FILE", help="New file for the copy.")],
    plugins: Plugins = None,
) -> None:
    """Copy a journal in SQLite to one file, also while people enrol, and verify the copy."""
    with opened(journal, plugins) as live:
        found = live.backup(to)
    _print_verification(found)
    if not found.ok:
        raise typer.Exit(NOT_SOUND)


def restore(
    backup: Annotated[Path, typer.Argument(metavar="BACKUP", help="File that `primum trial backup` wrote.")],
    journal: Annotated[str, typer.Option(metavar="JOURNAL", help="File of the journal that it replaces.")],
    plugins: Plugins = None,
) -> None:
    """Put a back-up in the place of a journal in SQLite; the journal that it replaces is kept."""
    from primum.live.journal.restoring import restore as restore_journal

    load_plugins(plugins)
    found = restore_journal(backup, journal)
    end = f"{found.head.number}:{found.head.hash[:16]}"
    say(f"restored: {journal} ends at {end}")
    if found.kept is not None:
        say(f"the journal before it is kept: {found.kept}")
    if found.lost is None:
        say("The journal before it cannot be read, so nobody can say what it had besides.", "yellow")
    elif found.lost:
        say(f"entries of the journal before it that the back-up does not have: {found.lost:,}", "yellow")
    if found.participants:
        say(
            f"Enrolled in these: {listed(found.participants)}. They have kits that would be given again: write down "
            "which, from the journal that is kept, before anybody is enrolled.",
            "yellow",
        )
    say(f"next: primum trial serve {_shown(journal)} --expect {end}")


def _shown(place: str) -> str:
    from primum.live import journal_at

    return journal_at(place).shown
