"""Arms from an uploaded CSV file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from primum.errors import ParameterError, PrimumError, as_primum_error
from primum.lab.drafts.csv_layout import Columns, Rows, columns
from primum.lab.http.schemas import LONGEST_NAME, MOST_ARMS, CsvArms, Layout
from primum.plugins.parameters import Parameter
from primum.rewards.empirical import Empirical
from primum.rewards.from_csv import Cell, Table, decode
from primum.rewards.reward_distribution import check_interval
from primum.rewards.veterans_lung_cancer import recorded_patients
from primum.text import counted
from primum.web.middleware import LARGEST_BODY

MOST_OUTCOMES = 20_000
MOST_COLUMNS = 200
SEPARATORS = ",;\t|"


def arms_from_csv(
    content: bytes,
    *,
    name: str = "",
    layout: Layout | None = None,
    arm: str | None = None,
    outcome: str | None = None,
    arms: Sequence[str] = (),
    low: float | None = None,
    high: float | None = None,
    clip: bool = False,
    drop_missing: bool = False,
) -> CsvArms:
    """The arms in a file, in order of appearance; their outcomes, rescaled to [0, 1], are their rewards.

    The first line names the columns. In a long file, the column `arm` names the arm of each `outcome`; in a wide one,
    each of the columns `arms` has the outcomes of one arm. A layout and columns that are not given are guessed. `low`
    and `high` are rescaled to 0 and 1; by default they are the smallest and the largest outcome, or 0 and 1 if all
    outcomes are between 0 and 1. Outcomes outside this range are refused, or clipped with `clip`. Missing outcomes are
    refused, with an error at "drop_missing", or left out with `drop_missing`.
    """
    place: tuple[str, ...] = ()
    try:
        table = _table(content, _shortened(name, 60) or "the file")
        rows = _rows(table)
        where = columns(table, rows, layout, arm, outcome, arms)
        cells = where.cells(table, rows)
        _check_size(table, where, cells)
        if not drop_missing and any(cell.is_missing for cell in cells):
            place = ("drop_missing",)
        return _arms(table, where, cells, low, high, clip, drop_missing)
    except PrimumError as error:
        raise ParameterError(str(as_primum_error(error)), place) from None


def _arms(
    table: Table,
    where: Columns,
    cells: list[Cell],
    low: float | None,
    high: float | None,
    clip: bool,
    drop_missing: bool,
) -> CsvArms:
    found = [number for data in table.groups(cells, drop_missing=drop_missing).values() for number in data]
    smallest, largest = min(found), max(found)
    low, high = _interval(smallest, largest, low, high)
    outside = sum(not low <= number <= high for number in found)
    groups = table.groups(cells, low, high, clip=clip, drop_missing=drop_missing)
    names = [table.columns[place] for place in where.places]
    arm, outcome = names if where.layout == "long" else (None, None)
    source = f"arms from column {arm!r}, outcomes from column {outcome!r}" if arm else "a column for each arm"
    missing = len(cells) - len(found)
    left_out = f"; {counted(missing, 'missing outcome')} left out" if missing else ""
    return CsvArms(
        arms=[
            {"name": group, "distribution": Empirical(tuple(data)).spec(), "outcomes": len(data)}
            for group, data in groups.items()
        ],
        columns=table.columns,
        layout=where.layout,
        arm=arm,
        outcome=outcome,
        arm_columns=[] if arm else names,
        smallest=smallest,
        largest=largest,
        low=low,
        high=high,
        missing=missing,
        sentence=f"{counted(len(found), 'outcome')} in {counted(len(groups), 'arm')}: {source}; "
        f"{_rescaled(low, high, outside)}{left_out}",
    )


def _table(content: bytes, source: str) -> Table:
    if len(content) > LARGEST_BODY:
        raise ParameterError(
            f"{source} has {len(content) / 1e6:.1f} MB, but at most {LARGEST_BODY / 1e6:g} MB can be sent"
        )
    text = decode(content, source)
    if "\0" in text:
        raise ParameterError(f"{source} is not a text file in UTF-8: it has null characters")
    first = next((line for line in text.splitlines() if line.strip()), "")
    table = Table(text, source, max(SEPARATORS, key=first.count))
    if len(table.columns) > MOST_COLUMNS:
        raise ParameterError(f"{source} has {len(table.columns)} columns, but at most {MOST_COLUMNS} are allowed")
    if long := [column for column in table.columns if len(column) > LONGEST_NAME]:
        raise ParameterError(_too_long(source, "a column", long[0]))
    return table


def _rows(table: Table) -> Rows:
    rows: Rows = []
    for row in table.rows():
        rows.append(row)
        if len(rows) > MOST_OUTCOMES:
            raise ParameterError(f"{table.source} has more than {MOST_OUTCOMES} outcomes, the limit")
    if not rows:
        raise ParameterError(f"{table.source} has no outcomes: nothing follows its first line")
    return rows


def _interval(smallest: float, largest: float, low: float | None, high: float | None) -> tuple[float, float]:
    if smallest >= 0 and largest <= 1:
        smallest, largest = 0.0, 1.0
    elif smallest == largest:  # rescaled to 1 if positive, else to 0
        smallest, largest = min(smallest, 0.0), max(smallest, 0.0)
    ends = {"low": smallest if low is None else low, "high": largest if high is None else high}
    low, high = (Parameter("").check(name, end) for name, end in ends.items())
    check_interval("rescaling", low, high)
    return low, high


def _check_size(table: Table, where: Columns, cells: list[Cell]) -> None:
    if len(cells) > MOST_OUTCOMES:
        raise ParameterError(f"{table.source} has more than {MOST_OUTCOMES} outcomes, the limit")
    arms = dict.fromkeys(cell.arm for cell in cells)
    if len(arms) > MOST_ARMS:
        what = (
            f"the column {table.columns[where.places[0]]!r} names {len(arms)} arms"
            if where.layout == "long"
            else f"{len(arms)} columns are arms"
        )
        raise ParameterError(f"{table.source}: {what}, but at most {MOST_ARMS} are allowed; choose another column")
    if long := [name for name in arms if len(name) > LONGEST_NAME]:
        raise ParameterError(_too_long(table.source, "an arm", long[0]))


def _too_long(source: str, what: str, name: str) -> str:
    most = f"at most {LONGEST_NAME} characters"
    return f"{source}: the name of {what} can have {most}, got {_shortened(name, 30)!r} with {len(name)}"


def _rescaled(low: float, high: float, clipped: int) -> str:
    rescaled = "not rescaled" if (low, high) == (0, 1) else f"rescaled {low:g} -> 0, {high:g} -> 1"
    return f"{rescaled}; {counted(clipped, 'outcome')} clipped" if clipped else rescaled


def _shortened(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def sample_outcomes(layout: Layout) -> str:
    """The survival times of the lung-cancer trial as a file of this layout."""
    arms = {name: [days for days, _ in patients] for name, patients in recorded_patients().items()}
    rows: list[tuple[object, ...]]
    if layout == "long":
        rows = [("arm", "days"), *((name, days) for name, data in arms.items() for days in data)]
    else:
        rows = [tuple(arms), *zip_longest(*arms.values(), fillvalue="")]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)
