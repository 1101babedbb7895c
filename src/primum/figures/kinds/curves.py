"""Line charts with bands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from primum.figures import interactive, ranges, static, style, table
from primum.figures.parts import Line, Mark, Reference
from primum.figures.sheet import SCREEN, Sheet

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]
POINTS_WITH_MARKERS = 20  # a longer line has no markers


@dataclass(frozen=True)
class Curves:
    """Lines over steps or another axis; reference lines do not extend the axis, unless it is `framed`."""

    title: str
    subtitle: str
    y_label: str
    x: Array
    lines: tuple[Line, ...]
    log: bool = False  # a logarithmic horizontal axis
    share: bool = False  # the vertical axis is a share, from 0 to `top`
    references: tuple[Reference, ...] = ()
    x_label: str = "Step"
    log_y: bool = False
    legend: str = "Policy"
    marks: tuple[Mark, ...] = ()
    framed: bool = False  # the vertical axis fits the lines and references, instead of beginning at zero
    top: float = 1.0
    stepped: bool = False  # lines stay level up to the next point, and no point is marked
    joined: bool = False  # lines continue over points that are not a number

    named: ClassVar[bool] = False  # whether there are names on the horizontal axis

    def data(self) -> Dataset:
        """The data, by line and then by reference line."""
        line, x = table.axis(self.legend), table.axis(self.x_label)
        labels = [part.label for part in self.lines] + [part.label for part in self.references]
        none = np.full(len(self.x), np.nan)
        bands = [(part.low, part.middle, part.high) for part in self.lines]
        low, middle, high = np.stack([*bands, *((none, part.middle, none) for part in self.references)], axis=1)
        coordinates = {line: (line, labels, self.legend), x: (x, self.x, self.x_label)}
        variables = table.estimates((line, x), middle, low, high, self.y_label)
        return table.dataset(self.title, self.subtitle, coordinates, variables)

    def interactive(self) -> Any:
        """A Plotly figure."""
        import plotly.graph_objects as go

        shown = self._shown()
        entries = len(self.lines) + 2 * len(self.references)
        layout = interactive.layout(self.title, self.subtitle, legend=self.legend, entries=entries)
        layout |= {"hovermode": interactive.hovermode(named=self.named), "xaxis": self.x_axis(), "yaxis": self.y_axis()}
        figure = go.Figure(self.traces(), layout)
        for mark in shown.marks:
            at_left = ranges.at_left(mark.x, shown._x_range(), log=self.log)
            interactive.mark(figure, mark.x, mark.label, log=self.log, at_left=at_left)
        return figure

    def traces(self) -> list[dict[str, Any]]:
        """Plotly traces: bands, then lines, then reference lines."""
        shown = self._shown()
        bands = [self._band_trace(line, line.position(i)) for i, line in enumerate(shown.lines) if line.banded]
        lines = [self._line_trace(line, line.position(i)) for i, line in enumerate(shown.lines)]
        return [
            {"type": "scatter", "x": shown.x} | trace
            for trace in (*bands, *lines, *(self._reference_trace(reference) for reference in shown.references))
        ]

    def _band_trace(self, line: Line, at: int) -> dict[str, Any]:
        x, line = self._points(line)
        x, y = interactive.outline(x, *self._band(line))
        return {
            "x": x,
            "y": y,
            "mode": "lines",
            "fill": "toself",
            "fillcolor": style.faded(style.colour(at), 0.18),
            "line": {"width": 0},
            "hoverinfo": "skip",
            "name": style.for_plotly(style.short(line.label)),
            "legendgroup": str(at),
            "showlegend": False,
        }

    def _line_trace(self, line: Line, at: int) -> dict[str, Any]:
        hover = "%{y} [%{customdata[0]}, %{customdata[1]}]" if line.banded else "%{y}"
        x, line = self._points(line)
        return {
            "x": x,
            "y": self._middle(line),
            "mode": "lines+markers" if self._is_marked(line) else "lines",
            "line": {"color": style.colour(at), "width": style.WIDTH, "dash": interactive.dash(style.dash(at))}
            | ({"shape": "hv"} if self.stepped else {}),
            "marker": {"symbol": style.marker(at)[1], "size": 7},
            "customdata": np.stack([line.low, line.high], axis=1) if line.banded else None,
            "hovertemplate": hover.replace("}", ":.1%}" if self.share else ":.4g}"),
            "name": style.for_plotly(style.short(line.label)),
            "legendgroup": str(at),
        }

    def _reference_trace(self, reference: Reference) -> dict[str, Any]:
        label = interactive.lines(reference.label, interactive.LEGEND_LETTERS)
        return {
            "y": self._middle(reference),
            "mode": "lines",
            "line": {"color": style.DARK_GREY, "width": style.WIDTH, "dash": interactive.dash(reference.dash)},
            "hovertemplate": f"%{{y:.4g}}<extra>{'<br>'.join(label)}</extra>",
            "name": "<br>".join(map(style.for_plotly, reference.text(interactive.LEGEND_LETTERS))),
        }

    def x_axis(self) -> dict[str, Any]:
        """The horizontal axis for Plotly."""
        return interactive.scale(self.x_label, self._shown()._x_range(), log=self.log)

    def y_axis(self) -> dict[str, Any]:
        """The vertical axis for Plotly."""
        free = self.framed or not (self.share or self.log_y or self.references)  # rescales with the visible lines
        axis = interactive.scale(self.y_label, None if free else self._y_range(), log=self.log_y)
        return axis | {"rangemode": "normal" if self.framed else "tozero", "tickformat": ".0%" if self.share else None}

    def static(self, sheet: Sheet = SCREEN) -> Any:
        """A Matplotlib figure."""
        place = sheet.place(len(self.lines))
        if place == "inside" and self.marks and not self.references:
            place = "below"  # inside it could hide their labels
        beside = sheet.beside(line.label for line in self.lines) if place == "beside" else 0.0
        if sheet.width is None:
            beside = 2.6 * (place == "beside")
            width, height = self._width + beside, 4.0
        else:
            width, height = sheet.width, 0.3 + min(max(1.6, 0.62 * sheet.width), 4.0) + self.below(sheet)
        if place == "beside":  # one legend entry each
            height = max(height, 0.9 + 0.2 * sheet.small / static.SMALL * len(self.lines))
        figure = static.new(width, height, self.title, self.subtitle, beside=beside, sheet=sheet)
        axes = figure.add_subplot()
        lines, references = self.draw(axes, sheet)
        below = references if place != "below" else [*lines, *references]
        if place == "beside":
            static.legend(figure, lines, self.legend, "outside right upper", sheet=sheet)
        elif place == "inside":
            static.legend(axes, lines, self.legend, "best", sheet=sheet)
        if below:
            tall = static.legend_below(figure, below, self.legend if place == "below" else "", sheet=sheet)
            if sheet.height is None:
                figure.set_figheight(figure.get_figheight() + tall)
        return figure

    def draw(self, axes: Any, sheet: Sheet = SCREEN) -> tuple[list[Any], list[Any]]:
        """Draw on Matplotlib axes; return the legend entries of the lines and of the reference lines."""
        shown = self._shown()
        static.dress(axes, self.x_label, self.y_label, sheet=sheet)
        lines = []
        for i, line in enumerate(shown.lines):
            at = line.position(i)
            x, line = shown._points(line)
            if line.banded:
                axes.fill_between(x, *self._band(line), color=style.colour(at), alpha=0.18, linewidth=0)
            lines += axes.plot(
                x,
                self._middle(line),
                color=style.colour(at),
                linestyle=(0, style.dash(at)) if style.dash(at) else "solid",
                linewidth=sheet.line,
                marker=style.marker(at)[0] if self._is_marked(line) else "",
                markersize=4.5,
                drawstyle="steps-post" if self.stepped else "default",
                label=style.for_matplotlib(style.short(line.label)),
            )
        references = [
            axes.plot(
                shown.x,
                self._middle(reference),
                color=style.DARK_GREY,
                linestyle=(0, reference.dash),
                linewidth=sheet.line,
                label="\n".join(map(style.for_matplotlib, reference.text(sheet.letters))),
            )[0]
            for reference in shown.references
        ]
        static.scale(axes, "x", shown._x_range(), log=self.log)
        static.scale(axes, "y", self._y_range(), log=self.log_y)
        if self.share:
            axes.yaxis.set_major_formatter(style.matplotlib().ticker.PercentFormatter(1.0))
        for mark in shown.marks:
            at_left = ranges.at_left(mark.x, shown._x_range(), log=self.log)
            static.mark(axes, mark.x, mark.label, at_left=at_left)
        return lines, references

    def below(self, sheet: Sheet) -> float:
        """Inches that names on the horizontal axis need below it."""
        return 0.0

    def _shown(self) -> Curves:
        """Without points that a logarithmic horizontal axis cannot show."""
        if not self.log:
            return self
        at = self.x > 0
        return replace(
            self,
            x=self.x[at],
            lines=tuple(
                replace(line, middle=line.middle[at], low=line.low[at], high=line.high[at]) for line in self.lines
            ),
            references=tuple(replace(reference, middle=reference.middle[at]) for reference in self.references),
            marks=tuple(mark for mark in self.marks if mark.x > 0),
        )

    @property
    def _width(self) -> float:
        """Of the static figure without a legend, in inches."""
        return static.WIDTH

    def _is_marked(self, line: Line) -> bool:
        return len(self.x) <= POINTS_WITH_MARKERS and not (self.stepped or line.level)

    def _points(self, line: Line) -> tuple[Array, Line]:
        """The points of a line that are drawn."""
        x = self._shown().x
        if not self.joined:
            return x, line
        at = np.isfinite(line.middle)
        return x[at], replace(line, middle=line.middle[at], low=line.low[at], high=line.high[at])

    def _middle(self, line: Line | Reference) -> Array:
        return np.where(line.middle > 0, line.middle, np.nan) if self.log_y else line.middle

    def _band(self, line: Line) -> tuple[Array, Array]:
        """Its ends; on a logarithmic axis a band from zero begins at the edge of the axes."""
        if not self.log_y:
            return line.low, line.high
        low = np.maximum(line.low, self._y_range()[0])
        return low, np.where(line.high > low, line.high, np.nan)

    def _x_range(self) -> tuple[float, float]:
        pad = 0.03 if len(self.x) <= POINTS_WITH_MARKERS and not self.stepped else 0.0
        return ranges.limits([*self.x, *(mark.x for mark in self.marks)], log=self.log, pad=pad)

    def _y_range(self) -> tuple[float, float]:
        """The vertical range of the lines with their bands."""
        lows, middles, highs = (
            np.concatenate([getattr(line, part) for line in self.lines]) for part in ("low", "middle", "high")
        )
        ends = np.concatenate([lows, middles, highs])
        if self.log_y:
            return ranges.limits(
                [ranges.log_floor(middles, lows), ends.max(where=np.isfinite(ends), initial=0.0)], log=True
            )
        if self.share:
            return 0.0, self.top
        if self.framed:
            return ranges.limits(np.concatenate([ends, *(reference.middle for reference in self.references)]))
        return ranges.from_zero(ends)
