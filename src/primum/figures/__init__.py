"""Kinds of figures of plain arrays, each with an interactive and a static renderer; they compute nothing.

Each has three methods: `static`, a Matplotlib figure; `interactive`, a Plotly figure; `data`, what is drawn.
"""

from primum.figures.bars import Bars
from primum.figures.categories import Categories
from primum.figures.curves import Curves
from primum.figures.dots import Cloud, Dots
from primum.figures.forest import Forest, Row
from primum.figures.grid import Grid
from primum.figures.heat_map import HeatMap
from primum.figures.panels import Panels
from primum.figures.parts import Line, Mark, Reference
from primum.figures.shares import Shares

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
