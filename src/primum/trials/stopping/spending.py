"""Boundaries of group sequential tests by alpha spending."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from primum.trials.data import Floats

LEAST_SPENT = 1e-15  # a look that may spend less has no boundary: rounding errors are of that size
REACH = 8.0  # standard deviations, where a one-sided region of continuation is cut off
SPACING = 0.5  # of the nodes, in standard deviations of the increment between looks


def obrien_fleming(fraction: float, alpha: float) -> float:
    """What Lan and DeMets (Biometrika 70, 1983) let a one-sided test spend, close to O'Brien and Fleming's test."""
    from scipy.special import ndtr, ndtri

    return float(2 * ndtr(ndtri(alpha / 2) / np.sqrt(fraction)))


def pocock(fraction: float, alpha: float) -> float:
    """What Lan and DeMets (Biometrika 70, 1983) let a one-sided test spend, close to Pocock's test."""
    return float(alpha * np.log1p((math.e - 1) * fraction))


SPENDING: dict[str, Callable[[float, float], float]] = {"obrien-fleming": obrien_fleming, "pocock": pocock}


def boundaries(fractions: tuple[float, ...], spending: str, alpha: float, two_sided: bool) -> tuple[float, ...]:
    """The boundary for Z at each look, at these ascending fractions of the information; infinite where none is spent.

    The last look spends all that is left, whatever its fraction. `alpha` is the level of the upper boundary alone; a
    two-sided test has the lower one too, with the same level.

    >>> [round(each, 4) for each in boundaries((0.2, 0.4, 0.6, 0.8, 1.0), "obrien-fleming", 0.025, True)]
    [4.8769, 3.357, 2.6803, 2.2898, 2.031]
    """
    last = len(fractions) - 1
    return tuple(boundary(fractions[: i + 1], i == last, spending, alpha, two_sided) for i in range(last + 1))


def boundary(fractions: tuple[float, ...], is_final: bool, spending: str, alpha: float, two_sided: bool) -> float:
    """The boundary for Z at the last of these fractions of the information; the others are those of the looks before.

    The final look spends all that is left. One that brings no new information takes the place of the look before it,
    because what that one has spent and what is left are then spent on the same data.
    """
    *before, fraction = fractions
    looks: tuple[float, ...] = ()  # those that could spend
    for each in before:
        is_new = each > (looks[-1] if looks else 0.0) and not (is_final and each >= fraction)
        if is_new and _limit((*looks, each), False, spending, alpha, two_sided) < np.inf:
            looks += (each,)
    if fraction <= (looks[-1] if looks else 0.0):
        return np.inf
    return _limit((*looks, fraction), is_final, spending, alpha, two_sided) / math.sqrt(fraction)


@functools.lru_cache(maxsize=1 << 14)
def _limit(looks: tuple[float, ...], is_final: bool, spending: str, alpha: float, two_sided: bool) -> float:
    """The boundary at the last look for B = Z sqrt(fraction), which is a Brownian motion without a difference."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    *before, fraction = looks
    spent = _cumulative(before[-1], spending, alpha) if before else 0.0
    allowed = (alpha if is_final else _cumulative(fraction, spending, alpha)) - spent
    if allowed < LEAST_SPENT:
        return np.inf
    nodes, mass = _continuing(tuple(before), fraction, spending, alpha, two_sided)
    step = math.sqrt(fraction - (before[-1] if before else 0.0))
    return float(brentq(lambda limit: mass @ ndtr((nodes - limit) / step) - allowed, -2 * REACH, 2 * REACH, xtol=1e-12))


def _cumulative(fraction: float, spending: str, alpha: float) -> float:
    """What may be spent up to a fraction of the information."""
    return SPENDING[spending](min(fraction, 1.0), alpha)


@functools.lru_cache(maxsize=1 << 14)
def _continuing(
    looks: tuple[float, ...], following: float, spending: str, alpha: float, two_sided: bool
) -> tuple[Floats, Floats]:
    """Where B is in trials that go on after these looks, and how many there are.

    By the recursion of Armitage, McPherson and Rowe (1969), on nodes that are fine enough for the `following` look.
    """
    if not looks:
        return np.zeros(1), np.ones(1)
    *before, fraction = looks
    limit = _limit(looks, False, spending, alpha, two_sided)
    nodes, mass = _continuing(tuple(before), fraction, spending, alpha, two_sided)
    step = math.sqrt(fraction - (before[-1] if before else 0.0))
    low = -limit if two_sided else -REACH * math.sqrt(fraction)
    points, weights = _nodes(int(np.pi / 2 * (limit - low) / (SPACING * min(step, math.sqrt(following - fraction)))))
    half = (limit - low) / 2
    new = low + half * (1 + points)
    density = np.exp(-(((new[:, None] - nodes) / step) ** 2) / 2) @ mass / (step * np.sqrt(2 * np.pi))
    return new, half * weights * density


def _nodes(least: int) -> tuple[Floats, Floats]:
    """At least so many Gauss-Legendre nodes on [-1, 1], and their weights."""
    return _of_size(max(64, 1 << least.bit_length()))


@functools.cache
def _of_size(size: int) -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(size)
    return points, weights
