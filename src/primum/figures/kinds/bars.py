"""Grouped bar charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primum.figures import scene, style, table
from primum.figures.parts import Line
from primum.figures.picture import Picture
from primum.figures.scene import Axis, Name, Panel, Scene, Size

if TYPE_CHECKING:
    from xarray import Dataset


@dataclass(frozen=True)
class Bars(Picture):
    """A bar of every series for each category, with an interval where it is a number."""

    title: str
    subtitle: str
    x_label: str
    y_label: str
    categories: tuple[str, ...]
    series: tuple[Line, ...]

    def data(self) -> Dataset:
        """The data, by series and category."""
        coordinates = {
            "series": ("series", [one.label for one in self.series], "Series"),
            "category": ("category", list(self.categories), self.x_label),
        }
        low, middle, high = np.stack([(one.low, one.middle, one.high) for one in self.series], axis=1)
        variables = table.estimates(("series", "category"), middle, low, high, self.y_label)
        return table.dataset(self.title, self.subtitle, coordinates, variables)

    def scene(self) -> Scene:
        """Bars beside each other."""
        names, bars = tuple(map(Name, self.categories)), []
        for i, one in enumerate(self.series):
            at = one.position(i)
            bars.append(scene.Bars(Name(one.label), one.middle, (one.low, one.high), style.colour(at), at))
        panel = Panel(Axis(Name(self.x_label), grid=False, names=names), Axis(Name(self.y_label)), tuple(bars))
        size = Size((max(6.4, 0.55 * len(names)), 4.0), entry=0.0)
        return Scene(self.title, self.subtitle, (panel,), listed=len(bars) > 1, handle=2.0, size=size)
