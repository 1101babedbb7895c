"""Figures in files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from primum.errors import PrimumError

FIGURE_SUFFIXES = (".html", ".png", ".svg", ".pdf")


def check_suffix(path: Path) -> None:
    """Refuse a file of a kind that no figure is written to."""
    if path.suffix.lower() not in FIGURE_SUFFIXES:
        raise PrimumError(f"--figure must end in {', '.join(FIGURE_SUFFIXES)}, got {path.name!r}")


def write_figure(figure: Any, path: Path) -> None:
    """Write a figure of Plotly to an HTML file, one of Matplotlib to others."""
    from primum.store.files import write

    kind = path.suffix.lower().removeprefix(".")
    if kind == "html":
        settings = {"showSendToCloud": False}  # nothing leaves the page
        content = figure.to_html(config=settings).encode()
    else:
        drawn = io.BytesIO()
        figure.savefig(drawn, format=kind)
        content = drawn.getvalue()
    write(path, content)
