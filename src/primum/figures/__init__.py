"""Kinds of figures of plain arrays, each described as a scene that two backends draw; they compute nothing.

Each has the methods `static`, a Matplotlib figure, `interactive`, a Plotly figure, and `data`, what is drawn.
"""

from primum.figures.kinds.bars import Bars
from primum.figures.kinds.categories import Categories
from primum.figures.kinds.curves import Curves
from primum.figures.kinds.dots import Cloud, Dots
from primum.figures.kinds.forest import Forest, Row
from primum.figures.kinds.frontier import FrontierFigure, Group
from primum.figures.kinds.heat_map import HeatMap
from primum.figures.kinds.panels import Grid, Panels
from primum.figures.kinds.shares import Shares
from primum.figures.parts import Line, Mark, Reference
from primum.figures.scene import Name

__all__ = [
    "Bars",
    "Categories",
    "Cloud",
    "Curves",
    "Dots",
    "Forest",
    "FrontierFigure",
    "Grid",
    "Group",
    "HeatMap",
    "Line",
    "Mark",
    "Name",
    "Panels",
    "Reference",
    "Row",
    "Shares",
]
