"""A figure as a scene: panels with axes, and marks in them. It knows no backend, and a backend knows no kind of figure.

Colours are those of `style`, sizes are in inches, and a `marker` or `hatch` is a position among those of `style`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from primum.errors import ParameterError, UnknownNameError, quoted
from primum.figures import ranges

Array = np.ndarray[Any, Any]
Interval = tuple[Array, Array]


class Name(str):
    """A text of a figure that knows what it names: a policy by its label, an arm by its name, others by themselves.

    >>> Name("arm 2 (best)", "arm 2").key, Name("Step").key
    ('arm 2', 'Step')
    """

    key: str

    def __new__(cls, text: str, key: str = "") -> Self:
        name = super().__new__(cls, text)
        name.key = key or getattr(text, "key", text)
        return name


NONE = Name("")


@dataclass(frozen=True)
class Axis:
    """An axis; `names` are those of the places 0, 1, 2 and so on."""

    label: Name = NONE
    limits: tuple[float, float] | None = None  # from the first to the last place on it; else those of the marks
    log: bool = False
    percent: bool = False
    grid: bool = True
    names: tuple[Name, ...] = ()
    letters: int = 44  # of a name on a page
    slots: bool = False  # the names stand on lines of their own, beside the axes
    free: bool = False  # a page rescales it to the lines that are visible
    zero: bool = False  # and then it begins at zero

    def at_left(self, place: float | None) -> bool:
        """Whether a place is too close to the left end for a label."""
        return place is not None and self.limits is not None and ranges.at_left(place, self.limits, log=self.log)


@dataclass(frozen=True)
class Curve:
    """A line over a band. Reference lines have a note, if an empty one."""

    name: Name
    x: Array
    y: Array
    colour: str
    dash: tuple[float, ...]
    marker: int | None = None
    group: int | None = None  # lines of the same policy have the same one
    interval: Interval | None = None  # what a page tells at each point,
    band: Interval | None = None  # and what is drawn of it, with gaps where it is not a number
    stepped: bool = False  # level up to the next point
    note: Name | None = None
    rank: int = 0  # the place in the legend, before those of a higher rank


@dataclass(frozen=True)
class Points:
    """Points; with whiskers along an axis if they have an interval, and then the other axis has names.

    Points without a name of their own are only drawn.
    """

    name: Name
    x: Array
    y: Array
    colour: str
    marker: int = 0
    size: Literal["tiny", "small", "medium", "large"] = "medium"
    opacity: float = 1.0
    interval: Interval | None = None
    along: Literal["x", "y"] = "y"
    text: bool = False  # the name stands beside each point
    told: tuple[Name, ...] = ()  # what a page tells at each point
    group: int | None = None
    rank: int = 0


@dataclass(frozen=True)
class Bars:
    """A bar at each of the places 0, 1, 2 and so on, beside those of the other bars of the panel."""

    name: Name
    y: Array
    interval: Interval
    colour: str
    hatch: int


@dataclass(frozen=True)
class Stack:
    """Areas on top of each other, from the bottom."""

    x: Array
    names: tuple[Name, ...]
    colours: tuple[str, ...]
    heights: tuple[Array, ...]


@dataclass(frozen=True)
class Cells:
    """Numbers of at least one as colours on a logarithmic scale, up to `top`; infinite ones stand out."""

    label: Name
    numbers: Array  # row x column
    texts: Array
    top: float
    ticks: dict[float, str]
    infinite: Name
    infinite_colour: str
    every: int  # one of so many columns is named
    written: bool  # the texts fit into the cells


@dataclass(frozen=True)
class Rule:
    """A thin grey line: upright at `x`, with its name along it, or the diagonal."""

    name: Name = NONE
    x: float | None = None
    dashed: bool = False


Mark = Curve | Points | Bars | Stack | Cells | Rule


@dataclass(frozen=True)
class Panel:
    """Axes and the marks in them, from back to front."""

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    title: Name = NONE

    @property
    def cells(self) -> Cells | None:
        """The cells, if this is a map."""
        return next((mark for mark in self.marks if isinstance(mark, Cells)), None)


@dataclass(frozen=True)
class Size:
    """Inches of a static figure without its heading and the legend below.

    Without a given width it is `panel` for each panel and `around` all of them, at least `width` wide, and `entry` for
    each entry of the legend below, or what that takes. In a given width, a panel is as high as `aspect` of its width,
    from `low` to the height in `panel`, with a `margin` around all.
    """

    panel: tuple[float, float] = (6.4, 4.0)
    around: tuple[float, float] = (0.0, 0.0)
    width: float = 0.0
    aspect: float = 0.62
    low: float = 1.6
    margin: float = 0.3
    entry: float | None = None


@dataclass(frozen=True)
class Scene:
    """A figure: panels with the same legend."""

    title: str
    subtitle: str
    panels: tuple[Panel, ...]
    legend: Name = NONE  # its title
    listed: bool = True  # there is a legend
    place: Literal["fit", "below", "beside"] = "below"  # where it is, if nobody says so
    handle: float = 1.5  # its length in letters
    together: bool = False  # a page tells all lines at a place on the horizontal axis together
    own: bool = False  # each panel has a vertical scale of its own
    shared: bool = False  # the labels of the axes stand once
    titled: bool = False  # panels are named, and stand side by side on a page
    size: Size = Size()

    @property
    def entries(self) -> tuple[Name, ...]:
        """What the legend names, besides reference lines."""
        names: list[Name] = []
        for mark in self.panels[0].marks:
            match mark:
                case Stack():
                    names += mark.names
                case Cells() if np.isinf(mark.numbers).any():
                    names.append(mark.infinite)
                case Curve(note=None) | Points() | Bars():
                    names += [mark.name] if mark.name else []
        return tuple(names)

    @property
    def references(self) -> tuple[Curve, ...]:
        """The reference lines of all panels."""
        marks = (mark for panel in self.panels for mark in panel.marks)
        return tuple(mark for mark in marks if isinstance(mark, Curve) and mark.note is not None)

    def renamed(self, labels: Mapping[str, str]) -> Scene:
        """The scene with other names, each by what it names, or by its text."""
        if not isinstance(labels, Mapping) or not all(isinstance(text, str) for text in (*labels, *labels.values())):
            raise ParameterError(f"labels must map texts to texts, got {quoted(labels)}", ("labels",))
        names: dict[str, Name] = {}
        _changed(self, lambda name: names.setdefault(name.key, name) if name else name)
        after = dict(names)
        for given, text in labels.items():
            keys = [given] if given in names else [key for key, name in names.items() if name == given]
            if not keys:
                known = dict.fromkeys([*names, *names.values()])
                raise UnknownNameError("text in this figure", given, known, ("labels",))
            after |= {key: Name(text, key) for key in keys}
        for key, name in after.items():
            if name != names[key] and list(after.values()).count(name) > 1:
                raise ParameterError(f"labels must leave all names different, got {quoted(name)} twice", ("labels",))
        renamed: Scene = _changed(self, lambda name: after.get(name.key, name))
        return renamed


def _changed(part: Any, change: Callable[[Name], Name]) -> Any:
    """A part of a scene with other names."""
    if isinstance(part, Name):
        return change(part)
    if isinstance(part, tuple):
        return tuple(_changed(one, change) for one in part)
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        fields = {field.name: _changed(getattr(part, field.name), change) for field in dataclasses.fields(part)}
        return dataclasses.replace(part, **fields)
    return part
