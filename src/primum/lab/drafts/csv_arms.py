"""Arms from a CSV file that a stranger sends."""

from __future__ import annotations

import math

from primum.errors import ParameterError, PrimumError, reported
from primum.lab.http.schemas import LARGEST_BODY, LONGEST_NAME, MOST_ARMS, CsvArms
from primum.plugins.parameters import Parameter
from primum.rewards.empirical import Empirical
from primum.rewards.from_csv import Table, decode
from primum.rewards.reward_distribution import check_interval
from primum.text import counted

MOST_OUTCOMES = 20_000
MOST_COLUMNS = 200
FEW = 10  # different numbers in a column that may name arms
SEPARATORS = ",;\t|"

Rows = list[tuple[int, list[str]]]


def arms_from_csv(
    content: bytes,
    *,
    name: str = "",
    arm: str | None = None,
    outcome: str | None = None,
    low: float | None = None,
    high: float | None = None,
    clip: bool = False,
) -> CsvArms:
    """An arm for each group in the file, in order of appearance; its rewards are its outcomes, moved to [0, 1].

    The first line names the columns. Columns that are not given are guessed, and so is what `low` and `high` are: the
    smallest and the largest outcome, or 0 and 1 if all outcomes lie between these. Outcomes beyond them are refused, or
    with `clip` count as the end that they are beyond.
    """
    try:
        return _arms(content, _shortened(name, 60) or "the file", arm, outcome, low, high, clip)
    except PrimumError as error:
        raise ParameterError(str(reported(error))) from None


def _arms(
    content: bytes,
    source: str,
    arm: str | None,
    outcome: str | None,
    low: float | None,
    high: float | None,
    clip: bool,
) -> CsvArms:
    table = _table(content, source)
    rows = _rows(table)
    places = _columns(table, rows, arm, outcome)
    found = list(table.outcomes(rows, *places))
    smallest, largest = min(number for _, number in found), max(number for _, number in found)
    low, high = _interval(smallest, largest, low, high)
    groups: dict[str, list[float]] = {}
    beyond = sum(not low <= number <= high for _, number in found)
    if clip and beyond:
        rows = _clipped(rows, places[1], low, high)
    for group, number in table.outcomes(rows, *places, low, high):
        groups.setdefault(group, []).append(number)
    _check_groups(groups, source, table.columns[places[0]])
    arm, outcome = (table.columns[place] for place in places)
    return CsvArms(
        arms=[
            {"name": group, "distribution": Empirical(tuple(data)).spec(), "outcomes": len(data)}
            for group, data in groups.items()
        ],
        columns=table.columns,
        arm=arm,
        outcome=outcome,
        smallest=smallest,
        largest=largest,
        low=low,
        high=high,
        sentence=f"{counted(len(found), 'outcome')} of {counted(len(groups), 'arm')}: arms from the column {arm!r}, "
        f"outcomes from {outcome!r}; "
        + _moved(low, high)
        + (f"; {counted(beyond, 'outcome')} beyond {'count' if beyond > 1 else 'counts'} as the end" if beyond else ""),
    )


def _table(content: bytes, source: str) -> Table:
    if len(content) > LARGEST_BODY:
        raise ParameterError(
            f"{source} has {len(content) / 1e6:.1f} MB, and at most {LARGEST_BODY / 1e6:g} can be sent"
        )
    text = decode(content, source)
    if "\0" in text:
        raise ParameterError(f"{source} is not a text file in UTF-8: it has null characters")
    first = next((line for line in text.splitlines() if line.strip()), "")
    table = Table(text, source, max(SEPARATORS, key=first.count))
    if len(table.columns) > MOST_COLUMNS:
        raise ParameterError(f"{source} has {len(table.columns)} columns, and at most {MOST_COLUMNS} can be read")
    if long := [column for column in table.columns if len(column) > LONGEST_NAME]:
        raise ParameterError(_too_long(source, "column", long[0]))
    return table


def _rows(table: Table) -> Rows:
    rows: Rows = []
    for row in table.rows():
        rows.append(row)
        if len(rows) > MOST_OUTCOMES:
            raise ParameterError(
                f"{table.source} has more than {MOST_OUTCOMES} outcomes, which is the most there can be"
            )
    if not rows:
        raise ParameterError(f"{table.source} has no outcomes: there is nothing below its first line")
    return rows


def _columns(table: Table, rows: Rows, arm: str | None, outcome: str | None) -> tuple[int, int]:
    """Where the arms and the outcomes are."""
    lower = [column.lower() for column in table.columns]
    first, second = (
        table.place(name) if name is not None else lower.index(usual) if lower.count(usual) == 1 else None
        for name, usual in ((arm, "arm"), (outcome, "outcome"))
    )
    if first is not None and second is not None:
        return first, second
    cells = [[row[place] for _, row in rows] for place in range(len(lower))]
    numbers = [[table.number(text) for text in column] for column in cells]
    if len(lower) == 2:  # in this order, unless only the first can be outcomes
        swapped = _has_text(numbers[1]) and not _has_text(numbers[0])
        first = first if first is not None else int(swapped) if second is None else 1 - second
        return first, 1 - first
    first = _guessed_arm(cells, numbers, second) if first is None else first
    second = _guessed_outcome(numbers, first) if second is None else second
    if first is None or second is None:
        missing = "names the arms" if first is None else "holds the outcomes"
        raise ParameterError(
            f"{table.source}: which column {missing}? Columns: {', '.join(table.columns)}; call them arm and outcome, "
            "or say which they are"
        )
    return first, second


def _guessed_arm(cells: list[list[str]], numbers: list[list[float]], outcome: int | None) -> int | None:
    """The first column whose texts, or few numbers, come again and again."""
    for place, (column, parsed) in enumerate(zip(cells, numbers, strict=True)):
        different, most = len(set(column)), MOST_ARMS if _has_text(parsed) else min(FEW, len(column) // 2)
        if place != outcome and different <= most and different < len(column):
            return place
    return None


def _guessed_outcome(numbers: list[list[float]], arm: int | None) -> int | None:
    """The column of numbers that has most different ones, but not one that counts the lines."""
    found = None
    for place, column in enumerate(numbers):
        counts = len(column) > 1 and column == [column[0] + i for i in range(len(column))]
        if place == arm or counts or _has_text(column):
            continue
        if found is None or len(set(column)) > len(set(numbers[found])):
            found = place
    return found


def _has_text(column: list[float]) -> bool:
    return not all(map(math.isfinite, column))


def _interval(smallest: float, largest: float, low: float | None, high: float | None) -> tuple[float, float]:
    if smallest >= 0 and largest <= 1:
        least, most = 0.0, 1.0
    elif smallest == largest:  # they become 1 if they are positive, else 0
        least, most = min(smallest, 0.0), max(smallest, 0.0)
    else:
        least, most = smallest, largest
    ends = {"low": least if low is None else low, "high": most if high is None else high}
    low, high = (Parameter("").check(name, end) for name, end in ends.items())
    check_interval("rescaling", low, high)
    return low, high


def _clipped(rows: Rows, outcome: int, low: float, high: float) -> Rows:
    """The rows with no outcome beyond the ends; `repr` keeps all digits."""
    return [
        (line, [*row[:outcome], repr(min(max(float(row[outcome]), low), high)), *row[outcome + 1 :]])
        for line, row in rows
    ]


def _check_groups(groups: dict[str, list[float]], source: str, column: str) -> None:
    if len(groups) > MOST_ARMS:
        raise ParameterError(
            f"{source}: the column {column!r} names {len(groups)} arms, and there can be at most {MOST_ARMS}; "
            "is it another column?"
        )
    if long := [name for name in groups if len(name) > LONGEST_NAME]:
        raise ParameterError(_too_long(source, "arm", long[0]))


def _too_long(source: str, what: str, name: str) -> str:
    most = f"a name has at most {LONGEST_NAME} characters"
    return f"{source}: {most}, and the {what} {_shortened(name, 30)!r} has {len(name)}"


def _moved(low: float, high: float) -> str:
    return "they are taken as they are" if (low, high) == (0, 1) else f"{low:g} becomes 0 and {high:g} becomes 1"


def _shortened(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
