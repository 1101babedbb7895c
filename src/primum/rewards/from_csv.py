"""Arms from a CSV file."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Iterator

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.plugins.parameters import Parameter
from primum.rewards.empirical import Empirical
from primum.rewards.reward_distribution import check_interval


def from_csv(
    path: str | os.PathLike[str],
    arm: str = "arm",
    outcome: str = "outcome",
    low: float | None = None,
    high: float | None = None,
    delimiter: str = ",",
) -> dict[str, Empirical]:
    """An arm for each group in a CSV file, in order of appearance, with the empirical distribution of its outcomes.

    The first line names the columns: `arm` holds the group and `outcome` the number; others are ignored. If `low` and
    `high` are given, outcomes are rescaled from [low, high] to [0, 1], and those outside are refused. `delimiter` is
    the character between columns; if it is a semicolon, numbers may have a decimal comma.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("arm,days\\nold,120\\nnew,300\\nold,60\\n")
    ...     file.flush()
    ...     from_csv(file.name, outcome="days", low=0, high=480)
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
    places = table.place(arm), table.place(outcome)
    groups: dict[str, list[float]] = {}
    for group, number in table.outcomes(table.rows(), *places, low, high):
        groups.setdefault(group, []).append(number)
    return {name: Empirical(tuple(data)) for name, data in groups.items()}


class Table:
    """A CSV file, whose first line names the columns; `source` names the file in errors."""

    def __init__(self, text: str, source: str, delimiter: str = ",") -> None:
        self.source, self.delimiter = source, delimiter
        self._reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
        self.columns = [name.strip() for name in self._next() or []]
        if not any(self.columns):
            raise ParameterError(f"{source} has no first line that names its columns")

    def _next(self) -> list[str] | None:
        try:
            return next(self._reader, None)
        except csv.Error as error:
            raise PrimumError(f"{self.source}, line {self._reader.line_num}: {error}") from None

    def place(self, name: str) -> int:
        """The position of the column of that name."""
        if self.columns.count(name) == 1:
            return self.columns.index(name)
        known = name in self.columns
        problem = f"column {name!r} appears twice" if known else UnknownNameError("column", name, self.columns)
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

    def outcomes(
        self,
        rows: Iterable[tuple[int, list[str]]],
        arm: int,
        outcome: int,
        low: float | None = None,
        high: float | None = None,
        clip: bool = False,
    ) -> Iterator[tuple[str, float]]:
        """Group and outcome of each row.

        With `low` and `high`, outcomes are rescaled from [low, high] to [0, 1]; those outside are refused, or clipped.
        """
        line = None
        for line, cells in rows:
            group, text = cells[arm], cells[outcome]
            where = f"{self.source}, line {line}"
            number = self.number(text)
            if not math.isfinite(number):
                raise ParameterError(f"{where}: {self.columns[outcome]} must be a finite number, got {text!r}")
            if low is not None and high is not None:
                if clip:
                    number = min(max(number, low), high)
                if not low <= number <= high:
                    raise ParameterError(
                        f"{where}: {self.columns[outcome]} must be in [{low:g}, {high:g}], got {text!r}"
                    )
                number = (number - low) / (high - low)
            if not group:
                raise ParameterError(f"{where}: {self.columns[arm]} must name an arm, got {group!r}")
            yield group, number
        if line is None:
            raise ParameterError(f"{self.source} has no outcomes: nothing follows its first line")


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
