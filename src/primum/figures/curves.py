"""Curves over steps, each with a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.figures import style

Array = np.ndarray[Any, Any]
MOST_INSIDE = 6  # a legend of more lines than this stands beside the axes


@dataclass(frozen=True)
class Line:
    """One curve: its middle, and a band that is not drawn where it is not a number."""

    label: str
    middle: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Curves:
    """Lines over steps; the position of a line decides its colour and dash."""

    title: str
    subtitle: str
    y_label: str
    steps: Array
    lines: tuple[Line, ...]
    log: bool = False  # a logarithmic axis of steps
    share: bool = False  # the vertical axis is a share, from 0 to 1

    def interactive(self) -> Any:
        """A Plotly figure."""
        import plotly.graph_objects as go

        figure = go.Figure()
        names = [style.for_plotly(style.short(line.label)) for line in self.lines]
        for i, line in enumerate(self.lines):
            if np.isfinite(line.low).all():
                figure.add_scatter(
                    x=np.concatenate([self.steps, self.steps[::-1]]),
                    y=np.concatenate([line.high, line.low[::-1]]),
                    mode="lines",
                    fill="toself",
                    fillcolor=style.faded(style.colour(i), 0.18),
                    line_width=0,
                    hoverinfo="skip",
                    name=names[i],
                    legendgroup=str(i),
                    showlegend=False,
                )
        for i, line in enumerate(self.lines):
            figure.add_scatter(
                x=self.steps,
                y=line.middle,
                mode="lines",
                line={"color": style.colour(i), "width": style.WIDTH, "dash": _plotly_dash(i)},
                customdata=np.stack([line.low, line.high], axis=1),
                hovertemplate="%{y:.4g} [%{customdata[0]:.4g}, %{customdata[1]:.4g}]",
                name=names[i],
                legendgroup=str(i),
            )
        figure.update_layout(
            template="simple_white",
            title={"text": style.for_plotly(self.title), "subtitle": {"text": style.for_plotly(self.subtitle)}},
            hovermode="x unified",
            legend=style.LEGEND | {"title": {"text": "Policy"}},
        )
        figure.update_xaxes(title="Step", type="log" if self.log else "linear", showgrid=True)
        if self.log:
            figure.update_xaxes(dtick=1)
        figure.update_yaxes(title=style.for_plotly(self.y_label), showgrid=True, rangemode="tozero")
        if self.share:
            figure.update_yaxes(range=[0, 1], tickformat=".0%")
        return figure

    def static(self) -> Any:
        """A Matplotlib figure."""
        matplotlib = style.matplotlib()
        figure = matplotlib.figure.Figure(
            figsize=(7.0 + 2.0 * (len(self.lines) > MOST_INSIDE), 4.2), dpi=150, layout="constrained"
        )
        axes = figure.add_subplot()
        for i, line in enumerate(self.lines):
            if np.isfinite(line.low).all():
                axes.fill_between(self.steps, line.low, line.high, color=style.colour(i), alpha=0.18, linewidth=0)
            dashes = (0, style.dash(i)) if style.dash(i) else "solid"
            label = style.for_matplotlib(style.short(line.label))
            axes.plot(self.steps, line.middle, color=style.colour(i), linestyle=dashes, linewidth=1.6, label=label)
        axes.set_title(
            f"{style.for_matplotlib(self.title)}\n{style.for_matplotlib(self.subtitle)}", fontsize="medium", loc="left"
        )
        axes.set_xlabel("Step")
        axes.set_ylabel(style.for_matplotlib(self.y_label))
        axes.set_xscale("log" if self.log else "linear")
        axes.set_xlim(self.steps[0], self.steps[-1])
        if self.share:
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1.0))
        elif all(np.nanmin([line.low, line.middle]) >= 0 for line in self.lines):
            axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        crowded = len(self.lines) > MOST_INSIDE
        (figure if crowded else axes).legend(
            title="Policy",
            loc="outside right upper" if crowded else "best",
            fontsize="small",
            title_fontsize="small",
            handlelength=3.5,
            frameon=False,
        )
        return figure


def _plotly_dash(position: int) -> str:
    return ",".join(f"{part * style.WIDTH:g}px" for part in style.dash(position)) or "solid"
