"""Statistics over replications, the first axis: the middle, the low and the high end of a 95 % band."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
FEW_REPLICATIONS = 10  # with fewer, an interval is rough


def mean_band(samples: Array, level: float = 0.95) -> Array:
    """The mean and its Student t interval, which is NaN for a single replication.

    >>> mean_band(np.array([1.0, 2.0, 3.0])).round(3)
    array([ 2.   , -0.484,  4.484])
    """
    n, nothing = len(samples), np.full(samples.shape[1:], np.nan)
    mean = samples.mean(axis=0) if n else nothing
    if n < 2:
        return np.stack([mean, nothing, nothing])
    from scipy.special import stdtrit  # takes a tenth of a second to import

    half = stdtrit(n - 1, (1 + level) / 2) * samples.std(axis=0, ddof=1) / np.sqrt(n)
    return np.stack([mean, mean - half, mean + half])


def quantiles(samples: Array, shares: tuple[float, ...]) -> Array:
    """Quantiles, NaN if there are no replications."""
    return np.quantile(samples, shares, axis=0) if len(samples) else np.full((len(shares), *samples.shape[1:]), np.nan)


def median_band(samples: Array) -> Array:
    """The median and the 5 % and 95 % quantiles of the replications themselves."""
    return quantiles(samples, (0.5, 0.05, 0.95))


def share_band(hits: Array) -> Array:
    """The fraction of successes and its Wilson interval (J. Am. Statist. Ass. 22, 1927), valid near 0 and 1.

    >>> share_band(np.array([False] * 10)).round(3)
    array([0.   , 0.   , 0.278])
    """
    n, z = len(hits), 1.959963984540054
    if not n:
        return np.full(3, np.nan)
    share = hits.mean()
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return np.array([share, centre - half if share > 0 else 0.0, centre + half if share < 1 else 1.0])


def paired_share_band(first: Array, second: Array) -> Array:
    """The fraction of successes in the first minus that in the second, paired, and its interval.

    After Agresti and Min (Statistics in Medicine 24, 2005): half a success is added to each of the four pairs of
    outcomes, so that the interval has a width even if no replication differs.

    >>> paired_share_band(np.array([False] * 100), np.array([False] * 100)).round(3)
    array([ 0.   , -0.019,  0.019])
    """
    n = len(first)
    if not n:
        return np.full(3, np.nan)
    gained, lost = int(np.sum(first & ~second)), int(np.sum(~first & second))
    middle = (gained - lost) / (n + 2)
    half = 1.959963984540054 * np.sqrt((gained + lost + 1) / (n + 2) - middle**2) / np.sqrt(n + 2)
    return np.array([(gained - lost) / n, max(middle - half, -1.0), min(middle + half, 1.0)])


def ratio_band(numerators: Array, denominators: Array) -> Array:
    """The ratio of two means of paired observations, and its interval: Student t for its logarithm, linearised.

    >>> ratio_band(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])).tolist()
    [0.5, 0.5, 0.5]
    """
    top, bottom = float(numerators.mean()), float(denominators.mean())
    if not (top > 0 and bottom > 0):
        return np.array([top / bottom if bottom > 0 else np.nan, np.nan, np.nan])
    return np.asarray(top / bottom * np.exp(mean_band(numerators / top - denominators / bottom)))


def variance_ratio_band(numerator: float, denominator: float, size: int) -> Array:
    """The ratio of the variances of two independent normal samples of this size, and its interval (F distribution).

    >>> variance_ratio_band(4.0, 1.0, size=10).round(3).tolist()
    [4.0, 0.994, 16.104]
    """
    if size < 2 or not denominator > 0:
        return np.full(3, np.nan)
    from scipy.special import fdtri

    ratio = numerator / denominator
    return np.array([ratio, *(ratio / fdtri(size - 1, size - 1, level) for level in (0.975, 0.025))])
