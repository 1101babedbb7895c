"""Probabilities when both arms have the same success probability p, as functions of p.

Then the probability of an end of the trial depends on p only by the size of the trial and the total of successes, so an
event is described by its probability at p = 1/2 for each of these: `sums[size]`, an array event x total.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np

from primum.trials.data import Floats

Sums = Mapping[int, Floats]
INTERVALS = 4_000  # of the grid over p
RESOLUTION = np.pi / 2 / INTERVALS  # the largest distance of its points
MOST_REFINED = 4  # maxima on the grid of each event that are refined
REFINEMENTS = 24  # steps of a golden-section search, 1e-5 of an interval
TIE = 1e-12  # of probabilities: closer ones count as equal, as those of p and 1 - p under equal randomisation
GOLDEN = (np.sqrt(5) - 1) / 2


def reweighting(p: Floats, n: int) -> Floats:
    """(2p)^s (2-2p)^(n-s): what takes the probability of s successes from 1/2 to p; p x successes."""
    s = np.arange(n + 1.0)
    return np.asarray((2 * p[:, None]) ** s * (2 - 2 * p[:, None]) ** s[::-1])


def probability(sums: Sums, p: Floats) -> Floats:
    """The probability of each event at each p."""
    return np.asarray(sum(rows @ reweighting(p, size).T for size, rows in sums.items()))


def largest(sums: Sums) -> tuple[Floats, Floats]:
    """The largest probability of each event over all p, and the smallest p where it is reached.

    A grid over p, equidistant in arcsin(sqrt(p)), that is, with the same number of points for each standard deviation
    of a proportion; then a search around the largest maxima on it.
    """
    angles, on_grid = _grid(), np.asarray(sum(rows @ _on_grid(size) for size, rows in sums.items()))
    padded = np.pad(on_grid, ((0, 0), (1, 1)), constant_values=-1.0)
    is_peak = (on_grid > padded[:, :-2]) & (on_grid >= padded[:, 2:])
    peaks = np.argsort(np.where(is_peak, on_grid, -1.0), axis=1)[:, -MOST_REFINED:]
    events = np.repeat(np.arange(len(on_grid)), peaks.shape[1])
    low, high = angles[np.maximum(peaks.ravel() - 1, 0)], angles[np.minimum(peaks.ravel() + 1, INTERVALS)]

    def at(angle: Floats) -> Floats:
        p = np.sin(angle) ** 2
        terms = (np.einsum("ij,ij->i", rows[events], reweighting(p, size)) for size, rows in sums.items())
        return np.asarray(sum(terms))

    inner = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    heights = at(inner[0]), at(inner[1])
    for _ in range(REFINEMENTS):
        left = heights[0] >= heights[1]
        low, high = np.where(left, low, inner[0]), np.where(left, inner[1], high)
        new = np.where(left, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        height = at(new)
        inner = np.where(left, new, inner[1]), np.where(left, inner[0], new)
        heights = np.where(left, height, heights[1]), np.where(left, heights[0], height)
    points = np.column_stack([angles[np.argmax(on_grid, axis=1)], inner[0].reshape(peaks.shape)])
    values = np.column_stack([on_grid.max(axis=1), heights[0].reshape(peaks.shape)])
    highest = values.max(axis=1)
    first = np.where(values >= highest[:, None] - TIE, points, np.inf).min(axis=1)
    return highest, np.sin(first) ** 2


def _grid() -> Floats:
    return np.linspace(0.0, np.pi / 2, INTERVALS + 1)


@functools.lru_cache(16)
def _on_grid(size: int) -> Floats:
    return reweighting(np.sin(_grid()) ** 2, size).T
