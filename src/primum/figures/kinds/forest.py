"""Forest plots: estimates with intervals, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import interactive, ranges, static, style, table

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]
SLOT_LETTERS = 22  # per line of a label: half the width of a phone is for the estimates


@dataclass(frozen=True)
class Row:
    """One estimate; an interval that is not a number is not drawn."""

    label: str
    middle: float
    low: float
    high: float
    group: str = ""


@dataclass(frozen=True)
class Forest:
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

    def interactive(self) -> Any:
        """A Plotly figure."""
        import plotly.graph_objects as go

        figure, (labels, places) = go.Figure(), self._slots()
        for i, (group, members) in enumerate(self._groups()):
            rows = [self.rows[member] for member in members]
            low, middle, high = self._ends(rows)
            figure.add_scatter(
                x=middle,
                y=places[members],
                mode="markers",
                marker={"color": style.colour(i), "symbol": style.marker(i)[1], "size": 8},
                error_x=interactive.reach(middle, low, high),
                hovertext=[
                    f"{style.for_plotly(style.short(row.label))}<br>{interactive.hover(row.middle, row.low, row.high)}"
                    for row in rows
                ],
                hovertemplate="%{hovertext}",
                name=style.for_plotly(style.short(group)),
            )
        if self._has_reference:
            interactive.upright(figure, self.reference, {"width": 1.5, "dash": "dash"})
        entries = len(self._groups()) if len(self._groups()) > 1 else 0
        names = [interactive.lines(style.short(label), SLOT_LETTERS) for label in labels]
        height = 90 + max(16 * len(self.rows), len(names) * (12 + 15 * max(map(len, names), default=1)))
        interactive.dress(figure, self.title, self.subtitle, entries=entries, height=height)
        figure.update_xaxes(interactive.scale(self.x_label, self._range(), log=self.log, letters=SLOT_LETTERS))
        figure.update_yaxes(
            range=[len(labels) - 0.4, -0.6],
            tickvals=list(range(len(labels))),
            ticktext=["<br>".join(name) for name in names],
            ticks="",
            automargin=True,
        )
        return figure

    def static(self) -> Any:
        """A Matplotlib figure."""
        labels, places = self._slots()
        tall = 1.3 + 0.16 * max(len(self.rows), 2 * len(labels)) + 0.3 * (len(self._groups()) > 1)
        figure = static.new(static.WIDTH, tall, self.title, self.subtitle)
        axes = figure.add_subplot()
        static.dress(axes, self.x_label, "", grid="x")
        static.scale(axes, "x", self._range(), log=self.log)
        handles = []
        for i, (group, members) in enumerate(self._groups()):
            low, middle, high = self._ends([self.rows[member] for member in members])
            static.whiskers(axes, places[members], low, high, upright=False, colour=style.colour(i))
            name = style.for_matplotlib(style.short(group))
            look = {"color": style.colour(i), "marker": style.marker(i)[0], "markersize": 5.5, "linestyle": ""}
            handles += axes.plot(middle, places[members], label=name, zorder=3, **look)
        if self._has_reference:
            axes.axvline(self.reference, color=style.DARK_GREY, linewidth=1.2, linestyle=(0, (5, 3)), zorder=1.5)
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.set_yticks(range(len(labels)), [style.for_matplotlib(style.short(label)) for label in labels])
        axes.tick_params(axis="y", length=0)
        if len(handles) > 1:
            static.legend_below(figure, handles, handle=1.5)
        return figure

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
