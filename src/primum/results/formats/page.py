"""Results as a part of a page, as notebooks show them: all text is escaped."""

from __future__ import annotations

import html
from collections.abc import Mapping

from primum.errors import shortened


def section(title: str, settings: Mapping[str, str], table: str) -> str:
    """A title, settings by their names, and a table that is HTML already.

    >>> section("A <b> title", {"seed": "7"}, "<table></table>")
    '<div><p><strong>A &lt;b&gt; title</strong></p><p>seed: 7</p><table></table></div>'
    """
    told = "; ".join(f"{name}: {shortened(text)}" for name, text in settings.items())
    return f"<div><p><strong>{html.escape(title)}</strong></p>{paragraph(told)}{table}</div>"


def paragraph(text: str) -> str:
    """A paragraph of text."""
    return f"<p>{html.escape(text)}</p>"
