"""Heat maps of ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import ranges, style, table
from primum.figures.picture import Picture
from primum.figures.scene import NONE, Axis, Cells, Name, Panel, Points, Scene

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]
CELLS_WITH_NUMBERS = 400  # at most
NAMED_COLUMNS = 72  # at most: of more, every second or third one and so on is named
NAME_LETTERS = 40
LARGEST_COLOURED = 1000.0  # larger ratios have the same colour
INFINITE_COLOUR = style.COLOURS[1]  # no blue, for any kind of colour vision


@dataclass(frozen=True)
class HeatMap(Picture):
    """Ratios of at least one, `numbers[row, column]`, as colours on a logarithmic scale.

    Infinite ones stand out, and where a ratio is NaN the cell is white with a dot.
    """

    title: str
    subtitle: str
    x_label: str
    y_label: str
    label: str  # of the ratios
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: Array
    infinite: str  # what it means that a ratio is infinite

    def data(self) -> Dataset:
        """The data, by row and column."""
        row, column = table.axis(self.y_label), table.axis(self.x_label)
        coordinates = {row: (row, list(self.rows), self.y_label), column: (column, list(self.columns), self.x_label)}
        return table.dataset(
            self.title, self.subtitle, coordinates, {"ratio": ((row, column), self.numbers, self.label)}
        )

    def scene(self) -> Scene:
        """Cells with colours, and with their ratios if these are few."""
        ticks = self._ticks()
        cells = Cells(
            label=Name(self.label),
            numbers=self.numbers,
            texts=np.array([[_written(number) for number in row] for row in self.numbers]),
            top=self._top,
            ticks=dict(zip(ticks, self._tick_texts(ticks), strict=True)),
            infinite=Name(self.infinite),
            infinite_colour=INFINITE_COLOUR,
            every=-(-len(self.columns) // NAMED_COLUMNS),
            written=self.numbers.size <= CELLS_WITH_NUMBERS,
        )
        y, x = np.nonzero(np.isnan(self.numbers))
        dots = (Points(NONE, x, y, style.GREY, size="tiny"),) if len(x) else ()
        columns, rows = (tuple(map(Name, names)) for names in (self.columns, self.rows))
        axes = (
            Axis(Name(self.x_label), grid=False, names=columns, letters=NAME_LETTERS),
            Axis(Name(self.y_label), (len(rows) - 0.5, -0.5), grid=False, names=rows, letters=NAME_LETTERS),
        )
        return Scene(self.title, self.subtitle, (Panel(*axes, (cells, *dots)),))

    @property
    def _top(self) -> float:
        """The ratio with the last colour."""
        return float(np.clip(self.numbers.max(where=np.isfinite(self.numbers), initial=2.0), 2.0, LARGEST_COLOURED))

    def _ticks(self) -> list[float]:
        ends = (1.0, self._top)
        return ranges.log_ticks(ends) or [10.0**k for k in range(int(np.log10(ends[1])) + 1)]

    def _tick_texts(self, ticks: list[float]) -> list[str]:
        texts = [f"{tick:,g}" for tick in ticks]
        is_beyond = bool((self.numbers[np.isfinite(self.numbers)] > LARGEST_COLOURED).any())
        return [*texts[:-1], f"≥ {texts[-1]}"] if is_beyond else texts


def _written(number: float) -> str:
    """A ratio in at most five letters or so; nothing for NaN."""
    if np.isnan(number):
        return ""
    if np.isinf(number):
        return "∞"
    if number == 1:
        return "1"
    for end, text in ((9.995, f"{number:.2f}"), (99.95, f"{number:.1f}"), (999.5, f"{number:.0f}")):
        if number < end:
            return text
    return f"{number / 1000:.3g}k" if number < 999_500 else f"{number:.0e}".replace("e+0", "e").replace("e+", "e")
