"""Intervals of a difference of proportions that agree with the pooled Z test."""

from __future__ import annotations

from typing import Any

import numpy as np

from primum.trials.data import Floats

STEPS = 200  # at most; about ten are usual
PRECISION = 1e-12


def score_interval(counts: Any, successes: Any, quantile: float) -> tuple[Floats, Floats]:
    """The differences d for which the score statistic Z(d) is at most `quantile` in size; both ends.

    `counts` and `successes` are pairs of the control and the other arm: pair x 2. Z(d) is the estimated difference
    minus d, over the standard error from the most likely proportions among those that differ by d, without a
    correction; at d = 0 these are the pooled proportion, and Z(0) is the pooled Z. NaN where an arm has no patients.

    Reference: Mee, Biometrics 40, 1984; the proportions by Miettinen and Nurminen, Statistics in Medicine 4, 1985.

    >>> low, high = score_interval(np.array([[20, 20]]), np.array([[6, 12]]), 1.96)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0084], [0.5565])
    """
    n, s = np.asarray(counts, np.float64), np.asarray(successes, np.float64)
    return _lower(n, s, quantile), -_lower(n[:, ::-1], s[:, ::-1], quantile)


def _lower(n: Floats, s: Floats, quantile: float) -> Floats:
    """The lower end, `quantile` standard errors below the estimate: by false position, in the form called Illinois."""
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = s[:, 1] / n[:, 1] - s[:, 0] / n[:, 0]
    low, high = np.full(estimate.shape, -1.0), estimate.copy()
    above, below = 1 + estimate, -quantile * _error(n, s, estimate)  # how far the estimate exceeds it
    side = np.zeros(estimate.shape)
    for _ in range(STEPS):
        rows = np.flatnonzero(high - low > PRECISION)
        if not rows.size:
            break
        a, b, at_a, at_b, before = low[rows], high[rows], above[rows], below[rows], side[rows]
        with np.errstate(invalid="ignore", divide="ignore"):
            between = np.where((at_a > 0) & (at_b < 0), (a * at_b - b * at_a) / (at_b - at_a), (a + b) / 2)
        found = estimate[rows] - between - quantile * _error(n[rows], s[rows], between)
        is_low = found > 0
        low[rows], high[rows] = np.where(is_low, between, a), np.where(is_low, b, between)
        above[rows] = np.where(is_low, found, np.where(before < 0, at_a / 2, at_a))
        below[rows] = np.where(is_low, np.where(before > 0, at_b / 2, at_b), found)
        side[rows] = np.where(is_low, 1, -1)
    return high


def _error(n: Floats, s: Floats, d: Floats) -> Floats:
    """The standard error of the difference from the most likely proportions that differ by d."""
    (n0, n1), (s0, s1) = n.T, s.T
    with np.errstate(invalid="ignore", divide="ignore"):
        # the proportion of the control is a root of a p^3 + b p^2 + c p + e
        a = n0 + n1
        b = (n1 + 2 * n0) * d - a - s0 - s1
        c = (n0 * d - a - 2 * s0) * d + s0 + s1
        e = s0 * d * (1 - d)
        centre = b / (3 * a)
        v = centre**3 - b * c / (6 * a**2) + e / (2 * a)
        u = np.where(v > 0, 1.0, -1.0) * np.sqrt(np.maximum(centre**2 - c / (3 * a), 0.0))
        angle = np.arccos(np.clip(np.where(u == 0, 0.0, v / u**3), -1.0, 1.0))
        p0 = np.clip(2 * u * np.cos((np.pi + angle) / 3) - centre, np.maximum(0.0, -d), np.minimum(1.0, 1 - d))
        p1 = p0 + d
        return np.asarray(np.sqrt(np.maximum(p0 * (1 - p0), 0.0) / n0 + np.maximum(p1 * (1 - p1), 0.0) / n1))
