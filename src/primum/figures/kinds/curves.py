"""Line charts with bands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import parts, ranges, style, table
from primum.figures.parts import Line, Reference
from primum.figures.picture import Picture
from primum.figures.scene import Axis, Curve, Mark, Name, Panel, Rule, Scene, Size

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]
POINTS_WITH_MARKERS = 20  # a longer line has no markers


@dataclass(frozen=True)
class Curves(Picture):
    """Lines over steps or another axis; reference lines do not extend the axis, unless it is `framed`."""

    title: str
    subtitle: str
    y_label: str
    x: Array
    lines: tuple[Line, ...]
    log: bool = False  # a logarithmic horizontal axis
    share: bool = False  # the vertical axis is a share, from 0 to `top`
    references: tuple[Reference, ...] = ()
    x_label: str = "Step"
    log_y: bool = False
    legend: str = "Policy"
    marks: tuple[parts.Mark, ...] = ()
    framed: bool = False  # the vertical axis fits the lines and references, instead of beginning at zero
    top: float = 1.0
    stepped: bool = False  # lines stay level up to the next point, and no point is marked
    joined: bool = False  # lines continue over points that are not a number

    def data(self) -> Dataset:
        """The data, by line and then by reference line."""
        line, x = table.axis(self.legend), table.axis(self.x_label)
        labels = [part.label for part in self.lines] + [part.label for part in self.references]
        none = np.full(len(self.x), np.nan)
        bands = [(part.low, part.middle, part.high) for part in self.lines]
        low, middle, high = np.stack([*bands, *((none, part.middle, none) for part in self.references)], axis=1)
        coordinates = {line: (line, labels, self.legend), x: (x, self.x, self.x_label)}
        variables = table.estimates((line, x), middle, low, high, self.y_label)
        return table.dataset(self.title, self.subtitle, coordinates, variables)

    def scene(self) -> Scene:
        """Lines over their bands, and reference lines."""
        return self._scene(Size(), together=True)

    def _scene(self, size: Size, *, together: bool) -> Scene:
        y = Axis(
            Name(self.y_label),
            self._y_range(),
            self.log_y,
            percent=self.share,
            free=self.framed or not (self.share or self.log_y or self.references),
            zero=not self.framed,
        )
        panel = Panel(self._x_axis(), y, self._marks())
        about: dict[str, Any] = {"place": "fit", "handle": 3.5, "together": together, "size": size}
        return Scene(self.title, self.subtitle, (panel,), Name(self.legend), **about)

    def _x_axis(self) -> Axis:
        return Axis(Name(self.x_label), self._x_range(), self.log)

    def _marks(self) -> tuple[Mark, ...]:
        shown, curves = self._shown(), []
        for i, line in enumerate(shown.lines):
            at, (x, line) = line.position(i), shown._points(line)
            look = style.colour(at), style.dash(at), at if self._is_marked(line) else None, at
            told, band = ((line.low, line.high), self._band(line)) if line.banded else (None, None)
            curves.append(Curve(Name(line.label), x, self._middle(line), *look, told, band, self.stepped))
        references = [
            Curve(Name(one.label), shown.x, self._middle(one), style.DARK_GREY, one.dash, note=Name(one.note))
            for one in shown.references
        ]
        return (*curves, *references, *(Rule(Name(mark.label), mark.x) for mark in shown.marks))

    def _shown(self) -> Curves:
        """Without points that a logarithmic horizontal axis cannot show."""
        if not self.log:
            return self
        at = self.x > 0
        return replace(
            self,
            x=self.x[at],
            lines=tuple(
                replace(line, middle=line.middle[at], low=line.low[at], high=line.high[at]) for line in self.lines
            ),
            references=tuple(replace(reference, middle=reference.middle[at]) for reference in self.references),
            marks=tuple(mark for mark in self.marks if mark.x > 0),
        )

    def _is_marked(self, line: Line) -> bool:
        return len(self.x) <= POINTS_WITH_MARKERS and not (self.stepped or line.level)

    def _points(self, line: Line) -> tuple[Array, Line]:
        """The points of a line that are drawn."""
        x = self._shown().x
        if not self.joined:
            return x, line
        at = np.isfinite(line.middle)
        return x[at], replace(line, middle=line.middle[at], low=line.low[at], high=line.high[at])

    def _middle(self, line: Line | Reference) -> Array:
        return np.where(line.middle > 0, line.middle, np.nan) if self.log_y else line.middle

    def _band(self, line: Line) -> tuple[Array, Array]:
        """Its ends; on a logarithmic axis a band from zero begins at the edge of the axes."""
        if not self.log_y:
            return line.low, line.high
        low = np.maximum(line.low, self._y_range()[0])
        return low, np.where(line.high > low, line.high, np.nan)

    def _x_range(self) -> tuple[float, float]:
        pad = 0.03 if len(self.x) <= POINTS_WITH_MARKERS and not self.stepped else 0.0
        return ranges.limits([*self.x, *(mark.x for mark in self.marks)], log=self.log, pad=pad)

    def _y_range(self) -> tuple[float, float]:
        """The vertical range of the lines with their bands."""
        lows, middles, highs = (
            np.concatenate([getattr(line, part) for line in self.lines]) for part in ("low", "middle", "high")
        )
        ends = np.concatenate([lows, middles, highs])
        if self.log_y:
            return ranges.limits(
                [ranges.log_floor(middles, lows), ends.max(where=np.isfinite(ends), initial=0.0)], log=True
            )
        if self.share:
            return 0.0, self.top
        if self.framed:
            return ranges.limits(np.concatenate([ends, *(reference.middle for reference in self.references)]))
        return ranges.from_zero(ends)
