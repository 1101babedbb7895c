"""Arms from a CSV file."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from primum.errors import ParameterError, PrimumError, UnknownNameError, quoted
from primum.plugins.parameters import Parameter
from primum.rewards.empirical import Empirical
from primum.rewards.reward_distribution import check_interval
from primum.text import repeats

MISSING = ("", "na", "n/a", "nan", ".")  # cells without an outcome, in small letters

Rows = Iterable[tuple[int, list[str]]]


def from_csv(
    path: str | os.PathLike[str],
    arm: str = "arm",
    outcome: str = "outcome",
    low: float | None = None,
    high: float | None = None,
    delimiter: str = ",",
    *,
    arms: str | Sequence[str] | None = None,
    drop_missing: bool = False,
) -> dict[str, Empirical]:
    """The arms in a CSV file, in order of appearance, each with the empirical distribution of its outcomes.

    The first line names the columns. In a long file, a row is an outcome: the column `arm` names its arm, `outcome`
    has the number, and others are ignored. A wide file has a column for each arm: `arms` names these columns, or is
    "all"; a column may end before the others. If `low` and `high` are given, outcomes are rescaled from [low, high] to
    [0, 1], and those outside are refused. Missing outcomes (empty, NA, N/A, NaN or a full stop) are refused, or left
    out with `drop_missing`. `delimiter` is the character between columns; if it is a semicolon, numbers may have a
    decimal comma.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("arm,days\\nold,120\\nnew,300\\nold,60\\n")
    ...     file.flush()
    ...     from_csv(file.name, outcome="days", low=0, high=480)
    {'old': empirical(data=[0.125, 0.25]), 'new': empirical(data=[0.625])}
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("patient,old,new\\n1,120,NA\\n2,60,300\\n")
    ...     file.flush()
    ...     from_csv(file.name, arms=["old", "new"], low=0, high=480, drop_missing=True)
    {'old': empirical(data=[0.125, 0.25]), 'new': empirical(data=[0.625])}
    """
    if (low is None) != (high is None):
        raise ParameterError(f"from_csv: low and high must be given together, got low={low} and high={high}")
    if low is not None and high is not None:
        low, high = (Parameter("").check(name, end, of="from_csv") for name, end in (("low", low), ("high", high)))
        check_interval("from_csv", low, high)
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ParameterError(f"from_csv: delimiter must be a single character, got {delimiter!r}")
    table = Table(decode(_read(path), str(path)), str(path), delimiter)
    if arms is None:
        cells = table.long(table.rows(), table.place(arm), table.place(outcome))
    else:
        cells = table.wide(table.rows(), [table.place(name) for name in _columns(arms, table)])
    groups = table.groups(cells, low, high, drop_missing=drop_missing)
    return {name: Empirical(tuple(data)) for name, data in groups.items()}


def _columns(arms: Any, table: Table) -> Sequence[str]:
    """The names of the columns of a wide file."""
    if arms == "all":
        return table.columns
    if isinstance(arms, str) or not isinstance(arms, Sequence) or not arms or not all(isinstance(a, str) for a in arms):
        raise ParameterError(f"from_csv: arms must be a list of columns, or 'all', got {quoted(arms)}")
    return arms


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of an outcome, and where it is."""

    line: int
    arm: str
    column: str
    text: str

    @property
    def is_missing(self) -> bool:
        """Whether there is no outcome."""
        return self.text.lower() in MISSING


class Table:
    """A CSV file, whose first line names the columns; `source` names the file in errors."""

    def __init__(self, text: str, source: str, delimiter: str = ",") -> None:
        self.source, self.delimiter = source, delimiter
        self._reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
        self.columns = [name.strip() for name in self._next() or []]
        self._places: dict[str, list[int]] = {}
        for place, name in enumerate(self.columns):
            self._places.setdefault(name, []).append(place)
        if not any(self.columns):
            raise ParameterError(f"{source} has no first line that names its columns")

    def _next(self) -> list[str] | None:
        try:
            return next(self._reader, None)
        except csv.Error as error:
            raise PrimumError(f"{self.source}, line {self._reader.line_num}: {error}") from None

    def place(self, name: str) -> int:
        """The position of the column of that name."""
        places = self._places.get(name, [])
        if len(places) == 1:
            return places[0]
        problem = f"column {name!r} appears twice" if places else UnknownNameError("column", name, self.columns)
        others = [
            repr(sign) for sign in ";\t|," if sign != self.delimiter and any(sign in text for text in self.columns)
        ]
        hint = f"; if they are separated by {others[0]}, give delimiter={others[0]}" if others else ""
        raise ParameterError(f"{self.source}: {problem} (columns: {', '.join(self.columns)}){hint}")

    def number(self, text: str) -> float:
        """A cell as a number, or nan; in a file with semicolons it may have a decimal comma, as in spreadsheets."""
        if self.delimiter == ";" and "." not in text:
            text = text.replace(",", ".")
        try:
            return float(text)
        except ValueError:
            return math.nan

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Number and cells of each line after the first, without blank lines; they can be read once."""
        while (row := self._next()) is not None:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if len(cells) != len(self.columns):
                raise ParameterError(
                    f"{self.source}, line {self._reader.line_num}: must have {len(self.columns)} values, as the first "
                    f"line has, got {len(cells)}"
                )
            yield self._reader.line_num, cells

    def long(self, rows: Rows, arm: int, outcome: int) -> Iterator[Cell]:
        """The outcomes of a file with a row for each, and their arms."""
        for line, cells in rows:
            if not cells[arm]:
                raise ParameterError(
                    f"{self.source}, line {line}: {self.columns[arm]} must name an arm, got {cells[arm]!r}"
                )
            yield Cell(line, cells[arm], self.columns[outcome], cells[outcome])

    def wide(self, rows: Rows, arms: Sequence[int]) -> Iterator[Cell]:
        """The outcomes of a file with a column for each arm; empty cells at the end of a column are none."""
        lines, twice = list(rows), set(repeats(arms))
        for i, place in enumerate(arms):
            name = self.columns[place]
            if not name:
                raise ParameterError(f"{self.source}: column {place + 1} has no name, which would be that of its arm")
            if i in twice:
                raise ParameterError(f"{self.source}: column {name!r} is given twice")
            last = max((i for i, (_, cells) in enumerate(lines) if cells[place]), default=-1)
            if lines and last < 0:
                raise ParameterError(f"{self.source}: column {name!r} has no outcomes")
            for line, cells in lines[: last + 1]:
                yield Cell(line, name, name, cells[place])

    def groups(
        self,
        cells: Iterable[Cell],
        low: float | None = None,
        high: float | None = None,
        *,
        clip: bool = False,
        drop_missing: bool = False,
    ) -> dict[str, list[float]]:
        """The outcomes of each arm, without missing ones with `drop_missing`.

        With `low` and `high`, outcomes are rescaled from [low, high] to [0, 1]; those outside are refused, or clipped.
        """
        groups: dict[str, list[float]] = {}
        for cell in cells:
            group = groups.setdefault(cell.arm, [])
            if not (drop_missing and cell.is_missing):
                group.append(self._outcome(cell, low, high, clip))
        if not groups:
            raise ParameterError(f"{self.source} has no outcomes: nothing follows its first line")
        if empty := [name for name, data in groups.items() if not data]:
            raise ParameterError(f"{self.source}: arm {empty[0]!r} has only missing outcomes")
        return groups

    def _outcome(self, cell: Cell, low: float | None, high: float | None, clip: bool) -> float:
        number = self.number(cell.text)
        where = f"{self.source}, line {cell.line}: {cell.column}"
        if not math.isfinite(number):
            raise ParameterError(f"{where} must be a finite number, got {cell.text!r}")
        if low is None or high is None:
            return number
        if clip:
            number = min(max(number, low), high)
        if not low <= number <= high:
            raise ParameterError(f"{where} must be in [{low:g}, {high:g}], got {cell.text!r}")
        return (number - low) / (high - low)


def decode(content: bytes, source: str) -> str:
    """The text of a file; `source` names the file in errors."""
    try:
        return content.decode("utf-8-sig")  # some programs begin a file with a byte order mark
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PrimumError(f"{source} is not a text file in UTF-8 (at line {line}: {error.reason})") from None


def _read(path: str | os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError, TypeError) as error:  # a ValueError: a null character in the path
        raise PrimumError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
