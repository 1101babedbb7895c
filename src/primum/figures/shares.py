"""Shares of arms over steps, stacked, one panel for each policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import interactive, ranges, static, style, table

if TYPE_CHECKING:
    from xarray import Dataset

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

    def data(self) -> Dataset:
        """What is drawn, for each policy, step and arm, also for those that are grouped."""
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

        rows, columns = style.grid(len(self.panels))
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
        # the names of the panels stand below the heading
        interactive.dress(figure, self.title, self.subtitle, legend="Arm", entries=len(figure.data) // len(self.panels))
        top, height = figure.layout.margin.t + 25, figure.layout.height + 270 * rows - 370
        figure.update_layout(hovermode="x unified", height=height, margin_t=top)
        ends = ranges.limits(self.steps, log=self.log, pad=0.0)
        figure.update_xaxes(interactive.scale("", ends, log=self.log), showgrid=False, showticklabels=True)
        figure.update_annotations(font_size=13)  # the names of the panels
        figure.update_xaxes(title="Step", row=rows)
        figure.update_yaxes(range=[0, 1], tickformat=".0%")
        figure.update_yaxes(title="Share of pulls", col=1)
        return figure

    def static(self) -> Any:
        """A Matplotlib figure."""
        matplotlib = style.matplotlib()
        rows, columns = style.grid(len(self.panels))
        size = (1.8 + 2.7 * max(columns, 2), 1.0 + 2.4 * rows)
        figure = static.new(*size, self.title, self.subtitle)
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        names, colours, shares = zip(*self._areas(), strict=True)
        for panel, policy in enumerate(self.panels):
            axes = grid[panel]
            stack = [area[panel] for area in shares]
            areas = axes.stackplot(self.steps, stack, colors=colours, edgecolor="white", linewidth=0.3)
            axes.set_title(style.for_matplotlib(style.short(policy)), fontsize=static.SMALL)
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
