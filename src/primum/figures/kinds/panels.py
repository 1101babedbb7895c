"""Line charts side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from primum.errors import ParameterError
from primum.figures import static, table
from primum.figures.kinds.curves import Curves
from primum.figures.sheet import SCREEN, Sheet

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

    def static(self, sheet: Sheet = SCREEN) -> Any:
        """A Matplotlib figure."""
        rows, columns = sheet.grid(len(self.panels))
        names = [line.label for line in self.panels[0].lines]
        names += [reference.label for panel in self.panels for reference in panel.references]
        beside = sheet.beside(names) if sheet.legend == "beside" else 0.0
        if sheet.width is None:
            width = max(static.WIDTH, 3.3 * columns)
            height = 0.9 + 2.8 * rows + 0.1 * len(names)
        else:
            width = sheet.width
            height = 0.2 + rows * (min(max(1.5, 0.75 * width / columns), 2.8) + self.panels[0].below(sheet))
        figure = static.new(width, height, self.title, self.subtitle, beside=beside, sheet=sheet)
        figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)  # inches
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        references: dict[str, Any] = {}
        for place, (panel, axes) in enumerate(zip(self.panels, grid, strict=False)):
            handles, more = panel.draw(axes, sheet)
            if sheet.width is not None:  # where panels beside or below each other have the same label, one has it
                if place % columns and panel.y_label == self.panels[place - 1].y_label:
                    axes.set_ylabel("")
                if place + columns < len(self.panels) and panel.x_label == self.panels[place + columns].x_label:
                    axes.set_xlabel("")
            references |= {handle.get_label(): handle for handle in more}
            name = static.fitting(panel.title, 0.85 * width / columns, sheet.text)
            axes.set_title("\n".join(name), fontsize=sheet.text, loc="left")
        for axes in grid[len(self.panels) :]:
            axes.remove()
        handles += references.values()
        if beside:
            static.legend(figure, handles, self.panels[0].legend, "outside right upper", sheet=sheet)
        else:
            tall = static.legend_below(figure, handles, self.panels[0].legend, sheet=sheet)
            if sheet.width is not None and sheet.height is None:
                figure.set_figheight(figure.get_figheight() + tall)
        return figure


def _lines(panel: Curves) -> list[tuple[str, int]]:
    return [(line.label, line.position(i)) for i, line in enumerate(panel.lines)]
