"""The inverse of a distribution function as a table of cubics."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.polynomial.polynomial import polyval

from primum.rewards.quadrature import Array

_ROOTS, _CHILDREN, _MOST_CELLS = 1024, 16, 1 << 17
_SMALLEST = 4e-16  # rounding hides anything below this in a probability near 1
_BLOCK = 1 << 14  # numbers looked up at a time; temporary arrays of this size stay in the processor's cache


class Smooth(Protocol):
    """What is needed of a distribution."""

    @property
    def support(self) -> tuple[float, float]: ...

    def cdf(self, x: Any, /) -> Array: ...

    def density(self, x: Any, /) -> Array: ...


class InverseTable:
    """The x for which cdf(x) = u, within 1e-12 (closer for u near 0 and 1), at 10 to 30 ns a number.

    A tree on the digits of u: of 1024 equal cells, those in which the cubic with the right ends and slopes (1/density)
    misses the tolerance are divided into 16, and so on; only steep ends and gaps between modes go deep. In a cell
    narrower than the tolerance any x between its ends is exact enough, so nothing is iterated when a number is looked
    up, and x rises with u by construction. A table never changes once it is made: threads share it.

    `ends` are the smallest and the largest x, if not those of the support: where nearly all of an interval has no
    probability to speak of, or is infinite, they are better chosen as quantiles of 2^-53 and 1 - 2^-53.

    >>> from primum.rewards import Uniform
    >>> InverseTable(Uniform(2, 3))(np.array([0.25, 0.5])).tolist()
    [2.25, 2.5]
    """

    def __init__(self, distribution: Smooth, ends: tuple[float, float] | None = None) -> None:
        self._low, self._high = ends or distribution.support
        width, first = 1 / _ROOTS, np.arange(_ROOTS) / _ROOTS
        nodes = _root_nodes(distribution, self._low, self._high)
        left, right = nodes[:-1], nodes[1:]
        cubics, children, count = [], [], _ROOTS
        while True:
            cubic, excess = _fit(distribution, width, first, left, right)
            # never more than half of the room, the worst first: a distribution function that is itself not exact must
            # not use up what steep ends need
            room = (_MOST_CELLS - count) // (2 * _CHILDREN) if width > _SMALLEST else 0
            poor = np.zeros(excess.size, np.bool_)
            poor[np.argsort(-excess, kind="stable")[:room]] = True
            poor &= excess > 1
            cubics.append(cubic)
            children.append(np.where(poor, count + _CHILDREN * (np.cumsum(poor) - 1), 0))
            if not poor.any():
                break
            width /= _CHILDREN
            u = first[poor, None] + width * np.arange(_CHILDREN + 1)
            nodes = np.asarray(polyval(np.arange(_CHILDREN + 1) / _CHILDREN, cubic[:, poor]), np.float64)
            nodes[:, -1] = right[poor]
            nodes[:, 1:-1] = _solve(distribution, u[:, 1:-1], left[poor, None], right[poor, None], nodes[:, 1:-1])
            nodes = np.maximum.accumulate(nodes, axis=1)
            first, left, right = u[:, :-1].ravel(), nodes[:, :-1].ravel(), nodes[:, 1:].ravel()
            count += first.size
        self._cubics = np.concatenate(cubics, axis=1)
        self._children = np.concatenate(children)  # the first child of a cell that has any, else 0

    def __call__(self, u: Any) -> Array:
        u = np.asarray(u, np.float64)
        flat, x = u.ravel(), np.empty(u.size)
        for start in range(0, u.size, _BLOCK):
            x[start : start + _BLOCK] = self._look_up(flat[start : start + _BLOCK])
        return np.clip(x, self._low, self._high).reshape(u.shape)

    def _look_up(self, u: Array) -> Array:
        within = u * _ROOTS
        cell = within.astype(np.intp)
        within -= cell
        child = self._children.take(cell)
        deep = np.flatnonzero(child)
        child = child[deep]
        while deep.size:
            digits = within[deep] * _CHILDREN
            digit = digits.astype(np.intp)
            within[deep] = digits - digit
            cell[deep] = child + digit
            child = self._children.take(child + digit)
            deep, child = deep[child > 0], child[child > 0]
        x: Array = self._cubics[3].take(cell)
        for coefficient in self._cubics[2::-1]:
            x *= within
            x += coefficient.take(cell)
        return x


def _tolerance(u: Array) -> Array:
    # half of what is promised: the largest error in a cell may lie between the points where it is looked at
    return np.clip(1e-9 * np.minimum(u, 1 - u), _SMALLEST, 5e-13)


def _root_nodes(distribution: Smooth, low: float, high: float) -> Array:
    grid = np.linspace(low, high, 257)
    known = np.maximum.accumulate(distribution.cdf(grid))
    u = np.arange(1, _ROOTS) / _ROOTS
    place = np.clip(np.searchsorted(known, u), 1, grid.size - 1)
    x = _solve(distribution, u, grid[place - 1], grid[place], np.interp(u, known, grid))
    return np.concatenate([[low], np.maximum.accumulate(x), [high]])


def _fit(distribution: Smooth, width: float, first: Array, left: Array, right: Array) -> tuple[Array, Array]:
    """For each cell the coefficients of its cubic in the position within it, from 0 to 1, and error / tolerance."""
    rise = right - left
    with np.errstate(all="ignore"):  # where the density is 0
        start, end = width / distribution.density(left), width / distribution.density(right)
        cubic = np.stack([left, start, 3 * rise - 2 * start - end, start + end - 2 * rise])
    bends = ~(np.maximum(start, end) <= 3 * rise)  # it may turn back (Fritsch, Carlson 1980): a line does not
    cubic[:, bends] = np.stack([left, rise, 0 * rise, 0 * rise])[:, bends]
    excess = np.where(bends, 2.0, 0.0)
    # numbers x this close cannot be told apart, so cdf(x) may jump by more than the tolerance
    resolution = 4 * np.spacing(np.maximum(np.abs(left), np.abs(right)))
    for position in (0.2, 0.5, 0.8):
        u = first + position * width
        error = np.abs(distribution.cdf(polyval(position, cubic)) - u)
        excess = np.maximum(excess, np.where(error * rise > resolution * width, error / _tolerance(u), 0.0))
    return cubic, np.where(rise > resolution, excess, 0.0)


def _solve(distribution: Smooth, u: Array, left: Array, right: Array, x: Array) -> Array:
    """The x between left and right for which cdf(x) = u: Newton's method within a shrinking bracket, then bisection."""
    shape = u.shape
    u, left, right, x = (array.flatten() for array in np.broadcast_arrays(u, left, right, x))
    todo = np.arange(u.size)
    for iteration in range(100):
        at = x[todo]
        error, slope = distribution.cdf(at) - u[todo], distribution.density(at)
        left[todo] = low = np.where(error < 0, at, left[todo])
        right[todo] = high = np.where(error < 0, right[todo], at)
        with np.errstate(all="ignore"):  # where the density is 0
            newton = at - error / slope
        inside = (newton >= low) & (newton <= high) & (slope < np.inf) & (iteration < 40)
        close = np.abs(error) <= np.maximum(_tolerance(u[todo]) / 10, _SMALLEST / 2)
        x[todo] = step = np.where(inside, newton, np.where(close, at, (low + high) / 2))
        todo = todo[~close & (step != at) & (high - low > np.spacing(np.abs(at)))]
        if not todo.size:
            break
    return x.reshape(shape)
