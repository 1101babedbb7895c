"""Stacked shares of arms by step, one panel for each policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import ranges, style, table
from primum.figures.picture import Picture
from primum.figures.scene import Axis, Name, Panel, Scene, Size, Stack
from primum.text import counted

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]
SIZE = Size((2.7, 2.4), (1.8, 1.0), width=7.2, aspect=0.65, low=1.2, margin=0.4)


@dataclass(frozen=True)
class Shares(Picture):
    """Stacked areas that add up to one: `panels[policy][step, arm]`; the arms that are not `apart` share an area."""

    title: str
    subtitle: str
    steps: Array
    arms: tuple[str, ...]
    panels: dict[str, Array]
    apart: tuple[int, ...]  # positions of arms
    log: bool = False  # a logarithmic axis of steps
    x_label: str = "Step"
    y_label: str = "Share of pulls"
    legend: str = "Arm"

    def data(self) -> Dataset:
        """The data, by policy, step and arm, grouped arms included."""
        coordinates = {
            "policy": ("policy", list(self.panels), "Policy"),
            "step": ("step", self.steps, self.x_label),
            "arm": ("arm", list(self.arms), self.legend),
        }
        shares = np.stack(list(self.panels.values()))
        variables = {"share": (("policy", "step", "arm"), shares, self.y_label)}
        return table.dataset(self.title, self.subtitle, coordinates, variables)

    def scene(self) -> Scene:
        """Stacked areas, the first arm at the bottom."""
        x = Axis(Name(self.x_label), ranges.limits(self.steps, log=self.log, pad=0.0), self.log, grid=False)
        y = Axis(Name(self.y_label), (0.0, 1.0), percent=True, grid=False)
        apart, others = list(self.apart), len(self.arms) - len(self.apart)
        names = tuple(Name(self.arms[arm]) for arm in apart)
        colours = style.ramp(len(apart))
        if others:
            names, colours = (*names, Name(counted(others, "other"))), (*colours, style.GREY)
        panels = []
        for policy, shares in self.panels.items():
            rest = (np.delete(shares, apart, axis=1).sum(axis=1),) if others else ()
            stack = Stack(self.steps, names, colours, (*shares[:, apart].T, *rest))
            panels.append(Panel(x, y, (stack,), Name(policy)))
        look: dict[str, Any] = {"place": "beside", "together": True, "titled": True, "shared": True, "handle": 2.0}
        return Scene(self.title, self.subtitle, tuple(panels), Name(self.legend), **look, size=SIZE)
