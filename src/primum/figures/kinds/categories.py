"""Estimates with intervals by category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primum.figures import style, table
from primum.figures.kinds.curves import Curves
from primum.figures.scene import Axis, Curve, Mark, Name, Points, Scene, Size

if TYPE_CHECKING:
    from xarray import Dataset

NAME_LETTERS = 24  # of a category on a page
WIDEST = 12.0  # inches


@dataclass(frozen=True)
class Categories(Curves):
    """Curves over categories: points with intervals beside each other, because nothing is between two categories.

    `x` are their numbers, from zero on. A line that is `level` is drawn as one.
    """

    names: tuple[str, ...] = ()

    def data(self) -> Dataset:
        """The data, by line and category."""
        x = table.axis(self.x_label)
        return super().data().assign_coords({x: (x, list(self.names), {"long_name": self.x_label})})

    def scene(self) -> Scene:
        """Points beside each other, and level lines."""
        width = min(max(6.4, 1.0 + 0.1 * len(self.x) * len(self.lines)), WIDEST)
        return self._scene(Size((width, 4.0)), together=False)

    def _marks(self) -> tuple[Mark, ...]:
        curves: list[Mark] = []
        points: list[Mark] = []
        count = sum(not line.level for line in self.lines)
        apart, ends = min(0.12, 0.7 / max(count, 1)), np.array(self._x_range())
        for i, line in enumerate(self.lines):
            name, colour, at = Name(line.label), style.colour(line.position(i)), line.position(i)
            if line.level:
                middle, low, high = (np.repeat(part[:1], 2) for part in (line.middle, line.low, line.high))
                band = (low, high) if line.banded else None
                curves.append(Curve(name, ends, middle, colour, style.dash(at), None, at, band, band, rank=i))
            else:
                x, band = self.x + apart * (len(points) - (count - 1) / 2), (line.low, line.high)
                points.append(Points(name, x, line.middle, colour, at, interval=band, group=at, rank=i))
        return (*curves, *points)

    def _x_axis(self) -> Axis:
        names = tuple(map(Name, self.names))
        return Axis(Name(self.x_label), self._x_range(), grid=False, names=names, letters=NAME_LETTERS)

    def _x_range(self) -> tuple[float, float]:
        return -0.5, len(self.names) - 0.5
