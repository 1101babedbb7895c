"""Arms from an uploaded CSV file."""

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
MOST_NUMBERED_ARMS = 10  # different numbers in a column that may name arms
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
    """An arm for each group in the file, in order of appearance; its outcomes, rescaled to [0, 1], are its rewards.

    The first line names the columns. Columns that are not given are guessed. `low` and `high` are rescaled to 0 and 1;
    by default they are the smallest and the largest outcome, or 0 and 1 if all outcomes are between 0 and 1. Outcomes
    outside this range are refused, or clipped with `clip`.
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
    outside = sum(not low <= number <= high for _, number in found)
    groups: dict[str, list[float]] = {}
    for group, number in table.outcomes(rows, *places, low, high, clip):
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
        sentence=f"{counted(len(found), 'outcome')} in {counted(len(groups), 'arm')}: arms from column {arm!r}, "
        f"outcomes from column {outcome!r}; {_rescaled(low, high, outside)}",
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


def _columns(table: Table, rows: Rows, arm: str | None, outcome: str | None) -> tuple[int, int]:
    """The positions of the columns of arms and outcomes."""
    lower = [column.lower() for column in table.columns]
    first, second = (
        table.place(name) if name is not None else lower.index(usual) if lower.count(usual) == 1 else None
        for name, usual in ((arm, "arm"), (outcome, "outcome"))
    )
    if first is not None and second is not None:
        return first, second
    cells = [[row[place] for _, row in rows] for place in range(len(lower))]
    numbers = [[table.number(text) for text in column] for column in cells]
    if len(lower) == 2:  # arms first, unless only the first column can hold outcomes
        swapped = _has_text(numbers[1]) and not _has_text(numbers[0])
        first = first if first is not None else int(swapped) if second is None else 1 - second
        return first, 1 - first
    first = _guessed_arm(cells, numbers, second) if first is None else first
    second = _guessed_outcome(numbers, first) if second is None else second
    if first is None or second is None:
        missing = "names the arms" if first is None else "holds the outcomes"
        raise ParameterError(
            f"{table.source}: cannot tell which column {missing} (columns: {', '.join(table.columns)}); "
            "name them arm and outcome, or choose them"
        )
    return first, second


def _guessed_arm(cells: list[list[str]], numbers: list[list[float]], outcome: int | None) -> int | None:
    """The first column whose texts, or few different numbers, repeat."""
    for place, (column, parsed) in enumerate(zip(cells, numbers, strict=True)):
        different, most = (
            len(set(column)),
            MOST_ARMS if _has_text(parsed) else min(MOST_NUMBERED_ARMS, len(column) // 2),
        )
        if place != outcome and different <= most and different < len(column):
            return place
    return None


def _guessed_outcome(numbers: list[list[float]], arm: int | None) -> int | None:
    """The column with the most different numbers, but not one that counts the lines."""
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
        smallest, largest = 0.0, 1.0
    elif smallest == largest:  # rescaled to 1 if positive, else to 0
        smallest, largest = min(smallest, 0.0), max(smallest, 0.0)
    ends = {"low": smallest if low is None else low, "high": largest if high is None else high}
    low, high = (Parameter("").check(name, end) for name, end in ends.items())
    check_interval("rescaling", low, high)
    return low, high


def _check_groups(groups: dict[str, list[float]], source: str, column: str) -> None:
    if len(groups) > MOST_ARMS:
        raise ParameterError(
            f"{source}: the column {column!r} names {len(groups)} arms, but at most {MOST_ARMS} are allowed; "
            "choose another column"
        )
    if long := [name for name in groups if len(name) > LONGEST_NAME]:
        raise ParameterError(_too_long(source, "an arm", long[0]))


def _too_long(source: str, what: str, name: str) -> str:
    most = f"at most {LONGEST_NAME} characters"
    return f"{source}: the name of {what} can have {most}, got {_shortened(name, 30)!r} with {len(name)}"


def _rescaled(low: float, high: float, clipped: int) -> str:
    rescaled = "not rescaled" if (low, high) == (0, 1) else f"rescaled {low:g} -> 0, {high:g} -> 1"
    return f"{rescaled}; {counted(clipped, 'outcome')} clipped" if clipped else rescaled


def _shortened(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
