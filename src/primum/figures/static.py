"""Shared by all Matplotlib figures: sizes, axes, legends and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from primum.figures import ranges, style

# Inches and points: on paper, a figure of this width keeps its fonts readable in a column of half the page.
WIDTH = 6.4
TEXT, SMALL, TINY = 11.0, 9.5, 8.0
LETTER = 0.52 / 72  # the width of a letter, in inches for each point of its size


def new(width: float, height: float, title: str, subtitle: str, *, beside: float = 0.0) -> Any:
    """An empty figure with its heading, with some inches `beside` it for a legend."""
    figure = style.matplotlib().figure.Figure(figsize=(width, height), dpi=150, layout="constrained")
    heading = [*fitting(title, width - beside, TEXT), *fitting(subtitle, width - beside, TEXT)]
    figure.suptitle("\n".join(heading), fontsize=TEXT, x=0.01, horizontalalignment="left")
    return figure


def fitting(text: str, width: float, size: float) -> list[str]:
    """Lines of text that fit a width in inches."""
    return [style.for_matplotlib(line) for line in style.wrapped(text, int(width / (LETTER * size)))]


def dress(axes: Any, x_label: str, y_label: str, *, grid: str = "both") -> None:
    """Labels, grid and spines."""
    axes.set_xlabel(style.for_matplotlib(x_label), fontsize=TEXT)
    axes.set_ylabel(style.for_matplotlib(y_label), fontsize=TEXT)
    axes.tick_params(labelsize=SMALL)
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


def categories(axes: Any, names: Sequence[str], width: float, *, every: int = 1) -> float:
    """Name the places along an axis of some inches, or one of so many; askew or upright where a word does not fit.

    Returns the height of the names in inches.
    """
    room = every * width / max(len(names), 1)
    names = [style.short(name) for name in names[::every]]
    longest, word = (max(map(len, parts), default=0) for parts in (names, [w for name in names for w in name.split()]))
    texts, look = [style.for_matplotlib(name) for name in names], dict[str, Any](fontsize=SMALL)
    tall = LETTER * SMALL * longest
    if 1.3 * LETTER * SMALL * word < room:  # digits are wider than most letters
        texts = ["\n".join(fitting(name, room, SMALL)) for name in names]
        tall = 1.3 / 72 * SMALL * max((text.count("\n") + 1 for text in texts), default=1)
    elif room > 0.3:
        look |= {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        tall *= 0.6
    else:
        look |= {"rotation": 90, "fontsize": min(SMALL, 60 * room)}
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


def legend(owner: Any, handles: list[Any], title: str, loc: str, *, columns: int = 1, handle: float = 3.5) -> Any:
    """A legend of axes or of a whole figure."""
    return owner.legend(
        handles=handles,
        title=style.for_matplotlib(title),
        loc=loc,
        ncols=columns,
        fontsize=SMALL,
        title_fontsize=SMALL,
        handlelength=handle,
        framealpha=0.75,  # inside the axes, a reference may pass below it
        edgecolor="none",
        alignment="left",
    )


def legend_below(figure: Any, handles: list[Any], title: str = "", *, handle: float = 3.5) -> Any:
    """A legend below all axes, in as many columns as fit."""
    longest = max(len(line) for handle in handles for line in handle.get_label().split("\n"))
    room = LETTER * SMALL * (longest + 9)  # the handle and the space between columns take about nine letters
    columns = max(1, min(len(handles), int(figure.get_figwidth() / room)))
    return legend(figure, handles, title, "outside lower left", columns=columns, handle=handle)


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
