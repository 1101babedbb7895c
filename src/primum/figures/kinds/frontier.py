"""Two aims against each other: points of several groups, those that others dominate pale, under a ceiling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import ranges, style, table
from primum.figures.picture import Picture
from primum.figures.scene import NONE, Axis, Curve, Mark, Name, Panel, Points, Scene, Size

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]
CEILING = "No design of any kind lies above"
YOURS = "The design given"
PALE = 0.25  # opacity of what is dominated
BLACK, HALO = style.COLOURS[6], 0.4  # colour and opacity of what is behind the marked point


@dataclass(frozen=True)
class Group:
    """Points of one colour and shape, with their names, and whether another point is better in both."""

    label: str
    x: Array
    y: Array
    dominated: Array
    names: tuple[str, ...]


@dataclass(frozen=True)
class FrontierFigure(Picture):
    """Points in groups, a curve above which none can be, and one point that is marked."""

    title: str
    subtitle: str
    x_label: str
    y_label: str
    groups: tuple[Group, ...]
    ceiling: tuple[Array, Array] | None = None
    marked: tuple[float, float] | None = None

    def data(self) -> Dataset:
        """The points, by their names."""
        names = [name for group in self.groups for name in group.names]
        coordinates: dict[str, Any] = {
            "point": ("point", names, "Design"),
            "group": ("point", [group.label for group in self.groups for _ in group.names], "Group"),
        }
        variables = {
            "x": (("point",), np.concatenate([group.x for group in self.groups]), self.x_label),
            "y": (("point",), np.concatenate([group.y for group in self.groups]), self.y_label),
            "dominated": (("point",), np.concatenate([group.dominated for group in self.groups]), "Dominated"),
        }
        if self.ceiling is not None:
            coordinates["place"] = ("place", np.arange(len(self.ceiling[0])), "Place on the ceiling")
            variables["ceiling_x"] = (("place",), self.ceiling[0], f"{self.x_label}, ceiling")
            variables["ceiling_y"] = (("place",), self.ceiling[1], f"{self.y_label}, ceiling")
        return table.dataset(self.title, self.subtitle, coordinates, variables)

    def scene(self) -> Scene:
        """The ceiling, the points in the colours and shapes of their groups, and a halo around the marked one."""
        marks: list[Mark] = []
        if self.ceiling is not None:
            marks.append(Curve(Name(CEILING), *self.ceiling, BLACK, (), rank=1))
        if self.marked is not None:
            x, y = (np.array([each]) for each in self.marked)
            marks.append(Points(Name(YOURS), x, y, BLACK, size="large", opacity=HALO, rank=2))
        for i, group in enumerate(self.groups):
            for pale in (True, False):
                at = group.dominated == pale
                if not at.any():
                    continue
                label = Name(style.short(group.label), group.label) if not pale or group.dominated.all() else NONE
                look: dict[str, Any] = {"size": "small", "opacity": PALE} if pale else {"size": "medium"}
                told = tuple(Name(name) for name, shown in zip(group.names, at, strict=True) if shown)
                marks.append(Points(label, group.x[at], group.y[at], style.colour(i), i, told=told, **look))
        x_all = np.concatenate([group.x for group in self.groups])
        y_all = np.concatenate([group.y for group in self.groups])
        if self.ceiling is not None:
            x_all, y_all = np.append(x_all, self.ceiling[0]), np.append(y_all, self.ceiling[1])
        return Scene(
            self.title,
            self.subtitle,
            (
                Panel(
                    Axis(Name(self.x_label), ranges.limits(x_all, pad=0.05), percent=True),
                    Axis(Name(self.y_label), ranges.limits(y_all, pad=0.05), percent=True),
                    tuple(marks),
                ),
            ),
            listed=True,
            size=Size((6.4, 4.8)),
        )
