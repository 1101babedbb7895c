"""Tables for papers, in LaTeX with the package booktabs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

SPECIAL = {character: "\\" + character for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
MOST_DECIMALS = 6
INTERVAL = r"95\,\% interval"


def escaped(text: str) -> str:
    r"""Text as LaTeX shows it.

    >>> print(escaped("50 % of x_1"))
    50 \% of x\_1
    """
    return "".join(SPECIAL.get(character, character) for character in " ".join(text.split()))


def decimals(lows: Iterable[float], highs: Iterable[float], middles: Iterable[float]) -> int:
    """Decimals that show two digits of the narrowest interval, or three of the largest number if there is none.

    >>> decimals([11.0], [13.6], [12.3]), decimals([math.nan], [math.nan], [0.0123]), decimals([0.1], [900.0], [400.0])
    (1, 4, 0)
    """
    widths = [high - low for low, high in zip(lows, highs, strict=True) if high > low]
    size, digits = (min(widths), 2) if widths else (max((abs(one) for one in middles), default=0.0), 3)
    if not (size > 0 and math.isfinite(size)):
        return 0
    return int(np.clip(digits - 1 - math.floor(math.log10(size)), 0, MOST_DECIMALS))


def estimates(middles: Sequence[float], lows: Sequence[float], highs: Sequence[float]) -> list[str]:
    """Numbers with their intervals, in as many decimals as these are worth, the same in all rows.

    >>> estimates([12.34, -3.0], [11.02, math.nan], [13.61, math.nan])
    ['$12.3$ ($11.0$ to $13.6$)', '$-3.0$']
    """
    places = decimals(lows, highs, middles)

    def written(number: float) -> str:
        return f"${round(number, places) + 0.0:.{places}f}$"  # no minus zero

    return [
        f"{written(middle)} ({written(low)} to {written(high)})" if np.isfinite([low, high]).all() else written(middle)
        for middle, low, high in zip(middles, lows, highs, strict=True)
    ]


def tabular(columns: Mapping[str, Sequence[str]], texts: int, comment: str) -> str:
    """A table from its columns by their headings, all of them LaTeX; so many of them are texts, at the left."""
    lines = [f"{' & '.join(row)} \\\\" for row in zip(*columns.values(), strict=True)]
    return "\n".join(
        [
            rf"% {comment}; needs \usepackage{{booktabs}}",
            rf"\begin{{tabular}}{{{'l' * texts}{'r' * (len(columns) - texts)}}}",
            r"\toprule",
            rf"{' & '.join(columns)} \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )
