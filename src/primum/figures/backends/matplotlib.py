"""Scenes as Matplotlib figures, for print."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from primum.errors import ParameterError, quoted
from primum.figures import ranges, style
from primum.figures.scene import Array, Axis, Bars, Cells, Curve, Panel, Points, Rule, Scene, Stack
from primum.figures.sheet import ENTRIES_IN_INNER_LEGEND, LETTER, SCREEN, Sheet

SMALLEST_AXES = 0.4  # inches
BESIDE = 2.6  # inches that a legend beside the axes adds to a figure without a given width
DASHED = {"linewidth": 1.2, "linestyle": (0, (5, 3)), "color": style.DARK_GREY, "zorder": 1.5}
DOTS = {"tiny": 1.4, "small": 5.1, "medium": 5.5, "large": 8.4}
TINY = 0.85  # of the size of small texts, in axes of the user
# Inches: a cell in which a number fits, a narrow one, the height of one, and all that is beside the cells and names.
CELL, NARROW_CELL, CELL_HEIGHT, AROUND_CELLS = 0.38, 0.14, 0.25, 1.4
WIDEST = 10.5  # of cells with level numbers
NAMED_COLUMNS = 72  # of cells that are at least narrow
BLANK = 0.5  # in place of NaN: less than any ratio

Handles = tuple[list[Any], list[Any]]  # those of reference lines come last


def figure(scene: Scene, sheet: Sheet = SCREEN) -> Any:
    """A Matplotlib figure."""
    if scene.panels[0].cells:
        return _map(scene, scene.panels[0].cells, sheet)
    lines, place = scene.entries, _place(scene, sheet)
    rows, columns = sheet.grid(len(scene.panels))
    beside = 0.0
    if place == "beside" and not scene.shared:  # where the panels share their axes, the size has room for it
        beside = BESIDE if sheet.width is None and not scene.titled else sheet.beside(lines)
    width, height = _size(scene, rows, columns, len(lines) + len(scene.references), sheet)
    if beside and not scene.titled:  # one legend entry each
        width, height = sheet.width or width + beside, max(height, 0.9 + 0.2 * sheet.small / SCREEN.small * len(lines))
    figure = _new(scene, width, height, beside, sheet)
    grid = figure.subplots(rows, columns, sharex=scene.shared, sharey=scene.shared, squeeze=False).ravel()
    references: dict[str, Any] = {}
    for panel, axes in zip(scene.panels, grid, strict=False):
        handles, more = _draw(panel, axes, sheet)
        references |= {handle.get_label(): handle for handle in more}
    for axes in grid[len(scene.panels) :]:
        axes.remove()
    if scene.titled:
        _dress_panels(scene, figure, grid, columns, place, sheet)
    if not scene.listed:
        return figure
    if place == "beside":
        where, handles = ("center", handles[::-1]) if scene.shared else ("upper", handles)
        _legend(figure, handles, scene.legend, f"outside right {where}", handle=scene.handle, sheet=sheet)
    elif place == "inside":
        _legend(grid[0], handles, scene.legend, "best", handle=scene.handle, sheet=sheet)
    below = [*(handles if place == "below" else ()), *references.values()]
    if below:
        title = scene.legend if place == "below" else ""
        tall = _legend_below(figure, below, title, handle=scene.handle, sheet=sheet)
        if sheet.height is None and (sheet.width is not None or scene.size.entry is None):
            figure.set_figheight(figure.get_figheight() + tall)
    return figure


def on_axes(scene: Scene, axes: Any) -> Any:
    """The figure of axes of the user, with the only panel of a scene drawn in them, in the user's fonts."""
    style.matplotlib()
    from matplotlib import rcParams
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties

    if not isinstance(axes, Axes):
        raise ParameterError(f"ax must be Matplotlib axes, as plt.subplots() makes them, got {quoted(axes)}", ("ax",))
    if len(scene.panels) > 1:
        raise ParameterError(f"ax has room for one panel, and this figure has {len(scene.panels)}", ("ax",))
    sizes = rcParams["axes.labelsize"], rcParams["xtick.labelsize"]
    text, small = (FontProperties(size=size).get_size_in_points() for size in sizes)
    room = _inches(axes)[0]
    sheet = Sheet(room, None, "inside", text, small, TINY * small, rcParams["lines.linewidth"])
    lines, references = _draw(scene.panels[0], axes, sheet)
    heading = [line for part in (scene.title, scene.subtitle) for line in _fitting(part, room, text)]
    is_map = scene.panels[0].cells is not None  # its legend is between the axes and the title
    axes.set_title("\n".join(heading), fontsize=text, loc="left", pad=2.5 * small if is_map and lines else None)
    if not (handles := [*(lines[::-1] if scene.shared else lines), *references]):
        return axes.figure
    # a legend covers no data: a long one is beside the axes
    place, corner = ("lower left", (0.0, 1.0)) if is_map else ("best", None)
    if scene.shared or len(handles) > ENTRIES_IN_INNER_LEGEND:
        place, corner = "upper left", (1.0, 1.0)
    legend = _legend(axes, handles, scene.legend, place, handle=2.5, sheet=sheet)
    if corner is not None:
        legend.set_bbox_to_anchor(corner, axes.transAxes)
    return axes.figure


def check_room(figure: Any) -> None:
    """Refuse a size that leaves no room for the axes."""
    with warnings.catch_warnings(record=True) as told:  # that there is no layout with room for the axes
        warnings.simplefilter("always")
        figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    boxes = [axes.get_position() for axes in figure.axes if axes.get_label() != "<colorbar>"]
    if told or any(min(box.width * width, box.height * height) < SMALLEST_AXES for box in boxes):
        raise ParameterError(
            f"size must leave room for the axes beside names, legend and title, got ({width:g}, {height:g}); give "
            "only a width ('column' or 'page'), whose height follows, a larger size, or title=False",
            ("size",),
        )


def _place(scene: Scene, sheet: Sheet) -> str:
    """Where the legend goes."""
    if sheet.legend in ("below", "beside"):
        return sheet.legend
    if scene.place == "fit":
        place = sheet.place(len(scene.entries))
        could_hide = any(isinstance(mark, Rule) and mark.name for mark in scene.panels[0].marks)
        return "below" if place == "inside" and could_hide and not scene.references else place
    return "beside" if scene.place == "beside" and sheet.width is None else "below"


def _size(scene: Scene, rows: int, columns: int, entries: int, sheet: Sheet) -> tuple[float, float]:
    """Width and height of a figure without heading and legend."""
    size = scene.size
    if sheet.width is None:
        width, height = (
            around + panel * count for around, panel, count in zip(size.around, size.panel, (columns, rows))
        )
        return max(size.width, width), height + (size.entry or 0) * entries
    askew = 0.6 * LETTER * sheet.small * max((len(style.short(name)) for name in scene.panels[0].x.names), default=0)
    tall = min(max(size.low, size.aspect * sheet.width / columns), size.panel[1])
    return sheet.width, size.margin + rows * (tall + askew)


def _new(scene: Scene, width: float, height: float, beside: float, sheet: Sheet) -> Any:
    """An empty figure with its heading, with some inches beside it for a legend.

    The height is that of a figure without heading if the sheet has a width of its own.
    """
    room = (1.0 if sheet.width is None else 0.95) * width - beside
    heading = [line for text in (scene.title, scene.subtitle) for line in _fitting(text, room, sheet.text)]
    if sheet.width is not None:
        height += len(heading) * 1.25 * sheet.text / 72
    size = (sheet.width or width, sheet.height or height)
    figure = style.matplotlib().figure.Figure(figsize=size, dpi=150, layout="constrained")
    if heading:
        figure.suptitle("\n".join(heading), fontsize=sheet.text, x=0.01, horizontalalignment="left")
    return figure


def _dress_panels(scene: Scene, figure: Any, grid: Any, columns: int, place: str, sheet: Sheet) -> None:
    """Titles of panels, and labels of their axes: only one has a label that several share."""
    shared, last = scene.shared, len(scene.panels) - columns
    size, where = (sheet.small, "center") if shared else (sheet.text, "left")
    room = (
        scene.size.panel[0]
        if shared and sheet.width is None
        else (1 if shared else 0.85) * figure.get_figwidth() / columns
    )
    for i, (panel, axes) in enumerate(zip(scene.panels, grid, strict=False)):
        title = style.short(panel.title) if shared else panel.title
        axes.set_title("\n".join(_fitting(title, room, size)), fontsize=size, loc=where)
        is_drawn_again = shared or sheet.width is not None
        if shared or (is_drawn_again and i % columns and panel.y.label == scene.panels[i - 1].y.label):
            axes.set_ylabel("")
        if (shared and (place == "beside" or i < last)) or (
            is_drawn_again and i < last and panel.x.label == scene.panels[i + columns].x.label
        ):
            axes.set_xlabel("")
    if not shared:
        figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)  # inches
        return
    figure.supylabel(style.for_matplotlib(scene.panels[0].y.label), fontsize=sheet.text)
    if place == "beside":  # a legend below leaves no other place than that at the axes
        figure.supxlabel(style.for_matplotlib(scene.panels[0].x.label), fontsize=sheet.text)


def _draw(panel: Panel, axes: Any, sheet: Sheet) -> Handles:
    """Draw a panel on axes; return the handles of the legend."""
    _dress(axes, panel, sheet)
    bars = [mark for mark in panel.marks if isinstance(mark, Bars)]
    ranked: list[tuple[int, Any]] = []
    references = []
    for mark in panel.marks:
        match mark:
            case Curve(note=None):
                ranked.append((mark.rank, _curve(axes, mark, sheet)))
            case Curve():
                references.append(_curve(axes, mark, sheet))
            case Points():
                handle = _points(axes, mark, sheet)
                ranked += [(mark.rank, handle)] if mark.name else []
            case Bars():
                ranked.append((0, _bars(axes, mark, bars.index(mark), len(bars))))
            case Stack():
                ranked += [(0, area) for area in _stack(axes, mark)]
            case Cells():
                ranked += [(0, handle) for handle in _cells_inside(axes, mark, panel, sheet)]
            case Rule():
                _rule(axes, mark, panel.x)
    for name in "xy":
        _scale(axes, name, getattr(panel, name))
    if panel.x.names and not panel.cells:
        width = (1.1 if bars else 1.0) * _inches(axes)[0]  # nothing beside bars takes room of theirs
        _name_places(axes, [style.short(name) for name in panel.x.names], width, sheet=sheet)
    if panel.y.names and not panel.cells:
        names = [style.for_matplotlib(style.short(name)) for name in panel.y.names]
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
    return [handle for _, handle in sorted(ranked, key=lambda one: one[0])], references


def _dress(axes: Any, panel: Panel, sheet: Sheet) -> None:
    """Labels, grid and spines; on a sheet of a given size, labels are wrapped to the sides of the axes."""
    texts = [style.for_matplotlib(axis.label) for axis in (panel.x, panel.y)]
    if sheet.width is not None:
        # the layout has not been made: the axes have about three quarters of the width, and of the height of one panel
        width, height = _inches(axes)
        rooms = 0.95 * width, 0.8 * height
        texts = ["\n".join(_fitting(axis.label, room, sheet.text)) for axis, room in zip((panel.x, panel.y), rooms)]
    axes.set_xlabel(texts[0], fontsize=sheet.text)
    axes.set_ylabel(texts[1], fontsize=sheet.text)
    axes.tick_params(labelsize=sheet.small, labelbottom=True)
    if panel.x.grid or panel.y.grid:
        axes.grid(axis="both" if panel.x.grid and panel.y.grid else "x" if panel.x.grid else "y", alpha=0.3)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)


def _scale(axes: Any, name: str, axis: Axis) -> None:
    """The scale of the axis "x" or "y"; a short logarithmic one gets plain numbers."""
    ticker, own = style.matplotlib().ticker, axes.xaxis if name == "x" else axes.yaxis
    if axis.log:
        axes.set(**{f"{name}scale": "log"})
        if axis.limits and (ticks := ranges.log_ticks(axis.limits)):
            own.set_major_locator(ticker.FixedLocator(ticks))
            own.set_major_formatter(ticker.FormatStrFormatter("%g"))
            own.set_minor_formatter(ticker.NullFormatter())
    if axis.limits:
        axes.set(**{f"{name}lim": axis.limits})
    if axis.percent:
        own.set_major_formatter(ticker.PercentFormatter(1.0))


def _curve(axes: Any, curve: Curve, sheet: Sheet) -> Any:
    name = style.short(curve.name)
    text = [name] if curve.note is None else style.noted(curve.name, curve.note, sheet.letters)
    if curve.band:
        axes.fill_between(curve.x, *curve.band, color=curve.colour, alpha=0.18, linewidth=0)
    (line,) = axes.plot(
        curve.x,
        curve.y,
        color=curve.colour,
        linestyle=(0, curve.dash) if curve.dash else "solid",
        linewidth=sheet.line,
        marker="" if curve.marker is None else style.marker(curve.marker)[0],
        markersize=4.5,
        drawstyle="steps-post" if curve.stepped else "default",
        label="\n".join(map(style.for_matplotlib, text)),
    )
    return line


def _points(axes: Any, points: Points, sheet: Sheet) -> Any:
    if points.interval:
        where = points.x if points.along == "y" else points.y
        _whiskers(axes, where, *points.interval, upright=points.along == "y", colour=points.colour)
    label = style.for_matplotlib(style.short(points.name))
    look: dict[str, Any] = {"marker": style.marker(points.marker)[0], "markersize": DOTS[points.size], "linestyle": ""}
    look |= {"color": points.colour, "alpha": points.opacity, "zorder": 3, "clip_on": False, "label": label}
    (handle,) = axes.plot(points.x, points.y, markeredgewidth=1.0 if points.interval else 0.0, **look)
    for place in zip(points.x, points.y, strict=True) if points.text else ():
        at = {"xytext": (0, 7), "textcoords": "offset points", "ha": "center", "fontsize": sheet.small}
        axes.annotate(label, place, **at)
    return handle


def _bars(axes: Any, bars: Bars, position: int, count: int) -> Any:
    width = 0.8 / count
    places = np.arange(len(bars.y)) + (position - (count - 1) / 2) * width
    look = {"color": bars.colour, "hatch": style.hatch(bars.hatch)[0], "edgecolor": "white", "linewidth": 0.5}
    handle = axes.bar(places, bars.y, width, label=style.for_matplotlib(style.short(bars.name)), **look)
    _whiskers(axes, places, *bars.interval, upright=True, colour=style.WHISKER)
    return handle


def _whiskers(axes: Any, where: Array, low: Array, high: Array, *, upright: bool, colour: str) -> None:
    """Intervals with caps; those that are not numbers are left out."""
    drawn = np.isfinite(low) & np.isfinite(high)
    where, low, high = (np.asarray(numbers, np.float64)[drawn] for numbers in (where, low, high))
    (axes.vlines if upright else axes.hlines)(where, low, high, color=colour, linewidth=1.3, zorder=2.5)
    for ends in (low, high):
        pair = (where, ends) if upright else (ends, where)
        axes.plot(*pair, "_" if upright else "|", color=colour, markersize=5, markeredgewidth=1.3, zorder=2.5)


def _stack(axes: Any, stack: Stack) -> list[Any]:
    labels = [style.for_matplotlib(style.short(name)) for name in stack.names]
    look = {"colors": stack.colours, "labels": labels, "edgecolor": "white", "linewidth": 0.3}
    areas: list[Any] = axes.stackplot(stack.x, stack.heights, **look)
    return areas


def _rule(axes: Any, rule: Rule, axis: Axis) -> None:
    """A thin line, with its name along it."""
    if rule.x is None:
        axes.plot(axis.limits, axis.limits, **DASHED)
        return
    axes.axvline(rule.x, **(DASHED if rule.dashed else {"color": style.DARK_GREY, "linewidth": 0.9, "zorder": 1.5}))
    if not rule.name:
        return
    at_left = axis.at_left(rule.x)
    axes.annotate(
        style.for_matplotlib(style.short(rule.name)),
        (rule.x, 0.98),
        (2 if at_left else -2, 0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        rotation=90,
        horizontalalignment="left" if at_left else "right",
        verticalalignment="top",
        fontsize=SCREEN.small,
        color=style.DARK_GREY,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1},
    )


def _map(scene: Scene, cells: Cells, sheet: Sheet) -> Any:
    """A figure of cells, as large as their names and numbers need."""
    (panel,), (tall, wide) = scene.panels, cells.numbers.shape
    letter, scale = LETTER * sheet.small, sheet.tiny / SCREEN.tiny
    # names have at most two fifths of a given width
    letters = panel.y.letters if sheet.width is None else min(panel.y.letters, int(0.4 * sheet.width / letter))
    rows = [style.squeezed(name, letters) for name in panel.y.names]
    beside = scale * AROUND_CELLS + letter * max(map(len, rows))
    level = cells.written and beside + scale * CELL * wide <= (sheet.width or WIDEST)
    least = CELL if level else NARROW_CELL * min(wide, NAMED_COLUMNS) / wide
    width = sheet.width or max(scene.size.panel[0], beside + least * wide)
    written = cells.written and (sheet.width is None or (width - beside) / wide >= scale * NARROW_CELL)
    high = max(1.5, scale * (CELL_HEIGHT if level or not written else CELL) * tall)
    figure = _new(scene, width, high, 0.0, sheet)
    heading = figure.get_figheight() - high
    axes = figure.add_subplot()
    _dress(axes, panel, sheet)
    handles, below = _cells(axes, cells, panel, rows, (width - beside, high), level, written, sheet)
    for mark in panel.marks:
        if isinstance(mark, Points):
            _points(axes, mark, sheet)
    _scale(axes, "y", panel.y)
    if sheet.height is None:
        figure.set_figheight(heading + high + below + scale * 1.4 + 0.3 * len(handles))
    if handles:
        _legend_below(figure, handles, handle=scene.handle, sheet=sheet)
    return figure


def _cells_inside(axes: Any, cells: Cells, panel: Panel, sheet: Sheet) -> list[Any]:
    """Draw on axes as they are, of which the bar of the colours takes a part."""
    width, high = _inches(axes)
    cell = 0.9 * width / cells.numbers.shape[1] * SCREEN.tiny / sheet.tiny
    rows = [style.squeezed(name, panel.y.letters) for name in panel.y.names]
    fit = cell >= CELL, cells.written and cell >= NARROW_CELL
    return _cells(axes, cells, panel, rows, (0.9 * width, high), *fit, sheet)[0]


def _cells(
    axes: Any,
    cells: Cells,
    panel: Panel,
    rows: list[str],
    room: tuple[float, float],
    level: bool,
    written: bool,
    sheet: Sheet,
) -> tuple[list[Any], float]:
    """Draw on axes with some inches of room; return the legend entries, and the height of the names below the axes."""
    matplotlib = style.matplotlib()
    from matplotlib import colors, patches  # not imported by the package itself

    extremes = {"bad": cells.infinite_colour, "under": "white", "over": style.SEQUENCE[-1]}
    colours = colors.LinearSegmentedColormap.from_list("primum", style.SEQUENCE).with_extremes(**extremes)
    norm, is_infinite = colors.LogNorm(1.0, cells.top), np.isinf(cells.numbers)
    shown = np.ma.masked_where(is_infinite, np.where(np.isnan(cells.numbers), BLANK, cells.numbers))
    edges = [np.arange(count + 1) - 0.5 for count in cells.numbers.shape]
    edge = {"edgecolor": "white", "linewidth": 0.6} if cells.every == 1 else {}
    mesh = axes.pcolormesh(*edges[::-1], shown, cmap=colours, norm=norm, **edge)
    columns = [style.squeezed(name, panel.x.letters) for name in panel.x.names]
    below = _name_places(axes, columns, room[0], every=cells.every, sheet=sheet)
    axes.set_yticks(range(len(rows)), list(map(style.for_matplotlib, rows)), fontsize=sheet.small)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for (i, k), number in np.ndenumerate(cells.numbers) if written else ():
        is_dark = np.isinf(number) or norm(number) > 0.45
        look = {"color": "white" if is_dark else "black", "weight": "bold" if number == 1 else "normal"}
        place = {"ha": "center", "va": "center", "rotation": 0 if level else 90, "fontsize": sheet.tiny}
        axes.text(k, i, cells.texts[i, k], **look, **place)
    ticks, long = list(cells.ticks), min(room[1], 2.5)  # inches
    shape = {"fraction": 0.1, "pad": 0.01, "aspect": 14, "shrink": long / room[1]}
    bar = axes.figure.colorbar(mesh, ax=axes, ticks=ticks, **shape)
    bar.ax.set_yticks(ticks, list(cells.ticks.values()), fontsize=sheet.tiny)
    bar.ax.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    bar.outline.set_visible(False)
    bar.set_label("\n".join(_fitting(cells.label, 0.8 * long, sheet.small)), fontsize=sheet.small)
    patch = patches.Patch(color=cells.infinite_colour, label=style.for_matplotlib(cells.infinite))
    return [patch] if is_infinite.any() else [], below


def _inches(axes: Any) -> tuple[float, float]:
    """Width and height of axes, as they are before the figure is laid out."""
    box = axes.get_window_extent()
    return box.width / axes.figure.dpi, box.height / axes.figure.dpi


def _fitting(text: str, width: float, size: float) -> list[str]:
    """Lines of text that fit a width in inches."""
    return [style.for_matplotlib(line) for line in style.wrapped(text, max(1, int(width / (LETTER * size))))]


def _name_places(axes: Any, names: Sequence[str], width: float, *, every: int = 1, sheet: Sheet) -> float:
    """Name the places along an axis of some inches, or one of so many; askew or upright where a word does not fit.

    Returns the height of the names in inches.
    """
    room, names, small = every * width / max(len(names), 1), names[::every], sheet.small
    longest, word = (max(map(len, parts), default=0) for parts in (names, [w for name in names for w in name.split()]))
    texts, look = [style.for_matplotlib(name) for name in names], dict[str, Any](fontsize=small)
    tall = LETTER * small * longest
    if 1.3 * LETTER * small * word < room:  # digits are wider than most letters
        texts = ["\n".join(_fitting(name, room, small)) for name in names]
        tall = 1.3 / 72 * small * max((text.count("\n") + 1 for text in texts), default=1)
    elif room > 0.3:
        look |= {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        tall *= 0.6
    else:
        look |= {"rotation": 90, "fontsize": min(small, 60 * room)}
    axes.set_xticks(range(0, every * len(names), every), texts, **look)
    axes.tick_params(axis="x", length=0)
    return tall


def _legend(
    owner: Any, handles: list[Any], title: str, loc: str, *, columns: int = 1, handle: float, sheet: Sheet
) -> Any:
    """A legend of axes or of a whole figure."""
    return owner.legend(
        handles=handles,
        title=style.for_matplotlib(title),
        loc=loc,
        ncols=columns,
        fontsize=sheet.small,
        title_fontsize=sheet.small,
        handlelength=handle,
        framealpha=0.75,  # inside the axes, a reference may pass below it
        edgecolor="none",
        alignment="left",
    )


def _legend_below(figure: Any, handles: list[Any], title: str = "", *, handle: float, sheet: Sheet) -> float:
    """A legend below all axes, in as many columns as fit; its height in inches."""
    labels = [handle.get_label().split("\n") for handle in handles]
    longest = max(len(line) for lines in labels for line in lines)
    room = LETTER * sheet.small * (longest + 9)  # the handle and the space between columns take about nine letters
    columns = max(1, min(len(handles), int(figure.get_figwidth() / room)))
    _legend(figure, handles, title, "outside lower left", columns=columns, handle=handle, sheet=sheet)
    rows = math.ceil(len(handles) / columns)
    parts = [sum(map(len, labels[first : first + rows])) for first in range(0, len(labels), rows)]
    return (max(parts) + bool(title) + 1) * 1.45 * sheet.small / 72
