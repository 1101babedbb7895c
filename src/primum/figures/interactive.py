"""What all Plotly figures share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from primum.figures import style

Array = np.ndarray[Any, Any]

# Below the picture, so that a narrow page leaves it its width.
LEGEND = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"}

# Pixels, and characters that fit a page of 360 pixels.
TITLE, SUBTITLE = 15, 12
TITLE_LETTERS, SUBTITLE_LETTERS, LEGEND_LETTERS = 44, 56, 50


def dress(figure: Any, title: str, subtitle: str, *, legend: str = "", entries: int = 0, height: int = 400) -> None:
    """Heading, legend and margins; the height leaves room for one entry of the legend in each line."""
    above, below = lines(title, TITLE_LETTERS), lines(subtitle, SUBTITLE_LETTERS)
    top = 24 + 20 * len(above) + 16 * len(below)
    figure.update_layout(
        template="simple_white",
        title={
            "text": "<br>".join(above),
            "font_size": TITLE,
            "subtitle": {"text": "<br>".join(below), "font_size": SUBTITLE},
            "x": 0,
            "y": 1,
            "yanchor": "top",
            "pad": {"t": 12, "l": 10},
        },
        legend=LEGEND | {"title": {"text": style.for_plotly(legend)}},
        showlegend=entries > 0,
        height=top + height + 20 * entries,
        margin={"l": 10, "r": 15, "t": top, "b": 50},
    )


def lines(text: str, width: int) -> list[str]:
    return [style.for_plotly(line) for line in style.wrapped(text, width)]


def scale(label: str, limits: tuple[float, float] | None = None, *, log: bool = False) -> dict[str, Any]:
    """Title and range of an axis."""
    axis: dict[str, Any] = {"title": {"text": style.for_plotly(label)}, "type": "log" if log else "linear"}
    axis |= {"showgrid": True, "automargin": True}
    if limits is not None:
        axis["range"] = [math.log10(end) for end in limits] if log else list(limits)
        if log and limits[1] >= 100 * limits[0]:
            axis["dtick"] = 1
    return axis


def hover(middle: float, low: float, high: float) -> str:
    """A number with its interval, if it has one."""
    return f"{middle:.4g} [{low:.4g}, {high:.4g}]" if np.isfinite([low, high]).all() else f"{middle:.4g}"


def dash(dash: tuple[float, ...]) -> str:
    return ",".join(f"{part * style.WIDTH:g}px" for part in dash) or "solid"


def mark(figure: Any, x: float, label: str, *, log: bool) -> None:
    """A thin vertical line with its label along it."""
    figure.add_shape(
        type="line", x0=x, x1=x, y0=0, y1=1, yref="paper", line={"color": style.DARK_GREY, "width": 1}, layer="below"
    )
    figure.add_annotation(
        x=math.log10(x) if log else x,  # an annotation, unlike a shape, wants the logarithm
        y=1,
        yref="paper",
        text=style.for_plotly(style.short(label)),
        textangle=-90,
        showarrow=False,
        xanchor="right",
        yanchor="top",
        font={"color": style.DARK_GREY, "size": 12},
        bgcolor="rgba(255, 255, 255, 0.7)",
    )


def reach(middle: Any, low: Any, high: Any) -> dict[str, Any]:
    """Error bars, for those intervals that are numbers."""
    known = np.isfinite(low) & np.isfinite(high)
    up, down = (np.where(known, length, np.nan) for length in (high - middle, middle - low))
    return {"type": "data", "array": up, "arrayminus": down, "thickness": 1.5, "width": 4}


def outline(x: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """The corners of a band, piece by piece where it has gaps."""
    known = np.isfinite(low) & np.isfinite(high)
    xs: list[Any] = []
    ys: list[Any] = []
    for piece in np.split(np.arange(len(x)), np.flatnonzero(np.diff(known)) + 1):
        if len(piece) and known[piece[0]]:
            gap = [np.nan] if xs else []
            xs += [gap, x[piece], x[piece[::-1]]]
            ys += [gap, high[piece], low[piece[::-1]]]
    return (np.concatenate(xs), np.concatenate(ys)) if xs else (np.empty(0), np.empty(0))
