"""Heat maps of ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import interactive, ranges, static, style, table
from primum.figures.sheet import LETTER, SCREEN, Sheet

if TYPE_CHECKING:
    from xarray import Dataset

Array = np.ndarray[Any, Any]
CELLS_WITH_NUMBERS = 400  # at most
COLUMNS_WITH_NUMBERS = 25  # at most, on a page
NAMED_COLUMNS = 72  # at most: of more, every second or third one and so on is named
NAME_LETTERS = 40
LARGEST_COLOURED = 1000.0  # larger ratios have the same colour
BLANK = 0.5  # in place of NaN: less than any ratio
INFINITE_COLOUR = style.COLOURS[1]  # no blue, for any kind of colour vision
# Inches: a cell in which a number fits, a narrow one, the height of one, and all that is beside the cells and names.
CELL, NARROW_CELL, CELL_HEIGHT, BESIDE = 0.38, 0.14, 0.25, 1.4
WIDEST = 10.5  # of a static figure with level numbers
CELL_PIXELS, FEWEST_PIXELS = 24, 160  # the height of an interactive cell, and of all


@dataclass(frozen=True)
class HeatMap:
    """Ratios of at least one, `numbers[row, column]`, as colours on a logarithmic scale.

    Infinite ones stand out, and where a ratio is NaN the cell is white with a dot.
    """

    title: str
    subtitle: str
    x_label: str
    y_label: str
    label: str  # of the ratios
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: Array
    infinite: str  # what it means that a ratio is infinite

    def data(self) -> Dataset:
        """The data, by row and column."""
        row, column = table.axis(self.y_label), table.axis(self.x_label)
        coordinates = {
            row: (row, list(self.rows), self.y_label),
            column: (column, list(self.columns), self.x_label),
        }
        return table.dataset(
            self.title, self.subtitle, coordinates, {"ratio": ((row, column), self.numbers, self.label)}
        )

    def interactive(self) -> Any:
        """A Plotly figure."""
        import plotly.graph_objects as go

        figure, (tall, wide) = go.Figure(), self.numbers.shape
        cells: dict[str, Any] = {
            "x": np.arange(wide),
            "y": np.arange(tall),
            "hovertext": [
                [f"{style.for_plotly(style.short(a))}<br>{style.for_plotly(style.short(b))}" for b in self.columns]
                for a in self.rows
            ],
            "hovertemplate": "%{hovertext}<br>%{text}<extra></extra>",
            "texttemplate": "%{text}" if self._is_numbered and wide <= COLUMNS_WITH_NUMBERS else None,
            "hoverongaps": False,
            "xgap": int(self._every == 1),
            "ygap": 1,
        }
        ticks, infinite = self._ticks(), np.isinf(self.numbers)
        texts = np.array([[_written(number) for number in row] for row in self.numbers])
        figure.add_heatmap(
            z=np.log10(np.where(infinite, np.nan, self.numbers)),
            text=np.where(infinite, "", texts),
            zmin=0,
            zmax=np.log10(self._top),
            colorscale=[[i / (len(style.SEQUENCE) - 1), one] for i, one in enumerate(style.SEQUENCE)],
            colorbar={
                "title": {
                    "text": style.for_plotly(self.label),
                    "side": "right",
                    "font": {"size": interactive.SUBTITLE},
                },
                "tickvals": np.log10(ticks),
                "ticktext": self._tick_texts(ticks),
                "thickness": 12,
                "lenmode": "pixels",
                "len": min(max(CELL_PIXELS * tall, FEWEST_PIXELS), 300),
                "outlinewidth": 0,
            },
            **cells,
        )
        if self._has_infinite:
            figure.add_heatmap(
                z=np.where(infinite, 1.0, np.nan),
                text=np.where(infinite, texts, ""),
                colorscale=[[0, INFINITE_COLOUR], [1, INFINITE_COLOUR]],
                showscale=False,
                showlegend=True,
                name=style.for_plotly(self.infinite),
                **cells,
            )
        if self._has_blank:
            y, x = np.nonzero(np.isnan(self.numbers))
            dots = {"size": 3, "color": style.GREY}
            figure.add_scatter(x=x, y=y, mode="markers", marker=dots, showlegend=False, hoverinfo="skip")
        turned = wide > 12
        names = [style.for_plotly(style.squeezed(name, NAME_LETTERS)) for name in self.columns]
        room = 70 + max(map(len, names)) * (6 if turned else 4)  # upright, or askew
        height = max(CELL_PIXELS * tall, FEWEST_PIXELS) + room
        interactive.dress(figure, self.title, self.subtitle, entries=int(self._has_infinite), height=height)
        plain = {"ticks": "", "showline": False, "showgrid": False}
        figure.update_xaxes(
            interactive.scale(self.x_label) | plain,
            tickvals=cells["x"][:: self._every],
            ticktext=names[:: self._every],
            tickangle=-90 if turned else -35,
            tickfont={"size": min(12, 520 / len(names[:: self._every]))},
        )
        figure.update_yaxes(
            interactive.scale(self.y_label) | plain,
            tickvals=cells["y"],
            ticktext=[style.for_plotly(style.squeezed(name, NAME_LETTERS)) for name in self.rows],
            autorange="reversed",
        )
        return figure

    def static(self, sheet: Sheet = SCREEN) -> Any:
        """A Matplotlib figure."""
        tall, wide = self.numbers.shape
        rows = [style.squeezed(name, NAME_LETTERS) for name in self.rows]
        letter, scale = LETTER * sheet.small, sheet.tiny / static.TINY
        if sheet.width is not None:  # names have at most two fifths of it
            rows = [style.squeezed(name, int(0.4 * sheet.width / letter)) for name in rows]
        beside = scale * BESIDE + letter * max(map(len, rows))
        level = self._is_numbered and beside + scale * CELL * wide <= (sheet.width or WIDEST)
        least = CELL if level else NARROW_CELL * min(wide, NAMED_COLUMNS) / wide
        width = sheet.width or max(static.WIDTH, beside + least * wide)
        numbered = self._is_numbered and (sheet.width is None or (width - beside) / wide >= scale * NARROW_CELL)
        high = max(1.5, scale * (CELL_HEIGHT if level or not numbered else CELL) * tall)
        figure = static.new(width, high, self.title, self.subtitle, sheet=sheet)
        heading = figure.get_figheight() - high
        axes = figure.add_subplot()
        handles, below = self._cells(axes, rows, width - beside, high, level=level, numbered=numbered, sheet=sheet)
        if sheet.height is None:
            figure.set_figheight(heading + high + below + scale * 1.4 + 0.3 * self._has_infinite)
        if handles:
            static.legend_below(figure, handles, handle=1.5, sheet=sheet)
        return figure

    def draw(self, axes: Any, sheet: Sheet = SCREEN) -> tuple[list[Any], list[Any]]:
        """Draw on Matplotlib axes, of which the colour bar takes a part; return the legend entries, and no others."""
        width, high = static.inches(axes)
        cell = 0.9 * width / self.numbers.shape[1] * static.TINY / sheet.tiny
        look = {"level": cell >= CELL, "numbered": self._is_numbered and cell >= NARROW_CELL}
        rows = [style.squeezed(name, NAME_LETTERS) for name in self.rows]
        return self._cells(axes, rows, 0.9 * width, high, **look, sheet=sheet)[0], []

    def _cells(
        self, axes: Any, rows: list[str], width: float, high: float, *, level: bool, numbered: bool, sheet: Sheet
    ) -> tuple[list[Any], float]:
        """Draw on axes of some inches; return the legend entries, and the height of the names below the axes."""
        matplotlib = style.matplotlib()
        from matplotlib import colors, patches  # not imported by the package itself

        tall, wide = self.numbers.shape
        extremes = {"bad": INFINITE_COLOUR, "under": "white", "over": style.SEQUENCE[-1]}
        colours = colors.LinearSegmentedColormap.from_list("primum", style.SEQUENCE).with_extremes(**extremes)
        norm = colors.LogNorm(1.0, self._top)
        shown = np.ma.masked_where(np.isinf(self.numbers), np.where(np.isnan(self.numbers), BLANK, self.numbers))
        edges = np.arange(wide + 1) - 0.5, np.arange(tall + 1) - 0.5
        edge = {"edgecolor": "white", "linewidth": 0.6} if self._every == 1 else {}
        mesh = axes.pcolormesh(*edges, shown, cmap=colours, norm=norm, **edge)
        if self._has_blank:
            y, x = np.nonzero(np.isnan(self.numbers))
            axes.scatter(x, y, s=2, color=style.GREY, linewidths=0)
        axes.set_xlabel(style.for_matplotlib(self.x_label), fontsize=sheet.text)
        axes.set_ylabel(style.for_matplotlib(self.y_label), fontsize=sheet.text)
        columns = [style.squeezed(name, NAME_LETTERS) for name in self.columns]
        below = static.categories(axes, columns, width, every=self._every, sheet=sheet)
        axes.set_yticks(range(tall), [style.for_matplotlib(name) for name in rows], fontsize=sheet.small)
        axes.tick_params(length=0)
        axes.invert_yaxis()
        axes.spines[:].set_visible(False)
        if numbered:
            for (i, k), number in np.ndenumerate(self.numbers):
                is_dark = np.isinf(number) or norm(number) > 0.45
                look = {"color": "white" if is_dark else "black", "weight": "bold" if number == 1 else "normal"}
                place = {"ha": "center", "va": "center", "rotation": 0 if level else 90, "fontsize": sheet.tiny}
                axes.text(k, i, _written(number), **look, **place)
        ticks = self._ticks()
        long = min(high, 2.5)  # inches
        bar = axes.figure.colorbar(mesh, ax=axes, ticks=ticks, fraction=0.1, pad=0.01, aspect=14, shrink=long / high)
        bar.ax.set_yticks(ticks, self._tick_texts(ticks), fontsize=sheet.tiny)
        bar.ax.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        bar.outline.set_visible(False)
        bar.set_label("\n".join(static.fitting(self.label, 0.8 * long, sheet.small)), fontsize=sheet.small)
        patch = patches.Patch(color=INFINITE_COLOUR, label=style.for_matplotlib(self.infinite))
        return [patch] if self._has_infinite else [], below

    @property
    def _every(self) -> int:
        """One of so many columns is named."""
        return -(-len(self.columns) // NAMED_COLUMNS)

    @property
    def _is_numbered(self) -> bool:
        return self.numbers.size <= CELLS_WITH_NUMBERS

    @property
    def _has_infinite(self) -> bool:
        return bool(np.isinf(self.numbers).any())

    @property
    def _has_blank(self) -> bool:
        return bool(np.isnan(self.numbers).any())

    @property
    def _top(self) -> float:
        """The ratio with the last colour."""
        return float(np.clip(self.numbers.max(where=np.isfinite(self.numbers), initial=2.0), 2.0, LARGEST_COLOURED))

    def _ticks(self) -> list[float]:
        ends = (1.0, self._top)
        return ranges.log_ticks(ends) or [10.0**k for k in range(int(np.log10(ends[1])) + 1)]

    def _tick_texts(self, ticks: list[float]) -> list[str]:
        texts = [f"{tick:,g}" for tick in ticks]
        is_beyond = bool((self.numbers[np.isfinite(self.numbers)] > LARGEST_COLOURED).any())
        return [*texts[:-1], f"≥ {texts[-1]}"] if is_beyond else texts


def _written(number: float) -> str:
    """A ratio in at most five letters or so; nothing for NaN."""
    if np.isnan(number):
        return ""
    if np.isinf(number):
        return "∞"
    if number == 1:
        return "1"
    for end, text in ((9.995, f"{number:.2f}"), (99.95, f"{number:.1f}"), (999.5, f"{number:.0f}")):
        if number < end:
            return text
    return f"{number / 1000:.3g}k" if number < 999_500 else f"{number:.0e}".replace("e+0", "e").replace("e+", "e")
