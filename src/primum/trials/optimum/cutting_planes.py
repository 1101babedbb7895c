"""The least upper bound of the share that any design can have, by cutting planes.

The dual function of the multipliers is convex, and each design gives a plane below it. The linear programme over all
planes so far mixes designs such that they keep to the constraints; its value is a lower bound of the optimum, and its
dual solution a guess of the best multipliers. The next ones are between it and the best multipliers so far, which
keeps the guesses from jumping (Wentges, "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming",
International Transactions in Operational Research 4(2), 1997).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from primum.errors import PrimumError
from primum.trials.optimum.lagrangian import Figures, FixedRule, Lagrangian, Multipliers

Told = Callable[[float], None]  # is told the gap between the bounds after each sweep
STEP = 0.2  # from the best multipliers so far towards those of the linear programme
MOST_SWEEPS = 1_000
FIRST_POWER = 0.3  # what power costs relative to the share, at first


class NotReachedError(PrimumError):
    """No mixture of the designs found so far has the power at the level."""


class Solved(NamedTuple):
    """Bounds of an optimum. The lower one is that of a mixture of designs, which no single one may attain."""

    lower: float
    upper: float
    multipliers: Multipliers


class CuttingPlanes:
    """Bounds of one question for any power and level; the designs found on the way serve all of them."""

    def __init__(self, lagrangian: Lagrangian | FixedRule) -> None:
        self.lagrangian = lagrangian
        patients = lagrangian.question.patients
        self.planes = Figures(np.array([0.5]), np.zeros(1), np.zeros((1, patients + 1)))  # equal numbers, no test
        self.tried: list[Multipliers] = []
        self.lines: list[tuple[float, float]] = []  # bounds of the share: the first number, less the second for power
        self._centre = lagrangian.start

    def largest_power(self, alpha: float, tolerance: float, told: Told, enough: float = np.inf) -> Solved:
        """Bounds of the largest power of any design; it stops where the lower one is `enough`."""
        return self._solve(Multipliers(0.0, 1.0, self._centre.error), alpha, 0.0, tolerance, told, enough)

    def largest_share(self, alpha: float, power: float, tolerance: float, told: Told) -> Solved:
        """Bounds of the largest share of any design with a power that is possible."""
        start = self._centre
        if not start.share:
            start = Multipliers(1.0, FIRST_POWER, FIRST_POWER * start.error)
        return self._solve(start, alpha, power, tolerance, told, np.inf)

    def _solve(
        self, trial: Multipliers, alpha: float, power: float, tolerance: float, told: Told, enough: float
    ) -> Solved:
        upper = np.inf
        for _ in range(MOST_SWEEPS):
            value, figures = self.lagrangian.best(trial)
            self.tried.append(trial)
            self.planes = Figures(*(np.concatenate(parts) for parts in zip(self.planes, figures, strict=True)))
            bound = value + alpha * float(trial.error.sum()) - power * trial.power
            if trial.share:
                self.lines.append((value + alpha * float(trial.error.sum()), trial.power))
            if bound < upper:
                upper, self._centre = float(bound), trial
            lower, guess = self._mixed(bool(trial.share), alpha, power)
            told(upper - lower)
            if upper - lower <= tolerance or lower >= enough:
                return Solved(lower, upper, self._centre)
            trial = self._centre.between(guess, STEP)
        raise PrimumError(f"the optimum is between {lower:.6f} and {upper:.6f} after {MOST_SWEEPS:,} sweeps")

    def _mixed(self, counts_share: bool, alpha: float, power: float) -> tuple[float, Multipliers]:
        """The largest mean share, or else power, of a mixture of the designs found so far, and its multipliers."""
        from scipy.optimize import linprog

        errors = self.lagrangian.likelihoods @ self.planes.declared.T
        rows, limits = np.vstack([errors, -self.planes.power]), np.append(np.full(len(errors), alpha), -power)
        worth = self.planes.share if counts_share else self.planes.power
        solved = linprog(-worth, rows, limits, np.ones((1, len(worth))), [1.0], method="highs")
        if solved.fun is None:
            raise NotReachedError(f"no mixture of {len(worth)} designs has power {power:g} at level {alpha:g}")
        duals = np.maximum(-solved.ineqlin.marginals, 0.0)
        value = float(-solved.fun)
        if counts_share:
            return value, Multipliers(1.0, float(duals[-1]), duals[:-1])
        return value, Multipliers(0.0, 1.0, duals[:-1])
