"""Numbers for a reader: in words, in tables, and as parts of figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from primum.figures import Line, Row
from primum.intervals import mean_band

Array = np.ndarray[Any, Any]


def number(x: float) -> str:
    """Three digits, or all those before the point.

    >>> number(0.01234), number(12345.6)
    ('0.0123', '12,346')
    """
    return f"{x + 0.0:,.0f}" if abs(x) >= 999.5 else f"{x + 0.0:.3g}"


def with_interval(middle: float, low: float, high: float) -> str:
    """A number and its interval, if it has one.

    >>> with_interval(0.5, 0.25, 0.75), with_interval(2, float("nan"), float("nan"))
    ('0.5 [0.25, 0.75]', '2')
    """
    return f"{number(middle)} [{number(low)}, {number(high)}]" if np.isfinite([low, high]).all() else number(middle)


def listed(words: list[str]) -> str:
    """Words as a sentence has them.

    >>> listed(["UCB1", "BESA", "ExpExp"])
    'UCB1, BESA and ExpExp'
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def lines(samples: Mapping[str, Array], *, low: float = -np.inf, high: float = np.inf) -> tuple[Line, ...]:
    """For each label the mean over replications, the first axis, with its 95 % interval, cut at the ends given."""
    return tuple(Line(label, *np.clip(mean_band(sample), low, high)) for label, sample in samples.items())


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
