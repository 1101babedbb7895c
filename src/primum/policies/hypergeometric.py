"""Probabilities about sub-samples and posteriors of outcomes 0 and 1, for all numbers of successes at once.

Both are sums of hypergeometric probabilities C(a, i) C(b, j) / C(a + b, i + j), made of b(n, k) = C(n, k) / 2^n, which
neither overflow nor underflow up to `LARGEST`, so without logarithms or differences.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from primum.policies.counts import Array, Counts, prefer_larger, tied, values_of_counts

LARGEST = 1020  # outcomes of which the probabilities fit into a double


@functools.cache
def halves() -> Array:
    """b(n, k) = C(n, k) / 2^n for n up to LARGEST; k along the first axis."""
    table = np.ascontiguousarray(halves_of(LARGEST).T)
    table.flags.writeable = False
    return table


def halves_of(most: int) -> Array:
    """b(n, k) for n up to `most`, n along the first axis."""
    table = np.zeros((most + 1, most + 1))
    table[0, 0] = 1.0
    for n in range(most):
        table[n + 1] = table[n] / 2.0
        table[n + 1, 1:] += table[n, :-1] / 2.0
    return table


@functools.lru_cache(4096)
def ranking(value: Any, n: int) -> tuple[Array, Array]:
    """Numbers of successes among n outcomes, the best value first; and for each the number of those that beat it."""
    values = values_of_counts(value, n)
    beats = (values[:, None] > values) & ~tied(values[:, None], values)
    return np.argsort(-values), beats.sum(axis=0)


def subsample_wins(value: Any, n: int, size: int) -> Array:
    """The probability that a sub-sample of n of `size` outcomes has a larger value than n other ones.

    The successes among the n outcomes are along the first axis, those among the `size` along the second.

    >>> from primum.values import Mean
    >>> subsample_wins(Mean(), 1, 2)
    array([[0. , 0.5, 1. ],
           [0. , 0. , 0. ]])
    """
    best, beaten_by = ranking(value, n)
    sums = np.zeros((n + 2, size + 1))  # over the best 0, 1, .. n + 1 numbers of successes in the sub-sample
    if size <= LARGEST:
        table = halves()
        np.multiply(table[best, : size + 1], table[n - best, size::-1], out=sums[1:])
    else:
        from scipy.stats import hypergeom

        sums[1:] = hypergeom.pmf(best[:, None], size, np.arange(size + 1), n)
    np.cumsum(sums, axis=0, out=sums)
    wins: Array = sums[beaten_by]
    wins /= sums[-1]
    return wins


def duel_chances(counts: Counts) -> Array:
    """The probability of arm 1 in `kernels.choosing.duel`."""
    first, second = counts.pulls
    if first == second:
        return prefer_larger(*counts.estimates)
    wins = subsample_wins(counts.value, min(counts.pulls), max(counts.pulls))
    return wins if second > first else 1.0 - wins.T


def larger_posterior(first: int, second: int) -> Array:
    """P(Beta(1 + s1, 1 + n1 - s1) > Beta(1 + s0, 1 + n0 - s0)) for n0 = first, n1 = second, by s0 and s1.

    Beta(1 + s, 1 + n - s) is the distribution of the (s + 1)-th smallest of n + 1 uniform numbers. The one of the first
    group is the smaller if more than s0 of the s0 + s1 + 1 smallest of both groups are in the first.

    >>> larger_posterior(0, 1)
    array([[0.33333333, 0.66666667]])
    """
    a, b = first + 1, second + 1
    if a + b > LARGEST:
        from scipy.stats import hypergeom

        s0, s1 = np.arange(a)[:, None], np.arange(b)
        return np.asarray(hypergeom.sf(s0, a + b, a, s0 + s1 + 1))
    table, width = halves(), a + b + 1
    padded = np.zeros(a + width)
    padded[a : a + b + 1] = table[: b + 1, b]
    step = padded.itemsize
    others = as_strided(padded[a:], (a + 1, width), (-step, step))  # b(n1 + 1, i - j) for j of i in the first group
    sums = np.cumsum((table[: a + 1, a, None] * others)[::-1], axis=0)[::-1]
    rows, columns = sums.strides
    above = as_strided(sums[1:, 1:], (a, b), (rows + columns, columns))  # j > s0 of i = s0 + s1 + 1
    total = as_strided(sums[0, 1:], (a, b), (columns, columns))
    return np.asarray(above / total)
