"""Pictures of plain arrays: they are told what to draw and compute nothing."""

from primum.figures.curves import Curves, Line, Reference
from primum.figures.shares import Shares

__all__ = ["Curves", "Line", "Reference", "Shares"]
