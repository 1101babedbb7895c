"""The score interval of a difference of proportions by its definition: each end by bisection."""

from __future__ import annotations

import math
from collections.abc import Callable


def most_likely(n: tuple[int, int], s: tuple[int, int], d: float) -> float:
    """The proportion of the first arm that is most likely if that of the second is larger by d."""

    def slope(p: float) -> float:
        parts = ((s[0], p), (s[1], p + d), (s[0] - n[0], 1 - p), (s[1] - n[1], 1 - p - d))
        return sum(math.copysign(math.inf, count) if x <= 0 else count / x for count, x in parts if count)

    return _crossing(slope, max(0.0, -d), min(1.0, 1 - d))


def score(n: tuple[int, int], s: tuple[int, int], d: float) -> float:
    """Z(d)."""
    p = most_likely(n, s, d)
    distance = s[1] / n[1] - s[0] / n[0] - d
    variance = p * (1 - p) / n[0] + max(0.0, (p + d) * (1 - p - d)) / n[1]
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance) if distance else 0.0


def score_interval(n: tuple[int, int], s: tuple[int, int], quantile: float) -> tuple[float, float]:
    """Where Z(d) is the quantile, and where it is minus the quantile."""
    estimate = s[1] / n[1] - s[0] / n[0]
    return (
        _crossing(lambda d: score(n, s, d) - quantile, -1.0, estimate),
        _crossing(lambda d: score(n, s, d) + quantile, estimate, 1.0),
    )


def _crossing(falling: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2
