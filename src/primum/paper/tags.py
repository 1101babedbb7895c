"""HTML from plain text."""

from __future__ import annotations

import html
import urllib.parse
from collections.abc import Iterable, Sequence

from primum.paper import words


def text(given: object) -> str:
    """Plain text inside a tag or an attribute."""
    return html.escape(str(given), quote=True)


def link(path: str, shown: str) -> str:
    """A link to a file beside the page."""
    return f'<a href="{urllib.parse.quote(path)}">{text(shown)}</a>'


def prose(given: str) -> str:
    """Paragraphs."""
    return "\n".join(f"<p>{text(paragraph)}</p>" for paragraph in words.paragraphs(given))


def heading(level: int, anchor: str, title: str) -> str:
    """A heading of the part of the page that has this anchor."""
    sign = f'<a class="anchor" href="#{text(anchor)}" aria-label="Link to this: {text(title)}">#</a>'
    return f"<h{level}>{text(title)} {sign}</h{level}>"


def table(
    name: str, header: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = (), kind: str = ""
) -> str:
    """A table that scrolls in a box of its own on a narrow page; cells are HTML, and `numeric` columns align right.

    Roles are written out: a style that lays rows out in another way would take them away.
    """
    head = "".join(
        f'<th scope="col" role="columnheader"{_aligned(i, numeric)}>{cell}</th>' for i, cell in enumerate(header)
    )
    body = "\n".join(f'<tr role="row">{_row(row, numeric)}</tr>' for row in rows)
    return (
        f'<div class="{text(f"scroll {kind}".strip())}" role="region" aria-label="{text(name)}" tabindex="0">'
        f'<table role="table">\n<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{body}\n</tbody></table></div>'
    )


def _row(row: Sequence[str], numeric: Sequence[int]) -> str:
    """The first cell names the row."""
    first = f'<th scope="row" role="rowheader"{_aligned(0, numeric)}>{row[0]}</th>'
    return first + "".join(f'<td role="cell"{_aligned(i, numeric)}>{cell}</td>' for i, cell in enumerate(row) if i)


def _aligned(column: int, numeric: Sequence[int]) -> str:
    return ' class="number"' if column in numeric else ""
