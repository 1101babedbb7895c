"""Lines, reference lines and marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Line:
    """One line or series of bars: its middle, and an interval that is not drawn where it is NaN."""

    label: str
    middle: Array
    low: Array
    high: Array
    colour: int | None = None  # a position among the colours and dashes, if not that of the line
    level: bool = False  # the same everywhere, so that no point of it is marked

    def position(self, place: int) -> int:
        """The position of its colour and dash, if it is at this place among the lines."""
        return place if self.colour is None else self.colour

    @property
    def banded(self) -> bool:
        """Whether there is an interval anywhere."""
        return bool((np.isfinite(self.low) & np.isfinite(self.high)).any())


@dataclass(frozen=True)
class Reference:
    """A grey reference line, which may leave the axes; the legend shows its label and its note."""

    label: str
    note: str
    middle: Array
    dash: tuple[float, ...]


@dataclass(frozen=True)
class Mark:
    """A thin grey vertical line with a label."""

    x: float
    label: str
