"""Tables of results for the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from pandas import DataFrame

    from primum.results import Results
    from primum.runs.studies.results import StudyResults

SUMMARY_COLUMNS = 80  # of the terminal that a summary with one policy per line needs


def empty(columns: Iterable[str], text: Collection[str], title: str = "", caption: str = "") -> Table:
    """A table without rows; the columns of text are flush left, those of numbers flush right."""
    table = Table(
        title=Text(title) if title else None,
        caption=Text(caption) if caption else None,
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for name in columns:
        table.add_column(Text(name), justify="left" if name in text else "right", overflow="fold")
    return table


def span(counts: Iterable[int]) -> str:
    """The smallest and the largest of some counts.

    >>> span([500, 500]), span([2000, 500])
    ('500', '500 to 2,000')
    """
    known = sorted(counts)
    return " to ".join(f"{count:,}" for count in dict.fromkeys((known[0], known[-1])))


def summary(results: Results, title: str, width: int) -> Table:
    """The summary of an experiment, for a terminal of this width."""
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
    table = empty(rows[0] if width >= SUMMARY_COLUMNS else ("name", "number"), ("policy", "name"), title, caption)
    table.show_header = width >= SUMMARY_COLUMNS
    for row in rows:
        if width >= SUMMARY_COLUMNS:
            table.add_row(*map(Text, row.values()))
        else:
            for name, number in row.items():
                table.add_row(name, Text(number))
            table.add_section()
    return table


def study(results: StudyResults, table: DataFrame) -> Table:
    """The summary of a study, from its table."""
    text = (*results.dims, "policy")
    caption = (
        f"{len(results):,} experiments; {span(table['replications'])} replications; "
        f"seed {results.study.base['seed']}; regret with its 95 % interval"
    )
    shown = empty((*text, "regret", "from", "to", "best arm", "stuck"), text, results.study.title, caption)
    places = list(zip(*(table[name] for name in results.dims), strict=True))
    for number, row in enumerate(table.to_dict("records")):
        if number and places[number] != places[number - 1]:
            shown.add_section()
        numbers = (f"{row[name]:.4g}" for name in ("regret_mean", "regret_low", "regret_high"))
        shares = f"{row['best_arm_share']:.1%}", f"{row['stuck_share']:.2%}"
        shown.add_row(*(Text(str(part)) for part in places[number]), Text(row["title"]), *numbers, *shares)
    return shown
