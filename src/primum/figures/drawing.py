"""Figures as a paper needs them: in a given size or given axes, with other names, with another title or none."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from primum.errors import ParameterError, UnknownNameError, quoted
from primum.figures.backends import matplotlib, plotly
from primum.figures.picture import Picture
from primum.figures.sheet import Sheet

WIDTHS = {"column": 3.5, "page": 7.0}  # inches
SMALLEST, LARGEST = 1.0, 50.0  # inches
PIXELS_PER_INCH = 96  # as browsers count
LEGENDS = ("below", "beside")
BACKENDS = ("plotly", "matplotlib")

Size = str | Sequence[float] | None


def drawn(
    picture: Picture,
    *,
    backend: str | None,
    ax: Any,
    is_static: bool,
    labels: Mapping[str, str] | None,
    size: Size,
    title: bool | str,
    legend: str | None,
) -> Any:
    """A picture as a Matplotlib figure, or as a Plotly one."""
    is_static = _is_static(backend, ax, is_static)
    width, height = _inches(size)
    if legend is not None and legend not in LEGENDS:
        raise UnknownNameError("place of a legend", legend, LEGENDS, ("legend",))
    if not isinstance(title, bool | str):
        raise ParameterError(f"title must be True, False or a text, got {quoted(title)}", ("title",))
    scene = picture.scene()
    if title is not True:
        scene = dataclasses.replace(scene, title=title or "", subtitle="")
    scene = scene.renamed(labels or {})
    if ax is not None:
        for name, given in (("size", size), ("legend", legend)):
            if given is not None:
                raise ParameterError(f"{name} is for a figure of its own: leave it out with ax, got {given!r}", (name,))
        return matplotlib.on_axes(scene, ax)
    if not is_static:
        return plotly.placed(plotly.figure(scene), _pixels(width), _pixels(height), legend)
    if width is None:
        return matplotlib.figure(scene, Sheet(legend=legend or "outside"))
    figure = matplotlib.figure(scene, Sheet.of(width, height, legend or "outside"))
    matplotlib.check_room(figure)
    return figure


def _is_static(backend: str | None, ax: Any, is_static: bool) -> bool:
    if backend is None:
        return is_static or ax is not None
    if backend not in BACKENDS:
        raise UnknownNameError("backend", backend, BACKENDS, ("backend",))
    if backend == "plotly" and (is_static or ax is not None):
        what = "ax" if ax is not None else "static=True"
        raise ParameterError(f"{what} needs backend='matplotlib', got {backend!r}", ("backend",))
    return backend == "matplotlib"


def _inches(size: Size) -> tuple[float | None, float | None]:
    """Width and height, each None if it follows from what is drawn."""
    if size is None:
        return None, None
    if isinstance(size, str):
        if size not in WIDTHS:
            raise UnknownNameError("width", size, WIDTHS, ("size",))
        return WIDTHS[size], None
    try:
        width, height = map(float, size)
        if min(width, height) >= SMALLEST and max(width, height) <= LARGEST:
            return width, height
    except (TypeError, ValueError):
        pass
    raise ParameterError(
        f"size must be {' or '.join(map(quoted, WIDTHS))}, or width and height in inches from {SMALLEST:g} to "
        f"{LARGEST:g}, such as (3.5, 2.5), got {quoted(size)}",
        ("size",),
    )


def _pixels(inches: float | None) -> int | None:
    return None if inches is None else math.floor(PIXELS_PER_INCH * inches)
