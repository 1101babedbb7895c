"""Probabilities about success rates with Beta posteriors, of the arms that are still active in many trials."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from primum.kernels.posteriors import probability_best, probability_equivalent
from primum.trials.data import Floats

Rows = NDArray[np.intp]


def best(a: Floats, b: Floats, active: NDArray[np.bool_]) -> Floats:
    """The probability that each of the active arms has the highest rate of them, 0 for others: trial x arm.

    >>> best(np.ones((1, 3)), np.array([[1.0, 1.0, 2.0]]), np.array([[True, True, False]])).round(9).tolist()
    [[0.5, 0.5, 0.0]]
    """
    found = np.zeros(a.shape)
    for rows, arms in _by_active(active):
        at = np.ix_(rows, arms)
        found[at] = probability_best(a[at], b[at]) if arms.size > 1 else 1.0
    return found


def within(a: Floats, b: Floats, width: float, active: NDArray[np.bool_]) -> Floats:
    """The probability that the rates of all active arms differ by less than `width`: one number for each trial.

    >>> within(np.ones((1, 2)), np.ones((1, 2)), 0.5, np.ones((1, 2), bool)).round(9).tolist()
    [0.75]
    """
    found = np.ones(len(a))
    for rows, arms in _by_active(active):
        if arms.size > 1 and width < 1:
            at = np.ix_(rows, arms)
            found[rows] = probability_equivalent(a[at], b[at], width)
    return found


def _by_active(active: NDArray[np.bool_]) -> Iterator[tuple[Rows, Rows]]:
    """Trials with the same active arms, and these arms."""
    patterns, which = np.unique(active, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        yield np.flatnonzero(which.ravel() == number), np.flatnonzero(pattern)
