"""Probabilities about success rates with independent Beta posteriors, for many trials at once.

Integrals are over theta with rate sin^2(theta / 2), where a Beta(a, b) distribution has a standard deviation of about
(a + b)^-0.5 whatever its mean, on Gauss-Legendre nodes over the range of all arms of a trial.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from primum.trials.data import Floats

REACH = 10.0  # standard deviations on both sides of each mean
SPACING = 0.6  # of nodes, in the smallest standard deviation
MOST_CELLS = 1 << 20  # densities in memory at a time


def better(a: Floats, b: Floats) -> Floats:
    """The probability that each arm but the first has a higher rate than the first: trial x comparison.

    >>> better(np.array([[1.0, 2.0]]), np.array([[1.0, 1.0]])).round(12).tolist()
    [[0.666666666667]]
    """
    columns = [best(a[:, [0, k]], b[:, [0, k]])[:, 1] for k in range(1, a.shape[1])]
    return np.stack(columns, axis=1)


def best(a: Floats, b: Floats, active: NDArray[np.bool_] | None = None) -> Floats:
    """The probability that each of the active arms has the highest rate of them, 0 for others: trial x arm.

    >>> best(np.array([[1.0, 1.0, 1.0]]), np.array([[1.0, 1.0, 2.0]])).round(12).tolist()
    [[0.416666666667, 0.416666666667, 0.166666666667]]
    """

    def of(theta: Floats, density: Floats, below: Floats, rows: NDArray[np.intp]) -> Floats:
        return _others_product(below) * density

    return _integrated(of, a, b, active)


def within(a: Floats, b: Floats, width: float, active: NDArray[np.bool_] | None = None) -> Floats:
    """The probability that the rates of all active arms differ by less than `width`: one number for each trial.

    >>> within(np.array([[1.0, 1.0]]), np.array([[1.0, 1.0]]), 0.5).round(12).tolist()
    [0.75]
    """
    from scipy.special import betainc

    def of(theta: Floats, density: Floats, below: Floats, rows: NDArray[np.intp]) -> Floats:
        above = betainc(a[rows, :, None], b[rows, :, None], np.minimum(np.sin(theta / 2) ** 2 + width, 1.0)[:, None])
        if active is not None:
            above = np.where(active[rows, :, None], above, 2.0)  # minus 1 leaves the product as it is
        return _others_product(above - below) * density  # an arm has the lowest rate, and the others are near

    end = max(1 - width, 0.0)
    all_above = betainc(b, a, 1 - end) if active is None else np.where(active, betainc(b, a, 1 - end), 1.0)
    total: Floats = _integrated(of, a, b, active, 2 * np.arcsin(np.sqrt(end))).sum(axis=1) + all_above.prod(axis=1)
    return total


def _integrated(
    of: Callable[..., Floats], a: Floats, b: Floats, active: NDArray[np.bool_] | None, end: float = np.pi
) -> Floats:
    """The integral of `of(theta, density, distribution function, rows)` up to theta = `end` for each trial and arm."""
    deviation = 1 / np.sqrt(a + b)
    mean = 2 * np.arcsin(np.sqrt(a / (a + b)))
    low = np.maximum((mean - REACH * deviation).min(axis=1), 0.0)
    high = np.maximum(np.minimum((mean + REACH * deviation).max(axis=1), end), low)
    needed = np.pi / 2 * (high - low) / (SPACING * deviation.min(axis=1))  # nodes are sparsest in the middle
    sizes = 2 ** np.ceil(np.log2(np.maximum(needed, 32))).astype(np.int64)
    found = np.empty(a.shape)
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        rows = max(1, MOST_CELLS // int(size * a.shape[1]))
        for i in range(0, len(chosen), rows):
            some = chosen[i : i + rows]
            found[some] = _at_nodes(of, a, b, active, low, high, some, int(size))
    return found


def _at_nodes(
    of: Callable[..., Floats], a: Floats, b: Floats, active: NDArray[np.bool_] | None, low: Floats, high: Floats,
    rows: NDArray[np.intp], size: int,
) -> Floats:  # fmt: skip
    from scipy.special import betaln

    nodes, weights, cumulative = _nodes(size)
    half = (high[rows] - low[rows])[:, None] / 2
    theta = low[rows][:, None] + half * (1 + nodes)
    log_sine, log_cosine = np.log(np.sin(theta / 2)), np.log(np.cos(theta / 2))
    logs = (2 * a[rows] - 1)[:, :, None] * log_sine[:, None] + (2 * b[rows] - 1)[:, :, None] * log_cosine[:, None]
    density = np.exp(logs - betaln(a[rows], b[rows])[:, :, None]) * half[:, None]
    below = density @ cumulative
    if active is not None:
        below = np.where(active[rows][:, :, None], below, 1.0)
        density = np.where(active[rows][:, :, None], density, 0.0)
    integral: Floats = of(theta, density, below, rows) @ weights
    return integral


def _others_product(factors: Floats) -> Floats:
    """The product of the factors of all other arms: trial x arm x node."""
    products = np.ones(factors.shape)
    for k in range(factors.shape[1]):
        products[:, :k] *= factors[:, k : k + 1]
        products[:, k + 1 :] *= factors[:, k : k + 1]
    return products


@functools.cache
def _nodes(size: int) -> tuple[Floats, Floats, Floats]:
    """Gauss-Legendre nodes and weights on [-1, 1], and the matrix of integrals from -1 to each node."""
    from numpy.polynomial import legendre

    nodes, weights = legendre.leggauss(size)
    values = legendre.legvander(nodes, size)
    # the integral of P_n from -1 is (P_{n+1} - P_{n-1}) / (2 n + 1), and that of P_0 is P_1 + P_0
    order = np.arange(1, size)
    integrals = np.concatenate(
        [values[:, 1:2] + values[:, :1], (values[:, 2:] - values[:, :-2]) / (2 * order + 1)], axis=1
    )
    coefficients = values[:, :size] * weights[:, None] * (2 * np.arange(size) + 1) / 2
    return nodes, weights, coefficients @ integrals.T
