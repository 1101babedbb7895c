"""Two arms with outcomes 0 and 1, as counts: the information behind an exact allocation probability."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
TIE = 1e-12  # as in kernels/choosing.py


@dataclass(frozen=True)
class Counts:
    """One decision between two arms, for all numbers of successes at once.

    `assigned` are the decisions for each arm so far and `pulls` the outcomes known of them. `value` is the one that the
    policy uses. An array over the states has the successes of arm 0 along its first axis and those of arm 1 along its
    second, from 0 to `pulls`.

    >>> counts = Counts((2, 1), (2, 1), horizon=10, value=None)
    >>> counts.step, counts.successes[0].shape, counts.successes[1].shape
    (4, (3, 1), (1, 2))
    """

    assigned: tuple[int, int]
    pulls: tuple[int, int]
    horizon: int
    value: Any

    @property
    def step(self) -> int:
        """The number of this decision, from 1."""
        return sum(self.assigned) + 1

    @property
    def successes(self) -> tuple[Array, Array]:
        """The numbers of successes: a column for arm 0 and a row for arm 1."""
        return np.arange(self.pulls[0] + 1.0)[:, None], np.arange(self.pulls[1] + 1.0)[None, :]

    @property
    def estimates(self) -> tuple[Array, Array]:
        """The value estimated on all outcomes of each arm, which must have some: a column and a row."""
        first, second = (values_of_counts(self.value, n) for n in self.pulls)
        return first[:, None], second[None, :]


@functools.lru_cache(4096)
def values_of_counts(value: Any, n: int) -> Array:
    """The value estimated on n outcomes 0 and 1, by the number of those that are 1."""
    table: Array = value.of_counts(n)
    table.flags.writeable = False
    return table


def tied(a: Array, b: Array) -> Array:
    """Whether scores are equal up to rounding, as `kernels.choosing.tied` has it for rewards up to 1."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(a - b)
    near = np.isfinite(gap) & (gap <= TIE * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b))))
    return (a == b) | near


def prefer_larger(first: Array, second: Array) -> Array:
    """The probability of arm 1 for a rule that takes the arm with the larger score, ties at random."""
    return np.where(tied(first, second), 0.5, np.where(second > first, 1.0, 0.0))


def forced(counts: Counts, floor: float) -> Array | None:
    """The probability of arm 1 while `kernels.choosing.opening` decides; None once it does not."""
    least = 0 if counts.assigned[0] <= counts.assigned[1] else 1
    if min(counts.pulls) == 0 or counts.assigned[least] < floor:
        return np.full((1, 1), float(least))
    return None
