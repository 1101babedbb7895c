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


@functools.lru_cache(maxsize=1024)
def boundaries(fractions: tuple[float, ...], spending: str, alpha: float, two_sided: bool) -> tuple[float, ...]:
    """The boundary for Z at each look, at these ascending fractions of the information; infinite where none is spent.

    By the recursion of Armitage, McPherson and Rowe (1969) for the density of Z sqrt(fraction) in trials that go on.
    `alpha` is the level of the upper boundary alone; a two-sided test has the lower one too, with the same level.

    >>> [round(each, 4) for each in boundaries((0.2, 0.4, 0.6, 0.8, 1.0), "obrien-fleming", 0.025, True)]
    [4.8769, 3.357, 2.6803, 2.2898, 2.031]
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    found: list[float] = []
    spent, before = 0.0, 0.0
    nodes, mass = np.zeros(1), np.ones(1)  # where trials are that go on, and how many
    for i, fraction in enumerate(fractions):
        step = np.sqrt(max(fraction - before, 0.0))
        allowed = SPENDING[spending](min(fraction, 1.0), alpha) - spent if step > 0 else 0.0
        if allowed < LEAST_SPENT:
            found.append(np.inf)
            continue

        def beyond(bound: float, nodes: Floats = nodes, mass: Floats = mass, step: float = step) -> float:
            return float(mass @ ndtr((nodes - bound) / step))

        limit = brentq(
            lambda bound, allowed=allowed, beyond=beyond: beyond(bound) - allowed, 0.0, 2 * REACH, xtol=1e-12
        )
        found.append(float(limit / np.sqrt(fraction)))
        spent += allowed
        following = [later for later in fractions[i + 1 :] if later > fraction][:1]
        if following:
            low = -limit if two_sided else -REACH * np.sqrt(fraction)
            finest = min(step, np.sqrt(following[0] - fraction))
            points, weights = _nodes(int(np.pi / 2 * (limit - low) / (SPACING * finest)))
            half = (limit - low) / 2
            new = low + half * (1 + points)
            density = np.exp(-(((new[:, None] - nodes) / step) ** 2) / 2) @ mass / (step * np.sqrt(2 * np.pi))
            nodes, mass = new, half * weights * density
        before = fraction
    return tuple(found)


def _nodes(least: int) -> tuple[Floats, Floats]:
    """At least so many Gauss-Legendre nodes on [-1, 1], and their weights."""
    return _of_size(max(64, 1 << least.bit_length()))


@functools.cache
def _of_size(size: int) -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(size)
    return points, weights
