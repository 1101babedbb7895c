"""Figures as a paper needs them: in a given size or given axes, with other names, with another title or none."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from primum.errors import ParameterError, UnknownNameError, quoted
from primum.figures import interactive, static, style
from primum.figures.kinds.heat_map import HeatMap
from primum.figures.kinds.panels import Panels
from primum.figures.kinds.shares import Shares
from primum.figures.sheet import ENTRIES_IN_INNER_LEGEND, Sheet

WIDTHS = {"column": 3.5, "page": 7.0}  # inches
SMALLEST, LARGEST = 1.0, 50.0  # inches
PIXELS_PER_INCH = 96  # as browsers count
LEGENDS = ("below", "beside")
BACKENDS = ("plotly", "matplotlib")
TINY = 0.85  # of the size of small texts
HEADING = ("title", "subtitle")

Size = str | Sequence[float] | None


def drawn(
    picture: Any,
    policies: Mapping[str, str],
    *,
    backend: str | None,
    ax: Any,
    is_static: bool,
    labels: Mapping[str, str] | None,
    size: Size,
    title: bool | str,
    legend: str | None,
) -> Any:
    """A picture as a Matplotlib figure, or as a Plotly one; `policies` are their titles by their labels."""
    is_static = _is_static(backend, ax, is_static)
    width, height = _inches(size)
    if legend is not None and legend not in LEGENDS:
        raise UnknownNameError("place of a legend", legend, LEGENDS, ("legend",))
    if not isinstance(title, bool | str):
        raise ParameterError(f"title must be True, False or a text, got {quoted(title)}", ("title",))
    if title is not True:
        picture = dataclasses.replace(picture, title=title or "", subtitle="")
    picture = _renamed(picture, policies, labels or {})
    if ax is not None:
        for name, given in (("size", size), ("legend", legend)):
            if given is not None:
                raise ParameterError(f"{name} is for a figure of its own: leave it out with ax, got {given!r}", (name,))
        return _drawn_on(ax, picture)
    if not is_static:
        return interactive.placed(picture.interactive(), _pixels(width), _pixels(height), legend)
    if width is None:
        return picture.static(Sheet(legend=legend or "outside"))
    figure = picture.static(Sheet.of(width, height, legend or "outside"))
    static.check_room(figure)
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


def _drawn_on(axes: Any, picture: Any) -> Any:
    """The figure of these axes, with the picture in them, in the fonts of the user."""
    style.matplotlib()
    from matplotlib import rcParams
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties

    if not isinstance(axes, Axes):
        raise ParameterError(f"ax must be Matplotlib axes, as plt.subplots() makes them, got {quoted(axes)}", ("ax",))
    if isinstance(picture, Panels | Shares) and len(picture.panels) > 1:
        raise ParameterError(f"ax has room for one panel, and this figure has {len(picture.panels)}", ("ax",))
    sizes = rcParams["axes.labelsize"], rcParams["xtick.labelsize"]
    text, small = (FontProperties(size=size).get_size_in_points() for size in sizes)
    room = static.inches(axes)[0]
    sheet = Sheet(room, None, "inside", text, small, TINY * small, rcParams["lines.linewidth"])
    single = picture.panels[0] if isinstance(picture, Panels) else picture
    lines, references = single.draw(axes, sheet)
    heading = [line for part in (picture.title, picture.subtitle) for line in static.fitting(part, room, text)]
    axes.set_title("\n".join(heading), fontsize=text, loc="left")
    if handles := [*lines, *references]:
        _add_legend(axes, single, handles, sheet)
    return axes.figure


def _add_legend(axes: Any, picture: Any, handles: list[Any], sheet: Sheet) -> None:
    """A legend where it covers no data: a long one beside the axes, that of a map between these and the title."""
    place, corner = "best", None
    if isinstance(picture, HeatMap):
        place, corner = "lower left", (0.0, 1.0)
        axes.set_title(axes.get_title("left"), fontsize=sheet.text, loc="left", pad=2.5 * sheet.small)
    elif isinstance(picture, Shares) or len(handles) > ENTRIES_IN_INNER_LEGEND:
        place, corner = "upper left", (1.0, 1.0)
    legend = static.legend(axes, handles, getattr(picture, "legend", ""), place, handle=2.5, sheet=sheet)
    if corner is not None:
        legend.set_bbox_to_anchor(corner, axes.transAxes)


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


def _renamed(picture: Any, policies: Mapping[str, str], labels: Mapping[str, str]) -> Any:
    """A picture with other texts: a key is a policy's label, or a text as the picture has it."""
    if not isinstance(labels, Mapping) or not all(isinstance(part, str) for pair in labels.items() for part in pair):
        raise ParameterError(f"labels must map texts to texts, got {quoted(labels)}", ("labels",))
    shown = list(dict.fromkeys(_texts(picture, HEADING)))
    names = {}
    for given, name in labels.items():
        text = given if given in shown else policies.get(given, given)
        if text not in shown:
            raise UnknownNameError("text in this figure", given, [*policies, *shown], ("labels",))
        names[text] = name
    after = [names.get(text, text) for text in shown]
    if twice := [text for text in after if after.count(text) > 1]:
        raise ParameterError(f"labels must leave all names different, got {quoted(twice[0])} twice", ("labels",))
    return _replaced(picture, names, HEADING) if names else picture


def _texts(part: Any, leaving: Sequence[str] = ()) -> Iterator[str]:
    """All texts in a picture."""
    if isinstance(part, str):
        if part:
            yield part
    elif isinstance(part, tuple | dict):
        for one in part:
            yield from _texts(one)
    elif dataclasses.is_dataclass(part):
        for field in dataclasses.fields(part):
            if field.name not in leaving:
                yield from _texts(getattr(part, field.name))


def _replaced(part: Any, names: Mapping[str, str], leaving: Sequence[str] = ()) -> Any:
    if isinstance(part, str):
        return names.get(part, part)
    if isinstance(part, tuple):
        return tuple(_replaced(one, names) for one in part)
    if isinstance(part, dict):
        return {_replaced(key, names): one for key, one in part.items()}
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        kept = [field.name for field in dataclasses.fields(part) if field.name not in leaving]
        return dataclasses.replace(part, **{name: _replaced(getattr(part, name), names) for name in kept})
    return part
