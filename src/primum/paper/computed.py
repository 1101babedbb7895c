"""The numbers that decide on the paper's definitions and theorems; all are computed, none is simulated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.paper.races import REWARDS
from primum.problem import Problem
from primum.rewards import Bernoulli, Constant, Mixture, RewardDistribution, paper_mixture
from primum.theory import Theorem1, counterexample
from primum.values import CVaR, MeanStd, MeanVariance, SafetyValue

Array = np.ndarray[Any, Any]

Estimator = Callable[[Array], float]

RATIOS = (1.0, 0.7, 0.5)  # gap / gamma
RHOS = (0.5, 1.0, 2.0)
ALPHA = 0.1
LATTICE = np.linspace(0, 1, 5)
EVERY = range(2, 7)  # sizes at which every sample on the lattice is tried
LARGER = (10, 20, 50, 100, 200, 400)  # sizes at which the others are zeros and ones
COINS = (5, 10, 20, 50)  # sizes at which unbiased estimators are looked for
FURTHEST = 400  # log T


@dataclass(frozen=True)
class Switching:
    """What alternating between two arms of equal mean-variance costs, for each step."""

    means: tuple[float, float]
    sani: float
    safety_aware: float


def switching(success: float = 0.6) -> Switching:
    """A coin with success probability p, and a constant: with rho = 1 the mean-variance of both is p squared.

    Sani's regret is about the rewards of all steps together: those of the half-and-half mixture of the arms.
    """
    coin, constant = Bernoulli(success), Constant(success**2)
    value = MeanVariance(1.0)
    problem = Problem({"coin": coin, "constant": constant}, value)
    together = value.true_value(Mixture((coin, constant)))
    return Switching(
        (coin.mean, constant.mean), float(problem.true_values.max()) - together, float(problem.gaps.mean())
    )


def biased_mean_variance(rho: float) -> Estimator:
    """The estimator of the paper's Appendix B: the variance is divided by n."""
    return lambda sample: float(sample.mean() - rho * sample.var())


def largest_changes(estimator: Estimator) -> dict[int, float]:
    """n times the most that one of n observations can change the estimate, by n.

    Up to six observations, all samples on a lattice of [0, 1] are tried; beyond, those whose others are 0 or 1.
    """
    found = {
        n: _largest(estimator, map(np.array, itertools.combinations_with_replacement(LATTICE, n - 1))) for n in EVERY
    }
    return found | {n: _largest(estimator, _coins(n - 1)) for n in LARGER}


def _coins(n: int) -> Any:
    """Zeros and ones, with every number of ones, or some forty of them if there are many."""
    ones = {*range(0, n, max(1, n // 40)), 1, n - 1, n}
    return (np.repeat([0.0, 1.0], [n - k, k]) for k in ones)


def _largest(estimator: Estimator, others: Any) -> float:
    largest = 0.0
    for rest in others:
        values = [estimator(np.append(rest, x)) for x in LATTICE]
        largest = max(largest, (rest.size + 1) * (max(values) - min(values)))
    return float(largest)


def bias_on_coins(value: SafetyValue) -> float:
    """The largest difference between the exact expectation of the estimate on n = 2 ... 6 coins and the true value."""
    largest = 0.0
    for n, p in itertools.product(EVERY, LATTICE):
        expected = sum(
            math.comb(n, k) * p**k * (1 - p) ** (n - k) * value.of(np.repeat([0.0, 1.0], [n - k, k]))
            for k in range(n + 1)
        )
        largest = max(largest, abs(expected - value.true_value(Bernoulli(float(p)))))
    return float(largest)


def least_bias(value: SafetyValue, n: int) -> float:
    """The smallest possible bias: no estimator from n coin tosses has a smaller one for all success probabilities p.

    Its expectation is a polynomial in p of degree n, and the n + 1-th differences of such a polynomial are 0 (over any
    n + 2 places, divided by their distances). That of the true value, over the sum of its absolute weights, is thus
    the least that the largest bias can be (de la Vallée Poussin). The places are Chebyshev's. What holds for more
    coins holds for n, since they can be left unused; so the next two degrees count too, as one of two may be 0 by
    symmetry.
    """
    found = []
    for degree in (n, n + 1, n + 2):
        places = (1 - np.cos(np.pi * np.arange(degree + 2) / (degree + 1))) / 2
        truth = np.array([value.true_value(Bernoulli(float(p))) for p in places])
        weights = (-1.0) ** np.arange(degree + 2)
        weights[[0, -1]] /= 2
        found.append(abs(float(weights @ truth)) / (degree + 1))
    return max(found)


@dataclass(frozen=True)
class Behaviour:
    """What the definition of a well-behaved value asks for."""

    bias: float  # of an estimator, or the least that any has
    changes: Mapping[int, float]  # n times the largest change

    @property
    def growth(self) -> float:
        """How many times as large the last of the changes is as that with a quarter of the observations."""
        last = max(self.changes)
        return self.changes[last] / self.changes[last // 4]


def behaviour(value: SafetyValue) -> Behaviour:
    """With the least bias that any estimator has."""
    return Behaviour(min(least_bias(value, n) for n in COINS), largest_changes(value.of))


@dataclass(frozen=True)
class SureRegret:
    """The exact lower bound on BESA+'s regret on constant r against uniform, and what Theorem 1 claims."""

    r: float
    rate: float  # Cramér's
    log_horizons: Array
    log_regret: Array  # at least
    log_claimed: Array  # at most, says the theorem
    violation: int | None  # the smallest n with the lower bound above the claim at T = e^n

    def exponent(self, low: int = 40, high: int = 80) -> float:
        """The slope of the lower bound between T = e^low and e^high on two logarithmic axes."""
        at = dict(zip(self.log_horizons.tolist(), self.log_regret.tolist(), strict=True))
        return float((at[high] - at[low]) / (high - low))

    @property
    def excess(self) -> float:
        """The largest log10 of the lower bound over the claim."""
        return float((self.log_regret - self.log_claimed).max() / math.log(10))


def sure_regret(r: float) -> SureRegret:
    """For T from e^2 to e^400."""
    horizons = np.arange(2, FURTHEST + 1)
    regret, claimed = counterexample.log_regret(r, FURTHEST), counterexample.log_claimed(r, FURTHEST)
    violation = counterexample.first_violation(r, FURTHEST)
    return SureRegret(r, counterexample.cramer_rate(r), horizons, regret, claimed, violation)


@dataclass(frozen=True)
class Printed:
    """E[X | X < v] as the paper prints it: the probability of the condition, the number, and the CVaR."""

    probability: float
    number: float  # not one if the condition is impossible
    cvar: float

    @property
    def error(self) -> float:
        """How far the printed number is from the CVaR."""
        return abs(self.number - self.cvar)


def printed_cvar(arm: RewardDistribution, alpha: float) -> Printed:
    """With v, the largest b for which P(X < b) <= alpha."""
    truth = CVaR(alpha).true_value(arm)
    if arm.atoms is not None:
        places, chances = arm.atoms
        under = np.append(0.0, np.cumsum(chances)[:-1])  # P(X < place)
        at = int(np.flatnonzero(under <= alpha)[-1])
        probability, total = float(under[at]), float(places[:at] @ chances[:at])
        return Printed(probability, total / probability if probability > 0 else math.nan, truth)
    from scipy.integrate import quad

    edge = float(arm.quantile(np.array([alpha]))[0])
    density: Any = arm.density
    total = quad(lambda x: float(x * density(np.array([x]))[0]), arm.support[0], edge)[0]
    probability = float(arm.cdf(np.array([edge]))[0])
    return Printed(probability, total / probability, truth)


def printed_cvars(alpha: float = 0.1) -> dict[str, Printed]:
    """On an arm of the paper's own environment, and on two coins."""
    arms = {"mixture": paper_mixture(arms=1)["arm 1"], "coin 0.5": Bernoulli(0.5), "coin 0.95": Bernoulli(0.95)}
    return {name: printed_cvar(arm, alpha) for name, arm in arms.items()}


@dataclass(frozen=True)
class Interval:
    """The steps in which the floor leaves the better arm with the same observations, while it loses."""

    observations: int
    duels: int
    single: float  # probability of losing one of the duels

    @property
    def log10_ratio(self) -> float:
        """log10 of the probability of losing all duels over the product of those of losing each.

        They see the same observations against a constant, so who loses one loses all.
        """
        return (1 - self.duels) * math.log10(self.single)


def intervals(r: float = 0.4, most: int = 7) -> tuple[Interval, ...]:
    """On constant r against uniform; with j observations t goes from e^(j - 1) to e^j, the first step is forced."""
    found = []
    for j in range(3, most + 1):
        duels = math.floor(math.exp(j)) - math.floor(math.exp(j - 1)) - 1
        chance = math.exp(counterexample.log_never_above(r, j, first=j)[0])
        found.append(Interval(j, duels, chance))
    return tuple(found)


def lemma_1() -> float:
    """The smallest ratio of 1 / log x to log(x + 1) - log x, for x from a little above 1 to 10^12."""
    x = np.concatenate([1 + np.geomspace(1e-12, 1, 20_000), np.geomspace(2, 1e12, 200_000)])
    return float((1 / np.log(x) / np.log1p(1 / x)).min())


@dataclass(frozen=True)
class Beta:
    """beta of Lemma 2, and the bound that its proof ends with."""

    horizon: int
    beta: float
    printed: float

    @property
    def for_each_log(self) -> float:
        """beta / log T."""
        return self.beta / math.log(self.horizon)


def betas(gap: float = 1.0, gamma: float = 1.0) -> tuple[Beta, ...]:
    """For T from 10^3 to 10^7; only gap / gamma matters. Where the sum begins beyond T, beta is 0."""
    it = Theorem1(gap, gamma)
    c = math.exp(it.log_c)
    found = []
    for power in range(3, 8):
        horizon = 10**power
        log = math.log(horizon)
        start = max(log / it.kappa, 16 ** ((gamma / gap) ** 2), it.t0)
        # from there on the terms are below exp(-50) times the first, and nothing is left of them
        last = min(horizon, math.ceil(start + 60 * log / it.kappa))
        t = np.arange(math.ceil(start), last + 1, dtype=np.float64)
        beta = c * float(np.sum(np.exp(-it.kappa * t / np.log(t)) * -np.expm1(-t * it.omega)))
        printed = c / it.kappa * (log * (1 - 1 / horizon) / (math.e - 1) + math.log(2 * horizon) + 1)
        found.append(Beta(horizon, beta, printed))
    return tuple(found)


@dataclass(frozen=True)
class Evidence:
    """All that the chapter shows and judges by."""

    switching: Switching
    mean_variance: Behaviour
    deviation: Behaviour
    tail: Behaviour
    sure: Mapping[float, SureRegret]
    printed: Mapping[str, Printed]
    intervals: tuple[Interval, ...]
    lemma_1: float
    betas: Mapping[float, tuple[Beta, ...]]  # by gap / gamma
    changes: Mapping[tuple[float, str], Mapping[int, float]]


def evidence() -> Evidence:
    """Compute it; a second or two."""
    changes = {}
    for rho in RHOS:
        changes[rho, "unbiased"] = largest_changes(MeanVariance(rho).of)
        changes[rho, "biased"] = largest_changes(biased_mean_variance(rho))
    return Evidence(
        switching(),
        Behaviour(bias_on_coins(MeanVariance(1.0)), changes[1.0, "unbiased"]),
        behaviour(MeanStd(1.0)),
        behaviour(CVaR(ALPHA)),
        {r: sure_regret(r) for r in REWARDS},
        printed_cvars(ALPHA),
        intervals(REWARDS[0]),
        lemma_1(),
        {ratio: betas(ratio) for ratio in RATIOS},
        changes,
    )
