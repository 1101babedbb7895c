"""Colours, dashes and words that all figures share."""

from __future__ import annotations

import html
from typing import Any

from primum.errors import PrimumError

# Okabe and Ito's colours for all kinds of colour vision (https://jfly.uni-koeln.de/color), those that stand out on
# white first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
GREY = "#BBBBBB"
DARK_GREY = "#6E6E6E"  # for lines that belong to no policy

# Lengths of dashes and gaps in widths of the line: for Plotly as text, for Matplotlib as numbers. Eight colours and
# seven dashes tell 56 lines apart, and the dash alone does so for the first seven on a grey print.
DASHES = ((), (6, 2), (1.5, 1.5), (6, 2, 1.5, 2), (11, 2.5), (11, 2, 1.5, 2, 1.5, 2), (3, 3))
WIDTH = 2.0

# Plotly: below the picture, so that a narrow page leaves it its width.
LEGEND = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left"}

LONGEST = 44  # characters of a name


def matplotlib() -> Any:
    """The package, which is needed for static figures only."""
    try:
        import matplotlib.figure
        import matplotlib.ticker
    except ImportError:
        raise PrimumError("static figures need Matplotlib: pip install 'primum[static]'") from None
    return matplotlib


def colour(position: int) -> str:
    return COLOURS[position % len(COLOURS)]


def dash(position: int) -> tuple[float, ...]:
    return DASHES[position % len(DASHES)]


def faded(colour: str, opacity: float) -> str:
    """The colour as Plotly writes a transparent one."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


def short(name: str) -> str:
    """A name on one line that leaves room for the picture."""
    line = " ".join(name.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def for_plotly(text: str) -> str:
    """Plotly reads tags in text; a name is only a name."""
    return html.escape(text, quote=False)


def for_matplotlib(text: str) -> str:
    """Matplotlib reads formulas between dollars and hides what begins with an underscore; a name is only a name."""
    plain = text.replace("$", r"\$")
    return "\u200b" + plain if plain.startswith("_") else plain
