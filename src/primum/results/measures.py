"""Measures of a simulation: pulls, weighted by arm."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.problem import Problem

Array = np.ndarray[Any, Any]

STUCK_FRACTION = 0.2  # of the pulls that the best arms would get if arms were chosen uniformly at random
RELATIVE_TOLERANCE = 1e-9  # gaps that differ by less than this times the largest are equal


@dataclass(frozen=True)
class Measure:
    """Pulls so far, weighted by arm and added up; divided by the step if `per_step`."""

    name: str
    text: str
    weights: Callable[[Problem], Array]
    per_step: bool = True

    def of(self, problem: Problem, steps: Array, pulls: Iterable[Array]) -> Array:
        """The measure of pulls (policy x replication x step x arm): policy x replication x step."""
        weights = np.asarray(self.weights(problem), np.float64)
        # policy by policy: the product of whole and floating numbers makes a copy of the whole ones
        sums = np.stack([one @ weights for one in pulls])
        return sums / steps if self.per_step else sums

    def bounds(self, problem: Problem, steps: Array) -> Array:
        """The smallest and the largest possible measure at each step, attained by a single arm: 2 x step."""
        weights = np.asarray(self.weights(problem), np.float64)
        return np.outer([weights.min(), weights.max()], np.ones(len(steps)) if self.per_step else steps)


def worst(problem: Problem) -> Array:
    """Which arms have the largest gap: none if all arms are equally good."""
    gaps = problem.gaps
    largest: Array = (gaps > 0) & (gaps >= (1 - RELATIVE_TOLERANCE) * gaps.max())
    return largest


def stuck(problem: Problem, best_arm_share: Array) -> Array:
    """Whether the best arms have got less than `STUCK_FRACTION` of their pulls under uniformly random choice."""
    fewer: Array = best_arm_share < STUCK_FRACTION * problem.best.mean()
    return fewer


def means(problem: Problem) -> Array:
    """The true mean of each arm, whatever the value."""
    return np.array([arm.mean for arm in problem.arms.values()])


REGRET = Measure("regret", "cumulative regret", lambda problem: problem.gaps, per_step=False)
BEST_ARM = Measure("best_arm_share", "share of pulls of a best arm", lambda problem: problem.best)
WORST_ARM = Measure("worst_arm_share", "share of pulls of a worst arm", worst)
REWARD = Measure("reward", "expected reward per step of the arms chosen so far", means)
