"""Grouped bar charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import interactive, static, style, table
from primum.figures.parts import Line

if TYPE_CHECKING:
    from xarray import Dataset

DARK = "#333333"  # whiskers, visible on every colour


@dataclass(frozen=True)
class Bars:
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

    def interactive(self) -> Any:
        """A Plotly figure."""
        import plotly.graph_objects as go

        figure = go.Figure()
        places = np.arange(len(self.categories))  # equal names would be merged
        names = [style.for_plotly(style.short(name)) for name in self.categories]
        for i, one in enumerate(self.series):
            at = one.position(i)
            figure.add_bar(
                x=places,
                y=one.middle,
                error_y=interactive.reach(one.middle, one.low, one.high) | {"color": DARK},
                marker={
                    "color": style.colour(at),
                    "pattern": {"shape": style.hatch(at)[1], "fgcolor": "white", "size": 6, "solidity": 0.25},
                },
                hovertext=[
                    f"{name}<br>{interactive.hover(*numbers)}"
                    for name, *numbers in zip(names, one.middle, one.low, one.high, strict=True)
                ],
                hovertemplate="%{hovertext}",
                name=style.for_plotly(style.short(one.label)),
            )
        entries = len(self.series) if len(self.series) > 1 else 0
        interactive.dress(figure, self.title, self.subtitle, entries=entries)
        figure.update_layout(barmode="group", bargap=0.2)
        figure.update_xaxes(interactive.scale(self.x_label), showgrid=False, tickvals=places, ticktext=names)
        figure.update_xaxes(autotickangles=[0, -35, -90])
        figure.update_yaxes(interactive.scale(self.y_label))
        return figure

    def static(self) -> Any:
        """A Matplotlib figure."""
        count = len(self.categories)
        figure = static.new(max(static.WIDTH, 0.55 * count), 4.0, self.title, self.subtitle)
        axes = figure.add_subplot()
        static.dress(axes, self.x_label, self.y_label, grid="y")
        width = 0.8 / max(len(self.series), 1)
        handles = []
        for i, one in enumerate(self.series):
            at = one.position(i)
            places = np.arange(count) + (i - (len(self.series) - 1) / 2) * width
            name = style.for_matplotlib(style.short(one.label))
            look = {"color": style.colour(at), "hatch": style.hatch(at)[0], "edgecolor": "white", "linewidth": 0.5}
            handles.append(axes.bar(places, one.middle, width, label=name, **look))
            static.whiskers(axes, places, one.low, one.high, upright=True, colour=DARK)
        static.categories(axes, self.categories, 0.85 * figure.get_figwidth())
        if len(handles) > 1:
            static.legend_below(figure, handles, handle=2.0)
        return figure
