"""The command `primum arena`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from primum.cli import tables
from primum.cli.terminal import INTERRUPTED, Cluster, Plugins, StoreFolder, Threads, load_plugins, say
from primum.plugins.spec_text import split

if TYPE_CHECKING:
    from primum.arena import Table


def arena(
    quick: Annotated[
        bool, typer.Option("--quick", help="Only 1,000 steps and fewer replications: about two minutes.")
    ] = False,
    policies: Annotated[
        str | None,
        typer.Option(help="Play these policies only, 'mine, ucb1', and show them beside the public table."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path("arena-report"),
    random: Annotated[
        int | None, typer.Option(min=1, metavar="COUNT", help="Play on so many random pairs instead of the suite.")
    ] = None,
    threads: Threads = None,
    store: StoreFolder = None,
    cluster: Cluster = None,
    plugins: Plugins = None,
) -> None:
    """Compare policies on the public suite of problems: which policy should you use?

    All policies that fit are played on all pairs of a problem and a value. You can stop it at any time; the next run
    resumes.
    """
    from contextlib import nullcontext

    from primum import arena as suite
    from primum.plugins import registry
    from primum.runs import executors
    from primum.store import Store
    from primum.store.folders import prepared

    load_plugins(plugins)
    mine = [registry.build("policies", spec) for spec in split(policies)] if policies else []
    pairs = suite.random_pairs(random, suite.SEED) if random else suite.pairs()
    prepared(out)  # before the run, so that nothing is lost
    scale, kept = suite.QUICK if quick else suite.FULL, Store(store)
    try:
        with executors.cluster(cluster) if cluster else nullcontext() as executor:
            table = suite.play(mine or None, scale=scale, on=pairs, store=kept, threads=threads, executor=executor)
    except KeyboardInterrupt:
        say("interrupted; run it again to resume", "red")
        raise typer.Exit(INTERRUPTED) from None
    labels = [policy.label for policy in mine]
    if mine and not random:
        public = suite.kept()
        if public.versions != table.versions:
            say(
                f"The public table was computed with other versions: {_listed(public)}; this run: {_listed(table)}",
                "yellow",
            )
        elif public.fingerprint != table.fingerprint:
            say("The public table was computed by other code of Primum than this run.", "yellow")
        table = table.beside(public)
    suite.report(table, out, pairs, mine=labels)
    _print(table, suite.main_horizon(table), labels)
    say(f"written: {out / 'index.html'}")


def _listed(table: Table) -> str:
    return ", ".join(f"{name} {version}" for name, version in table.versions.items())


def _print(table: Table, horizon: int, mine: Collection[str]) -> None:
    """The summaries at a horizon, and what they say of my policies or, without any, which one to start with."""
    from primum.arena.comparing import recommendation, standing

    for half, names in table.halves(horizon).items():
        _print_summary(table, horizon, names, half, mine)
    for label in mine:
        for words, ones in list(standing(table, horizon, label).items())[:1]:
            say(f"{table.policies[label].title} on {words}, relative to")
            for one in ones:
                say(f"  {one.b}: {one.conclusion} ({one.numbers})")
    if not mine and (found := recommendation(table, horizon)):
        for sentence in found.sentences:
            say(sentence)


def _print_summary(table: Table, horizon: int, names: Collection[str], half: str, mine: Collection[str]) -> None:
    """Policies for every value, then those for one."""
    replications = tables.span(cell.replications for cell in table.cells if cell.horizon == horizon)
    shown = tables.empty(
        ("rank", "policy", "pairs", "geometric mean", "consistent", "worst", "on the pair", "stuck"),
        ("policy", "on the pair"),
        f"The {half}",
        f"after {horizon:,} steps; {replications} replications; geometric mean: of mean regret / lowest mean "
        "regret on the pair, with its 95 % interval over pairs; consistent: the same relative to the best "
        "consistent policy; policies below the line are for one value, and are played on the pairs that have it",
    )
    summary = table.summary(horizon, names).to_dict("records")
    for is_general in (True, False):
        for rank, row in enumerate((row for row in summary if row["is_general"] == is_general), 1):
            mean, low, high = (row[f"geometric_mean{end}"] for end in ("", "_low", "_high"))
            interval = f" ({low:.2f} - {high:.2f})" if low == low else ""  # a single pair has none
            shown.add_row(
                str(rank) if is_general else "",  # others have different pairs
                Text(row["title"], "bold" if row["policy"] in mine else ""),
                str(row["pairs"]),
                f"{mean:.2f}{interval}",
                f"{row['consistent_mean']:.2f}" if row["consistent_mean"] == row["consistent_mean"] else "",
                f"{row['worst']:.3g}",
                Text(table.pairs[row["worst_at"]].title),
                f"{row['stuck']:.1%}",
            )
        shown.add_section()
    Console().print(shown)
