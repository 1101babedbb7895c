"""Shared by all Matplotlib figures: sizes, axes, legends and intervals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.figures import ranges, style
from primum.figures.sheet import LETTER, SCREEN, Sheet
from primum.figures.sheet import WIDTH as WIDTH

TEXT, SMALL, TINY = SCREEN.text, SCREEN.small, SCREEN.tiny  # points
SMALLEST_AXES = 0.4  # inches


def new(width: float, height: float, title: str, subtitle: str, *, beside: float = 0.0, sheet: Sheet = SCREEN) -> Any:
    """An empty figure with its heading, with some inches `beside` it for a legend.

    The height is that of a figure without heading if the sheet has a width of its own.
    """
    room = (1.0 if sheet.width is None else 0.95) * width - beside
    heading = [line for text in (title, subtitle) for line in fitting(text, room, sheet.text)]
    if sheet.width is not None:
        height += len(heading) * 1.25 * sheet.text / 72
    size = (sheet.width or width, sheet.height or height)
    figure = style.matplotlib().figure.Figure(figsize=size, dpi=150, layout="constrained")
    if heading:
        figure.suptitle("\n".join(heading), fontsize=sheet.text, x=0.01, horizontalalignment="left")
    return figure


def inches(axes: Any) -> tuple[float, float]:
    """Width and height of axes, as they are before the figure is laid out."""
    box = axes.get_window_extent()
    return box.width / axes.figure.dpi, box.height / axes.figure.dpi


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


def fitting(text: str, width: float, size: float) -> list[str]:
    """Lines of text that fit a width in inches."""
    return [style.for_matplotlib(line) for line in style.wrapped(text, max(1, int(width / (LETTER * size))))]


def dress(axes: Any, x_label: str, y_label: str, *, grid: str = "both", sheet: Sheet = SCREEN) -> None:
    """Labels, grid and spines; on a sheet of a given size, labels are wrapped to the sides of the axes."""
    texts = [style.for_matplotlib(label) for label in (x_label, y_label)]
    if sheet.width is not None:
        # the layout has not been made: the axes have about three quarters of the width, and of the height of one panel
        width, height = inches(axes)
        room = 0.95 * width, 0.8 * height
        texts = ["\n".join(fitting(label, *fit)) for label, *fit in zip((x_label, y_label), room, (sheet.text,) * 2)]
    axes.set_xlabel(texts[0], fontsize=sheet.text)
    axes.set_ylabel(texts[1], fontsize=sheet.text)
    axes.tick_params(labelsize=sheet.small)
    axes.grid(axis=grid, alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def scale(axes: Any, which: str, limits: tuple[float, float], *, log: bool) -> None:
    """The range of the axis "x" or "y"; a short logarithmic one gets plain numbers."""
    ticker = style.matplotlib().ticker
    axis = axes.xaxis if which == "x" else axes.yaxis
    if log:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        if ticks := ranges.log_ticks(limits):
            axis.set_major_locator(ticker.FixedLocator(ticks))
            axis.set_major_formatter(ticker.FormatStrFormatter("%g"))
            axis.set_minor_formatter(ticker.NullFormatter())
    (axes.set_xlim if which == "x" else axes.set_ylim)(limits)


def categories(axes: Any, names: Sequence[str], width: float, *, every: int = 1, sheet: Sheet = SCREEN) -> float:
    """Name the places along an axis of some inches, or one of so many; askew or upright where a word does not fit.

    Returns the height of the names in inches.
    """
    room = every * width / max(len(names), 1)
    names = [style.short(name) for name in names[::every]]
    longest, word = (max(map(len, parts), default=0) for parts in (names, [w for name in names for w in name.split()]))
    small = sheet.small
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


def whiskers(axes: Any, where: Any, low: Any, high: Any, *, upright: bool, colour: str) -> None:
    """Intervals with caps; those that are not numbers are left out."""
    drawn = np.isfinite(low) & np.isfinite(high)
    where, low, high = (np.asarray(numbers, np.float64)[drawn] for numbers in (where, low, high))
    (axes.vlines if upright else axes.hlines)(where, low, high, color=colour, linewidth=1.3, zorder=2.5)
    for ends in (low, high):
        pair = (where, ends) if upright else (ends, where)
        axes.plot(*pair, "_" if upright else "|", color=colour, markersize=5, markeredgewidth=1.3, zorder=2.5)


def legend(
    owner: Any,
    handles: list[Any],
    title: str,
    loc: str,
    *,
    columns: int = 1,
    handle: float = 3.5,
    sheet: Sheet = SCREEN,
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


def legend_below(
    figure: Any, handles: list[Any], title: str = "", *, handle: float = 3.5, sheet: Sheet = SCREEN
) -> float:
    """A legend below all axes, in as many columns as fit; its height in inches."""
    labels = [handle.get_label().split("\n") for handle in handles]
    longest = max(len(line) for lines in labels for line in lines)
    room = LETTER * sheet.small * (longest + 9)  # the handle and the space between columns take about nine letters
    columns = max(1, min(len(handles), int(figure.get_figwidth() / room)))
    legend(figure, handles, title, "outside lower left", columns=columns, handle=handle, sheet=sheet)
    rows = math.ceil(len(handles) / columns)
    parts = [sum(map(len, labels[first : first + rows])) for first in range(0, len(labels), rows)]
    return (max(parts) + bool(title) + 1) * 1.45 * sheet.small / 72


def mark(axes: Any, x: float, label: str, *, at_left: bool) -> None:
    """A thin vertical line with its label along it."""
    axes.axvline(x, color=style.DARK_GREY, linewidth=0.9, zorder=1.5)
    axes.annotate(
        style.for_matplotlib(style.short(label)),
        (x, 0.98),
        (2 if at_left else -2, 0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        rotation=90,
        horizontalalignment="left" if at_left else "right",
        verticalalignment="top",
        fontsize=SMALL,
        color=style.DARK_GREY,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1},
    )
