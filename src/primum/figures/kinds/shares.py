"""Stacked shares of arms by step, one panel for each policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import interactive, ranges, static, style, table
from primum.figures.sheet import SCREEN, Sheet
from primum.text import counted

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]
PANEL_INCHES = 2.7


@dataclass(frozen=True)
class Shares:
    """Stacked areas that add up to one: `panels[policy][step, arm]`; the arms that are not `apart` share an area."""

    title: str
    subtitle: str
    steps: Array
    arms: tuple[str, ...]
    panels: dict[str, Array]
    apart: tuple[int, ...]  # positions of arms
    log: bool = False  # a logarithmic axis of steps
    x_label: str = "Step"
    y_label: str = "Share of pulls"
    legend: str = "Arm"

    def data(self) -> Dataset:
        """The data, by policy, step and arm, grouped arms included."""
        coordinates = {
            "policy": ("policy", list(self.panels), "Policy"),
            "step": ("step", self.steps, self.x_label),
            "arm": ("arm", list(self.arms), self.legend),
        }
        shares = np.stack(list(self.panels.values()))
        variables = {"share": (("policy", "step", "arm"), shares, self.y_label)}
        return table.dataset(self.title, self.subtitle, coordinates, variables)

    def _areas(self) -> list[tuple[str, str, list[Array]]]:
        """Name, colour and shares in each panel, from the bottom of the stack."""
        panels, apart = list(self.panels.values()), list(self.apart)
        areas = [
            (style.short(self.arms[arm]), colour, [shares[:, arm] for shares in panels])
            for arm, colour in zip(apart, style.ramp(len(apart)), strict=True)
        ]
        if others := len(self.arms) - len(apart):
            rest = [np.delete(shares, apart, axis=1).sum(axis=1) for shares in panels]
            areas.append((counted(others, "other"), style.GREY, rest))
        return areas

    def interactive(self) -> Any:
        """A Plotly figure."""
        import plotly.graph_objects as go

        areas = self._areas()
        traces = [
            {
                "type": "scatter",
                "x": self.steps,
                "y": shares,
                "xaxis": f"x{interactive.nth(panel)}",
                "yaxis": f"y{interactive.nth(panel)}",
                "mode": "lines",
                "stackgroup": str(panel),
                "line": {"width": 0.5, "color": "white"},
                "fillcolor": colour,
                "hovertemplate": "%{y:.1%}",
                "name": style.for_plotly(name),
                "legendgroup": str(arm),
                "showlegend": panel == 0,
            }
            for arm, (name, colour, panels) in enumerate(areas)
            for panel, shares in enumerate(panels)
        ]
        x = interactive.scale(self.x_label, ranges.limits(self.steps, log=self.log, pad=0.0), log=self.log)
        y = interactive.scale(self.y_label, (0.0, 1.0)) | {"tickformat": ".0%", "showgrid": False}
        words: dict[str, Any] = {"title": self.title, "subtitle": self.subtitle}
        words |= {"legend": self.legend, "entries": len(areas)}
        return go.Figure(traces, interactive.panels(list(self.panels), x | {"showgrid": False}, y, **words))

    def static(self, sheet: Sheet = SCREEN) -> Any:
        """A Matplotlib figure."""
        rows, columns = sheet.grid(len(self.panels))
        if sheet.width is None:
            size, wide = (1.8 + PANEL_INCHES * max(columns, 2), 1.0 + 2.4 * rows), PANEL_INCHES
        else:
            wide = sheet.width / columns
            size = sheet.width, 0.4 + rows * min(max(1.2, 0.65 * wide), 2.4)
        figure = static.new(*size, self.title, self.subtitle, sheet=sheet)
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for panel, policy in enumerate(self.panels):
            areas = self._panel(grid[panel], panel, sheet)
            name = static.fitting(style.short(policy), wide, sheet.small)
            grid[panel].set_title("\n".join(name), fontsize=sheet.small)
        for axes in grid[len(self.panels) :]:
            axes.remove()
        below = sheet.legend == "below" or (sheet.width is not None and sheet.legend != "beside")
        if below:
            tall = static.legend_below(figure, areas, self.legend, handle=1.5, sheet=sheet)
            if sheet.height is None:
                figure.set_figheight(figure.get_figheight() + tall)
            for axes in grid[max(0, len(self.panels) - columns) : len(self.panels)]:  # the legend leaves no other place
                axes.set_xlabel(style.for_matplotlib(self.x_label), fontsize=sheet.text)
        else:
            static.legend(figure, areas[::-1], self.legend, "outside right center", handle=2.0, sheet=sheet)
            figure.supxlabel(style.for_matplotlib(self.x_label), fontsize=sheet.text)
        figure.supylabel(style.for_matplotlib(self.y_label), fontsize=sheet.text)
        return figure

    def draw(self, axes: Any, sheet: Sheet = SCREEN) -> tuple[list[Any], list[Any]]:
        """Draw the only panel on Matplotlib axes; return the legend entries, those at the top first, and no others."""
        axes.set_xlabel(style.for_matplotlib(self.x_label), fontsize=sheet.text)
        axes.set_ylabel(style.for_matplotlib(self.y_label), fontsize=sheet.text)
        return self._panel(axes, 0, sheet)[::-1], []

    def _panel(self, axes: Any, panel: int, sheet: Sheet) -> list[Any]:
        """Draw a panel on Matplotlib axes; return its areas, from the bottom of the stack."""
        names, colours, shares = zip(*self._areas(), strict=True)
        stack, labels = [area[panel] for area in shares], [style.for_matplotlib(name) for name in names]
        look = {"colors": colours, "labels": labels, "edgecolor": "white", "linewidth": 0.3}
        areas: list[Any] = axes.stackplot(self.steps, stack, **look)
        static.scale(axes, "x", ranges.limits(self.steps, log=self.log, pad=0.0), log=self.log)
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(style.matplotlib().ticker.PercentFormatter(1.0))
        axes.tick_params(labelsize=sheet.small, labelbottom=True)
        return areas
