"""Shared by all Plotly figures: template, layout, axes and traces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from primum.figures import ranges, style

Array = np.ndarray[Any, Any]

# Below the axes, so that a narrow page does not squeeze them.
LEGEND = {
    "orientation": "h",
    "yref": "container",
    "y": 0,
    "yanchor": "bottom",
    "xref": "container",
    "x": 0,
    "xanchor": "left",
}

# The parts of Plotly's "simple_white" that our figures use: copying all of it for each figure takes two thirds of the
# time.
INK = "rgb(36,36,36)"
HATCHED = {"fillmode": "overlay", "size": 10, "solidity": 0.2}
AXIS = {
    "gridcolor": "rgb(232,232,232)",
    "linecolor": INK,
    "showgrid": False,
    "showline": True,
    "ticks": "outside",
    "title": {"standoff": 15},
    "automargin": True,
    "zeroline": False,
}
TEMPLATE = {
    "data": {
        "bar": [
            {
                "error_x": {"color": INK},
                "error_y": {"color": INK},
                "marker": {"line": {"color": "white", "width": 0.5}, "pattern": HATCHED},
            }
        ],
        "scatter": [{"fillpattern": HATCHED}],
    },
    "layout": {
        "autotypenumbers": "strict",
        "font": {"color": INK},
        "hoverlabel": {"align": "left"},
        "hovermode": "closest",
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "xaxis": AXIS,
        "yaxis": AXIS,
    },
}

# Font sizes in pixels, and characters per line on a page of 360 pixels.
TITLE, SUBTITLE = 15, 12
TITLE_LETTERS, SUBTITLE_LETTERS, LEGEND_LETTERS, AXIS_LETTERS, PANEL_LETTERS = 44, 56, 50, 40, 22
COLUMNS, ROW = 2, 220  # of panels: so many beside each other fit that page, and the height of a row


def layout(title: str, subtitle: str, *, legend: str = "", entries: int = 0, height: int = 400) -> dict[str, Any]:
    """Heading, legend and margins; the height leaves room for one entry of the legend in each line."""
    above, below = lines(title, TITLE_LETTERS), lines(subtitle, SUBTITLE_LETTERS)
    small = [f'<span style="font-size: {SUBTITLE}px">{line}</span>' for line in below]
    top = 26 + 20 * (len(above) + len(below))
    return {
        "template": TEMPLATE,
        "title": {
            # Plotly's own subtitle pushes a two-line title out of the figure
            "text": "<br>".join([*above, *small]),
            "font": {"size": TITLE},
            "x": 0,
            "y": 1,
            "yanchor": "top",
            "pad": {"t": 22, "l": 10},
        },
        "legend": LEGEND | {"title": {"text": style.for_plotly(legend), "side": "top"}},
        "hoverlabel": {"namelength": -1},
        "showlegend": entries > 0,
        "height": top + height + 20 * (entries + bool(legend)),
        "margin": {"l": 10, "r": 15, "t": top, "b": 50},
    }


def dress(figure: Any, title: str, subtitle: str, **given: Any) -> None:
    """Give a figure its `layout`."""
    figure.update_layout(layout(title, subtitle, **given))


def placed(figure: Any, width: int | None, height: int | None, legend: str | None) -> Any:
    """A figure of another size in pixels, with its legend "below" or "beside" the axes."""
    if legend == "beside":
        figure.update_layout(legend=None)
        figure.update_layout(legend={"orientation": "v", "x": 1.02, "xanchor": "left", "y": 1, "yanchor": "top"})
    return figure.update_layout({key: side for key, side in (("width", width), ("height", height)) if side})


def grid(titles: list[str], x: dict[str, Any], y: dict[str, Any], *, own: bool, named: bool) -> dict[str, Any]:
    """Axes of panels side by side, with the same ranges or each with its `own` vertical one, and the title of each.

    Where the places on horizontal axes are `named`, only the last panels have the names, which need room.
    """
    # make_subplots does the same, but takes 60 ms of the 100 ms budget of a figure
    rows, columns = math.ceil(len(titles) / COLUMNS), min(COLUMNS, len(titles))
    across, down = 0.12 if own else 0.03, 0.3 / rows
    # a little less than all: a domain that rounding takes beyond 1 is refused
    width, height = (0.9999 - across * (columns - 1)) / columns, (0.9999 - down * (rows - 1)) / rows
    x = {"nticks": 4, "tickangle": 0} | x
    axes: dict[str, Any] = {"annotations": []}
    for i, title in enumerate(titles):
        row, column = divmod(i, columns)
        left, bottom = column * (width + across), (rows - 1 - row) * (height + down)
        x_axis, y_axis = x | {"domain": [left, left + width]}, y | {"domain": [bottom, bottom + height]}
        if i:
            x_axis["matches"] = "x"
        if i and not own:
            y_axis["matches"] = "y"
        if i + columns < len(titles):
            x_axis |= {"title": None, "showticklabels": not named}
        if column:
            y_axis |= {"title": None, "showticklabels": own}
        axes[f"xaxis{nth(i)}"] = x_axis | {"anchor": f"y{nth(i)}"}
        axes[f"yaxis{nth(i)}"] = y_axis | {"anchor": f"x{nth(i)}"}
        axes["annotations"].append(
            {
                "text": "<br>".join(lines(style.short(title), PANEL_LETTERS)),
                "font": {"size": SUBTITLE},
                "x": left + width / 2,
                "y": bottom + height,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "center",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
    return axes


def panels(
    names: list[str], x: dict[str, Any], y: dict[str, Any], *, own: bool = False, named: bool = False, **words: Any
) -> dict[str, Any]:
    """The layout of panels that share their axes and their legend; `own` and `named` as in `grid`."""
    rows = math.ceil(len(names) / COLUMNS)
    whole = layout(**words, height=ROW * rows + 60)  # the last row has a title below it
    whole["margin"]["t"] += 25  # the names of the panels stand below the heading
    return whole | {"hovermode": hovermode(named=named)} | grid(names, x, y, own=own, named=named)


def hovermode(*, named: bool) -> str:
    """One box for all lines at a number, or one for each point if the places on the horizontal axis are `named`."""
    return "closest" if named else "x unified"


def nth(panel: int) -> str:
    """Plotly's suffix for the name of an axis: nothing for the first."""
    return str(panel + 1) if panel else ""


def lines(text: str, width: int) -> list[str]:
    return [style.for_plotly(line) for line in style.wrapped(text, width)]


def scale(
    label: str, limits: tuple[float, float] | None = None, *, log: bool = False, letters: int = AXIS_LETTERS
) -> dict[str, Any]:
    """Title and range of an axis."""
    axis: dict[str, Any] = {"title": {"text": "<br>".join(lines(label, letters))}, "type": "log" if log else "linear"}
    axis |= {"showgrid": True, "automargin": True}
    if limits is not None:
        axis["range"] = [math.log10(end) for end in limits] if log else list(limits)
        if log and limits[1] >= 100 * limits[0]:
            axis["dtick"] = 1
        elif log and (ticks := ranges.log_ticks(limits)):
            axis |= {"tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}
    return axis


def hover(middle: float, low: float, high: float) -> str:
    """A number with its interval, if it has one."""
    return f"{middle:.4g} [{low:.4g}, {high:.4g}]" if np.isfinite([low, high]).all() else f"{middle:.4g}"


def dash(dash: tuple[float, ...]) -> str:
    return ",".join(f"{part * style.WIDTH:g}px" for part in dash) or "solid"


def upright(figure: Any, x: float | None, look: dict[str, Any]) -> None:
    """A grey vertical line from the bottom to the top."""
    line = {"color": style.DARK_GREY} | look
    figure.add_shape(type="line", x0=x, x1=x, y0=0, y1=1, yref="paper", line=line, layer="between", opacity=1)


def mark(figure: Any, x: float, label: str, *, log: bool, at_left: bool) -> None:
    """A thin vertical line with its label along it."""
    upright(figure, x, {"width": 1})
    figure.add_annotation(
        x=math.log10(x) if log else x,  # an annotation, unlike a shape, wants the logarithm
        y=1,
        yref="paper",
        text=style.for_plotly(style.short(label)),
        textangle=-90,
        showarrow=False,
        xanchor="left" if at_left else "right",
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
