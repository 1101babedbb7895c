"""Line charts side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from primum.errors import ParameterError
from primum.figures import static, style, table
from primum.figures.curves import Curves

if TYPE_CHECKING:
    from xarray import Dataset


@dataclass(frozen=True)
class Panels:
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

    def interactive(self) -> tuple[Any, ...]:
        """A Plotly figure for each panel, so that a page can wrap them."""
        return tuple(panel.interactive() for panel in self.panels)

    def static(self) -> Any:
        """A Matplotlib figure."""
        rows, columns = style.grid(len(self.panels))
        width = max(static.WIDTH, 3.3 * columns)
        entries = len(self.panels[0].lines) + sum(len(panel.references) for panel in self.panels)
        figure = static.new(width, 0.9 + 2.8 * rows + 0.1 * entries, self.title, self.subtitle)
        figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)  # inches
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        references: dict[str, Any] = {}
        for panel, axes in zip(self.panels, grid, strict=False):
            handles, more = panel.draw(axes)
            references |= {handle.get_label(): handle for handle in more}
            name = static.fitting(panel.title, 0.85 * width / columns, static.TEXT)
            axes.set_title("\n".join(name), fontsize=static.TEXT, loc="left")
        for axes in grid[len(self.panels) :]:
            axes.remove()
        static.legend_below(figure, [*handles, *references.values()], self.panels[0].legend)
        return figure


def _lines(panel: Curves) -> list[tuple[str, int]]:
    return [(line.label, line.position(i)) for i, line in enumerate(panel.lines)]
