"""Scatter plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import interactive, ranges, static, style, table

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
class Dots:
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

    def interactive(self) -> Any:
        """A Plotly figure."""
        import plotly.graph_objects as go

        figure, (x_range, y_range) = go.Figure(), self._ranges()
        if self.diagonal:
            figure.add_scatter(
                x=x_range,
                y=x_range,
                mode="lines",
                line={"color": style.DARK_GREY, "width": 1.5, "dash": "dash"},
                hoverinfo="skip",
                showlegend=False,
            )
        for i, cloud in enumerate(self.series):
            x, y, label = self._drawn(cloud)
            figure.add_scatter(
                x=x,
                y=y,
                mode="markers+text" if self.named else "markers",
                text=[style.for_plotly(label)] * len(x) if self.named else None,
                textposition="top center",
                marker={"color": style.colour(i), "symbol": style.marker(i)[1]}
                | ({"size": 11} if self.named else {"size": 7, "opacity": 0.65}),
                hovertemplate="%{x:.4g}, %{y:.4g}",
                name=style.for_plotly(label),
            )
        interactive.dress(figure, self.title, self.subtitle, entries=self._entries)
        figure.update_xaxes(interactive.scale(self.x_label, x_range, log=self.log))
        figure.update_yaxes(interactive.scale(self.y_label, y_range, log=self.log))
        return figure

    def static(self) -> Any:
        """A Matplotlib figure."""
        figure = static.new(static.WIDTH * 0.85, 4.8, self.title, self.subtitle)
        axes, (x_range, y_range) = figure.add_subplot(), self._ranges()
        static.dress(axes, self.x_label, self.y_label)
        static.scale(axes, "x", x_range, log=self.log)
        static.scale(axes, "y", y_range, log=self.log)
        if self.diagonal:
            axes.plot(x_range, x_range, color=style.DARK_GREY, linewidth=1.2, linestyle=(0, (5, 3)), zorder=1.5)
        handles = []
        for i, cloud in enumerate(self.series):
            x, y, label = self._drawn(cloud)
            look = {"color": style.colour(i), "marker": style.marker(i)[0], "linewidths": 0}
            look |= {"s": 70} if self.named else {"s": 26, "alpha": 0.65}
            handles.append(axes.scatter(x, y, label=style.for_matplotlib(label), **look))
            for place in zip(x, y, strict=True) if self.named else ():
                at = {"xytext": (0, 7), "textcoords": "offset points", "ha": "center", "fontsize": static.SMALL}
                axes.annotate(style.for_matplotlib(label), place, **at)
        if self._entries:
            static.legend_below(figure, handles, handle=1.5)
        return figure

    @property
    def _entries(self) -> int:
        return len(self.series) if len(self.series) > 1 and not self.named else 0

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
