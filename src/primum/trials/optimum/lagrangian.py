"""The best rule and test for given multipliers, and what they give."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from primum.policies.optimal_sweep import Programme, block_start, null_likelihood, powers_of
from primum.trials.data import Floats
from primum.trials.exact_law import null
from primum.trials.optimum.question import Question

# multiples of the critical value whose tests are evaluated beside the best one, at no cost
MULTIPLES = np.array([0.7, 0.85, 1.0, 1.2, 1.5])
BEST = 2  # the place of 1 among them
FINE_MULTIPLES = np.geomspace(0.5, 8.0, 2001)
POINTS = 4  # times the root of the patients: values of p at which the type I error is bounded
FIRST_ERROR = 4.0  # what errors cost relative to power, at first
LEAST_PRICE = 1e-6  # of power, relative to the share
DIGITS = 6  # of multipliers and of these values of p, so that specs are short


class Multipliers(NamedTuple):
    """What share and power are worth, and what the type I error at each p of the grid costs."""

    share: float
    power: float
    error: Floats

    def between(self, other: Multipliers, weight: float) -> Multipliers:
        """Those of the other with this weight, and the rest of these."""
        power, error = (
            (1 - weight) * a + weight * b for a, b in ((self.power, other.power), (self.error, other.error))
        )
        return Multipliers(self.share, *(_rounded(each) for each in (power, error)))


def _rounded(numbers: Any) -> Any:
    """The numbers with a few significant digits."""
    return np.reshape([float(f"{each:.{DIGITS - 1}e}") for each in np.ravel(numbers)], np.shape(numbers))[()]


class Figures(NamedTuple):
    """What designs give: their share, their power, and the probability at 1/2 to declare a difference.

    The latter is an array design x all successes together, from which the type I error at any p follows.
    """

    share: Floats
    power: Floats
    declared: Floats


def summarise(
    share: Any, effect: Any, costs: Any, weight: float, chances: Any, multiples: Any, powers: Any, declared: Any
) -> float:
    """The expected share; and what ends add that lie beyond so many of the ascending multiples of the critical value.

    They add their power, and their probability at 1/2 by all successes together.
    """
    patients, expected = costs.size - 1, 0.0
    for n1 in range(patients + 1):
        at = block_start(patients, n1)
        for s0 in range(patients - n1 + 1):
            for s1 in range(n1 + 1):
                chance = chances[at + s1]
                if chance > 0.0:
                    expected += chance * share[at + s1]
                    gain, cost, low, high = weight * effect[at + s1], costs[s0 + s1], 0, multiples.size
                    while low < high:
                        middle = (low + high) // 2
                        if gain > multiples[middle] * cost:
                            low = middle + 1
                        else:
                            high = middle
                    powers[low] += chance * effect[at + s1]
                    declared[low, s0 + s1] += chance
            at += n1 + 1
    return expected


class Lagrangian:
    """Best rules and tests together, for the multipliers of a question, with type I errors on a grid over p."""

    def __init__(self, question: Question) -> None:
        self.question, n = question, question.patients
        self.programme = Programme(n, question.lower, question.higher, question.sided, question.coin)
        angles = np.linspace(0, np.pi / 2, math.ceil(POINTS * math.sqrt(n)) + 2)[1:-1]
        self.grid = np.round(np.sin(angles) ** 2, DIGITS)
        self.likelihoods = powers_of(2 * self.grid, n) * powers_of(2 - 2 * self.grid, n)[:, ::-1]
        self.sweeps = 0
        self.start = Multipliers(0.0, 1.0, np.full(len(self.grid), FIRST_ERROR / len(self.grid)))

    def best(self, multipliers: Multipliers) -> tuple[float, Figures]:
        """The largest value of the Lagrangian but for its constants, and designs with the rule that has it."""
        value, chances = self.follow(multipliers)
        return value, self.tests(multipliers, chances)

    def follow(self, multipliers: Multipliers) -> tuple[float, Floats]:
        """The largest value, and the probabilities at 1/2 of all ends under its rule; valid until the next call."""
        value = self.programme.decide(multipliers.share, multipliers.power, self._null(multipliers))
        self.sweeps += 1
        return value, self.programme.follow()

    def tests(self, multipliers: Multipliers, chances: Floats, multiples: Floats = MULTIPLES) -> Figures:
        """What tests give, with multiples of the critical value that is best for these multipliers."""
        from primum.kernels.native import compiling

        powers, declared = np.zeros(len(multiples) + 1), np.zeros((len(multiples) + 1, self.question.patients + 1))
        layers = self.programme.share, self.programme.effect, self._null(multipliers)
        summarised = compiling.compiled(summarise)
        share = summarised(*layers, multipliers.power, chances, multiples, powers, declared)
        beyond = (np.cumsum(each[:0:-1], axis=0)[::-1] for each in (powers, declared))
        return Figures(np.full(len(multiples), share), *beyond)

    def _null(self, multipliers: Multipliers) -> Floats:
        """The likelihood ratio without a difference, weighted by what errors cost, by all successes together."""
        return null_likelihood(self.grid, multipliers.error, self.question.patients)


class FixedRule:
    """Best tests for the multipliers of a question under one allocation rule."""

    def __init__(self, lagrangian: Lagrangian, rule: Multipliers) -> None:
        self.question, self.grid, self.likelihoods = lagrangian.question, lagrangian.grid, lagrangian.likelihoods
        self._lagrangian, self._chances = lagrangian, lagrangian.follow(rule)[1].copy()
        self.start = Multipliers(0.0, 1.0, rule.error / max(rule.power, LEAST_PRICE))
        self.share = float(lagrangian.programme.share @ self._chances)

    def power_at_level(self, multipliers: Multipliers) -> float:
        """The power of the test for these multipliers with a critical value that keeps to the level for every p."""
        figures = self._lagrangian.tests(multipliers, self._chances, FINE_MULTIPLES)
        low, high = -1, len(FINE_MULTIPLES)
        while high - low > 1:
            middle = (low + high) // 2
            level = null.largest({self.question.patients: figures.declared[middle : middle + 1]})[0][0]
            low, high = (low, middle) if level <= self.question.alpha else (middle, high)
        return float(figures.power[high]) if high < len(FINE_MULTIPLES) else 0.0

    def best(self, multipliers: Multipliers) -> tuple[float, Figures]:
        """The largest value of the Lagrangian but for its constants, and what tests give."""
        figures = self._lagrangian.tests(multipliers, self._chances)
        errors = self.likelihoods @ figures.declared[BEST]
        gained = multipliers.share * figures.share[BEST] + multipliers.power * figures.power[BEST]
        return float(gained - multipliers.error @ errors), figures
