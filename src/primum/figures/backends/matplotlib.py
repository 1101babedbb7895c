"""Scenes as Matplotlib figures, for print."""

from __future__ import annotations

import math
import warnings
from typing import Any

from primum.errors import ParameterError, quoted
from primum.figures import style
from primum.figures.backends.matplotlib_axes import (
    CELL,
    NARROW_CELL,
    draw_cells,
    draw_panel,
    draw_points,
    dress,
    fitting,
    inches,
    set_scale,
)
from primum.figures.scene import Cells, Points, Rule, Scene
from primum.figures.sheet import ENTRIES_IN_INNER_LEGEND, LETTER, SCREEN, Sheet

SMALLEST_AXES = 0.4  # inches
BESIDE = 2.6  # inches that a legend beside the axes adds to a figure without a given width
TINY = 0.85  # of the size of small texts, in axes of the user
CELL_HEIGHT, AROUND_CELLS = 0.25, 1.4  # inches: the height of a cell, and all that is beside the cells and names
WIDEST = 10.5  # of cells with level numbers
NAMED_COLUMNS = 72  # of cells that are at least narrow


def figure(scene: Scene, sheet: Sheet = SCREEN) -> Any:
    """A Matplotlib figure."""
    if scene.panels[0].cells:
        return _map(scene, scene.panels[0].cells, sheet)
    lines, place = scene.entries, _place(scene, sheet)
    rows, columns = sheet.grid(len(scene.panels))
    beside = 0.0
    if place == "beside" and not scene.shared:  # where the panels share their axes, the size has room for it
        beside = BESIDE if sheet.width is None and not scene.titled else sheet.beside(lines)
    width, height = _size(scene, rows, columns, len(lines) + len(scene.references), sheet)
    if beside and not scene.titled:  # one legend entry each
        width, height = sheet.width or width + beside, max(height, 0.9 + 0.2 * sheet.small / SCREEN.small * len(lines))
    figure = _new(scene, width, height, beside, sheet)
    grid = figure.subplots(rows, columns, sharex=scene.shared, sharey=scene.shared, squeeze=False).ravel()
    references: dict[str, Any] = {}
    for panel, axes in zip(scene.panels, grid, strict=False):
        handles, more = draw_panel(panel, axes, sheet)
        references |= {handle.get_label(): handle for handle in more}
    for axes in grid[len(scene.panels) :]:
        axes.remove()
    if scene.titled:
        _dress_panels(scene, figure, grid, columns, place, sheet)
    if not scene.listed:
        return figure
    if place == "beside":
        where, handles = ("center", handles[::-1]) if scene.shared else ("upper", handles)
        _legend(figure, handles, scene.legend, f"outside right {where}", handle=scene.handle, sheet=sheet)
    elif place == "inside":
        _legend(grid[0], handles, scene.legend, "best", handle=scene.handle, sheet=sheet)
    below = [*(handles if place == "below" else ()), *references.values()]
    if below:
        title = scene.legend if place == "below" else ""
        tall = _legend_below(figure, below, title, handle=scene.handle, sheet=sheet)
        if sheet.height is None and (sheet.width is not None or scene.size.entry is None):
            figure.set_figheight(figure.get_figheight() + tall)
    return figure


def on_axes(scene: Scene, axes: Any) -> Any:
    """The figure of axes of the user, with the only panel of a scene drawn in them, in the user's fonts."""
    style.matplotlib()
    from matplotlib import rcParams
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties

    if not isinstance(axes, Axes):
        raise ParameterError(f"ax must be Matplotlib axes, as plt.subplots() makes them, got {quoted(axes)}", ("ax",))
    if len(scene.panels) > 1:
        raise ParameterError(f"ax has room for one panel, and this figure has {len(scene.panels)}", ("ax",))
    sizes = rcParams["axes.labelsize"], rcParams["xtick.labelsize"]
    text, small = (FontProperties(size=size).get_size_in_points() for size in sizes)
    room = inches(axes)[0]
    sheet = Sheet(room, None, "inside", text, small, TINY * small, rcParams["lines.linewidth"])
    lines, references = draw_panel(scene.panels[0], axes, sheet)
    heading = [line for part in (scene.title, scene.subtitle) for line in fitting(part, room, text)]
    is_map = scene.panels[0].cells is not None  # its legend is between the axes and the title
    axes.set_title("\n".join(heading), fontsize=text, loc="left", pad=2.5 * small if is_map and lines else None)
    if not (handles := [*(lines[::-1] if scene.shared else lines), *references]):
        return axes.figure
    # a legend covers no data: a long one is beside the axes
    place, corner = ("lower left", (0.0, 1.0)) if is_map else ("best", None)
    if scene.shared or len(handles) > ENTRIES_IN_INNER_LEGEND:
        place, corner = "upper left", (1.0, 1.0)
    legend = _legend(axes, handles, scene.legend, place, handle=2.5, sheet=sheet)
    if corner is not None:
        legend.set_bbox_to_anchor(corner, axes.transAxes)
    return axes.figure


def check_room(figure: Any) -> None:
    """Refuse a size that leaves no room for the axes."""
    with warnings.catch_warnings(record=True) as told:  # that there is no layout with room for the axes
        warnings.simplefilter("always")
        figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    boxes = [axes.get_position() for axes in figure.axes if axes.get_label() != "<colorbar>"]
    if told or any(min(box.width * width, box.height * height) < SMALLEST_AXES for box in boxes):
        raise ParameterError(
            f"size must leave room for the axes beside names, legend and title, got ({width:g}, {height:g}); give "
            "only a width ('column' or 'page'), whose height follows, a larger size, or title=False",
            ("size",),
        )


def _place(scene: Scene, sheet: Sheet) -> str:
    """Where the legend goes."""
    if sheet.legend in ("below", "beside"):
        return sheet.legend
    if scene.place == "fit":
        place = sheet.place(len(scene.entries))
        could_hide = any(isinstance(mark, Rule) and mark.name for mark in scene.panels[0].marks)
        return "below" if place == "inside" and could_hide and not scene.references else place
    return "beside" if scene.place == "beside" and sheet.width is None else "below"


def _size(scene: Scene, rows: int, columns: int, entries: int, sheet: Sheet) -> tuple[float, float]:
    """Width and height of a figure without heading and legend."""
    size = scene.size
    if sheet.width is None:
        width, height = (
            around + panel * count for around, panel, count in zip(size.around, size.panel, (columns, rows))
        )
        return max(size.width, width), height + (size.entry or 0) * entries
    askew = 0.6 * LETTER * sheet.small * max((len(style.short(name)) for name in scene.panels[0].x.names), default=0)
    tall = min(max(size.low, size.aspect * sheet.width / columns), size.panel[1])
    return sheet.width, size.margin + rows * (tall + askew)


def _new(scene: Scene, width: float, height: float, beside: float, sheet: Sheet) -> Any:
    """An empty figure with its heading, with some inches beside it for a legend.

    The height is that of a figure without heading if the sheet has a width of its own.
    """
    room = (1.0 if sheet.width is None else 0.95) * width - beside
    heading = [line for text in (scene.title, scene.subtitle) for line in fitting(text, room, sheet.text)]
    if sheet.width is not None:
        height += len(heading) * 1.25 * sheet.text / 72
    size = (sheet.width or width, sheet.height or height)
    figure = style.matplotlib().figure.Figure(figsize=size, dpi=150, layout="constrained")
    if heading:
        figure.suptitle("\n".join(heading), fontsize=sheet.text, x=0.01, horizontalalignment="left")
    return figure


def _dress_panels(scene: Scene, figure: Any, grid: Any, columns: int, place: str, sheet: Sheet) -> None:
    """Titles of panels, and labels of their axes: only one has a label that several share."""
    shared, last = scene.shared, len(scene.panels) - columns
    size, where = (sheet.small, "center") if shared else (sheet.text, "left")
    room = (
        scene.size.panel[0]
        if shared and sheet.width is None
        else (1 if shared else 0.85) * figure.get_figwidth() / columns
    )
    for i, (panel, axes) in enumerate(zip(scene.panels, grid, strict=False)):
        title = style.short(panel.title) if shared else panel.title
        axes.set_title("\n".join(fitting(title, room, size)), fontsize=size, loc=where)
        is_drawn_again = shared or sheet.width is not None
        if shared or (is_drawn_again and i % columns and panel.y.label == scene.panels[i - 1].y.label):
            axes.set_ylabel("")
        if (shared and (place == "beside" or i < last)) or (
            is_drawn_again and i < last and panel.x.label == scene.panels[i + columns].x.label
        ):
            axes.set_xlabel("")
    if not shared:
        figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)  # inches
        return
    figure.supylabel(style.for_matplotlib(scene.panels[0].y.label), fontsize=sheet.text)
    if place == "beside":  # a legend below leaves no other place than that at the axes
        figure.supxlabel(style.for_matplotlib(scene.panels[0].x.label), fontsize=sheet.text)


def _map(scene: Scene, cells: Cells, sheet: Sheet) -> Any:
    """A figure of cells, as large as their names and numbers need."""
    (panel,), (tall, wide) = scene.panels, cells.numbers.shape
    letter, scale = LETTER * sheet.small, sheet.tiny / SCREEN.tiny
    # names have at most two fifths of a given width
    letters = panel.y.letters if sheet.width is None else min(panel.y.letters, int(0.4 * sheet.width / letter))
    rows = [style.squeezed(name, letters) for name in panel.y.names]
    beside = scale * AROUND_CELLS + letter * max(map(len, rows))
    level = cells.written and beside + scale * CELL * wide <= (sheet.width or WIDEST)
    least = CELL if level else NARROW_CELL * min(wide, NAMED_COLUMNS) / wide
    width = sheet.width or max(scene.size.panel[0], beside + least * wide)
    written = cells.written and (sheet.width is None or (width - beside) / wide >= scale * NARROW_CELL)
    high = max(1.5, scale * (CELL_HEIGHT if level or not written else CELL) * tall)
    figure = _new(scene, width, high, 0.0, sheet)
    heading = figure.get_figheight() - high
    axes = figure.add_subplot()
    dress(axes, panel, sheet)
    handles, below = draw_cells(axes, cells, panel, rows, (width - beside, high), level, written, sheet)
    for mark in panel.marks:
        if isinstance(mark, Points):
            draw_points(axes, mark, sheet)
    set_scale(axes, "y", panel.y)
    if sheet.height is None:
        figure.set_figheight(heading + high + below + scale * 1.4 + 0.3 * len(handles))
    if handles:
        _legend_below(figure, handles, handle=scene.handle, sheet=sheet)
    return figure


def _legend(
    owner: Any, handles: list[Any], title: str, loc: str, *, columns: int = 1, handle: float, sheet: Sheet
) -> Any:
    """A legend of axes or of a whole figure."""
    return owner.legend(
        handles=handles,
        title=style.for_matplotlib(title),
        loc=loc,
        ncols=columns,
        fontsize=sheet.small,
        title_fontsize=sheet.small,
        handlelength=handle,
        framealpha=0.75,  # inside the axes, a reference may pass below it
        edgecolor="none",
        alignment="left",
    )


def _legend_below(figure: Any, handles: list[Any], title: str = "", *, handle: float, sheet: Sheet) -> float:
    """A legend below all axes, in as many columns as fit; its height in inches."""
    labels = [handle.get_label().split("\n") for handle in handles]
    longest = max(len(line) for lines in labels for line in lines)
    room = LETTER * sheet.small * (longest + 9)  # the handle and the space between columns take about nine letters
    columns = max(1, min(len(handles), int(figure.get_figwidth() / room)))
    _legend(figure, handles, title, "outside lower left", columns=columns, handle=handle, sheet=sheet)
    rows = math.ceil(len(handles) / columns)
    parts = [sum(map(len, labels[first : first + rows])) for first in range(0, len(labels), rows)]
    return (max(parts) + bool(title) + 1) * 1.45 * sheet.small / 72
