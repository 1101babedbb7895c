"""Tables with more columns than a screen has room for."""

from __future__ import annotations

from typing import ClassVar

import pandas
from pandas import DataFrame

from primum.text import counted

SCREEN = 100  # columns of text
DIGITS = 4  # after the decimal point


class WideTable(DataFrame):
    """A data frame that leaves out columns when it is printed until it fits a screen, and says how many.

    It has them all the same: ``table["name"]``, `to_csv` and `to_string` know nothing of screens.
    """

    _aside: ClassVar[tuple[tuple[str, ...], ...]] = ()  # groups of columns, those that are left out first

    @property
    def _constructor(self) -> type[DataFrame]:
        return type(self)

    def _fitting(self) -> DataFrame:
        """The columns that are printed."""
        shown = DataFrame(self)
        for group in self._aside:
            if _width(shown) <= SCREEN:
                break
            shown = shown.drop(columns=[name for name in group if name in shown])
        return shown

    def _left_out(self, shown: DataFrame) -> str:
        count = self.shape[1] - shown.shape[1]
        return f"{counted(count, 'more column')}; to_string() shows all" if count else ""

    def __repr__(self) -> str:
        shown = self._fitting()
        left_out = self._left_out(shown)
        return f"{_text(shown)}\n[{left_out}]" if left_out else super().__repr__()

    def _repr_html_(self) -> str | None:
        shown = self._fitting()
        left_out = self._left_out(shown)
        with pandas.option_context("display.precision", DIGITS):
            table: str | None = shown._repr_html_()  # type: ignore[operator]
        return f"{table}<p>{left_out}</p>" if table and left_out else table


class RankingTable(WideTable):
    """The data frame that `StudyResults.ranking` returns."""

    _aside = ("title", "best_in"), ("worst_low", "worst_high"), ("worst_at",), ("worst",)


def _text(table: DataFrame) -> str:
    rows, fewer = pandas.get_option("display.max_rows"), pandas.get_option("display.min_rows")
    is_cut = bool(rows) and len(table) > rows
    with pandas.option_context("display.precision", DIGITS):
        text = table.to_string(max_rows=rows, min_rows=fewer, show_dimensions=is_cut)
    return "\n".join(line.rstrip() for line in text.splitlines())


def _width(table: DataFrame) -> int:
    return max(map(len, _text(table).splitlines()))
