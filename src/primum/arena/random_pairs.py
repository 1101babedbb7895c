"""Random pairs of a problem and a value, for tables on problems that nobody chose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from primum import rewards, values
from primum.arena.suite import Pair, pairs
from primum.errors import ParameterError
from primum.problem import Problem
from primum.rewards import RewardDistribution
from primum.values import SafetyValue

MOST_ARMS = 10
MOST_PAIRS = 1000
GAPS = 0.01, 0.2  # of the second-best arm, on rewards of width 1: the smallest and the largest


class Draws:
    """Random numbers of a seed and a pair, from the bits of Philox, which are the same everywhere."""

    def __init__(self, seed: int, number: int) -> None:
        self._random = np.random.Generator(np.random.Philox(key=[seed, number])).random

    def between(self, low: float, high: float) -> float:
        """A number in an interval, with three digits after the point."""
        return round(low + (high - low) * float(self._random()), 3)

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        return low + int((high - low + 1) * float(self._random()))

    def one(self, options: Sequence[Any]) -> Any:
        """One of several."""
        return options[self.whole(0, len(options) - 1)]


def _smooth(draws: Draws) -> RewardDistribution:
    if draws.whole(0, 1):
        return rewards.Beta(draws.between(0.5, 10), draws.between(0.5, 10))
    return rewards.TruncatedNormal(draws.between(0.1, 0.9), draws.between(0.02, 0.4))


def _rare(draws: Draws) -> RewardDistribution:
    usual, rare = draws.between(0.2, 0.8), draws.one([0.0, 1.0])
    chance = draws.between(0.02, 0.2)
    if rare > usual:
        return rewards.Discrete((usual, rare), (1 - chance, chance))
    return rewards.Discrete((rare, usual), (chance, 1 - chance))


def _bernoulli(draws: Draws) -> RewardDistribution:
    return rewards.Bernoulli(draws.between(0.01, 0.99))


def _sure(draws: Draws) -> RewardDistribution:
    return rewards.Constant(draws.between(0.05, 0.95))


# The classes of the suite: how the first arm is drawn, and all others.
ARMS: dict[str, tuple[Callable[[Draws], RewardDistribution], Callable[[Draws], RewardDistribution]]] = {
    "smooth": (_smooth, _smooth),
    "sure arm": (_sure, _smooth),
    "bernoulli": (_bernoulli, _bernoulli),
    "rare": (_rare, _smooth),
    "ties": (_smooth, _smooth),
    "many arms": (_smooth, _smooth),
    "scales": (_smooth, _smooth),
}
VALUES: tuple[Callable[[Draws], SafetyValue], ...] = (
    lambda draws: values.Mean(),
    lambda draws: values.MeanVariance(draws.between(0.5, 3)),
    lambda draws: values.CVaR(draws.between(0.05, 0.5)),
    lambda draws: values.Entropic(draws.between(0.5, 5)),
    lambda draws: values.Quantile(draws.between(0.1, 0.9)),
    lambda draws: values.MeanGini(draws.between(0.2, 1)),
    lambda draws: values.MeanStd(draws.between(0.2, 1)),
    lambda draws: values.Threshold(draws.between(0.2, 0.8)),
    lambda draws: values.Semivariance(draws.between(0.5, 5)),
    lambda draws: values.Spectral(draws.between(1, 10)),
    lambda draws: values.MeanCVaR(draws.between(0.2, 0.8), draws.between(0.05, 0.3)),
)
COMMON_VALUES = 3  # the first ones, which half of the pairs have
SCALABLE = ("mean", "cvar", "quantile", "mean-gini", "mean-std", "spectral", "mean-cvar")  # v(a + b X) = a + b v(X)


def random_pairs(count: int, seed: int) -> tuple[Pair, ...]:
    """Random pairs of two to ten arms and a value of any kind, the same for the same seed, and more for a larger count.

    Arms are those of a random class of the suite; half of the values are the mean, mean-variance or CVaR. A draw is
    rejected, and another one made, if the best arm is better than the next by less than 0.01 on rewards in [0, 1], so
    that hardly any policy tells them apart, or by more than 0.2, so that all do. Pairs of the class of ties have the
    best arm twice, and of that of other scales the rewards are stretched and shifted.

    >>> [pair.title for pair in random_pairs(2, seed=1)]
    ['Random 1', 'Random 2']
    """
    if not 1 <= count <= MOST_PAIRS:
        raise ParameterError(f"count must be a whole number in [1, {MOST_PAIRS}], got {count}", ("count",))
    classes = {pair.problem_class.name: pair.problem_class for pair in pairs()}
    found = []
    for number in range(1, count + 1):
        draws = Draws(seed, number)
        name = draws.one(list(ARMS))
        problem = _problem(draws, name)
        while problem is None:
            problem = _problem(draws, name)
        found.append(Pair(f"random-{number}", classes[name], "Drawn at random.", problem))
    return tuple(found)


def _problem(draws: Draws, name: str) -> Problem | None:
    """The next draw of a class, or None if it is rejected."""
    first, others = ARMS[name]
    size = draws.whole(6, MOST_ARMS) if name == "many arms" else draws.whole(2, 5)
    drawn = [first(draws), *(others(draws) for _ in range(size - 1))]
    common = VALUES[:COMMON_VALUES] if draws.whole(0, 1) else VALUES[COMMON_VALUES:]
    value = draws.one(common)(draws)
    low, width = 0.0, 1.0
    if name == "scales":
        if value.name not in SCALABLE:
            return None
        low, width = draws.between(-100, 100), draws.one([0.1, 10.0, 100.0])
        drawn = [rewards.Scaled(arm, low, low + width) for arm in drawn]
    problem = Problem({f"arm {i}": arm for i, arm in enumerate(drawn, 1)}, value)
    gap = problem.gaps.min(where=problem.gaps > 0, initial=np.inf) / width
    if not GAPS[0] <= gap <= GAPS[1]:
        return None
    if name == "ties":
        best = drawn[int(problem.gaps.argmin())]
        problem = Problem({**problem.arms, f"arm {size + 1}": best}, value)
    return problem
