"""The numbers that decide the claims on definitions and theorems; all are computed, none is simulated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.problem import Problem
from primum.results.intervals import Array
from primum.rewards import Bernoulli, Constant, Mixture, RewardDistribution, paper_mixture
from primum.theory import Theorem1, counterexample
from primum.values import CVaR, MeanStd, MeanVariance, SafetyValue
from reproduction.claims import REWARDS

Estimator = Callable[[Array], float]

GAP_RATIOS = (1.0, 0.7, 0.5)  # gap / gamma
RHOS = (0.5, 1.0, 2.0)
ALPHA = 0.1
LATTICE = np.linspace(0, 1, 5)
SMALL_SIZES = range(2, 7)  # at which every sample on the lattice is tried
LARGE_SIZES = (10, 20, 50, 100, 200, 400)  # at which the other observations are zeros and ones
BERNOULLI_SIZES = (5, 10, 20, 50)  # at which unbiased estimators are looked for
LARGEST_LOG_HORIZON = 400


@dataclass(frozen=True)
class Switching:
    """The cost per step of alternating between two arms of equal mean-variance."""

    means: tuple[float, float]
    sani: float
    safety_aware: float


def switching(success: float = 0.6) -> Switching:
    """A Bernoulli arm with success probability p and a constant arm: with rho = 1 both have mean-variance p squared.

    Sani's regret is that of the rewards of all steps together, which are a half-and-half mixture of the arms.
    """
    bernoulli, constant = Bernoulli(success), Constant(success**2)
    value = MeanVariance(1.0)
    problem = Problem({"Bernoulli": bernoulli, "constant": constant}, value)
    together = value.true_value(Mixture((bernoulli, constant)))
    return Switching(
        (bernoulli.mean, constant.mean), float(problem.true_values.max()) - together, float(problem.gaps.mean())
    )


def biased_mean_variance(rho: float) -> Estimator:
    """The estimator of the paper's Appendix B: the variance is divided by n."""
    return lambda sample: float(sample.mean() - rho * sample.var())


def largest_changes(estimator: Estimator) -> dict[int, float]:
    """n times the largest change of the estimate by one of n observations, for each n.

    Up to six observations, all samples on a lattice of [0, 1] are tried; beyond, those whose other observations are 0
    or 1.
    """
    found = {
        n: _largest(estimator, map(np.array, itertools.combinations_with_replacement(LATTICE, n - 1)))
        for n in SMALL_SIZES
    }
    return found | {n: _largest(estimator, _zeros_and_ones(n - 1)) for n in LARGE_SIZES}


def _zeros_and_ones(n: int) -> Any:
    """Zeros and ones, with every number of ones, or some forty of them if there are many."""
    ones = {*range(0, n, max(1, n // 40)), 1, n - 1, n}
    return (np.repeat([0.0, 1.0], [n - k, k]) for k in ones)


def _largest(estimator: Estimator, others: Any) -> float:
    largest = 0.0
    for rest in others:
        values = [estimator(np.append(rest, x)) for x in LATTICE]
        largest = max(largest, (rest.size + 1) * (max(values) - min(values)))
    return float(largest)


def bernoulli_bias(value: SafetyValue) -> float:
    """The largest bias of the estimate from n = 2 ... 6 Bernoulli trials, by exact expectations."""
    largest = 0.0
    for n, p in itertools.product(SMALL_SIZES, LATTICE):
        expected = sum(
            math.comb(n, k) * p**k * (1 - p) ** (n - k) * value.of(np.repeat([0.0, 1.0], [n - k, k]))
            for k in range(n + 1)
        )
        largest = max(largest, abs(expected - value.true_value(Bernoulli(float(p)))))
    return float(largest)


def smallest_bias(value: SafetyValue, n: int) -> float:
    """The smallest possible bias: no estimator from n Bernoulli trials has less for all success probabilities p.

    Its expectation is a polynomial in p of degree n, and the divided differences of order n + 1 of such a polynomial
    vanish, over any n + 2 points. That of the true value, divided by the sum of its absolute weights, is thus a lower
    bound on the largest bias (de la Vallée Poussin). The points are Chebyshev's. A bound for more trials holds for n,
    since trials can be left unused; so the next two degrees count too, as one of two may vanish by symmetry.
    """
    found = []
    for degree in (n, n + 1, n + 2):
        points = (1 - np.cos(np.pi * np.arange(degree + 2) / (degree + 1))) / 2
        truth = np.array([value.true_value(Bernoulli(float(p))) for p in points])
        weights = (-1.0) ** np.arange(degree + 2)
        weights[[0, -1]] /= 2
        found.append(abs(float(weights @ truth)) / (degree + 1))
    return max(found)


@dataclass(frozen=True)
class Behaviour:
    """The two conditions of a well-behaved value."""

    bias: float  # of an estimator, or the smallest of any
    changes: Mapping[int, float]  # n times the largest change

    @property
    def growth(self) -> float:
        """The last of the changes relative to that with a quarter of the observations."""
        last = max(self.changes)
        return self.changes[last] / self.changes[last // 4]


def behaviour(value: SafetyValue) -> Behaviour:
    """With the smallest bias of any estimator."""
    return Behaviour(min(smallest_bias(value, n) for n in BERNOULLI_SIZES), largest_changes(value.of))


@dataclass(frozen=True)
class LowerBound:
    """The exact lower bound on the regret of BESA+ on constant r against uniform, and the bound of Theorem 1."""

    r: float
    rate: float  # Cramér's
    log_horizons: Array
    log_regret: Array  # at least
    log_claimed: Array  # at most, according to the theorem
    violation: int | None  # the smallest n with the lower bound above the claim at T = e^n

    def exponent(self, low: int = 40, high: int = 80) -> float:
        """The slope of the lower bound between T = e^low and e^high on logarithmic axes."""
        at = dict(zip(self.log_horizons.tolist(), self.log_regret.tolist(), strict=True))
        return float((at[high] - at[low]) / (high - low))

    @property
    def excess(self) -> float:
        """The largest log10 of the lower bound over the claimed bound."""
        return float((self.log_regret - self.log_claimed).max() / math.log(10))


def lower_bound(r: float) -> LowerBound:
    """For T from e^2 to e^400."""
    horizons = np.arange(2, LARGEST_LOG_HORIZON + 1)
    regret, claimed = (
        counterexample.log_regret(r, LARGEST_LOG_HORIZON),
        counterexample.log_claimed(r, LARGEST_LOG_HORIZON),
    )
    violation = counterexample.first_violation(r, LARGEST_LOG_HORIZON)
    return LowerBound(r, counterexample.cramer_rate(r), horizons, regret, claimed, violation)


@dataclass(frozen=True)
class PrintedCVaR:
    """E[X | X < v] as the paper prints it: the probability of the condition, the number, and the CVaR."""

    probability: float
    number: float  # NaN if the condition is impossible
    cvar: float

    @property
    def error(self) -> float:
        """The distance of the printed number from the CVaR."""
        return abs(self.number - self.cvar)


def printed_cvar(arm: RewardDistribution, alpha: float) -> PrintedCVaR:
    """With v, the largest b for which P(X < b) <= alpha."""
    truth = CVaR(alpha).true_value(arm)
    if arm.atoms is not None:
        places, chances = arm.atoms
        under = np.append(0.0, np.cumsum(chances)[:-1])  # P(X < place)
        at = int(np.flatnonzero(under <= alpha)[-1])
        probability, total = float(under[at]), float(places[:at] @ chances[:at])
        return PrintedCVaR(probability, total / probability if probability > 0 else math.nan, truth)
    from scipy.integrate import quad

    edge = float(arm.quantile(np.array([alpha]))[0])
    density: Any = arm.density
    total = quad(lambda x: float(x * density(np.array([x]))[0]), arm.support[0], edge)[0]
    probability = float(arm.cdf(np.array([edge]))[0])
    return PrintedCVaR(probability, total / probability, truth)


def printed_cvars(alpha: float = 0.1) -> dict[str, PrintedCVaR]:
    """For an arm of the paper's own environment, and for two Bernoulli arms."""
    arms = {
        "mixture": paper_mixture(arms=1)["arm 1"],
        "Bernoulli 0.5": Bernoulli(0.5),
        "Bernoulli 0.95": Bernoulli(0.95),
    }
    return {name: printed_cvar(arm, alpha) for name, arm in arms.items()}


@dataclass(frozen=True)
class SharedDuels:
    """The duels of an interval of steps in which the losing better arm keeps the same observations."""

    observations: int
    duels: int
    single: float  # probability of losing one of the duels

    @property
    def log10_ratio(self) -> float:
        """log10 of the probability of losing all duels over the product of those of losing each.

        All duels see the same observations against a constant, so an arm that loses one loses all.
        """
        return (1 - self.duels) * math.log10(self.single)


def shared_duels(r: float = 0.4, most: int = 7) -> tuple[SharedDuels, ...]:
    """On constant r against uniform; with j observations t goes from e^(j - 1) to e^j, the first step is forced."""
    found = []
    for j in range(3, most + 1):
        duels = math.floor(math.exp(j)) - math.floor(math.exp(j - 1)) - 1
        chance = math.exp(counterexample.log_never_above(r, j, first=j)[0])
        found.append(SharedDuels(j, duels, chance))
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
    def per_log(self) -> float:
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
        # beyond it the terms are below exp(-50) times the first
        last = min(horizon, math.ceil(start + 60 * log / it.kappa))
        t = np.arange(math.ceil(start), last + 1, dtype=np.float64)
        beta = c * float(np.sum(np.exp(-it.kappa * t / np.log(t)) * -np.expm1(-t * it.omega)))
        printed = c / it.kappa * (log * (1 - 1 / horizon) / (math.e - 1) + math.log(2 * horizon) + 1)
        found.append(Beta(horizon, beta, printed))
    return tuple(found)


@dataclass(frozen=True)
class Evidence:
    """What the chapter shows and is judged by."""

    switching: Switching
    mean_variance: Behaviour
    mean_std: Behaviour
    cvar: Behaviour
    lower_bounds: Mapping[float, LowerBound]
    printed_cvars: Mapping[str, PrintedCVaR]
    shared_duels: tuple[SharedDuels, ...]
    lemma_1: float
    betas: Mapping[float, tuple[Beta, ...]]  # by gap / gamma
    changes: Mapping[tuple[float, str], Mapping[int, float]]


def compute() -> Evidence:
    """All evidence, in a second or two."""
    changes = {(rho, "unbiased"): largest_changes(MeanVariance(rho).of) for rho in RHOS}
    changes |= {(rho, "biased"): largest_changes(biased_mean_variance(rho)) for rho in RHOS}
    return Evidence(
        switching(),
        Behaviour(bernoulli_bias(MeanVariance(1.0)), changes[1.0, "unbiased"]),
        behaviour(MeanStd(1.0)),
        behaviour(CVaR(ALPHA)),
        {r: lower_bound(r) for r in REWARDS},
        printed_cvars(ALPHA),
        shared_duels(REWARDS[0]),
        lemma_1(),
        {ratio: betas(ratio) for ratio in GAP_RATIOS},
        changes,
    )
