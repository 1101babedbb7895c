"""Probabilities about Beta posteriors of several arms, by numerical integration in panels of Gauss-Legendre nodes.

On the scale y = log(x / (1 - x)) a Beta(a, b) density is smooth and log-concave for all a, b > 0, so the panels of
`find_lowest` cover only where a density matters, and are as wide as the narrowest one there allows. Distribution
functions at the nodes are integrals of the polynomial through the densities of a panel. Errors are below 1e-10 up to
some thousand outcomes of each arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from primum.errors import ParameterError
from primum.kernels.contract import kernel, large_kernel
from primum.kernels.elementary import exp, log, log1p

Array = np.ndarray[Any, Any]

SIZE = 14  # nodes of a panel
ROUNDING = 1e-10  # of a period: 1 is a multiple of it
PANELS = 3  # of one density on each side of its mode
WIDEST = 3.0  # panel, in y: the density has poles at a distance of pi from the real line
DROP = 27.0  # of the log density, beyond which it does not matter

# columns of a workspace, a row for each arm
A, B, LOG_BETA, MODE, LOW, HIGH, BELOW, RESULT = range(8)
DENSITY, ABOVE, BEFORE, LOGS = (8 + i * SIZE for i in range(4))  # one number for each node
WIDTH = 8 + 4 * SIZE


def _gauss_legendre(size: int) -> tuple[Array, Array, Array]:
    """Nodes and weights on [0, 1], and integrals[j, i] of the j-th Lagrange polynomial from 0 to the i-th node.

    In decimals, so that they are the same everywhere.
    """
    with localcontext() as context:
        context.prec = 40

        def legendre(x: Decimal) -> list[Decimal]:
            p = [Decimal(1), x]
            for n in range(1, size):
                p.append(((2 * n + 1) * x * p[n] - n * p[n - 1]) / (n + 1))
            return p

        nodes, weights = [], []
        for guess in np.polynomial.legendre.leggauss(size)[0].tolist():
            x = Decimal(guess)
            for _ in range(3):  # Newton's method
                p = legendre(x)
                slope = size * (x * p[size] - p[size - 1]) / (x * x - 1)
                x -= p[size] / slope
            nodes.append(x)
            weights.append(1 / ((1 - x * x) * slope * slope))
        values = [legendre(x) for x in nodes]
        integrals = [
            [
                w * (x + 1 + sum(at[n] * (p[n + 1] - p[n - 1]) for n in range(1, size))) / 2
                for x, p in zip(nodes, values)
            ]
            for w, at in zip(weights, values)
        ]
        unit = [(x + 1) / 2 for x in nodes]
        return np.array(unit, np.float64), np.array(weights, np.float64), np.array(integrals, np.float64)


NODES, WEIGHTS, INTEGRALS = _gauss_legendre(SIZE)


@large_kernel
def log_gamma(x: float) -> float:
    """log Gamma(x) for x > 0: Stirling's series, from 10 on."""
    factor = 1.0
    while x < 10.0:
        factor *= x
        x += 1.0
    z = 1.0 / (x * x)
    series = 1.0 / 1260.0 - z * (1.0 / 1680.0 - z * (1.0 / 1188.0 - z * (691.0 / 360360.0)))
    series = 1.0 / 12.0 - z * (1.0 / 360.0 - z * series)
    return (x - 0.5) * log(x) - x + 0.9189385332046727 + series / x - log(factor)


@kernel
def log_odds_density(work: Any, arm: int, y: float) -> float:
    """The log density of the arm's log odds."""
    return work[arm, A] * y - (work[arm, A] + work[arm, B]) * log1p(exp(y)) - work[arm, LOG_BETA]


@large_kernel
def find_bounds(work: Any, arm: int) -> None:
    """Where the density of the arm's log odds matters.

    The log density is concave, so each Newton step but the first approaches the end from outside.
    """
    a, b = work[arm, A], work[arm, B]
    n = a + b
    work[arm, LOG_BETA] = log_gamma(a) + log_gamma(b) - log_gamma(n)
    mode = work[arm, MODE] = log(a / b)
    least = log_odds_density(work, arm, mode) - DROP
    reach = math.sqrt(2.0 * DROP * n / (a * b))
    for side in range(2):
        y = mode - reach if side == 0 else mode + reach
        for _ in range(3):
            y -= (log_odds_density(work, arm, y) - least) / (a - n / (1.0 + exp(-y)))
        work[arm, LOW + side] = y


@kernel
def integrate(work: Any, arm: int, width: float) -> None:
    """The integrals of a density from a panel's begin to its nodes, taken from 1 - BELOW; BELOW is that at its end."""
    total = 0.0
    for i in range(SIZE):
        work[arm, ABOVE + i] = 1.0 - work[arm, BELOW]
    for j in range(SIZE):
        density = work[arm, DENSITY + j] * width
        total += WEIGHTS[j] * density
        for i in range(SIZE):
            work[arm, ABOVE + i] -= INTEGRALS[j, i] * density
    work[arm, BELOW] += total


@large_kernel
def add_panel(work: Any, arms: int, start: float, width: float) -> None:
    """Integrate over a panel the density of each arm times the probabilities that the others are above."""
    for i in range(SIZE):
        work[0, LOGS + i] = log1p(exp(start + width * NODES[i]))
    for k in range(arms):
        if work[k, LOW] < start + width:
            a, n, constant = work[k, A], work[k, A] + work[k, B], work[k, LOG_BETA]
            for i in range(SIZE):
                work[k, DENSITY + i] = exp(a * (start + width * NODES[i]) - n * work[0, LOGS + i] - constant)
            integrate(work, k, width)
    for i in range(SIZE):
        product = width * WEIGHTS[i]
        for k in range(arms):
            if work[k, LOW] < start + width:
                work[k, BEFORE + i] = product
                product *= work[k, ABOVE + i]
        product = 1.0
        for k in range(arms - 1, -1, -1):
            if work[k, LOW] < start + width:
                work[k, RESULT] += work[k, DENSITY + i] * work[k, BEFORE + i] * product
                product *= work[k, ABOVE + i]


@kernel
def widest(work: Any, arm: int, start: float) -> float:
    """The width of a panel that begins at `start` and resolves the density of an arm."""
    left = (work[arm, MODE] - work[arm, LOW]) / PANELS
    right = (work[arm, HIGH] - work[arm, MODE]) / PANELS
    return min(left, max(right, work[arm, MODE] - start)) if start < work[arm, MODE] else right


@large_kernel
def find_lowest(work: Any, arms: int) -> None:
    """The probability that each arm has the lowest parameter, into the column RESULT; from A and B, which are > 0."""
    start, end = math.inf, math.inf
    for k in range(arms):
        find_bounds(work, k)
        work[k, BELOW] = work[k, RESULT] = 0.0
        start = min(start, work[k, LOW])
        end = min(end, work[k, HIGH])  # beyond, some arm is below all others
    while start < end:
        width = min(WIDEST, end - start)
        for k in range(arms):
            if work[k, LOW] < start + width:  # end before the density begins to matter, or resolve it
                width = min(width, max(work[k, LOW] - start, widest(work, k, start)))
        add_panel(work, arms, start, width)
        start += width
    total = 0.0
    for k in range(arms):
        total += work[k, RESULT]
    for k in range(arms):
        work[k, RESULT] /= total


def fill_lowest(first: Any, second: Any, work: Any, out: Any) -> None:
    """find_lowest for each row of parameters."""
    for r in range(out.shape[0]):
        for k in range(out.shape[1]):
            work[k, A] = first[r, k]
            work[k, B] = second[r, k]
        find_lowest(work, out.shape[1])
        for k in range(out.shape[1]):
            out[r, k] = work[k, RESULT]


def fill_pairs(first: Any, second: Any, control: int, work: Any, out: Any) -> None:
    """The probability that the control has a lower parameter than each arm, and 1/2 for itself, for each row."""
    for r in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[r, k] = 0.5
            if k != control:
                work[0, A], work[0, B] = first[r, control], second[r, control]
                work[1, A], work[1, B] = first[r, k], second[r, k]
                find_lowest(work, 2)
                out[r, k] = work[0, RESULT]


@kernel
def inside(work: Any, row: int, arms: int, start: float, width: float) -> None:
    """The densities of the arms themselves, not of their log odds, at a panel's nodes, into rows from `row` on."""
    for i in range(SIZE):
        x = start + width * NODES[i]
        odds, rest = log(x), log1p(-x)
        for k in range(arms):
            density = (work[k, A] - 1.0) * odds + (work[k, B] - 1.0) * rest - work[k, LOG_BETA]
            work[row + k, DENSITY + i] = exp(density)


@large_kernel
def add_close(work: Any, arms: int, row: int, further: int, width: float) -> float:
    """Integrate over a panel the density of each arm times the probabilities that the others are above it, but not
    further than the same place in another panel; both panels have a row for each arm."""
    total = 0.0
    for i in range(SIZE):
        product = width * WEIGHTS[i]
        for k in range(arms):
            work[row + k, BEFORE + i] = product
            product *= work[row + k, ABOVE + i] - work[further + k, ABOVE + i]
        product = 1.0
        for k in range(arms - 1, -1, -1):
            total += work[row + k, DENSITY + i] * work[row + k, BEFORE + i] * product
            product *= work[row + k, ABOVE + i] - work[further + k, ABOVE + i]
    return total


def fill_equivalence(first: Any, second: Any, margin: float, out: Any) -> None:
    """The probability that all parameters are within a margin, for each row of parameters.

    The margin is a multiple of the panels' period, so that distribution functions at a node and a margin above it are
    known from two panels. A period is cut where 0 or 1 would be inside a panel.
    """
    arms = first.shape[1]
    work = np.empty((3 * arms, WIDTH))
    for r in range(out.size):
        lowest, least, highest, step = 1.0, 0.0, 1.0, margin
        for k in range(arms):
            work[k, A] = first[r, k]
            work[k, B] = second[r, k]
            find_bounds(work, k)
            low, high = 1.0 / (1.0 + exp(-work[k, LOW])), 1.0 / (1.0 + exp(-work[k, HIGH]))
            lowest, least, highest = min(lowest, low), max(least, low), min(highest, high)
            step = min(step, (high - low) / (2 * PANELS))
        periods = math.ceil(margin / step)  # in a margin
        period = margin / periods
        at_zero, at_one = lowest < period, highest + margin > 1.0
        rest = 1.0 % period
        if min(rest, period - rest) < ROUNDING * period:  # a panel as narrow as that would have no inside
            rest = 0.0
        cut = rest if at_zero and at_one else 0.0
        anchor = 0.0 if at_zero or not at_one else rest
        parts = 2 if cut > 0.0 else 1
        lag = periods * parts
        if work.shape[0] < arms * (lag + 2):
            larger = np.empty((arms * (lag + 2), WIDTH))
            larger[:arms] = work[:arms]
            work = larger
        begin = math.floor((max(lowest, least - margin) - anchor) / period)
        end = math.ceil((highest - anchor) / period)
        out[r] = 0.0
        row = arms
        for k in range(arms):
            work[row + k, BELOW] = 0.0
        for number in range((end - begin + periods) * parts):
            start = anchor + period * (begin + number // parts)
            width = period
            if parts == 2:
                start, width = (start, cut) if number % 2 == 0 else (start + cut, period - cut)
            before, row = row, arms * (1 + number % (lag + 1))
            within = 0.0 < start + 0.5 * width < 1.0
            if within:
                inside(work, row, arms, start, width)
            for k in range(arms):
                work[row + k, BELOW] = work[before + k, BELOW]
                if not within:
                    for i in range(SIZE):
                        work[row + k, DENSITY + i] = 0.0
                integrate(work, row + k, width)
            if number >= lag:
                out[r] += add_close(work, arms, arms * (1 + (number - lag) % (lag + 1)), row, width)


def checked_parameters(a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """The parameters of Beta distributions, trial x arm."""
    first, second = (np.ascontiguousarray(each, np.float64) for each in (a, b))
    if first.ndim != 2 or first.shape != second.shape or not first.shape[1]:
        raise ParameterError(f"a and b must be arrays, trial x arm, got the shapes {first.shape} and {second.shape}")
    if not all((np.isfinite(each) & (each > 0.0)).all() for each in (first, second)):
        raise ParameterError("a and b must be finite numbers above 0")
    return first, second


def _native(function: Callable[..., Any]) -> Any:
    from primum.kernels.native import compiling

    return compiling.compiled(function)


def probability_best(a: ArrayLike, b: ArrayLike, lowest: bool = False) -> Array:
    """The probability that each arm has the highest (or the lowest) rate, trial x arm, the rates being Beta(a, b).

    >>> probability_best([[4, 1]], [[1, 2]]).round(4)
    array([[0.9333, 0.0667]])
    """
    first, second = checked_parameters(a, b)
    given = (first, second) if lowest else (second, first)  # the highest success rate is the lowest failure rate
    out = np.empty_like(first)
    _native(fill_lowest)(*given, np.empty((first.shape[1], WIDTH)), out)
    return out


def probability_superior(a: ArrayLike, b: ArrayLike, control: int = 0, lowest: bool = False) -> Array:
    """The probability that each arm has a higher (or lower) rate than the control, trial x arm; 1/2 for the control.

    >>> probability_superior([[1, 4]], [[2, 1]]).round(4)
    array([[0.5   , 0.9333]])
    """
    first, second = checked_parameters(a, b)
    given = (second, first) if lowest else (first, second)
    out = np.empty_like(first)
    _native(fill_pairs)(*given, control, np.empty((2, WIDTH)), out)
    return out


def probability_equivalent(a: ArrayLike, b: ArrayLike, margin: float) -> Array:
    """The probability that the rates of all arms lie within a margin, for each trial.

    For whole a and b; with fractions and few outcomes the error is up to about 1e-7.

    >>> probability_equivalent([[1, 1]], [[1, 1]], margin=0.5)
    array([0.75])
    """
    first, second = checked_parameters(a, b)
    if not 0.0 < margin < 1.0:
        raise ParameterError(f"margin must be in (0, 1), got {margin:g}")
    out = np.empty(len(first))
    _native(fill_equivalence)(first, second, margin, out)
    return out
