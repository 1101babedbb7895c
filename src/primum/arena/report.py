"""The report on a table of the arena: a page, figures, and the table as CSV and JSON."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from primum.arena.comparing import recommendation, standing
from primum.arena.figures import figures
from primum.arena.suite import Pair
from primum.arena.table import Table
from primum.figures import style
from primum.figures.embedded import Drawn, Embedded
from primum.figures.table import frame
from primum.plugins.registry import find
from primum.runs.progress import Bar
from primum.store.folders import prepared, write_all
from primum.text import csv_of
from primum.trials.reporting.page import template

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Half:
    """The summary of some of the pairs, with words for them and the name of its file."""

    title: str
    file: str
    summary: DataFrame


def report(
    table: Table,
    folder: str | os.PathLike[str],
    pairs: Collection[Pair],
    *,
    mine: Collection[str] = (),
    progress: bool = True,
) -> None:
    """Write the report to a folder: ``index.html``, ``table.csv``, ``table.json``, summaries and figures.

    The page describes those of the `pairs` that the table has. The policies whose labels are `mine` stand out there.
    """
    write_all(prepared(folder), dict(_files(table, pairs, mine, progress)))


def main_horizon(table: Table) -> int:
    """The longest horizon at which all pairs were played."""
    played = {horizon: {cell.pair for cell in table.cells if cell.horizon == horizon} for horizon in table.horizons}
    return max(horizon for horizon, names in played.items() if len(names) == len(table.pairs))


def _files(table: Table, pairs: Collection[Pair], mine: Collection[str], progress: bool) -> Iterator[tuple[str, bytes]]:
    yield "table.json", table.to_json().encode()
    yield "table.csv", csv_of(table.frame()).encode()
    for horizon in table.horizons:
        for half in _halves(table, horizon):
            yield half.file, csv_of(half.summary).encode()
    wanted, drawn = figures(table, main_horizon(table)), []
    with Bar(len(wanted), progress) as bar:
        bar.say("drawing")
        for done, figure in enumerate(wanted, 1):
            static = figure.picture.static()
            one = Drawn(figure.name, figure.caption, Embedded(style.svg(static)))
            yield f"figures/{one.name}.svg", one.picture.svg
            yield f"figures/{one.name}.png", style.png(static)
            yield f"figures/{one.name}.csv", csv_of(frame(figure.picture.data())).encode()
            drawn.append(one)
            bar.update(done)
    yield "index.html", _html(table, pairs, mine, drawn).encode()


def _halves(table: Table, horizon: int) -> list[Half]:
    """The summaries of the pairs that no policy was tuned on, and of the others."""
    return [
        Half(
            title,
            f"summary-{horizon}{'-tuned' if table.pairs[names[0]].tuned else ''}.csv",
            table.summary(horizon, names),
        )
        for title, names in table.halves(horizon).items()
    ]


def _html(table: Table, pairs: Collection[Pair], mine: Collection[str], drawn: list[Drawn]) -> str:
    classes: dict[Any, list[Pair]] = {}
    for pair in (pair for pair in pairs if pair.name in table.pairs):
        classes.setdefault(pair.problem_class, []).append(pair)
    main = main_horizon(table)
    return template("arena.html", "primum.arena").render(
        table=table,
        summaries={horizon: _halves(table, horizon) for horizon in reversed(table.horizons)},
        main=main,
        recommended=recommendation(table, main),
        compared={table.policies[label].title: standing(table, main, label) for label in mine},
        tuned={
            find("policies", name).title: [pair.title for pair in table.pairs.values() if name in pair.tuned]
            for name in table.tuned
        },
        consistent=[policy.title for policy in table.policies.values() if policy.is_consistent],
        mine=set(mine),
        drawn=drawn,
        classes=classes,
    )
