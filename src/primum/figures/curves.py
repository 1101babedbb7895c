"""Curves over steps, each with a band."""

from __future__ import annotations

import textwrap
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
class Reference:
    """A grey curve to compare with, which may leave the picture; the legend shows its label and its note."""

    label: str
    note: str
    middle: Array
    dash: tuple[float, ...]

    def text(self, width: int) -> list[str]:
        """Lines of at most `width` characters for the legend."""
        return textwrap.wrap(f"{self.label}: {self.note}", width)


@dataclass(frozen=True)
class Curves:
    """Lines over steps; the position of a line decides its colour and dash. References do not stretch the picture."""

    title: str
    subtitle: str
    y_label: str
    steps: Array
    lines: tuple[Line, ...]
    log: bool = False  # a logarithmic axis of steps
    share: bool = False  # the vertical axis is a share, from 0 to 1
    references: tuple[Reference, ...] = ()

    def _range(self) -> tuple[float, float]:
        """The vertical range of the lines with their bands."""
        ends = [end for line in self.lines for end in (line.low, line.middle, line.high)]
        low, high = min(0.0, float(np.nanmin(ends))), float(np.nanmax(ends))
        return 1.05 * low, 1.05 * high or 1.0

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
                line={"color": style.colour(i), "width": style.WIDTH, "dash": _plotly_dash(style.dash(i))},
                customdata=np.stack([line.low, line.high], axis=1),
                hovertemplate="%{y:.4g} [%{customdata[0]:.4g}, %{customdata[1]:.4g}]",
                name=names[i],
                legendgroup=str(i),
            )
        for reference in self.references:
            figure.add_scatter(
                x=self.steps,
                y=reference.middle,
                mode="lines",
                line={"color": style.DARK_GREY, "width": style.WIDTH, "dash": _plotly_dash(reference.dash)},
                hovertemplate=f"%{{y:.4g}}<extra>{style.for_plotly(reference.label)}</extra>",
                name="<br>".join(style.for_plotly(line) for line in reference.text(50)),  # a telephone has room
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
        elif self.references:
            figure.update_yaxes(range=self._range())
            figure.update_layout(height=450 + 50 * len(self.references))
        return figure

    def static(self) -> Any:
        """A Matplotlib figure."""
        matplotlib = style.matplotlib()
        figure = matplotlib.figure.Figure(
            figsize=(
                7.0 + 2.0 * (len(self.lines) > MOST_INSIDE),
                max(4.2, 0.5 + 0.175 * len(self.lines)) + 0.3 * len(self.references),  # the legend has a line for each
            ),
            dpi=150,
            layout="constrained",
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
        elif self.references:
            axes.set_ylim(self._range())
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
        if self.references:
            figure.legend(
                handles=[
                    axes.plot(
                        self.steps,
                        reference.middle,
                        color=style.DARK_GREY,
                        linestyle=(0, reference.dash),
                        linewidth=1.6,
                        label="\n".join(style.for_matplotlib(line) for line in reference.text(100)),
                    )[0]
                    for reference in self.references
                ],
                loc="outside lower left",
                fontsize="small",
                handlelength=3.5,
                frameon=False,
            )
        return figure


def _plotly_dash(dash: tuple[float, ...]) -> str:
    return ",".join(f"{part * style.WIDTH:g}px" for part in dash) or "solid"
