"""The paper's own example, a constant arm against a uniform one, on which BESA+'s regret grows like a power of T.

Exact, without simulation, and by logarithms, because the paper's bound is so large that it takes a horizon like e^300.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.theory import Theorem1

Array = np.ndarray[Any, Any]

LARGEST_DENOMINATOR = 1000  # of r
NODES_PER_UNIT = 40  # of the rewards, on the coarser grid
WIDTH_IN_DEVIATIONS = 6.0  # of the tilted walk; deeper walks are rarer than exp(-70)


def cramer_rate(r: float) -> float:
    """I(r) of the uniform distribution on [0, 1]: P(mean of n < r) falls like exp(-n I(r)), but for powers of n.

    The largest x r - log E exp(x X) over x < 0, by Cramér's theorem.

    >>> [round(cramer_rate(r), 4) for r in (0.4, 0.3, 0.2)]
    [0.0607, 0.2528, 0.6169]
    """
    tilt = _tilt(r)
    return tilt * r - _log_mean(tilt)


def log_never_above(r: float, last: int, *, first: int = 2, nodes: int = NODES_PER_UNIT) -> Array:
    """log P(the mean of the first j uniform numbers is below r for all j from `first` to n), for n = first ... last.

    The depth y = j r - (sum of j) is a walk that must not fall below 0. Each number is tilted by exp(x X) such that
    the walk has no drift; then the probability is exp(-n I(r)) times an expectation that falls only like n^(-3/2),
    and no digits are lost for large n. The density of the walk is linear between nodes, its integrals are exact, and
    two grids are extrapolated (Richardson): the relative error is below 1e-5 up to n = 400.

    >>> np.exp(log_never_above(0.4, 3)).round(6)  # 2 r^2, and 0.212 by hand
    array([0.32 , 0.212])
    """
    ratio = Fraction(r).limit_denominator(LARGEST_DENOMINATOR) if 0 < r < 0.5 else Fraction(0)
    if not ratio or abs(float(ratio) - r) > 1e-12:
        raise ParameterError(f"r must be in (0, 1/2), with a denominator of at most {LARGEST_DENOMINATOR}, got {r:g}")
    if not 2 <= first <= 25 or last < first:  # beyond, the sum in _sum_density loses digits
        raise ParameterError(f"first must be in [2, 25] and last at least first, got {first} and {last}")
    coarse = -(-nodes // ratio.denominator) * ratio.denominator
    rough, fine = (_expectations(ratio, first, last, scale) for scale in (coarse, 2 * coarse))
    return np.asarray(np.log(fine + (fine - rough) / 3) - np.arange(first, last + 1) * cramer_rate(r))


def log_regret(r: float, last: int) -> Array:
    """The logarithm of a lower bound on BESA+'s regret after T = e^n steps, for n = 2 ... last.

    While the uniform arm's mean is below r it loses every duel and is pulled by the floor alone, n times. So the regret
    is at least (1/2 - r) (T - n) P(mean of the first j < r for all j = 2 ... n). T is rounded down to a whole number.
    The slope in log T tends to 1 - I(r).
    """
    n = np.arange(2, last + 1)
    return math.log(0.5 - r) + n + np.log1p(-(n + 1) * np.exp(-n)) + log_never_above(r, last)


def log_claimed(r: float, last: int) -> Array:
    """The logarithm of the upper bound on the same regret that Theorem 1 claims, for n = 2 ... last."""
    claim, n = Theorem1(0.5 - r, gamma=1.0), np.arange(2, last + 1)
    return np.logaddexp(claim.log_zeta + np.log(n), claim.log_theta)


def first_violation(r: float, last: int = 400) -> int | None:
    """The smallest n for which the lower bound at T = e^n is above the number of Theorem 1; None if there is none.

    >>> [first_violation(r) for r in (0.4, 0.3, 0.2)]
    [303, 101, 98]
    """
    above = np.flatnonzero(log_regret(r, last) > log_claimed(r, last))
    return int(above[0]) + 2 if above.size else None


def _log_mean(tilt: float) -> float:
    """log E exp(tilt X)."""
    return math.log(math.expm1(tilt) / tilt)


def _tilt(r: float) -> float:
    """The x for which the density exp(x y), y in [0, 1], has the mean r."""
    from scipy.optimize import brentq

    if not 1e-3 <= r <= 0.5 - 1e-3:
        raise ParameterError(f"r must be in [0.001, 0.499], got {r:g}")
    # close to 0 the mean is 1/2 + x / 12, far below it is -1 / x
    return float(brentq(lambda x: -1 / math.expm1(-x) - 1 / x - r, -2 / r, -6 * (0.5 - r), xtol=1e-15, rtol=1e-14))


def _expectations(r: Fraction, first: int, last: int, scale: int) -> Array:
    """E exp(tilt y_n), where the walk stays above 0, for n = first ... last, on a grid of `scale` nodes for a unit."""
    tilt, step, shift = _tilt(float(r)), 1.0 / scale, int(r * scale)
    weight = math.exp(-_log_mean(tilt))
    # the variance of a tilted number
    spread = math.sqrt(1 / tilt**2 - math.exp(tilt) / math.expm1(tilt) ** 2)
    depth = min(last * float(r), WIDTH_IN_DEVIATIONS * spread * math.sqrt(last) + first)
    y = np.arange(math.ceil(depth * scale) + 1) * step
    total = first * float(r) - y
    density = _sum_density(total, first) * np.exp(tilt * total) * weight**first
    # the integral of exp(tilt x) times a line over a cell is left times its value at 0 plus right times that at `step`
    e = math.exp(tilt * step)
    right = (e * (tilt * step - 1) + 1) / (tilt**2 * step)
    left = (e - 1) / tilt - right
    decay = np.exp(tilt * y)
    whole = left * decay + np.append(0.0, right * decay[:-1])
    decay = np.exp(tilt * step * np.arange(scale + 1))
    kernel = np.append(left * decay[:-1], 0.0) + np.append(0.0, right * decay[:-1])
    size = 1 << (y.size + 2 * scale).bit_length()  # room for the kernel at both ends
    spectrum = np.conj(np.fft.rfft(kernel, size)) * weight
    expectations = [whole @ density]
    for _ in range(first, last):
        # the next depth is y + r - x; from y = -r on, which is the end of what goes round
        moved = np.roll(np.fft.irfft(np.fft.rfft(density, size) * spectrum, size), shift)[: y.size]
        moved[:shift] -= weight * density[0] * right * decay[shift - 1 :: -1]  # the cell below 0 is empty
        density = moved
        expectations.append(whole @ density)
    return np.array(expectations)


def _sum_density(x: Array, n: int) -> Array:
    """The density of the sum of n uniform numbers (Irwin and Hall), for small n and below the middle."""
    terms = [(-1) ** k * math.comb(n, k) * np.maximum(x - k, 0.0) ** (n - 1) for k in range(n // 2 + 1)]
    return np.asarray(np.sum(terms, axis=0) / math.factorial(n - 1))
