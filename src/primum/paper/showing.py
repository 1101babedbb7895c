"""Numbers for a reader: in words, in tables, and as parts of figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from primum.figures import Line, Row
from primum.results.intervals import mean_band

Array = np.ndarray[Any, Any]


def number(x: float, digits: int = 3, decimals: int | None = None) -> str:
    """So many digits, or all those before the point; or so many decimals.

    >>> number(0.01234), number(12345.6), number(-0.0), number(-3, decimals=1)
    ('0.0123', '12,346', '0', '-3.0')
    >>> number(float("nan")), number(float("inf")), number(2e12)
    ('not a number', '∞', '2e+12')
    """
    if not math.isfinite(x):
        return "not a number" if math.isnan(x) else "∞" if x > 0 else "-∞"
    if decimals is not None:
        return f"{round(x, decimals) + 0.0:,.{decimals}f}"
    return f"{x:,.0f}" if 10**digits - 0.5 <= abs(x) < 1e9 else f"{x + 0.0:,.{digits}g}"


def with_interval(middle: float, low: float, high: float) -> str:
    """A number and its interval, if it has one.

    >>> with_interval(0.5, 0.25, 0.75), with_interval(2, float("nan"), float("nan"))
    ('0.5 [0.25, 0.75]', '2')
    """
    return f"{number(middle)} [{number(low)}, {number(high)}]" if np.isfinite([low, high]).all() else number(middle)


def lines(samples: Mapping[str, Array], *, low: float = -np.inf, high: float = np.inf) -> tuple[Line, ...]:
    """For each label the mean over replications, the first axis, with its 95 % interval, cut at the ends given."""
    return tuple(Line(label, *np.clip(mean_band(sample), low, high)) for label, sample in samples.items())


def line(label: str, middle: Array) -> Line:
    """A curve without a band."""
    nothing = np.full(len(middle), np.nan)
    return Line(label, middle, nothing, nothing)


def triple(band: Array) -> tuple[float, float, float]:
    """A middle with its low and its high end, as plain numbers."""
    middle, low, high = band.tolist()
    return middle, low, high


def difference(a: Array, b: Array) -> tuple[float, float, float]:
    """The mean of a less b, paired by replication, with its 95 % interval (Student t)."""
    return triple(mean_band(np.subtract(a, b)))


def differences(samples: Mapping[str, Array], group: str = "") -> tuple[Row, ...]:
    """The first sample less each of the others, as rows of a forest."""
    first, *others = samples
    return tuple(Row(name, *difference(samples[first], samples[name]), group) for name in others)
