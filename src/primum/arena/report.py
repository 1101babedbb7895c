"""The report on a table of the arena: a page, figures, and the table as CSV and JSON."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from primum.arena.figures import figures
from primum.arena.suite import Pair
from primum.arena.table import Table
from primum.figures import style
from primum.figures.embedded import Embedded
from primum.figures.table import frame
from primum.progress import Bar
from primum.store.folders import prepared, write_all
from primum.text import csv_of
from primum.trials.reporting.page import template


@dataclass(frozen=True)
class Drawn:
    """A figure on the page."""

    name: str
    caption: str
    picture: Embedded


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
        yield f"summary-{horizon}.csv", csv_of(table.summary(horizon)).encode()
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


def _html(table: Table, pairs: Collection[Pair], mine: Collection[str], drawn: list[Drawn]) -> str:
    classes: dict[Any, list[Pair]] = {}
    for pair in (pair for pair in pairs if pair.name in table.pairs):
        classes.setdefault(pair.problem_class, []).append(pair)
    return template("arena.html", "primum.arena").render(
        table=table,
        summaries={horizon: table.summary(horizon).to_dict("records") for horizon in reversed(table.horizons)},
        main=main_horizon(table),
        mine=set(mine),
        drawn=drawn,
        classes=classes,
    )
