"""Stacked shares of arms by step, one panel for each policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import interactive, ranges, static, style, table
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

    def data(self) -> Dataset:
        """The data, by policy, step and arm, grouped arms included."""
        coordinates = {
            "policy": ("policy", list(self.panels), "Policy"),
            "step": ("step", self.steps, "Step"),
            "arm": ("arm", list(self.arms), "Arm"),
        }
        shares = np.stack(list(self.panels.values()))
        variables = {"share": (("policy", "step", "arm"), shares, "Share of pulls")}
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
        x = interactive.scale("Step", ranges.limits(self.steps, log=self.log, pad=0.0), log=self.log)
        y = interactive.scale("Share of pulls", (0.0, 1.0)) | {"tickformat": ".0%", "showgrid": False}
        words: dict[str, Any] = {"title": self.title, "subtitle": self.subtitle, "legend": "Arm", "entries": len(areas)}
        return go.Figure(traces, interactive.panels(list(self.panels), x | {"showgrid": False}, y, **words))

    def static(self) -> Any:
        """A Matplotlib figure."""
        matplotlib = style.matplotlib()
        rows, columns = style.grid(len(self.panels))
        size = (1.8 + PANEL_INCHES * max(columns, 2), 1.0 + 2.4 * rows)
        figure = static.new(*size, self.title, self.subtitle)
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        names, colours, shares = zip(*self._areas(), strict=True)
        for panel, policy in enumerate(self.panels):
            axes = grid[panel]
            stack = [area[panel] for area in shares]
            areas = axes.stackplot(self.steps, stack, colors=colours, edgecolor="white", linewidth=0.3)
            name = static.fitting(style.short(policy), PANEL_INCHES, static.SMALL)
            axes.set_title("\n".join(name), fontsize=static.SMALL)
            static.scale(axes, "x", ranges.limits(self.steps, log=self.log, pad=0.0), log=self.log)
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1.0))
            axes.tick_params(labelsize=static.SMALL, labelbottom=True)
        for axes in grid[len(self.panels) :]:
            axes.remove()
        figure.legend(
            areas[::-1],
            [style.for_matplotlib(name) for name in names[::-1]],
            title="Arm",
            loc="outside right center",
            fontsize=static.SMALL,
            title_fontsize=static.SMALL,
            frameon=False,
        )
        figure.supxlabel("Step", fontsize=static.TEXT)
        figure.supylabel("Share of pulls", fontsize=static.TEXT)
        return figure
