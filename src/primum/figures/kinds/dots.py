"""Scatter plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import ranges, style, table
from primum.figures.picture import Picture
from primum.figures.scene import Axis, Mark, Name, Panel, Points, Rule, Scene, Size

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Cloud:
    """A series of dots."""

    label: str
    x: Array
    y: Array


@dataclass(frozen=True)
class Dots(Picture):
    """Scatter plot with the diagonal where both coordinates are equal."""

    title: str
    subtitle: str
    x_label: str
    y_label: str
    series: tuple[Cloud, ...]
    diagonal: bool = True
    log: bool = False  # both axes
    framed: bool = False  # the axes fit the dots, instead of beginning at zero
    named: bool = False  # large dots with the name of their series beside them, instead of a legend

    def data(self) -> Dataset:
        """The data, by series and dot; shorter series are padded with NaN."""
        longest = max((len(cloud.x) for cloud in self.series), default=0)
        x, y = np.full((2, len(self.series), longest), np.nan)
        for i, cloud in enumerate(self.series):
            x[i, : len(cloud.x)], y[i, : len(cloud.y)] = cloud.x, cloud.y
        coordinates = {
            "series": ("series", [cloud.label for cloud in self.series], "Series"),
            "dot": ("dot", np.arange(longest), "Dot"),
        }
        variables = {"x": (("series", "dot"), x, self.x_label), "y": (("series", "dot"), y, self.y_label)}
        return table.dataset(self.title, self.subtitle, coordinates, variables)

    def scene(self) -> Scene:
        """Dots in the colours and shapes of their series."""
        marks: list[Mark] = [Rule(dashed=True)] if self.diagonal else []
        for i, cloud in enumerate(self.series):
            x, y, label = self._drawn(cloud)
            look: dict[str, Any] = {"size": "large"} if self.named else {"size": "small", "opacity": 0.65}
            marks.append(Points(Name(label, cloud.label), x, y, style.colour(i), i, text=self.named, **look))
        x_range, y_range = self._ranges()
        x_axis, y_axis = Axis(Name(self.x_label), x_range, self.log), Axis(Name(self.y_label), y_range, self.log)
        return Scene(
            self.title,
            self.subtitle,
            (Panel(x_axis, y_axis, tuple(marks)),),
            listed=len(self.series) > 1 and not self.named,
            size=Size((5.44, 4.8), entry=0.0),
        )

    def _drawn(self, cloud: Cloud) -> tuple[Array, Array, str]:
        """The dots that the axes can show, and a label that counts the others."""
        x, y, label = np.asarray(cloud.x), np.asarray(cloud.y), style.short(cloud.label)
        if not self.log:
            return x, y, label
        at = (x > 0) & (y > 0)
        return x[at], y[at], label if at.all() else f"{label} ({(~at).sum():,} not shown)"

    def _ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        clouds = [self._drawn(cloud) for cloud in self.series]
        x, y = (np.concatenate([[], *(cloud[axis] for cloud in clouds)]) for axis in (0, 1))
        if self.diagonal:
            x = y = np.concatenate([x, y])
        if self.log:
            return ranges.limits(x, log=True, pad=0.05), ranges.limits(y, log=True, pad=0.05)
        if self.framed:
            return ranges.limits(x, pad=0.25 if self.named else 0.1), ranges.limits(y, pad=0.1)
        return ranges.from_zero(x), ranges.from_zero(y)
