"""Counting and listing in English, and text in tables."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # at run time it is not needed here
    from pandas import DataFrame

MOST_ROWS = 20  # of a table for a notebook
LONGEST_CELL = 300  # characters
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


def html_table(caption: str, rows: Sequence[Sequence[Any]], head: Sequence[str] = ()) -> str:
    """A table for notebooks, in which all text is escaped; of long ones the first rows.

    >>> html_table("<b>", [("UCB1", 1)])
    '<table><caption>&lt;b&gt;</caption><tr><td>UCB1</td><td>1</td></tr></table>'
    """

    def line(cells: Sequence[Any], tag: str) -> str:
        texts = (textwrap.shorten(str(cell), LONGEST_CELL, placeholder=" …") for cell in cells)
        return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"

    shown = [line(head, "th")] if head else []
    shown += [line(row, "td") for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        shown.append(line([f"... {len(rows) - MOST_ROWS:,} more"], "td"))
    return f"<table><caption>{html.escape(caption)}</caption>{''.join(shown)}</table>"


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
