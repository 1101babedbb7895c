"""What all kinds of figures have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from primum.figures.scene import Scene
from primum.figures.sheet import SCREEN, Sheet

if TYPE_CHECKING:
    from xarray import Dataset


class Picture(ABC):
    """A figure of plain arrays: a kind says how it looks, as a scene, and what its data are."""

    title: str
    subtitle: str

    @abstractmethod
    def scene(self) -> Scene:
        """How it looks."""

    @abstractmethod
    def data(self) -> Dataset:
        """What is drawn, on named axes."""

    def interactive(self) -> Any:
        """A Plotly figure."""
        from primum.figures.backends import plotly

        return plotly.figure(self.scene())

    def static(self, sheet: Sheet = SCREEN) -> Any:
        """A Matplotlib figure."""
        from primum.figures.backends import matplotlib

        return matplotlib.figure(self.scene(), sheet)
