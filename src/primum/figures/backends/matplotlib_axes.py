"""Panels of scenes on Matplotlib axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from primum.figures import ranges, style
from primum.figures.scene import Array, Axis, Bars, Cells, Curve, Panel, Points, Rule, Stack
from primum.figures.sheet import LETTER, SCREEN, Sheet

DASHED = {"linewidth": 1.2, "linestyle": (0, (5, 3)), "color": style.DARK_GREY, "zorder": 1.5}
DOTS = {"tiny": 1.4, "small": 5.1, "medium": 5.5, "large": 8.4}
CELL, NARROW_CELL = 0.38, 0.14  # inches: a cell in which a number fits, and a narrow one
BLANK = 0.5  # in place of NaN: less than any ratio

Handles = tuple[list[Any], list[Any]]  # those of reference lines come last


def draw_panel(panel: Panel, axes: Any, sheet: Sheet) -> Handles:
    """Draw a panel on axes; return the handles of the legend."""
    dress(axes, panel, sheet)
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
                handle = draw_points(axes, mark, sheet)
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
        set_scale(axes, name, getattr(panel, name))
    if panel.x.names and not panel.cells:
        width = (1.1 if bars else 1.0) * inches(axes)[0]  # nothing beside bars takes room of theirs
        _name_places(axes, [style.short(name) for name in panel.x.names], width, sheet=sheet)
    if panel.y.names and not panel.cells:
        names = [style.for_matplotlib(style.short(name)) for name in panel.y.names]
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
    return [handle for _, handle in sorted(ranked, key=lambda one: one[0])], references


def dress(axes: Any, panel: Panel, sheet: Sheet) -> None:
    """Labels, grid and spines; on a sheet of a given size, labels are wrapped to the sides of the axes."""
    texts = [style.for_matplotlib(axis.label) for axis in (panel.x, panel.y)]
    if sheet.width is not None:
        # the layout has not been made: the axes have about three quarters of the width, and of the height of one panel
        width, height = inches(axes)
        rooms = 0.95 * width, 0.8 * height
        texts = ["\n".join(fitting(axis.label, room, sheet.text)) for axis, room in zip((panel.x, panel.y), rooms)]
    axes.set_xlabel(texts[0], fontsize=sheet.text)
    axes.set_ylabel(texts[1], fontsize=sheet.text)
    axes.tick_params(labelsize=sheet.small, labelbottom=True)
    if panel.x.grid or panel.y.grid:
        axes.grid(axis="both" if panel.x.grid and panel.y.grid else "x" if panel.x.grid else "y", alpha=0.3)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)


def set_scale(axes: Any, name: str, axis: Axis) -> None:
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


def draw_points(axes: Any, points: Points, sheet: Sheet) -> Any:
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


def _cells_inside(axes: Any, cells: Cells, panel: Panel, sheet: Sheet) -> list[Any]:
    """Draw on axes as they are, of which the bar of the colours takes a part."""
    width, high = inches(axes)
    cell = 0.9 * width / cells.numbers.shape[1] * SCREEN.tiny / sheet.tiny
    rows = [style.squeezed(name, panel.y.letters) for name in panel.y.names]
    fit = cell >= CELL, cells.written and cell >= NARROW_CELL
    return draw_cells(axes, cells, panel, rows, (0.9 * width, high), *fit, sheet)[0]


def draw_cells(
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
    bar.set_label("\n".join(fitting(cells.label, 0.8 * long, sheet.small)), fontsize=sheet.small)
    patch = patches.Patch(color=cells.infinite_colour, label=style.for_matplotlib(cells.infinite))
    return [patch] if is_infinite.any() else [], below


def _name_places(axes: Any, names: Sequence[str], width: float, *, every: int = 1, sheet: Sheet) -> float:
    """Name the places along an axis of some inches, or one of so many; askew or upright where a word does not fit.

    Returns the height of the names in inches.
    """
    room, names, small = every * width / max(len(names), 1), names[::every], sheet.small
    longest, word = (max(map(len, parts), default=0) for parts in (names, [w for name in names for w in name.split()]))
    texts, look = [style.for_matplotlib(name) for name in names], dict[str, Any](fontsize=small)
    tall = LETTER * small * longest
    if 1.3 * LETTER * small * word < room:  # digits are wider than most letters
        texts = ["\n".join(fitting(name, room, small)) for name in names]
        tall = 1.3 / 72 * small * max((text.count("\n") + 1 for text in texts), default=1)
    elif room > 0.3:
        look |= {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        tall *= 0.6
    else:
        look |= {"rotation": 90, "fontsize": min(small, 60 * room)}
    axes.set_xticks(range(0, every * len(names), every), texts, **look)
    axes.tick_params(axis="x", length=0)
    return tall


def inches(axes: Any) -> tuple[float, float]:
    """Width and height of axes, as they are before the figure is laid out."""
    box = axes.get_window_extent()
    return box.width / axes.figure.dpi, box.height / axes.figure.dpi


def fitting(text: str, width: float, size: float) -> list[str]:
    """Lines of text that fit a width in inches."""
    return [style.for_matplotlib(line) for line in style.wrapped(text, max(1, int(width / (LETTER * size))))]
