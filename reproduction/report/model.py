"""What the report consists of: chapters of paragraphs, figures, tables and judgements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from primum.errors import PrimumError, UnknownNameError
from reproduction.judgement import VERDICTS, Judgement
from reproduction.scale import Scale

RESERVED = ("main", "summary", "claims", "contents", "unfold")  # anchors of the page itself
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


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
    """A picture with a caption; `name` is its anchor and the stem of its files, `experiments` reproduce it."""

    name: str
    title: str
    text: str
    picture: Picture
    experiments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A header and rows of text that are shown as they are."""

    name: str
    title: str
    text: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    experiments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chapter:
    """A group of experiments. Texts are plain; an empty line starts a new paragraph."""

    name: str
    title: str
    text: str
    figures: tuple[Figure | Table, ...]
    judgements: tuple[Judgement, ...]


@dataclass(frozen=True)
class Report:
    """All chapters, with the experiment files as TOML by their names.

    Raises a PrimumError if a name cannot be that of a file, occurs twice, or refers to nothing.
    """

    chapters: tuple[Chapter, ...]
    experiments: Mapping[str, str]
    scale: Scale
    version: str
    opening: Mapping[str, str] = field(default_factory=dict)  # prose by its title; "(claim 3)" becomes a link
    fingerprint: str = "unknown"  # of the code that simulated

    def __post_init__(self) -> None:
        anchors = [*RESERVED, *(f"claim-{judgement.claim.number}" for judgement in self.judgements)]
        for chapter in self.chapters:
            anchors += [chapter.name, *(figure.name for figure in chapter.figures)]
        if twice := [name for name, count in Counter(anchors).items() if count > 1]:
            raise PrimumError(f"names in a report must differ, got {twice[0]!r} twice")
        for name in [*anchors, *(part for path in self.experiments for part in path.split("/"))]:
            if not _NAME.fullmatch(name):
                raise PrimumError(f"names in a report must be letters, digits, '-', '_' and '.', got {name!r}")
        for figure in self.figures.values():
            for name in figure.experiments:
                if name not in self.experiments:
                    raise UnknownNameError("experiment", name, self.experiments)
        for judgement in self.judgements:
            for name in judgement.evidence:
                if name not in self.figures:
                    raise UnknownNameError("figure or table", name, self.figures)

    @cached_property
    def judgements(self) -> list[Judgement]:
        """Those of all chapters, by the number of the claim."""
        every = (judgement for chapter in self.chapters for judgement in chapter.judgements)
        return sorted(every, key=lambda judgement: judgement.claim.number)

    @cached_property
    def figures(self) -> dict[str, Figure | Table]:
        """All figures and tables by name."""
        return {figure.name: figure for chapter in self.chapters for figure in chapter.figures}

    @property
    def counts(self) -> dict[str, int]:
        """The number of claims with each verdict that occurs."""
        found = Counter(judgement.verdict for judgement in self.judgements)
        return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}
