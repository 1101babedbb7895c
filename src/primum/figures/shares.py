"""Shares of arms over steps, stacked, one panel for each policy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.figures import style

Array = np.ndarray[Any, Any]
MOST_ARMS = 8


@dataclass(frozen=True)
class Shares:
    """Stacked areas that add up to one: `panels[policy][step, arm]`; beyond the eight most pulled, arms are grouped."""

    title: str
    subtitle: str
    steps: Array
    arms: tuple[str, ...]
    panels: dict[str, Array]
    log: bool = False  # a logarithmic axis of steps

    @property
    def _grid(self) -> tuple[int, int]:
        count = len(self.panels)
        columns = 2 if count == 4 else min(3, count)
        return math.ceil(count / columns), columns

    def _areas(self) -> list[tuple[str, str, list[Array]]]:
        """Name, colour and shares in each panel, from the bottom of the stack."""
        panels = list(self.panels.values())
        final = np.sum([shares[-1] for shares in panels], axis=0)
        shown = np.sort(np.argsort(-final, kind="stable")[:MOST_ARMS])
        areas = [
            (style.short(self.arms[arm]), style.colour(i), [shares[:, arm] for shares in panels])
            for i, arm in enumerate(shown)
        ]
        if hidden := len(self.arms) - len(shown):
            rest = [np.delete(shares, shown, axis=1).sum(axis=1) for shares in panels]
            areas.append((f"{hidden:,} other{'s' * (hidden > 1)}", style.GREY, rest))
        return areas

    def interactive(self) -> Any:
        """A Plotly figure."""
        from plotly.subplots import make_subplots

        rows, columns = self._grid
        figure = make_subplots(
            rows,
            columns,
            shared_xaxes="all",
            shared_yaxes="all",
            subplot_titles=[style.for_plotly(style.short(policy)) for policy in self.panels],
            horizontal_spacing=0.03,
            vertical_spacing=0.25 / rows,
        )
        for arm, (name, colour, panels) in enumerate(self._areas()):
            for panel, shares in enumerate(panels):
                figure.add_scatter(
                    x=self.steps,
                    y=shares,
                    mode="lines",
                    stackgroup=str(panel),
                    line={"width": 0.5, "color": "white"},
                    fillcolor=colour,
                    hovertemplate="%{y:.1%}",
                    name=style.for_plotly(name),
                    legendgroup=str(arm),
                    showlegend=panel == 0,
                    row=panel // columns + 1,
                    col=panel % columns + 1,
                )
        figure.update_layout(
            template="simple_white",
            title={"text": style.for_plotly(self.title), "subtitle": {"text": style.for_plotly(self.subtitle)}},
            hovermode="x unified",
            legend=style.LEGEND | {"title": {"text": "Arm"}},
            height=180 + 270 * rows,
            margin={"t": 110},
        )
        figure.update_xaxes(type="log" if self.log else "linear", showticklabels=True)
        if self.log:
            figure.update_xaxes(dtick=1)
        figure.update_annotations(font_size=13)  # the names of the panels
        figure.update_xaxes(title="Step", row=rows)
        figure.update_yaxes(range=[0, 1], tickformat=".0%")
        figure.update_yaxes(title="Share of pulls", col=1)
        return figure

    def static(self) -> Any:
        """A Matplotlib figure."""
        matplotlib = style.matplotlib()
        rows, columns = self._grid
        size = (1.8 + 2.7 * max(columns, 2), 1.0 + 2.4 * rows)
        figure = matplotlib.figure.Figure(figsize=size, dpi=150, layout="constrained")
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        names, colours, shares = zip(*self._areas(), strict=True)
        for panel, policy in enumerate(self.panels):
            axes = grid[panel]
            stack = [area[panel] for area in shares]
            areas = axes.stackplot(self.steps, stack, colors=colours, edgecolor="white", linewidth=0.3)
            axes.set_title(style.for_matplotlib(style.short(policy)), fontsize="small")
            axes.set_xscale("log" if self.log else "linear")
            axes.set_xlim(self.steps[0], self.steps[-1])
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1.0))
            axes.tick_params(labelsize="small", labelbottom=True)
        for axes in grid[len(self.panels) :]:
            axes.remove()
        figure.legend(
            areas[::-1],
            [style.for_matplotlib(name) for name in names[::-1]],
            title="Arm",
            loc="outside right center",
            fontsize="small",
            title_fontsize="small",
            frameon=False,
        )
        heading = f"{style.for_matplotlib(self.title)}\n{style.for_matplotlib(self.subtitle)}"
        figure.suptitle(heading, fontsize="medium", x=0.01, horizontalalignment="left")
        figure.supxlabel("Step", fontsize="medium")
        figure.supylabel("Share of pulls", fontsize="medium")
        return figure
