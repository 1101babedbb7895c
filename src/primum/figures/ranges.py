"""Ranges of axes and the ticks on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def limits(numbers: Any, *, log: bool = False, pad: float = 0.03) -> tuple[float, float]:
    """A range around all numbers, or with `log` around the positive ones, with a margin."""
    numbers = np.asarray(numbers, np.float64)
    numbers = numbers[np.isfinite(numbers) & ((numbers > 0) | (not log))]
    if not numbers.size:
        return (0.1, 1.0) if log else (0.0, 1.0)
    low, high = (np.log10(numbers) if log else numbers)[[numbers.argmin(), numbers.argmax()]]
    room = pad * (high - low) if high > low else 0.5
    low, high = low - room, high + room
    return (float(10**low), float(10**high)) if log else (float(low), float(high))


def from_zero(numbers: Any) -> tuple[float, float]:
    """A range that holds zero and all numbers."""
    numbers = np.append(numbers, 0.0)
    numbers = numbers[np.isfinite(numbers)]
    low, high = 1.05 * float(numbers.min()), 1.05 * float(numbers.max())
    return (low, high) if low < high else (0.0, 1.0)


def log_ticks(limits: tuple[float, float]) -> list[float] | None:
    """Round numbers on a logarithmic axis of less than two decades, where powers of ten are too few."""
    low, high = (math.log10(end) for end in limits)
    if high - low >= 2:
        return None
    for rounds in ((1, 2, 5), (1, 1.5, 2, 3, 5, 7), np.arange(10, 100) / 10):
        decades = range(math.floor(low), math.ceil(high) + 1)
        ticks = [float(f"{part}e{decade}") for decade in decades for part in rounds]
        if len(shown := [tick for tick in ticks if limits[0] <= tick <= limits[1]]) > 2:
            return shown
    return None


def at_left(x: float, limits: tuple[float, float], *, log: bool) -> bool:
    """Whether a position is too close to the left end for a label."""
    low, x, high = (math.log10(end) if log else end for end in (limits[0], x, limits[1]))
    return x - low < 0.1 * (high - low)


def log_floor(middle: Any, low: Any) -> float:
    """Where a logarithmic axis begins: at the lowest end of an interval, but at most a decade below all middles."""
    middle, low = (np.asarray(numbers, np.float64) for numbers in (middle, low))
    middle, low = middle[middle > 0], low[low > 0]
    least = middle.min(initial=np.inf)
    floor = min(least, max(low.min(initial=np.inf), least / 10))
    return float(floor) if np.isfinite(floor) else 0.1
