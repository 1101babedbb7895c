"""Counting and listing in English, and text in tables."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # at run time it is not needed here
    from pandas import DataFrame

FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # the last four are wide forms of the first


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 arm``, ``2,000 arms``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(words: Sequence[str], join: str = "and") -> str:
    """Words as a list in a sentence.

    >>> listed(["UCB1", "BESA", "ExpExp"]), listed(["a", "b"], "or"), listed([])
    ('UCB1, BESA and ExpExp', 'a or b', '')
    """
    return f" {join} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def repeats(names: Iterable[Hashable]) -> Iterator[int]:
    """The positions of names that came before.

    >>> list(repeats(["a", "b", "a", "a"]))
    [2, 3]
    """
    met = set()
    for i, name in enumerate(names):
        if name in met:
            yield i
        met.add(name)


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each on one line; an empty line separates them."""
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return [part for part in parts if part]


def as_cell(given: Any) -> Any:
    """A cell of a CSV file, with an apostrophe before text that a spreadsheet would take for a formula.

    Names can come from anybody, and a formula can run a program or send the table elsewhere. Numbers stay as they are,
    also those given as text.

    >>> [as_cell(given) for given in ("=cmd|'/c calc'!A0", "-0.5", "-x", "UCB1", -0.5)]
    ["'=cmd|'/c calc'!A0", '-0.5', "'-x", 'UCB1', -0.5]
    """
    if not isinstance(given, str) or not given.startswith(FORMULA_STARTS):
        return given
    try:
        float(given)
    except ValueError:
        return f"'{given}"
    return given


def csv_of(frame: DataFrame) -> str:
    """A table as a CSV file, without its index and without formulas.

    Its `attrs`, such as what made it, become columns.
    """
    frame = frame.rename(columns=as_cell).assign(**{str(name): given for name, given in frame.attrs.items()})  # a copy
    for name in frame:
        if frame[name].dtype.kind not in "biuf":
            frame[name] = frame[name].map(as_cell)
    return frame.to_csv(index=False, lineterminator="\n")
