"""Line charts side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from primum.errors import ParameterError
from primum.figures import table
from primum.figures.kinds.curves import Curves
from primum.figures.picture import Picture
from primum.figures.scene import Name, Scene, Size

if TYPE_CHECKING:
    from xarray import Dataset


SIZE = Size((3.3, 2.8), (0.0, 0.9), width=6.4, entry=0.1, aspect=0.75, low=1.5, margin=0.2)
SIDE_BY_SIDE: dict[str, Any] = {"place": "below", "titled": True, "size": SIZE}


@dataclass(frozen=True)
class Panels(Picture):
    """Line charts of the same lines in the same order, with one legend."""

    title: str
    subtitle: str
    panels: tuple[Curves, ...]

    def __post_init__(self) -> None:
        if not self.panels:
            raise ParameterError("panels need at least one panel, got none")
        first = _lines(self.panels[0])
        for panel in self.panels[1:]:
            if _lines(panel) != first:
                raise ParameterError(
                    f"panels must have the same lines in the same order, got {[name for name, _ in first]} and "
                    f"{[name for name, _ in _lines(panel)]} in {panel.title!r}"
                )

    def data(self) -> Dataset:
        """The data, by panel; NaN where a panel has no such point."""
        from xarray import concat

        sets = [panel.data() for panel in self.panels]
        # panels with different horizontal axes share one dimension
        names = [table.axis(panel.x_label) for panel in self.panels]
        if len(set(names)) > 1:
            sets = [one.rename({name: "x"}) for one, name in zip(sets, names, strict=True)]
        joined = concat(sets, "panel", join="outer", combine_attrs="drop_conflicts")
        joined["panel"] = ("panel", [panel.title for panel in self.panels], {"long_name": "Panel"})
        joined.coords["quantity"] = ("panel", [panel.y_label for panel in self.panels], {"long_name": "What is drawn"})
        return joined.assign_attrs(title=self.title, subtitle=self.subtitle)

    def scene(self) -> Scene:
        """The panels side by side."""
        first = self.panels[0].scene()
        panels = tuple(replace(panel.scene().panels[0], title=Name(panel.title)) for panel in self.panels)
        return replace(first, title=self.title, subtitle=self.subtitle, panels=panels, **SIDE_BY_SIDE)

    def interactive(self) -> Any:
        """A Plotly figure for each panel, so that a page can wrap them."""
        return tuple(panel.interactive() for panel in self.panels)


@dataclass(frozen=True)
class Grid(Panels):
    """Panels over the same axes, without references, in one figure; or each with its `own` vertical scale."""

    own: bool = False

    def scene(self) -> Scene:
        """The panels, with the same vertical scale or each with its own."""
        return replace(super().scene(), own=self.own)

    def interactive(self) -> Any:
        """A Plotly figure."""
        return Picture.interactive(self)


def _lines(panel: Curves) -> list[tuple[str, int]]:
    return [(line.label, line.position(i)) for i, line in enumerate(panel.lines)]
