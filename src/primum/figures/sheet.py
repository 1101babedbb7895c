"""The size of a static figure, its fonts, and the place of its legend."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from primum.figures import style

# Inches and points: on paper, a figure of this width keeps its fonts readable in a column of half the page.
WIDTH = 6.4
LETTER = 0.52 / 72  # the width of a letter, in inches for each point of its size
ENTRIES_IN_INNER_LEGEND = 6  # a longer legend is placed outside the axes
ROOM_BESIDE = 4.5  # the width in inches of a figure that has room for a legend beside its axes
FEWEST_LETTERS = 8  # of a line in a legend
PANEL_INCHES = 1.6  # the width of the narrowest panel
PAPER_TEXT, PAPER_WIDTH = 8.0, 7.0  # points, in figures of up to this width; larger in wider ones, as on slides


@dataclass(frozen=True)
class Sheet:
    """What a static figure is drawn on: its size in inches, if it does not follow from what is drawn, and its fonts.

    The legend is "below" or "beside" the axes, "outside" for whichever suits its length, or "inside" if it is short.
    """

    width: float | None = None
    height: float | None = None
    legend: str = "inside"
    text: float = 11.0
    small: float = 9.5
    tiny: float = 8.0
    line: float = 1.6

    @classmethod
    def of(cls, width: float, height: float | None, legend: str) -> Sheet:
        """A sheet of a given width, with fonts for print in that size."""
        text = PAPER_TEXT * max(1.0, width / PAPER_WIDTH)
        return cls(width, height, legend, text, 7 / 8 * text, 6 / 8 * text, 0.15 * text)

    def place(self, entries: int) -> str:
        """Where a legend of so many entries goes."""
        if self.legend in ("below", "beside"):
            return self.legend
        if entries > ENTRIES_IN_INNER_LEGEND and (self.width is None or self.width >= ROOM_BESIDE):
            return "beside"
        return "inside" if self.legend == "inside" and entries <= ENTRIES_IN_INNER_LEGEND else "below"

    def grid(self, panels: int) -> tuple[int, int]:
        """Rows and columns for some panels."""
        rows, columns = style.grid(panels)
        if self.width is not None:
            columns = max(1, min(columns, int(self.width / PANEL_INCHES)))
            rows = math.ceil(panels / columns)
        return rows, columns

    def beside(self, labels: Iterable[str]) -> float:
        """Inches that a legend beside the axes takes."""
        return 1.1 * LETTER * self.small * (max(len(style.short(label)) for label in labels) + 8)

    @property
    def letters(self) -> int:
        """Letters of a line in a legend below the axes."""
        # the handle takes about nine, and a line of wide letters a tenth more
        room = int((self.width or WIDTH) / (1.1 * LETTER * self.small)) - 9
        return min(max(room, FEWEST_LETTERS), 80)


SCREEN = Sheet()
