"""What the report is made of: chapters of figures, tables and judgements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from primum.paper.claims import Judgement


class Picture(Protocol):
    """Any of `primum.figures`."""

    def static(self) -> Any:
        """A Matplotlib figure."""

    def interactive(self) -> Any:
        """A Plotly figure, or several to be shown together."""

    def data(self) -> Any:
        """An xarray Dataset of what is drawn."""


@dataclass(frozen=True)
class Figure:
    """A picture with words; `name` is its anchor and the stem of its files, `experiments` are what reproduces it."""

    name: str
    title: str
    text: str
    picture: Picture
    experiments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Numbers in rows, ready to be read; what is in `header` and `rows` is shown as it stands."""

    name: str
    title: str
    text: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    experiments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chapter:
    """One group of experiments. Texts are plain; an empty line begins a new paragraph."""

    name: str
    title: str
    text: str
    exhibits: tuple[Figure | Table, ...]
    judgements: tuple[Judgement, ...]
