"""How far a distribution is from those with a given safety value, and the anytime-valid upper limit that follows.

For a value in variational form, v(G) = max over m of E_G f(X, m), the smallest Kullback-Leibler divergence from F to a
distribution on rewards up to `high` with v(G) >= c is

    K_inf(F, c) = min over m of K_m,    K_m = max over 0 <= l <= 1/b of E_F log(1 - l y),    y = f(X, m) - c,

b the largest y that is possible, because {v >= c} is the union over m of the half-spaces E f(X, m) >= c, for each of
which this is the dual of Honda and Takemura (COLT 2010). If v(F) = c then E f(X, m) = c for the best m, and
W(l) = prod (1 - l y_i) is a nonnegative martingale for each l; a uniform mixture over l is at least max W / (n + 1)
(Cover's universal portfolio of two assets), so n K_inf(F_n, v(F)) ever exceeds log(1 / delta) + log(n + 1) with
probability at most delta (Ville's inequality), whenever and for whatever reason sampling stops.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, quoted
from primum.values import CVaR, Entropic, Mean, MeanCVaR, MeanVariance, SafetyValue

Array = NDArray[np.float64]
CANDIDATES = 400  # for m, where it may be any number
MINIMA = 3  # of K_m that are refined, each by so many
REFINEMENTS = 5
MOST_ATOMS = 256  # else rewards are rounded up, which makes the limit larger
STEPS = 50  # of Newton's method or bisection, at most
HALVINGS = 26  # of the range of a limit


@dataclass(frozen=True)
class _Form:
    """A value in variational form at a level.

    `feature` is f(x, m) minus what its mean must reach, for a row of rewards and a column of m, and `largest` its
    largest value for each m. `candidates` are the m among which the best one is, or between which (`refined`).
    """

    feature: Callable[[Array, Array], Array]
    largest: Callable[[Array], Array]
    candidates: Array
    refined: bool = False


def _mean(value: Any, atoms: Array, level: float, high: float) -> _Form:
    return _Form(lambda x, m: x - level + 0 * m, lambda m: np.full(m.shape, high - level), np.zeros(1))


def _mean_variance(value: Any, atoms: Array, level: float, high: float) -> _Form:
    rho = value.rho
    if rho == 0:
        return _mean(value, atoms, level, high)

    def feature(x: Array, m: Array) -> Array:
        found: Array = x - rho * (x - m) ** 2 - level
        return found

    # the best m is the mean of the nearest distribution, which exceeds its value
    grid = level + (high - level) * (np.arange(CANDIDATES) + 1) / CANDIDATES
    return _Form(feature, lambda m: feature(np.minimum(high, m + 0.5 / rho), m), grid, refined=True)


def _mean_cvar(value: Any, atoms: Array, level: float, high: float) -> _Form:
    weight, alpha = (0.0, value.alpha) if isinstance(value, CVaR) else (value.weight, value.alpha)

    def feature(x: Array, m: Array) -> Array:
        found: Array = weight * x + (1 - weight) * (m - np.maximum(m - x, 0.0) / alpha) - level
        return found

    # the quantile of the nearest distribution, which lives on the atoms and on the highest reward
    return _Form(feature, lambda m: feature(np.full(m.shape, high), m), np.unique(np.append(atoms, high)))


def _entropic(value: Any, atoms: Array, level: float, high: float) -> _Form:
    def feature(x: Array, m: Array) -> Array:
        found: Array = -np.expm1(-value.theta * (x - level)) + 0 * m
        return found

    return _Form(feature, lambda m: feature(np.full(m.shape, high), m), np.zeros(1))


FORMS: dict[type[SafetyValue], Callable[[Any, Array, float, float], _Form]] = {
    Mean: _mean,
    MeanVariance: _mean_variance,
    CVaR: _mean_cvar,
    MeanCVaR: _mean_cvar,
    Entropic: _entropic,
}


def has_divergence(value: SafetyValue) -> bool:
    """Whether the divergence is known for a value."""
    return type(value) in FORMS


def value_divergence(
    value: SafetyValue, atoms: Any, level: float, *, weights: Any = None, high: float = 1.0
) -> tuple[float, float]:
    """K_inf of a value at a level for a distribution on `atoms`, equally likely unless `weights` are given, and m.

    Infinite if no reward up to `high` gives the level. m has a meaning for mean-variance and CVaR: the mean and the
    quantile of the nearest distribution.

    >>> from primum import values
    >>> k, _ = value_divergence(values.Mean(), [0, 1], 0.5, weights=[0.7, 0.3])
    >>> round(k, 8), round(0.3 * math.log(0.3 / 0.5) + 0.7 * math.log(0.7 / 0.5), 8)
    (0.08228288, 0.08228288)
    >>> k, m = value_divergence(values.CVaR(alpha=0.3), [0.1, 0.2, 0.6, 0.7], 0.3)
    >>> round(k, 8), m
    (0.22140411, 0.6)
    """
    if type(value) not in FORMS:
        raise ParameterError(
            f"the divergence of {value.display_name} is not known, only that of {_known()}", ("value",)
        )
    x = np.asarray(atoms, np.float64)
    w = np.full(x.size, 1 / x.size) if weights is None else np.asarray(weights, np.float64) / np.sum(weights)
    if x.max() > high:
        raise ParameterError(f"high must be at least the largest reward, {x.max():g}, got {quoted(high)}", ("high",))
    return _nearest(FORMS[type(value)](value, x, level, high), x, w, level, high)


def _nearest(form: _Form, x: Array, w: Array, level: float, high: float, enough: float = 0.0) -> tuple[float, float]:
    """The smallest K_m, and m; if some K_m is below what is `enough`, any such."""
    candidates = form.candidates
    found = _at(form, x, w, candidates)
    best = int(found.argmin())
    k, m = found[best], candidates[best]
    if form.refined and k > enough:
        inner = np.concatenate([[math.inf], found, [math.inf]])
        minima = np.flatnonzero((found <= inner[:-2]) & (found <= inner[2:]))
        for place in minima[np.argsort(found[minima], kind="stable")][:MINIMA]:
            width = candidates[1] - candidates[0]
            centre = candidates[place]
            for _ in range(REFINEMENTS):
                near = np.linspace(max(centre - width, level + 1e-12), min(centre + width, high), 21)
                there = _at(form, x, w, near)
                centre, width = near[there.argmin()], width / 8
                if there.min() < k:
                    k, m = there.min(), centre
    return float(k), float(m)


def upper_limit(value: SafetyValue, sample: Any, *, alpha: float, high: float = 1.0) -> float:
    """An upper limit for the value of the distribution of a sample of rewards up to `high`, at all times together.

    The probability that it is ever below the true value is at most `alpha`, however it is decided when to look and when
    to stop.

    >>> from primum import values
    >>> round(upper_limit(values.Mean(), [0, 0, 1, 0, 0, 0, 0, 1, 0, 0], alpha=0.05), 4)
    0.7022
    """
    given = np.asarray(sample, np.float64)
    if not given.size:
        return high
    x, counts = np.unique(given, return_counts=True)
    if x.size > MOST_ATOMS and not isinstance(value, MeanVariance):
        spacing = (high - x[0]) / MOST_ATOMS
        x, counts = np.unique(np.minimum(high, x[0] + spacing * np.ceil((given - x[0]) / spacing)), return_counts=True)
    limit = (math.log(1 / alpha) + math.log1p(given.size)) / given.size

    weights = counts / counts.sum()

    def is_beyond(level: float) -> bool:
        return _nearest(FORMS[type(value)](value, x, level, high), x, weights, level, high, limit)[0] >= limit

    low, far = float(min(x.min(), high)), high
    if isinstance(value, MeanVariance):
        low -= value.rho * (high - low) ** 2
    if not is_beyond(np.nextafter(high, -np.inf)):
        return high
    for _ in range(HALVINGS):
        middle = (low + far) / 2
        low, far = (low, middle) if is_beyond(middle) else (middle, far)
    return far


def _known() -> str:
    return ", ".join(sorted(each.title for each in FORMS))


def _at(form: _Form, x: Array, w: Array, m: Array) -> Array:
    """K_m for each m."""
    y = form.feature(x[None, :], m[:, None])
    largest = form.largest(m)
    found = np.where(y @ w >= 0, 0.0, np.inf)
    rows = np.flatnonzero((found > 0) & (largest > 0))
    if rows.size:
        u = np.minimum(y[rows] / largest[rows, None], 1.0)
        s = _tilt(u, w)
        with np.errstate(divide="ignore"):
            found[rows] = np.maximum(np.log1p(-s[:, None] * u) @ w, 0.0)
    return found


def _tilt(u: Array, w: Array) -> Array:
    """s in [0, 1] that maximises E log(1 - s u), where u <= 1 and E u < 0: Newton's method in a bracket."""
    low, high = np.zeros(len(u)), np.ones(len(u))
    with np.errstate(divide="ignore", invalid="ignore"):
        at_end = (np.where(u < 1, u / (1 - u), np.inf) * (w > 0)) @ w <= 0
        s = np.where(at_end, 1.0, 0.5)
        for _ in range(STEPS):
            ratio = u / (1 - s[:, None] * u)
            h, slope = ratio @ w, ratio**2 @ w
            high, low = np.where(h > 0, s, high), np.where(h > 0, low, s)
            step = s - h / slope
            inside = (step > low) & (step < high)
            following = np.where(at_end, 1.0, np.where(inside, step, (low + high) / 2))
            if (np.abs(following - s) <= 1e-13).all():
                break
            s = following
    return s
