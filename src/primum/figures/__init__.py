"""Kinds of figures of plain arrays, each with an interactive and a static renderer; they compute nothing.

Each has three methods: `static`, a Matplotlib figure; `interactive`, a Plotly figure; `data`, what is drawn.
"""

from primum.figures.grid import Grid
from primum.figures.kinds.bars import Bars
from primum.figures.kinds.categories import Categories
from primum.figures.kinds.curves import Curves
from primum.figures.kinds.dots import Cloud, Dots
from primum.figures.kinds.forest import Forest, Row
from primum.figures.kinds.heat_map import HeatMap
from primum.figures.kinds.panels import Panels
from primum.figures.kinds.shares import Shares
from primum.figures.parts import Line, Mark, Reference

__all__ = [
    "Bars",
    "Categories",
    "Cloud",
    "Curves",
    "Dots",
    "Forest",
    "Grid",
    "HeatMap",
    "Line",
    "Mark",
    "Panels",
    "Reference",
    "Row",
    "Shares",
]
