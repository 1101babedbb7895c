"""Estimates with intervals by category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from primum.figures import interactive, static, style, table
from primum.figures.kinds.curves import Curves
from primum.figures.parts import Line
from primum.figures.sheet import LETTER, SCREEN, Sheet

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]
NAME_LETTERS = 24  # of a category in interactive figures
WIDEST = 12.0  # inches


@dataclass(frozen=True)
class Categories(Curves):
    """Curves over categories: points with intervals beside each other, because nothing is between two categories.

    `x` are their numbers, from zero on. A line that is `level` is drawn as one.
    """

    names: tuple[str, ...] = ()

    named: ClassVar[bool] = True

    def data(self) -> Dataset:
        """The data, by line and category."""
        x = table.axis(self.x_label)
        return super().data().assign_coords({x: (x, list(self.names), {"long_name": self.x_label})})

    def traces(self) -> list[dict[str, Any]]:
        """Plotly traces: level lines, then points."""
        level = self._level().traces() if self._level().lines else []
        return level + [{"type": "scatter"} | self._point_trace(*placed) for placed in self._places()]

    def _point_trace(self, line: Line, at: int, places: Array) -> dict[str, Any]:
        names = [style.for_plotly(style.short(name)) for name in self.names]
        numbers = zip(names, line.middle, line.low, line.high, strict=True)
        return {
            "x": places,
            "y": line.middle,
            "mode": "markers",
            "marker": {"color": style.colour(at), "symbol": style.marker(at)[1], "size": 8},
            "error_y": interactive.reach(line.middle, line.low, line.high),
            "hovertext": [f"{name}<br>{interactive.hover(*estimate)}" for name, *estimate in numbers],
            "hovertemplate": "%{hovertext}",
            "name": style.for_plotly(style.short(line.label)),
            "legendgroup": str(at),
            "cliponaxis": False,
        }

    def x_axis(self) -> dict[str, Any]:
        """The horizontal axis for Plotly."""
        ticks = {
            "tickvals": self.x,
            "ticktext": [style.for_plotly(style.squeezed(name, NAME_LETTERS)) for name in self.names],
            "autotickangles": [0, -35, -90],
            "tickangle": None,  # chosen from those
            "showgrid": False,
        }
        return interactive.scale(self.x_label, self._x_range()) | ticks

    def draw(self, axes: Any, sheet: Sheet = SCREEN) -> tuple[list[Any], list[Any]]:
        """Draw on Matplotlib axes; return the legend entries of the lines."""
        level = self._level()
        handles = dict(zip([line.colour for line in level.lines], level.draw(axes, sheet)[0] if level.lines else []))
        for line, at, places in self._places():
            static.whiskers(axes, places, line.low, line.high, upright=True, colour=style.colour(at))
            look = {"color": style.colour(at), "marker": style.marker(at)[0], "markersize": 5.5, "linestyle": ""}
            label = style.for_matplotlib(style.short(line.label))
            (handles[at],) = axes.plot(places, line.middle, label=label, zorder=3, clip_on=False, **look)
        static.dress(axes, self.x_label, self.y_label, sheet=sheet)
        axes.grid(visible=False, axis="x")
        static.scale(axes, "x", self._x_range(), log=False)
        static.scale(axes, "y", self._y_range(), log=False)
        static.categories(axes, self.names, static.inches(axes)[0], sheet=sheet)
        return [handles[line.position(i)] for i, line in enumerate(self.lines)], []

    def below(self, sheet: Sheet) -> float:
        """Inches that the names need below the axis if they are askew."""
        return 0.6 * LETTER * sheet.small * max(len(style.short(name)) for name in self.names)

    def _places(self) -> list[tuple[Line, int, Array]]:
        """The lines of points, with the positions of their colours, and where their points are."""
        lines = [(line, line.position(i)) for i, line in enumerate(self.lines) if not line.level]
        apart = min(0.12, 0.7 / max(len(lines), 1))
        return [(line, at, self.x + apart * (i - (len(lines) - 1) / 2)) for i, (line, at) in enumerate(lines)]

    def _level(self) -> Curves:
        """The level lines, from end to end."""
        lines = []
        for i, line in enumerate(self.lines):
            if line.level:
                middle, low, high = (np.repeat(part[:1], 2) for part in (line.middle, line.low, line.high))
                lines.append(Line(line.label, middle, low, high, line.position(i), level=True))
        return Curves("", "", self.y_label, np.array(self._x_range()), tuple(lines))

    @property
    def _width(self) -> float:
        return min(max(static.WIDTH, 1.0 + 0.1 * len(self.x) * len(self.lines)), WIDEST)

    def _x_range(self) -> tuple[float, float]:
        return -0.5, len(self.names) - 0.5
