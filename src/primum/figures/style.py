"""Colours, dashes and text shared by all figures, and their files."""

from __future__ import annotations

import base64
import html
import io
import json
import math
import textwrap
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# Okabe and Ito's colours for all kinds of colour vision (https://jfly.uni-koeln.de/color), those that stand out on
# white first. Brown stands for their yellow, which has a contrast of 1.3 with white; it has 6.1, and under simulated
# colour blindness differs more from all others (CIEDE2000 13.8, not 11.6). A darker yellow would be their orange.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#905048")
# For arms: these differ from all colours above and from grey (by 15.9 at least), and grow lighter, so that neighbours
# differ for all kinds of colour vision (7.7).
RAMP = ("#811D48", "#774D67", "#6D6E81", "#6A8A95", "#77A4A3", "#96BCA9", "#C3D1A8", "#FAE29F")
# For numbers from small to large: the hue of the first colour above, darker by equal steps of about 10 in CIELAB's
# lightness, which no kind of colour blindness takes away; so also on a grey print.
SEQUENCE = ("#F5F7FA", "#CBDBF1", "#A3BFE3", "#7BA4D3", "#4F8AC3", "#0071B1", "#00588C", "#003F69", "#002848")
GREY = "#BBBBBB"
DARK_GREY = "#6E6E6E"  # for lines that belong to no policy
WHISKER = "#333333"  # visible on every colour
# What stands for a colour on a dark background, where each has a contrast of 3 at least: the same hue, lighter.
_DARK_RAMP = ("#BE577C", "#A87B97", "#9696AB", "#8CACB8", "#92C0BE", "#A9D0BD", "#CFDDB4", "#FFE6A3")
ON_DARK = {
    "#0072B2": "#3A8BCE",
    "#000000": "#FFFFFF",
    "#905048": "#C47F75",
    DARK_GREY: "#A0A0A0",
    **dict(zip(RAMP, _DARK_RAMP, strict=True)),
}

# Lengths of dashes and gaps in widths of the line: for Plotly as text, for Matplotlib as numbers. Eight colours and
# seven dashes tell 56 lines apart, and the dash alone does so for the first seven on a grey print.
DASHES = ((), (6, 2), (1.5, 1.5), (6, 2, 1.5, 2), (11, 2.5), (11, 2, 1.5, 2, 1.5, 2), (3, 3))
WIDTH = 2.0
MARKERS = (  # of Matplotlib and of Plotly
    ("o", "circle"),
    ("s", "square"),
    ("^", "triangle-up"),
    ("D", "diamond"),
    ("v", "triangle-down"),
    ("P", "cross"),
    ("X", "x"),
)
HATCHES = (("", ""), ("///", "/"), ("...", "."), ("xxx", "x"), ("\\\\\\", "\\"), ("---", "-"), ("+++", "+"))

NAME_LETTERS = 44  # at most


def matplotlib() -> Any:
    """The package, imported when a static figure is drawn: it takes a third of a second."""
    import matplotlib.figure
    import matplotlib.ticker

    return matplotlib


def colour(position: int) -> str:
    return COLOURS[position % len(COLOURS)]


def ramp(count: int) -> tuple[str, ...]:
    """So many colours of arms, as far apart as they can be."""
    return tuple(RAMP[i * (len(RAMP) - 1) // max(count - 1, 1)] for i in range(count))


def dash(position: int) -> tuple[float, ...]:
    return DASHES[position % len(DASHES)]


def marker(position: int) -> tuple[str, str]:
    return MARKERS[position % len(MARKERS)]


def hatch(position: int) -> tuple[str, str]:
    return HATCHES[position % len(HATCHES)]


def faded(colour: str, opacity: float) -> str:
    """The colour as Plotly writes a transparent one."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


def short(name: str) -> str:
    """A name on one line, shortened to fit beside the axes."""
    line = " ".join(name.split())
    return line if len(line) <= NAME_LETTERS else line[: NAME_LETTERS - 1] + "…"


def squeezed(name: str, letters: int) -> str:
    """A name on one line of at most so many letters, without its middle: long names often differ at their ends."""
    line = " ".join(name.split())
    return line if len(line) <= letters else f"{line[: letters - letters // 2 - 1]}…{line[-(letters // 2) :]}"


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` characters; those that the text has stay apart."""
    return [part for line in text.splitlines() for part in textwrap.wrap(line, width)]


def noted(name: str, note: str, width: int) -> list[str]:
    """A name and its note on lines of at most `width` characters."""
    return textwrap.wrap(f"{name}: {note}" if note else name, width)


def grid(panels: int) -> tuple[int, int]:
    """Rows and columns for some panels."""
    columns = 2 if panels == 4 else min(3, panels)
    return math.ceil(panels / columns), columns


def for_plotly(text: str) -> str:
    """Plotly reads tags in text; a name is only a name."""
    return html.escape(text, quote=False)


def for_matplotlib(text: str) -> str:
    """Matplotlib reads formulas between dollars and hides what begins with an underscore; a name is only a name."""
    plain = text.replace("$", r"\$")
    return "\u200b" + plain if plain.startswith("_") else plain


def png(figure: Any, dpi: int = 150) -> bytes:
    """A Matplotlib figure as a PNG file: equal figures give equal bytes, and `dpi` changes nothing but the pixels."""
    return _written(figure, "png", dpi=dpi, metadata={"Software": None})


def svg(figure: Any) -> bytes:
    """A Matplotlib figure as an SVG file: equal figures give equal bytes."""
    # names inside the file would else be random, and the date that of today
    with matplotlib().rc_context({"svg.hashsalt": "primum"}):
        return _written(figure, "svg", metadata={"Date": None, "Creator": None})


def _written(figure: Any, form: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    if figure.get_layout_engine() is not None:  # laid out again, what is drawn would move a little
        figure.draw_without_rendering()
        figure.set_layout_engine(None)
    figure.savefig(buffer, format=form, **options)
    return buffer.getvalue()


def plotly_json(figure: Any) -> str:
    """A Plotly figure as JSON for `Plotly.newPlot`, safe inside a script tag: equal figures give equal text.

    Arrays are base64 of single precision, seven digits in six characters or so, half of what double precision takes.
    """
    text = json.dumps(_compact(json.loads(figure.to_json(engine="json"))), separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c")


def _compact(part: Any) -> Any:
    if isinstance(part, list):
        return [_compact(item) for item in part]
    if not isinstance(part, dict):
        return part
    if part.get("dtype") == "f8" and "bdata" in part:
        numbers = np.frombuffer(base64.b64decode(part["bdata"]), "<f8")
        if np.nanmax(np.abs(numbers), initial=0.0) < np.finfo(np.float32).max:
            return part | {"dtype": "f4", "bdata": base64.b64encode(numbers.astype("<f4").tobytes()).decode()}
    return {key: _compact(item) for key, item in part.items()}
