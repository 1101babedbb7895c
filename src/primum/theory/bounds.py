"""Bounds on regret: the paper's theorems, and lower bounds for any policy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.kernels.divergences import lowest_mean
from primum.problem import Problem
from primum.rewards import RewardDistribution
from primum.values import Mean

Array = np.ndarray[Any, Any]

SMALLEST_RATIO = 1e-70  # gap / gamma; its fourth power is still an ordinary number
LOG_REMAINDER = [1 / k for k in range(9, 1, -1)] + [0.0, 0.0]  # -z - log(1 - z) as a polynomial, for np.polyval


@dataclass(frozen=True)
class Theorem1:
    """The constants of Theorem 1: R_T <= zeta log T + theta for BESA+ with two arms and rewards in [0, 1].

        m = 16 gamma^2 / gap^2, omega = gap^2 / (4 gamma^2), kappa = omega / m, C = e^omega / (1 - e^(-3 omega)),
        t0 = -3 m W_{-1}(-1 / (3 m)), the largest root of t = 3 m log t,
        zeta  = gap [3 + m + 1 / kappa + (C / kappa) (1 + 1 / (e - 1))],
        theta = gap [2 + 16^(gamma^2 / gap^2) + t0 + (C / kappa) (1 + log 2)].

    Aboutalebi, Precup, Schuster 2019 (arXiv:1903.01026), Theorem 1; the paper gives zeta and theta no form, they are
    collected here from the last inequality of its appendix A, where a maximum is replaced by a sum. **The proof has a
    gap and the statement is false for small gaps** (docs/theory.md), so this is the paper's claim, not a guarantee.
    All is computed in logarithms, because theta exceeds the largest floating-point number at a gap of 0.06.

    >>> one = Theorem1(gap=1.0, gamma=1.0)
    >>> round(one.zeta), round(one.theta)
    (329, 550)
    >>> half = Theorem1(gap=0.5, gamma=1.0)
    >>> round(half.zeta), round(half.theta)
    (5589, 38861)
    >>> f"{Theorem1(gap=0.5, gamma=2.0).theta:.1e}, {Theorem1(gap=0.2, gamma=1.0).theta:.1e}"
    '9.2e+18, 2.5e+29'
    >>> Theorem1(gap=0.01, gamma=1.0).theta, round(Theorem1(gap=0.01, gamma=1.0).log_theta)
    (inf, 27721)
    >>> f"{half.at(1_000_000).regret:,.0f} against {half.at(1_000_000).trivial:,.0f}"
    '116,069 against 500,000'
    """

    gap: float
    gamma: float

    def __post_init__(self) -> None:
        if not 0 < self.gamma < math.inf:
            raise ParameterError(f"gamma must be a finite number greater than 0, got {self.gamma:g}")
        # all n observations together cannot move an estimate by more than n times gamma / n
        if not SMALLEST_RATIO * self.gamma <= self.gap <= self.gamma * (1 + 1e-9):
            raise ParameterError(f"gap must be greater than 0 and at most gamma = {self.gamma:g}, got {self.gap:g}")

    @property
    def m(self) -> float:
        return 16 * (self.gamma / self.gap) ** 2

    @property
    def omega(self) -> float:
        return (self.gap / self.gamma) ** 2 / 4

    @property
    def kappa(self) -> float:
        return self.omega / self.m

    @property
    def log_c(self) -> float:
        """log C."""
        return self.omega - math.log(-math.expm1(-3 * self.omega))

    @property
    def t0(self) -> float:
        """From here on t >= 3 m log t."""
        from scipy.special import lambertw

        return -3 * self.m * float(lambertw(-1 / (3 * self.m), -1).real)

    @property
    def log_zeta(self) -> float:
        last = self.log_c - math.log(self.kappa) + math.log(1 + 1 / (math.e - 1))
        return math.log(self.gap) + _log_sum(math.log(3), math.log(self.m), -math.log(self.kappa), last)

    @property
    def log_theta(self) -> float:
        last = self.log_c - math.log(self.kappa) + math.log(1 + math.log(2))
        power = (self.gamma / self.gap) ** 2 * math.log(16)
        return math.log(self.gap) + _log_sum(math.log(2), power, math.log(self.t0), last)

    @property
    def zeta(self) -> float:
        """Infinite where it exceeds the largest floating-point number."""
        return _exp(self.log_zeta)

    @property
    def theta(self) -> float:
        """Infinite where it exceeds the largest floating-point number."""
        return _exp(self.log_theta)

    def log_bound(self, steps: Any) -> Array:
        """log(zeta log T + theta) for each T of `steps`."""
        with np.errstate(divide="ignore"):  # log log 1, of which nothing is left in the sum
            return np.asarray(np.logaddexp(self.log_zeta + np.log(np.log(_checked(steps))), self.log_theta))

    def at(self, steps: Any) -> UpperBound:
        """The bound for each T of `steps`."""
        return UpperBound("Theorem 1", _checked(steps), self.gap, self.log_bound(steps))


@dataclass(frozen=True, eq=False)
class UpperBound:
    """A theorem's bound on the regret after each of `steps`, and the trivial bound: the largest gap at every step.

    `regret` is the smaller of the two, and `is_trivial` tells where that is the trivial one: there the theorem says
    nothing. A theorem's bound may exceed the largest floating-point number, so its logarithm is stored.
    """

    theorem: str
    steps: Array
    gap: float
    log_bound: Array
    is_well_behaved: bool = True  # the value meets the theorem's assumptions

    @property
    def trivial(self) -> Array:
        """The largest gap at every step."""
        return self.gap * self.steps

    @property
    def is_trivial(self) -> Array:
        """Where the theorem says no more than the trivial bound."""
        with np.errstate(divide="ignore"):  # no gap, no regret
            return np.asarray(self.log_bound >= np.log(self.trivial))

    @property
    def regret(self) -> Array:
        """The smaller of the two bounds."""
        return np.where(self.is_trivial, self.trivial, np.exp(np.where(self.is_trivial, 0.0, self.log_bound)))


def upper_bound(problem: Problem, steps: Any, *, burn_in: float = 1) -> UpperBound:
    """The paper's bound on the regret of BESA+: Theorem 1 for two arms, Theorem 2 for more.

    Theorem 2: R_T <= ceil(log2 K) (gap_max / gap_a) [zeta_a log T + theta_a] + K gap_max n, where a is the suboptimal
    arm with the largest zeta_a log T + theta_a. The paper takes the largest over all arms, which would divide by the
    best arm's gap of 0, and does not say what n, the `burn_in`, is. It inherits the gap in the proof of Theorem 1.

    >>> from primum import rewards, values
    >>> problem = Problem({"old": rewards.Constant(0.4), "new": rewards.Uniform(0, 1)}, values.Mean())
    >>> bound = upper_bound(problem, [100, 2_000])
    >>> bound.regret, bound.is_trivial
    (array([ 10., 200.]), array([ True,  True]))
    """
    value, steps = problem.value, _checked(steps)
    if value.gamma is None:
        raise ParameterError(f"no theorem bounds the regret by {value.display_name}: {value.well_behaved_reason}")
    for name, arm in problem.arms.items():
        low, high = arm.support
        if low < 0 or high > 1:
            raise ParameterError(
                f"the theorems are about rewards in [0, 1], but arm {name!r} has the support [{low:g}, {high:g}]"
            )
    if not 0 <= burn_in < math.inf:
        raise ParameterError(f"burn_in must be a finite number and at least 0, got {burn_in:g}")
    arms, gaps = len(problem.arms), np.unique(problem.gaps[~problem.best])
    theorem = f"Theorem {1 if arms <= 2 else 2}"
    if not gaps.size:  # every arm is best
        return UpperBound(theorem, steps, 0.0, np.full(steps.shape, -np.inf), value.is_well_behaved)
    logs = np.array([Theorem1(float(gap), value.gamma).log_bound(steps) for gap in gaps])
    largest = float(gaps.max())
    if arms == 2:
        return UpperBound(theorem, steps, largest, logs[0], value.is_well_behaved)
    factor = math.ceil(math.log2(arms)) * largest / gaps[logs.argmax(axis=0)]
    opening = math.log(arms * largest * burn_in) if burn_in else -math.inf
    log_bound = np.logaddexp(np.log(factor) + logs.max(axis=0), opening)
    return UpperBound(theorem, steps, largest, log_bound, value.is_well_behaved)


@dataclass(frozen=True)
class LowerBound:
    """An asymptotic lower bound on the regret of a policy: liminf R_T / log T >= `constant`."""

    source: str
    constant: float

    def regret(self, steps: Any) -> Array:
        """constant * log T for each T of `steps`. It bounds the asymptotic growth, not the regret at a step."""
        return np.asarray(self.constant * np.log(_checked(steps)))


def lower_bound(problem: Problem, *, high: float = 1.0) -> LowerBound:
    """The asymptotic lower bound on regret by the mean, for policies that learn on all rewards up to `high`.

    liminf R_T / log T >= sum over suboptimal arms of gap_a / K_inf(F_a, mu*), for every policy whose regret grows more
    slowly than any power of T whatever the arms are. For Bernoulli arms, Lai and Robbins, Advances in Applied
    Mathematics 6, 1985, where K_inf(F_a, mu*) is the Bernoulli divergence kl(p_a, p*); for other rewards, Burnetas and
    Katehakis, Advances in Applied Mathematics 17, 1996. Asymptotic: at a given step a policy may well be below. There
    are such bounds for other values too (docs/theory.md); they are not computed here.

    >>> from primum import rewards, values
    >>> problem = Problem({"a": rewards.Bernoulli(0.4), "b": rewards.Bernoulli(0.5)}, values.Mean())
    >>> bound = lower_bound(problem)
    >>> bound.source, round(bound.constant, 3)
    ('Lai and Robbins', 4.966)
    """
    if not isinstance(problem.value, Mean):
        raise ParameterError(f"lower_bound computes the bound for the value mean only, got {problem.value}")
    for name, arm in problem.arms.items():
        if arm.support[1] > high:
            raise ParameterError(
                f"arm {name!r} can give {arm.support[1]:g}, more than the largest reward high = {high:g}; "
                "give a larger `high`"
            )
    best = float(problem.true_values.max())
    constant = 0.0
    for arm, gap in zip(problem.arms.values(), problem.gaps, strict=True):
        if gap > 0:
            constant += float(gap) / k_inf(arm, best, high=high)
    is_bernoulli = all(arm.atoms is not None and set(arm.atoms[0]) <= {0.0, 1.0} for arm in problem.arms.values())
    return LowerBound("Lai and Robbins" if is_bernoulli and high == 1 else "Burnetas and Katehakis", constant)


def k_inf(distribution: RewardDistribution, level: float, *, high: float = 1.0) -> float:
    """The smallest Kullback-Leibler divergence to a distribution on rewards up to `high` with a mean above `level`.

    K_inf(F, level) = max over lambda in [0, 1 / (high - level)] of E log(1 - lambda (X - level)), which is concave in
    lambda. Honda and Takemura, COLT 2010. Infinite if no reward can be above the level; the smallest reward makes
    no difference.

    >>> from primum import rewards
    >>> round(k_inf(rewards.Bernoulli(0.4), 0.5), 6), round(0.4 * math.log(0.4 / 0.5) + 0.6 * math.log(0.6 / 0.5), 6)
    (0.020136, 0.020136)
    >>> round(k_inf(rewards.Constant(0.4), 0.5), 6), round(math.log(0.6 / 0.5), 6)
    (0.182322, 0.182322)
    """
    from scipy.optimize import minimize_scalar

    if distribution.support[1] > high:
        raise ParameterError(
            f"{distribution} can give {distribution.support[1]:g}, more than the largest reward high = {high:g}"
        )
    below, room = level - distribution.mean, high - level
    if below <= 0:
        return 0.0
    if room <= 0:
        return math.inf

    def divergence(logit: float) -> float:
        """At lambda = share / room, with the share given by its logit, which resolves both ends."""
        weight = 1 / (1 + math.exp(-logit)) / room
        if weight * (high - distribution.support[0]) < 0.01:  # the logarithms nearly cancel: their linear part is apart
            return weight * below - distribution.expectation(lambda x: np.polyval(LOG_REMAINDER, weight * (x - level)))
        return distribution.expectation(lambda x: np.log1p(-weight * (x - level)))

    best = minimize_scalar(
        lambda logit: -divergence(logit), bounds=(-45, 35), method="bounded", options={"xatol": 1e-7}
    )
    return -float(best.fun)


def _checked(steps: Any) -> Array:
    given: Array = np.asarray(steps, np.float64)
    if not (given >= 1).all() or not np.isfinite(given).all():
        raise ParameterError(f"steps must be finite numbers and at least 1, got {steps}")
    return given


def _log_sum(*logs: float) -> float:
    """log of the sum of the exponentials."""
    return float(np.logaddexp.reduce(logs))


def _exp(log: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(log))


def least_stuck(pulls: float, divergence: float, limit: float) -> float:
    """The least probability that an arm gets fewer than `limit` pulls on a problem where it is the best.

    For every policy that gives the arm `pulls` on average on another problem, which differs in this arm alone:
    `divergence` is the Kullback-Leibler divergence of the arm's distribution there from that on the first problem. No
    policy can both give up an arm early where it is bad and rarely give it up where it is good.

    Proof: Garivier, Ménard, Stoltz, "Explore first, exploit next: the true shape of regret in bandit problems",
    Mathematics of Operations Research 44(2), 2019, inequality (6), with the event of fewer than `limit` pulls, whose
    probability on the other problem is at least 1 - pulls / limit by Markov's inequality.

    Uniform rewards, and the same tilted exponentially to the mean 0.7, beside an arm that is always 0.6:

    >>> tilt = 2.6721  # solves coth(tilt / 2) / 2 - 1 / tilt = 0.2, the mean of the tilted density minus 1/2
    >>> divergence = math.log(math.expm1(tilt) / tilt) - tilt / 2
    >>> round(divergence, 3), round(least_stuck(5, divergence, 1_000), 3), round(least_stuck(75, divergence, 1_000), 9)
    (0.282, 0.236, 0.0)
    """
    for name, number in {"pulls": pulls, "divergence": divergence, "limit": limit}.items():
        if not 0 < number < math.inf:
            raise ParameterError(f"{name} must be a finite number greater than 0, got {number:g}")
    if pulls >= limit:
        return 0.0
    return float(lowest_mean(1 - pulls / limit, pulls * divergence))
