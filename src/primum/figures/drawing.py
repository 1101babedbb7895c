"""Figures as a paper needs them: in a given size, with other names, with another title or none."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from primum.errors import ParameterError, UnknownNameError, quoted
from primum.figures import interactive, static
from primum.figures.sheet import Sheet

WIDTHS = {"column": 3.5, "page": 7.0}  # inches
SMALLEST, LARGEST = 1.0, 50.0  # inches
PIXELS_PER_INCH = 96  # as browsers count
LEGENDS = ("below", "beside")
HEADING = ("title", "subtitle")

Size = str | Sequence[float] | None


def drawn(
    picture: Any,
    policies: Mapping[str, str],
    *,
    is_static: bool,
    labels: Mapping[str, str] | None,
    size: Size,
    title: bool | str,
    legend: str | None,
) -> Any:
    """A picture as a Matplotlib figure, or as a Plotly one; `policies` are their titles by their labels."""
    width, height = _inches(size)
    if legend is not None and legend not in LEGENDS:
        raise UnknownNameError("place of a legend", legend, LEGENDS, ("legend",))
    if not isinstance(title, bool | str):
        raise ParameterError(f"title must be True, False or a text, got {quoted(title)}", ("title",))
    if title is not True:
        picture = dataclasses.replace(picture, title=title or "", subtitle="")
    picture = _renamed(picture, policies, labels or {})
    if not is_static:
        return interactive.placed(picture.interactive(), _pixels(width), _pixels(height), legend)
    if width is None:
        return picture.static(Sheet(legend=legend or "outside"))
    figure = picture.static(Sheet.of(width, height, legend or "outside"))
    static.check_room(figure)
    return figure


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
