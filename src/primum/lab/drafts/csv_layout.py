"""The layout of a CSV file and its columns, guessed where they are not given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from primum.errors import ParameterError
from primum.lab.http.schemas import MOST_ARMS, Layout
from primum.rewards.from_csv import MISSING, Cell, Table

MOST_NUMBERED_ARMS = 10  # different numbers in a column that may name arms
ARM_NAMES = ("arm", "group", "treatment", "trt")  # of columns that name the arms in a long file
OUTCOME_NAMES = ("outcome",)

Rows = list[tuple[int, list[str]]]


@dataclass(frozen=True)
class Columns:
    """Where outcomes are: in a long file a column of arms and one of outcomes, in a wide file a column for each arm."""

    layout: Layout
    places: tuple[int, ...]

    def cells(self, table: Table, rows: Rows) -> list[Cell]:
        """The outcomes in them."""
        if self.layout == "wide":
            return list(table.wide(rows, self.places))
        arm, outcome = self.places
        return list(table.long(rows, arm, outcome))


@dataclass(frozen=True)
class _Column:
    """The cells of a column that are not missing, as texts and as numbers (nan where a text is none)."""

    texts: list[str]
    numbers: list[float]

    @property
    def is_numeric(self) -> bool:
        return bool(self.numbers) and all(map(math.isfinite, self.numbers))

    @property
    def counts_lines(self) -> bool:
        return len(self.numbers) > 1 and self.numbers == [self.numbers[0] + i for i in range(len(self.numbers))]

    @property
    def may_name_arms(self) -> bool:
        """Whether its texts repeat, or its numbers if they are few and not all the same."""
        different = len(set(self.texts))
        if self.is_numeric:
            return 1 < different <= min(MOST_NUMBERED_ARMS, len(self.texts) // 2)
        return different <= MOST_ARMS and different < len(self.texts)


def columns(
    table: Table, rows: Rows, layout: Layout | None, arm: str | None, outcome: str | None, arms: Sequence[str]
) -> Columns:
    """The columns that are given, and guesses for the others."""
    found = [_column(table, [cells[i] for _, cells in rows]) for i in range(len(table.columns))]
    if layout is None:
        layout = "wide" if arms else "long" if arm or outcome else _layout(table, found)
    if layout == "long":
        return Columns(layout, _long(table, found, arm, outcome))
    arms = arms or [name for name, each in zip(table.columns, found, strict=True) if _is_arm(each)]
    if not arms:
        raise ParameterError(f"{table.source}: no column has outcomes only (columns: {', '.join(table.columns)})")
    return Columns(layout, tuple(table.place(name) for name in arms))


def _column(table: Table, cells: list[str]) -> _Column:
    texts = [text for text in cells if text.lower() not in MISSING]
    return _Column(texts, [table.number(text) for text in texts])


def _is_arm(column: _Column) -> bool:
    return column.is_numeric and not column.counts_lines


def _layout(table: Table, found: list[_Column]) -> Layout:
    """Wide if there are several columns of numbers, and no other column names the arms.

    Columns of few different numbers, such as 0 and 1, may be either; they are outcomes if all have the same numbers.
    """
    if any(_named(table, names) is not None for names in (ARM_NAMES, OUTCOME_NAMES)):
        return "long"
    candidates = [each for each in found if _is_arm(each)]
    groups = [each for each in found if each.may_name_arms]
    same = len({frozenset(each.numbers) for each in candidates}) == 1
    wide = len(candidates) > 1 and (not groups or (same and all(each.is_numeric for each in groups)))
    return "wide" if wide else "long"


def _named(table: Table, names: Sequence[str]) -> int | None:
    """The column with one of the usual names, if there is just one."""
    lower = [column.lower() for column in table.columns]
    return next((lower.index(name) for name in names if lower.count(name) == 1), None)


def _long(table: Table, found: list[_Column], arm: str | None, outcome: str | None) -> tuple[int, int]:
    """The positions of the columns of arms and outcomes."""
    first = _named(table, ARM_NAMES) if arm is None else table.place(arm)
    second = _named(table, OUTCOME_NAMES) if outcome is None else table.place(outcome)
    if first is not None and second is not None:
        return first, second
    if len(found) == 2:  # arms first, unless only the first column can hold outcomes
        swapped = found[0].is_numeric and not found[1].is_numeric
        first = first if first is not None else int(swapped) if second is None else 1 - second
        return first, 1 - first
    first = _guessed_arm(found, second) if first is None else first
    second = _guessed_outcome(found, first) if second is None else second
    if first is None or second is None:
        missing = "names the arms" if first is None else "holds the outcomes"
        raise ParameterError(
            f"{table.source}: cannot tell which column {missing} (columns: {', '.join(table.columns)}); "
            "name them arm and outcome, or choose them"
        )
    return first, second


def _guessed_arm(found: list[_Column], outcome: int | None) -> int | None:
    """The first column that may name arms."""
    return next((i for i, each in enumerate(found) if i != outcome and each.may_name_arms), None)


def _guessed_outcome(found: list[_Column], arm: int | None) -> int | None:
    """The column with the most different numbers, but not one that counts the lines."""
    places = [i for i, each in enumerate(found) if i != arm and _is_arm(each)]
    return max(places, key=lambda i: len(set(found[i].numbers)), default=None)
