"""Forest plots: estimates with intervals, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import ranges, style, table
from primum.figures.picture import Picture
from primum.figures.scene import Axis, Mark, Name, Panel, Points, Rule, Scene, Size

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Row:
    """One estimate; an interval that is not a number is not drawn."""

    label: str
    middle: float
    low: float
    high: float
    group: str = ""


@dataclass(frozen=True)
class Forest(Picture):
    """Estimates from top to bottom, coloured by group; neighbours of the same label share a line."""

    title: str
    subtitle: str
    x_label: str
    rows: tuple[Row, ...]
    reference: float | None = None  # a dashed line to compare with
    log: bool = False

    def data(self) -> Dataset:
        """The data, by row."""
        columns = {name: [getattr(row, name) for row in self.rows] for name in ("middle", "low", "high")}
        coordinates = {
            "row": ("row", np.arange(len(self.rows)), "Row, from the top"),
            "label": ("row", [row.label for row in self.rows], "What is estimated"),
            "group": ("row", [row.group for row in self.rows], "Group"),
        }
        variables = table.estimates(("row",), **columns, text=self.x_label)
        return table.dataset(self.title, self.subtitle, coordinates, variables)

    def scene(self) -> Scene:
        """Points with whiskers; those of a label are close to each other."""
        slots, places = self._slots()
        marks: list[Mark] = []
        for i, (group, members) in enumerate(self._groups()):
            low, middle, high = self._ends([self.rows[member] for member in members])
            look = style.colour(i), i
            marks.append(Points(Name(group), middle, places[members], *look, interval=(low, high), along="x"))
        marks += [Rule(x=self.reference, dashed=True)] if self._has_reference else []
        x = Axis(Name(self.x_label), self._range(), self.log)
        y = Axis(limits=(len(slots) - 0.4, -0.6), grid=False, names=tuple(map(Name, slots)), slots=True)
        is_listed = len(self._groups()) > 1
        tall = 1.3 + 0.16 * max(len(self.rows), 2 * len(slots)) + 0.3 * is_listed
        size = Size((6.4, tall), entry=0.0)
        return Scene(self.title, self.subtitle, (Panel(x, y, tuple(marks)),), listed=is_listed, size=size)

    def _slots(self) -> tuple[list[str], Array]:
        """The label of each line, and the position of each row in lines from the top."""
        slots = [(label, len(list(rows))) for label, rows in groupby(row.label for row in self.rows)]
        apart = min(0.28, 0.7 / max((size for _, size in slots), default=1))
        places = [i + apart * (k - (size - 1) / 2) for i, (_, size) in enumerate(slots) for k in range(size)]
        return [label for label, _ in slots], np.array(places)

    def _groups(self) -> list[tuple[str, list[int]]]:
        """The rows of each group."""
        names = dict.fromkeys(row.group for row in self.rows)
        return [(name, [i for i, row in enumerate(self.rows) if row.group == name]) for name in names]

    def _ends(self, rows: Sequence[Row]) -> tuple[Array, Array, Array]:
        """Low, middle and high; without points that a logarithmic axis cannot show."""
        low, middle, high = np.array([(row.low, row.middle, row.high) for row in rows], np.float64).reshape(-1, 3).T
        if self.log:
            low = np.maximum(low, self._range()[0])  # an interval from zero begins at the edge of the axes
            middle, high = (np.where(numbers > 0, numbers, np.nan) for numbers in (middle, high))
        return low, middle, high

    @property
    def _has_reference(self) -> bool:
        return self.reference is not None and (self.reference > 0 or not self.log)

    def _range(self) -> tuple[float, float]:
        ends = [end for row in self.rows for end in (row.middle, row.high)]
        lows = [row.low for row in self.rows]
        if self.log:
            lows = [ranges.log_floor([row.middle for row in self.rows], lows)]
        return ranges.limits([*lows, *ends, *([self.reference] if self._has_reference else [])], log=self.log, pad=0.05)
