"""Checks of a reward distribution: quantiles, cdf, density and moments are consistent."""

from __future__ import annotations

import itertools
import math
import pickle
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from primum.checks.finding import Check, Counterexample, shown
from primum.errors import PrimumError
from primum.rewards.quadrature import integrate

LEVELS = np.concatenate([[1e-9, 1e-4], np.arange(1, 200) / 200, [1 - 1e-4, 1 - 1e-9]])
DRAWS, FALSE_ALARM = 20_000, 1e-9
INTEGRAL_ERROR = 1e-6  # relative to the scale of the rewards
UNRESOLVED_TAIL = 2.0**-50  # probability beyond the reach of quadrature


def quantiles_rise_within_the_support(arm: Any) -> str:
    low, high = arm.support
    if not low <= high:
        raise Counterexample(f"the support is [{low!r}, {high!r}]")
    x = _quantiles(arm, LEVELS)
    slack = 1e-12 * _scale(arm)
    for i in np.flatnonzero(np.diff(x) < -slack)[:1]:
        raise Counterexample(f"quantile({LEVELS[i]:g}) is {x[i]!r}, quantile({LEVELS[i + 1]:g}) is {x[i + 1]!r}")
    for i in np.flatnonzero((x < low - slack) | (x > high + slack))[:1]:
        raise Counterexample(f"the support is [{low:g}, {high:g}], but quantile({LEVELS[i]:g}) is {x[i]:.6g}")
    return f"from {x[0]:.6g} to {x[-1]:.6g}, in the support [{low:g}, {high:g}]"


def _quantiles(arm: Any, u: Any) -> Any:
    x = np.asarray(arm.quantile(u), np.float64)
    if x.shape != np.shape(u):
        raise Counterexample(f"quantile of an array of shape {np.shape(u)} has the shape {x.shape}")
    if not np.isfinite(x).all():
        bad = np.flatnonzero(~np.isfinite(x.ravel()))[0]
        raise Counterexample(f"quantile({np.ravel(u)[bad]:g}) is {x.ravel()[bad]}")
    return x


def _scale(arm: Any) -> float:
    return max(1e-300, float(np.abs(arm.quantile(np.array([0.01, 0.25, 0.5, 0.75, 0.99]))).max()))


def takes_numbers_and_arrays_of_any_shape(arm: Any) -> str:
    u = np.linspace(0.05, 0.95, 6)
    expected = _quantiles(arm, u)
    for given in (u.reshape(2, 3), u[:0], u[0], u[::-1]):
        got = _quantiles(arm, given)
        again = np.interp(given, u, expected) if np.size(given) else got
        if np.abs(got - again).max(initial=0.0) > 1e-12 * _scale(arm):
            raise Counterexample(f"quantile of {shown(given)} is {shown(got)}, one by one it is {shown(again)}")
    for name in ("cdf", "density"):
        for given in (expected.reshape(2, 3), expected[0]):
            got = getattr(arm, name)(given)
            if got is not None and np.shape(got) != np.shape(given):
                raise Counterexample(f"{name} of an array of shape {np.shape(given)} has the shape {np.shape(got)}")
    return "one number, a row, a table, and no number at all"


def quantile_and_cdf_belong_together(arm: Any) -> str:
    x = _quantiles(arm, LEVELS)
    for i in np.flatnonzero(arm.cdf(x) < LEVELS - 1e-9)[:1]:
        raise Counterexample(f"quantile({LEVELS[i]:g}) is {x[i]!r}, but cdf({x[i]!r}) is {float(arm.cdf(x[i]))!r}")
    points = np.linspace(x[2], x[-3], 101)
    levels = np.asarray(arm.cdf(points), np.float64)
    inside = (levels > 1e-6) & (levels < 1 - 1e-6)
    points, levels = points[inside], levels[inside]
    back = _quantiles(arm, np.maximum(levels - 1e-9, 1e-9))
    for i in np.flatnonzero(back > points + 1e-9 * _scale(arm))[:1]:
        raise Counterexample(f"cdf({points[i]!r}) is {levels[i]!r}, but the quantile of that is {back[i]!r}")
    return f"cdf(quantile(u)) >= u at {LEVELS.size} levels, and quantile(cdf(x)) <= x at {points.size} rewards"


def draws_follow_the_cdf(arm: Any) -> str:
    drawn = np.sort(_quantiles(arm, np.random.default_rng(14).random((40, DRAWS // 40))).ravel())
    share = np.searchsorted(drawn, drawn, side="right") / DRAWS
    distance = np.abs(share - arm.cdf(drawn))
    worst = int(distance.argmax())
    # Dvoretzky, Kiefer, Wolfowitz with Massart's constant
    allowed = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * DRAWS))
    seen = f"the fraction of {DRAWS:,} draws up to {drawn[worst]:.6g} is {share[worst]:.4g}"
    if distance[worst] > allowed:
        raise Counterexample(
            f"{seen}, but cdf({drawn[worst]:.6g}) is {float(arm.cdf(drawn[worst])):.4g}; a difference of {allowed:.2g} "
            f"has a probability of {FALSE_ALARM:g}"
        )
    return f"at most {distance[worst]:.2g} apart; a difference of {allowed:.2g} has a probability of {FALSE_ALARM:g}"


def integrals_are_those_of_the_quantiles(arm: Any) -> str:
    scale = _scale(arm)
    for level in (0.05, 0.3, 0.7, 0.95):
        # without the last bit of the lower tail, which may be steep
        expected = _integral(arm, lambda x: x, 0.01, level)
        got = arm.lower_integral(level) - arm.lower_integral(0.01)
        _close(f"lower_integral({level}) - lower_integral(0.01)", got, "the integral of quantile", expected, scale)
    middle = float(arm.quantile(np.array([0.5]))[0])
    bounded: dict[str, Callable[[Any], Any]] = {
        "x / (scale + |x|)": lambda x: x / (scale + abs(x)),
        "min(x, median)": lambda x: np.minimum(np.maximum(x, middle - scale), middle),
        "1 if x > median else 0": lambda x: 1.0 if x > middle else 0.0,  # a function of one number
    }
    for name, function in bounded.items():
        expected = _integral(arm, np.vectorize(function, otypes=[np.float64]), 0.0, 1.0)
        _close(f"the expectation of {name}", arm.expectation(function), "by quantiles", expected, max(1.0, scale))
    return "lower integrals at 4 levels, and the expectations of 3 functions"


def _integral(arm: Any, function: Callable[[Any], Any], low: float, high: float) -> float:
    """The integral of a function of the quantiles: a sum where they are steps, which quadrature may miss."""
    if arm.atoms is None:
        return integrate(lambda u: function(arm.quantile(u)), low, high)
    edges = np.clip(np.concatenate([[low], np.cumsum(arm.atoms[1]), [high]]), low, high)
    width = np.diff(edges)
    middles = (edges[:-1] + width / 2)[width > 0]
    return float(function(arm.quantile(middles)) @ width[width > 0])


def _close(what: str, got: float, other: str, expected: float, scale: float) -> None:
    if not abs(got - expected) <= INTEGRAL_ERROR * scale:
        raise Counterexample(f"{what} is {got:.9g}, {other} {expected:.9g}")


def mean_and_variance_are_those_of_the_quantiles(arm: Any) -> str:
    scale, ends = _scale(arm), np.abs(arm.quantile(np.array([UNRESOLVED_TAIL, 1 - UNRESOLVED_TAIL])))
    remarks = []
    for power, name in ((1, "mean"), (2, "variance")):
        try:
            claimed, centre = float(getattr(arm, name)), arm.mean if power == 2 else 0.0
        except PrimumError as error:
            remarks.append(f"no {name}: {error}")
            continue
        if not math.isfinite(claimed) or UNRESOLVED_TAIL * (ends**power).sum() > 0.01 * INTEGRAL_ERROR * scale**power:
            remarks.append(f"{name} {claimed:.6g}, which quadrature cannot confirm: the tails are too heavy")
            continue
        expected = _integral(arm, partial(_power, centre, power), 0.0, 1.0)
        _close(f"the {name}", claimed, "by quantiles it is", expected, max(scale, abs(expected)) ** power)
        remarks.append(f"{name} {claimed:.6g}")
    return ", ".join(remarks)


def _power(centre: float, power: int, x: Any) -> Any:
    return (x - centre) ** power


def the_density_is_the_slope_of_the_cdf(arm: Any) -> str:
    edges = np.unique(_quantiles(arm, np.array([0.05, 0.2, 0.4, 0.6, 0.8, 0.95])))
    if arm.density(edges) is None:
        return "it has no density"
    for a, b in itertools.pairwise(edges):
        mass, rise = integrate(arm.density, a, b), float(arm.cdf(b) - arm.cdf(a))
        if not abs(mass - rise) <= 1e-4:
            raise Counterexample(
                f"from {a:.6g} to {b:.6g} the density adds up to {mass:.6g}, and cdf rises by {rise:.6g}; "
                "a distribution with jumps has no density: def density(self, x): return None"
            )
    if (np.asarray(arm.density(edges)) < 0).any():
        raise Counterexample(f"the density at {shown(edges)} is {shown(arm.density(edges))}")
    return f"its integrals over {edges.size - 1} intervals are what cdf rises by"


def atoms_are_those_of_the_quantiles(arm: Any) -> str:
    if arm.atoms is None:
        return "it names no atoms"
    points, chances = (np.asarray(part, np.float64) for part in arm.atoms)
    if points.shape != chances.shape or (np.diff(points) <= 0).any():
        raise Counterexample(f"atoms {shown(points)} must be ascending, with as many probabilities, {shown(chances)}")
    if (chances < 0).any() or abs(chances.sum() - 1) > 1e-9:
        raise Counterexample(f"the probabilities {shown(chances)} add up to {chances.sum():.9g}")
    above = np.cumsum(chances)
    likely = chances > 1e-9
    middle = (above - chances / 2)[likely]
    for u, x, got in zip(middle, points[likely], _quantiles(arm, middle), strict=True):
        if abs(x - got) > 1e-12 * _scale(arm):
            raise Counterexample(f"by its atoms quantile({u:.6g}) is {x:.6g}, but it is {got:.6g}")
    for x, level, got in zip(points, above, np.asarray(arm.cdf(points)), strict=True):
        if abs(level - got) > 1e-9:
            raise Counterexample(f"by its atoms cdf({x:.6g}) is {level:.6g}, but it is {got:.6g}")
    return f"{points.size} of them, {shown(points)} with probabilities {shown(chances)}"


def survives_the_way_to_another_process(arm: Any) -> str:
    cls = type(arm)
    if getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is not cls:
        return "not checked: only objects of classes that can be imported by name can be pickled"
    arm.quantile(np.array([0.5]))  # what it keeps to save time may not be sent
    again = pickle.loads(pickle.dumps(arm))
    if again != arm or not np.array_equal(again.quantile(LEVELS), arm.quantile(LEVELS)):
        raise Counterexample(f"{arm!r} comes back as {again!r}")
    return f"{len(pickle.dumps(arm))} bytes, from which an equal object is made"


CHECKS: tuple[Check, ...] = (
    quantiles_rise_within_the_support,
    takes_numbers_and_arrays_of_any_shape,
    quantile_and_cdf_belong_together,
    draws_follow_the_cdf,
    integrals_are_those_of_the_quantiles,
    mean_and_variance_are_those_of_the_quantiles,
    the_density_is_the_slope_of_the_cdf,
    atoms_are_those_of_the_quantiles,
    survives_the_way_to_another_process,
)
