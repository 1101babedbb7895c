"""Arms from anybody's data."""

from __future__ import annotations

import csv
import io
import math
import os

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.parameters import Parameter
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
    """An arm for each group in a CSV file, in order of appearance; its rewards are the group's outcomes, drawn again.

    The first line names the columns: `arm` holds the group and `outcome` the number, others are ignored. If `low` and
    `high` are given, outcomes between them are moved to [0, 1]; those beyond are refused. `delimiter` is the character
    between columns.

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
        low, high = (Parameter("").check(f"from_csv: {name}", end) for name, end in (("low", low), ("high", high)))
        check_interval("from_csv", low, high)
    groups: dict[str, list[float]] = {}
    for line, group, text in _rows(path, arm, outcome, delimiter):
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ParameterError(f"{path}, line {line}: {outcome} must be a finite number, got {text!r}")
        if low is not None and high is not None:
            if not low <= number <= high:
                raise ParameterError(f"{path}, line {line}: {outcome} must be in [{low:g}, {high:g}], got {text!r}")
            number = (number - low) / (high - low)
        if not group:
            raise ParameterError(f"{path}, line {line}: {arm} must name an arm, got {group!r}")
        groups.setdefault(group, []).append(number)
    if not groups:
        raise ParameterError(f"{path} has no outcomes: there is nothing below its first line")
    return {name: Empirical(tuple(data)) for name, data in groups.items()}


def _rows(path: str | os.PathLike[str], arm: str, outcome: str, delimiter: str) -> list[tuple[int, str, str]]:
    """Line number, group and outcome of each line but the first; blank lines are left out."""
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ParameterError(f"from_csv: delimiter must be a single character, got {delimiter!r}")
    reader = csv.reader(io.StringIO(_read(path), newline=""), strict=True, delimiter=delimiter)
    try:
        columns = [name.strip() for name in next(reader, [])]
        if not any(columns):
            raise ParameterError(f"{path} has no first line with the names of its columns")
        places = []
        for name in (arm, outcome):
            if columns.count(name) != 1:
                problem = (
                    UnknownNameError("column", name, columns) if name not in columns else f"column {name!r} comes twice"
                )
                others = [repr(sign) for sign in ";\t|," if sign != delimiter and any(sign in text for text in columns)]
                hint = f"; are they separated by {others[0]}? Then give delimiter={others[0]}" if others else ""
                raise ParameterError(f"{path}: {problem} (columns: {', '.join(columns)}){hint}")
            places.append(columns.index(name))
        rows = []
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(columns):
                raise ParameterError(
                    f"{path}, line {reader.line_num}: there must be {len(columns)} values, as in the first line, "
                    f"got {len(row)}"
                )
            rows.append((reader.line_num, row[places[0]].strip(), row[places[1]].strip()))
        return rows
    except csv.Error as error:
        raise PrimumError(f"{path}, line {reader.line_num}: {error}") from None


def _read(path: str | os.PathLike[str]) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except (OSError, ValueError, TypeError) as error:  # a ValueError: a null character in the path
        raise PrimumError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        return content.decode("utf-8-sig")  # some programs put a mark in front
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PrimumError(f"{path} is not a text file in UTF-8 (at line {line}: {error.reason})") from None
