"""Scenes as Plotly figures, for a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from primum.figures import ranges, style
from primum.figures.scene import Array, Axis, Bars, Cells, Curve, Mark, Name, Panel, Points, Rule, Scene, Stack

# Below the axes, so that a narrow page does not squeeze them.
LEGEND = {"orientation": "h", "xref": "container", "x": 0, "xanchor": "left"}
LEGEND |= {"yref": "container", "y": 0, "yanchor": "bottom"}

# The parts of Plotly's "simple_white" that our figures use: copying all of it for each figure takes two thirds of the
# time.
INK = "rgb(36,36,36)"
AXIS = {"gridcolor": "rgb(232,232,232)", "linecolor": INK, "showgrid": False, "showline": True, "ticks": "outside"}
AXIS |= {"title": {"standoff": 15}, "automargin": True, "zeroline": False}
WHITE = {"paper_bgcolor": "white", "plot_bgcolor": "white"}
HOVER = {"hoverlabel": {"align": "left"}, "hovermode": "closest"}
FONT = {"autotypenumbers": "strict", "font": {"color": INK}}
TEMPLATE = {"layout": FONT | HOVER | WHITE | {"xaxis": AXIS, "yaxis": AXIS}}
HATCHED = {"fillmode": "overlay", "fgcolor": "white", "size": 6, "solidity": 0.25}
OUTLINED = {"color": "white", "width": 0.5}

# Font sizes in pixels, and characters per line on a page of 360 pixels.
TITLE, SUBTITLE = 15, 12
TITLE_PLACE = {"x": 0, "y": 1, "yanchor": "top", "pad": {"t": 22, "l": 10}}
TITLE_LETTERS, SUBTITLE_LETTERS, LEGEND_LETTERS, AXIS_LETTERS, PANEL_LETTERS = 44, 56, 50, 40, 22
SLOT_LETTERS = 22  # beside the axes: half of that page is for the marks
COLUMNS, ROW = 2, 220  # of panels: so many beside each other fit that page, and the height of a row
HEIGHT = 400
CELL, LEAST_HEIGHT, LONGEST_BAR = 24, 160, 300  # the height of a cell, of all of them, and of the bar of their colours
TURNED_COLUMNS = 12  # names of more columns are upright
WRITTEN_COLUMNS = 25  # at most, of cells with their numbers
DOTS = {"tiny": 3, "small": 7, "medium": 8, "large": 11}
WHISKERS = {"type": "data", "thickness": 1.5, "width": 4}


def figure(scene: Scene) -> Any:
    """A Plotly figure."""
    import plotly.graph_objects as go

    traces: list[dict[str, Any]] = []
    for i, panel in enumerate(scene.panels):
        # the bands are behind all lines; each line appears once in the legend
        own = [_band(mark) for mark in panel.marks if isinstance(mark, Curve) and mark.band]
        own += [trace for mark in panel.marks for trace in _traces(mark, panel, i)]
        about: dict[str, Any] = {"xaxis": f"x{_nth(i)}", "yaxis": f"y{_nth(i)}"} if scene.titled else {}
        traces += [trace | about | ({"showlegend": False} if i else {}) for trace in own]
    return go.Figure(traces, _layout(scene))


def placed(figure: Any, width: int | None, height: int | None, legend: str | None) -> Any:
    """A figure of another size in pixels, with its legend "below" or "beside" the axes."""
    if legend == "beside":
        figure.update_layout(legend=None)
        figure.update_layout(legend={"orientation": "v", "x": 1.02, "xanchor": "left", "y": 1, "yanchor": "top"})
    return figure.update_layout({key: side for key, side in (("width", width), ("height", height)) if side})


def _layout(scene: Scene) -> dict[str, Any]:
    """Heading, legend, axes and margins; the height leaves room for one entry of the legend in each line."""
    first, entries = scene.panels[0], len(scene.entries) + 2 * len(scene.references) if scene.listed else 0
    above, below = _lines(scene.title, TITLE_LETTERS), _lines(scene.subtitle, SUBTITLE_LETTERS)
    small = [f'<span style="font-size: {SUBTITLE}px">{line}</span>' for line in below]
    top = 26 + 20 * (len(above) + len(below))
    # the last row of panels has a title below it
    height = ROW * math.ceil(len(scene.panels) / COLUMNS) + 60 if scene.titled else _height(first)
    layout = {
        "template": TEMPLATE,
        # Plotly's own subtitle pushes a two-line title out of the figure
        "title": {"text": "<br>".join([*above, *small]), "font": {"size": TITLE}} | TITLE_PLACE,
        "legend": LEGEND | {"title": {"text": style.for_plotly(scene.legend), "side": "top"}},
        "hoverlabel": {"namelength": -1},
        "hovermode": "x unified" if scene.together else "closest",
        "showlegend": entries > 0,
        "height": top + height + 20 * (entries + bool(scene.legend)),
        # the names of panels stand below the heading
        "margin": {"l": 10, "r": 15, "t": top + 25 * scene.titled, "b": 50},
        "bargap": 0.2 if any(isinstance(mark, Bars) for mark in first.marks) else None,
    }
    if scene.titled:
        return layout | _grid(scene)
    rules = [mark for mark in first.marks if isinstance(mark, Rule) and mark.x is not None]
    layout |= {"shapes": list(map(_upright, rules)), "xaxis": _x_axis(first), "yaxis": _y_axis(first)}
    return layout | {"annotations": [_label(rule, first.x) for rule in rules if rule.name]}


def _height(panel: Panel) -> int:
    """Of the axes: that of all rows, if these have names."""
    wrapped = [len(_lines(style.short(name), SLOT_LETTERS)) for name in panel.y.names]
    if not wrapped:
        return HEIGHT
    if panel.cells:
        names = _ticks(panel.x)
        below = 70 + max(map(len, names)) * (6 if len(names) > TURNED_COLUMNS else 4)  # upright, or askew
        return max(CELL * len(wrapped), LEAST_HEIGHT) + below
    points = sum(len(mark.x) for mark in panel.marks if isinstance(mark, Points))
    return 90 + max(16 * points, len(wrapped) * (12 + 15 * max(wrapped)))


def _grid(scene: Scene) -> dict[str, Any]:
    """Axes of panels side by side, with the same ranges or each with its own vertical one, and the title of each.

    Where the places on horizontal axes have names, only the last panels have them: they need room.
    """
    # make_subplots does the same, but takes 60 ms of the 100 ms budget of a figure
    panels, own = scene.panels, scene.own
    rows, columns = math.ceil(len(panels) / COLUMNS), min(COLUMNS, len(panels))
    across, down = 0.12 if own else 0.03, 0.3 / rows
    # a little less than all: a domain that rounding takes beyond 1 is refused
    width, height = (0.9999 - across * (columns - 1)) / columns, (0.9999 - down * (rows - 1)) / rows
    axes: dict[str, Any] = {"annotations": []}
    for i, panel in enumerate(panels):
        row, column = divmod(i, columns)
        left, bottom = column * (width + across), (rows - 1 - row) * (height + down)
        x = {"nticks": 4, "tickangle": 0} | _x_axis(panel) | {"domain": [left, left + width], "anchor": f"y{_nth(i)}"}
        y = _y_axis(panel) | {"domain": [bottom, bottom + height], "anchor": f"x{_nth(i)}"}
        if i:
            x["matches"] = "x"
        if i and not own:
            y["matches"] = "y"
        if i + columns < len(panels):
            x |= {"title": None, "showticklabels": not panel.x.names}
        if column:
            y |= {"title": None, "showticklabels": own}
        axes |= {f"xaxis{_nth(i)}": x, f"yaxis{_nth(i)}": y}
        axes["annotations"].append(
            {"text": "<br>".join(_lines(style.short(panel.title), PANEL_LETTERS)), "font": {"size": SUBTITLE}}
            | {"x": left + width / 2, "xref": "paper", "xanchor": "center", "showarrow": False}
            | {"y": bottom + height, "yref": "paper", "yanchor": "bottom"}
        )
    return axes


def _nth(panel: int) -> str:
    """Plotly's suffix for the name of an axis: nothing for the first."""
    return str(panel + 1) if panel else ""


def _lines(text: str, width: int) -> list[str]:
    return [style.for_plotly(line) for line in style.wrapped(text, width)]


def _ticks(axis: Axis) -> list[str]:
    return [style.for_plotly(style.squeezed(name, axis.letters)) for name in axis.names]


def _x_axis(panel: Panel) -> dict[str, Any]:
    axis, names = _axis(panel.x, SLOT_LETTERS if panel.y.slots else AXIS_LETTERS), _ticks(panel.x)
    every = panel.cells.every if panel.cells else 1
    if names:
        axis |= {"tickvals": np.arange(len(names))[::every], "ticktext": names[::every]}
    if panel.cells:
        look = {"tickfont": {"size": min(12, 520 / len(names[::every]))}, "ticks": "", "showline": False}
        return axis | look | {"tickangle": -90 if len(names) > TURNED_COLUMNS else -35}
    return axis | ({"autotickangles": [0, -35, -90], "tickangle": None} if names else {})  # chosen from those


def _y_axis(panel: Panel) -> dict[str, Any]:
    axis, names = _axis(panel.y, AXIS_LETTERS), _ticks(panel.y)
    if panel.y.slots:
        names = ["<br>".join(_lines(style.short(name), SLOT_LETTERS)) for name in panel.y.names]
    if names:
        axis |= {"tickvals": np.arange(len(names)), "ticktext": names, "ticks": ""}
    return axis | ({"showline": False} if panel.cells else {})


def _axis(axis: Axis, letters: int) -> dict[str, Any]:
    """Title and range of an axis."""
    plain: dict[str, Any] = {"title": {"text": "<br>".join(_lines(axis.label, letters))}}
    plain |= {"type": "log" if axis.log else "linear", "showgrid": axis.grid, "automargin": True}
    plain |= {"rangemode": "tozero" if axis.zero else None, "tickformat": ".0%" if axis.percent else None}
    if axis.limits is None or axis.free:
        return plain
    plain["range"] = [math.log10(end) for end in axis.limits] if axis.log else list(axis.limits)
    if axis.log and axis.limits[1] >= 100 * axis.limits[0]:
        plain["dtick"] = 1
    elif axis.log and (ticks := ranges.log_ticks(axis.limits)):
        plain |= {"tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}
    return plain


def _traces(mark: Mark, panel: Panel, place: int) -> list[dict[str, Any]]:
    """The traces of a mark, without its band; upright rules are shapes of the layout."""
    match mark:
        case Curve():
            return [_curve(mark, ".1%" if panel.y.percent else ".4g")]
        case Points():
            return [_points(mark, panel)]
        case Bars():
            return [_bars(mark, panel)]
        case Stack():
            return _stack(mark, str(place))
        case Cells():
            return _map(mark, panel)
        case Rule(x=None):
            look = {"line": {"color": style.DARK_GREY, "width": 1.5, "dash": "dash"}, "hoverinfo": "skip"}
            ends = {"x": panel.x.limits, "y": panel.x.limits}
            return [{"type": "scatter", "mode": "lines", "showlegend": False} | look | ends]
    return []


def _named(name: Name, group: int | None = None) -> dict[str, Any]:
    return {"name": style.for_plotly(style.short(name)), "legendgroup": None if group is None else str(group)}


def _band(curve: Curve) -> dict[str, Any]:
    x, y = _outline(curve.x, *curve.band) if curve.band else ((), ())
    look = {"mode": "lines", "fill": "toself", "fillcolor": style.faded(curve.colour, 0.18), "line": {"width": 0}}
    about = {"hoverinfo": "skip", "showlegend": False} | _named(curve.name, curve.group)
    return {"type": "scatter", "x": x, "y": y} | look | about


def _curve(curve: Curve, form: str) -> dict[str, Any]:
    hover = "%{y} [%{customdata[0]}, %{customdata[1]}]" if curve.interval else "%{y}"
    dash = ",".join(f"{part * style.WIDTH:g}px" for part in curve.dash) or "solid"
    line = {"color": curve.colour, "width": style.WIDTH, "dash": dash, "shape": "hv" if curve.stepped else None}
    trace = {"type": "scatter", "mode": "lines", "x": curve.x, "y": curve.y, "line": line}
    trace |= {"hovertemplate": hover.replace("}", f":{form}}}")} | _named(curve.name, curve.group)
    if curve.interval:
        trace["customdata"] = np.stack(curve.interval, axis=1)
    if curve.marker is not None:
        trace |= {"mode": "lines+markers", "marker": {"symbol": style.marker(curve.marker)[1], "size": 7}}
    if curve.note is not None:
        told = "<br>".join(_lines(curve.name, LEGEND_LETTERS))
        text = map(style.for_plotly, style.noted(curve.name, curve.note, LEGEND_LETTERS))
        trace |= {"hovertemplate": f"%{{y:.4g}}<extra>{told}</extra>", "name": "<br>".join(text)}
    return trace


def _points(points: Points, panel: Panel) -> dict[str, Any]:
    look = {"color": points.colour, "symbol": style.marker(points.marker)[1], "size": DOTS[points.size]}
    trace: dict[str, Any] = {"type": "scatter", "x": points.x, "y": points.y, "mode": "markers", "cliponaxis": False}
    trace["marker"] = look | ({"opacity": points.opacity} if points.opacity < 1 else {})
    form = tuple(".3p" if axis.percent else ".4g" for axis in (panel.x, panel.y))
    if points.told:
        trace["customdata"] = ["<br>".join(_lines(name, LEGEND_LETTERS)) for name in points.told]
        trace["hovertemplate"] = f"%{{customdata}}<br>%{{x:{form[0]}}}, %{{y:{form[1]}}}<extra></extra>"
    if not points.name:
        return trace | {"showlegend": False} | ({} if points.told else {"hoverinfo": "skip"})
    trace |= _named(points.name, points.group)
    if points.told:
        return trace
    if points.interval:
        ends = (points.x, points.y, panel.y) if points.along == "x" else (points.y, points.x, panel.x)
        middle, places, axis = ends
        told = _told([axis.names[round(place)] for place in places], middle, *points.interval)
        return trace | told | {f"error_{points.along}": _reach(middle, *points.interval)}
    if points.text:
        trace |= {"mode": "markers+text", "text": [trace["name"]] * len(points.x), "textposition": "top center"}
    return trace | {"hovertemplate": "%{x:.4g}, %{y:.4g}"}


def _bars(bars: Bars, panel: Panel) -> dict[str, Any]:
    pattern = HATCHED | {"shape": style.hatch(bars.hatch)[1]}
    trace = {"type": "bar", "x": np.arange(len(bars.y)), "y": bars.y}  # equal names would be merged
    trace["marker"] = {"color": bars.colour, "line": OUTLINED, "pattern": pattern}
    trace["error_y"] = _reach(bars.y, *bars.interval) | {"color": style.WHISKER}
    return trace | _told(panel.x.names, bars.y, *bars.interval) | _named(bars.name)


def _told(names: Sequence[Name], *numbers: Array) -> dict[str, Any]:
    """What a page tells of each number: its name, and its interval if it has one."""
    texts = []
    for name, middle, low, high in zip(names, *numbers, strict=True):
        interval = f" [{low:.4g}, {high:.4g}]" if np.isfinite([low, high]).all() else ""
        texts.append(f"{style.for_plotly(style.short(name))}<br>{middle:.4g}{interval}")
    return {"hovertext": texts, "hovertemplate": "%{hovertext}"}


def _stack(stack: Stack, group: str) -> list[dict[str, Any]]:
    look = {"type": "scatter", "mode": "lines", "stackgroup": group, "line": OUTLINED, "x": stack.x}
    areas = enumerate(zip(stack.names, stack.colours, stack.heights, strict=True))
    tell = {"hovertemplate": "%{y:.1%}"}
    return [look | tell | {"y": y, "fillcolor": colour} | _named(name, arm) for arm, (name, colour, y) in areas]


def _map(cells: Cells, panel: Panel) -> list[dict[str, Any]]:
    tall, wide = cells.numbers.shape
    rows, columns = ([style.for_plotly(style.short(name)) for name in axis.names] for axis in (panel.y, panel.x))
    written = "%{text}" if cells.written and wide <= WRITTEN_COLUMNS else None
    shared: dict[str, Any] = {"type": "heatmap", "x": np.arange(wide), "y": np.arange(tall), "texttemplate": written}
    shared |= {"hovertext": [[f"{row}<br>{column}" for column in columns] for row in rows], "hoverongaps": False}
    shared |= {"hovertemplate": "%{hovertext}<br>%{text}<extra></extra>", "xgap": int(cells.every == 1), "ygap": 1}
    infinite, last = np.isinf(cells.numbers), len(style.SEQUENCE) - 1
    title = {"text": style.for_plotly(cells.label), "side": "right", "font": {"size": SUBTITLE}}
    bar = {"title": title, "tickvals": np.log10(list(cells.ticks)), "ticktext": list(cells.ticks.values())}
    bar |= {"thickness": 12, "outlinewidth": 0}
    bar |= {"lenmode": "pixels", "len": min(max(CELL * tall, LEAST_HEIGHT), LONGEST_BAR)}
    finite: dict[str, Any] = {
        "z": np.log10(np.where(infinite, np.nan, cells.numbers)),
        "text": np.where(infinite, "", cells.texts),
    }
    finite |= {"zmin": 0, "zmax": np.log10(cells.top), "colorbar": bar}
    finite["colorscale"] = [[i / last, one] for i, one in enumerate(style.SEQUENCE)]
    beyond: dict[str, Any] = {
        "z": np.where(infinite, 1.0, np.nan),
        "text": np.where(infinite, cells.texts, ""),
        "showscale": False,
    }
    beyond |= {"colorscale": [[end, cells.infinite_colour] for end in (0, 1)]}
    beyond |= {"showlegend": True, "name": style.for_plotly(cells.infinite)}
    return [shared | finite, *([shared | beyond] if infinite.any() else [])]


def _upright(rule: Rule) -> dict[str, Any]:
    """A grey vertical line from the bottom to the top."""
    line = {"color": style.DARK_GREY} | ({"width": 1.5, "dash": "dash"} if rule.dashed else {"width": 1})
    ends = {"x0": rule.x, "x1": rule.x, "y0": 0, "y1": 1, "yref": "paper"}
    return {"type": "line", "line": line, "layer": "between", "opacity": 1} | ends


def _label(rule: Rule, axis: Axis) -> dict[str, Any]:
    """The name of a vertical line, along it."""
    # an annotation, unlike a shape, wants the logarithm
    x = {"x": math.log10(rule.x or 1) if axis.log else rule.x, "xanchor": "left" if axis.at_left(rule.x) else "right"}
    look = {"font": {"color": style.DARK_GREY, "size": 12}, "bgcolor": "rgba(255, 255, 255, 0.7)", "showarrow": False}
    text = {"text": style.for_plotly(style.short(rule.name)), "textangle": -90}
    return text | look | x | {"y": 1, "yref": "paper", "yanchor": "top"}


def _reach(middle: Array, low: Array, high: Array) -> dict[str, Any]:
    """Error bars, for those intervals that are numbers."""
    known = np.isfinite(low) & np.isfinite(high)
    up, down = (np.where(known, length, np.nan) for length in (high - middle, middle - low))
    return WHISKERS | {"array": up, "arrayminus": down}


def _outline(x: Array, low: Array, high: Array) -> tuple[Array, Array]:
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
