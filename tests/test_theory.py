"""Bounds on regret against slow and independent computations."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from decimal import MAX_EMAX, Decimal, localcontext

import numpy as np
import pytest
from scipy import optimize

from primum import Problem, rewards, theory, values
from primum.errors import ParameterError


@pytest.fixture(autouse=True)
def forty_digits():
    with localcontext(prec=40, Emax=MAX_EMAX):
        yield


def slow_constants(gap, gamma):
    """zeta and theta with forty digits and any exponent."""
    gap, gamma, one = Decimal(gap), Decimal(gamma), Decimal(1)
    m = 16 * gamma**2 / gap**2
    omega = gap**2 / (4 * gamma**2)
    kappa = omega / m
    c = omega.exp() / (1 - (-3 * omega).exp())
    root = 3 * m * 100
    for _ in range(3000):
        root = 3 * m * root.ln()
    zeta = gap * (3 + m + 1 / kappa + c / kappa * (1 + 1 / (one.exp() - 1)))
    theta = gap * (2 + Decimal(16) ** (gamma**2 / gap**2) + root + c / kappa * (1 + Decimal(2).ln()))
    return zeta, theta, root


@pytest.mark.parametrize(("gap", "gamma"), [(1, 1), (0.5, 1), (0.5, 2), (0.2, 1), (0.1, 1), (0.01, 1), (0.001, 2)])
def test_constants_agree_with_forty_digits(gap, gamma):
    zeta, theta, root = slow_constants(gap, gamma)
    ours = theory.Theorem1(gap, gamma)
    assert ours.log_zeta == pytest.approx(float(zeta.ln()), rel=1e-12)
    assert ours.log_theta == pytest.approx(float(theta.ln()), rel=1e-12)
    assert ours.t0 == pytest.approx(float(root), rel=1e-9)
    assert ours.zeta == pytest.approx(float(zeta), rel=1e-9)
    assert ours.theta == (math.inf if gap < 0.06 else pytest.approx(float(theta), rel=1e-9))
    for horizon in (1, 10, 10**6, 10**300):
        claimed, trivial = zeta * Decimal(horizon).ln() + theta, Decimal(gap) * horizon
        bound = ours.at(horizon)
        assert float(bound.log_bound) == pytest.approx(float(claimed.ln()), rel=1e-12)
        assert bound.regret == pytest.approx(float(min(claimed, trivial)), rel=1e-9)
        assert bound.is_trivial == (claimed >= trivial)


@pytest.mark.parametrize("gap", [1.0, 0.7, 0.5, 0.3])
@pytest.mark.parametrize("horizon", [2, 100, 10**6, 10**12])
def test_collected_constants_are_above_the_last_line_of_the_appendix(gap, horizon):
    """There the largest of three numbers stands where zeta and theta have their sum."""
    it, log = theory.Theorem1(gap, 1.0), math.log(horizon)
    beta = math.exp(it.log_c) / it.kappa * (log * (1 - 1 / horizon) / (math.e - 1) + math.log(2 * horizon) + 1)
    start = max(log / it.kappa, 16 ** (1 / gap**2), it.t0)
    appendix = gap * (2 * (1 + log) + it.m * log + start + beta + log)
    assert appendix <= it.zeta * log + it.theta <= 2 * appendix


def test_the_bound_grows_with_the_horizon_and_with_hardness():
    steps = np.geomspace(1, 1e9, 200)
    for gap in (1.0, 0.5, 0.1):
        assert (np.diff(theory.Theorem1(gap, 1.0).at(steps).regret) > 0).all()
    all_gaps = np.geomspace(1e-69, 1, 300)
    logs = np.array([theory.Theorem1(gap, 1.0).log_bound(1e6) for gap in all_gaps])
    assert np.isfinite(logs).all()
    assert (np.diff(logs) < 0).all()


def test_a_hopeless_gap_leaves_the_trivial_bound():
    bound = theory.Theorem1(0.001, 1.0).at([1, 1e6, 1e300])
    assert bound.is_trivial.all()
    np.testing.assert_allclose(bound.regret, [0.001, 1e3, 1e297])
    assert bound.log_bound[1] == pytest.approx(1e6 * math.log(16), rel=1e-4)


def coins(*probabilities):
    return {f"arm {i}": rewards.Bernoulli(p) for i, p in enumerate(probabilities)}


def test_two_arms_are_theorem_1():
    bound = theory.upper_bound(Problem(coins(0.9, 0.1), values.MeanVariance(1.0)), [10, 10**9])
    assert bound.theorem == "Theorem 1"
    np.testing.assert_array_equal(bound.regret, theory.Theorem1(0.8, 2.0).at([10, 10**9]).regret)
    assert list(bound.is_trivial) == [True, False]
    assert bound.is_well_behaved


@pytest.mark.parametrize("burn_in", [0, 1, 1000])
def test_more_arms_are_theorem_2(burn_in):
    probabilities = 0.95, 0.05, 0.2, 0.95, 0.3
    steps = [2, 10**4, 10**12]
    bound = theory.upper_bound(Problem(coins(*probabilities), values.Mean()), steps, burn_in=burn_in)
    assert bound.theorem == "Theorem 2"
    for horizon, log_bound, regret in zip(steps, bound.log_bound, bound.regret, strict=True):
        claims = {}
        for p in probabilities:
            if p < 0.95:
                gap = Decimal(0.95 - p)
                zeta, theta, _ = slow_constants(gap, 1)
                claims[gap] = zeta * Decimal(horizon).ln() + theta
        worst, largest = max(claims, key=claims.get), max(claims)
        claimed = 3 * largest / worst * claims[worst] + 5 * largest * burn_in  # three rounds for five arms
        assert float(log_bound) == pytest.approx(float(claimed.ln()), rel=1e-12)
        assert regret == pytest.approx(float(min(claimed, largest * horizon)), rel=1e-9)


def test_without_a_gap_there_is_no_regret():
    for arms in (coins(0.5), coins(0.5, 0.5), coins(0.5, 0.5, 0.5)):
        problem = Problem(arms, values.Mean())
        assert (theory.upper_bound(problem, [1, 100]).regret == 0).all()
        assert theory.lower_bound(problem).constant == 0


def test_a_biased_value_is_marked():
    assert not theory.upper_bound(Problem(coins(0.9, 0.1), values.CVaR(0.5)), 100).is_well_behaved


@dataclass(frozen=True)
class WorstReward(values.SafetyValue):
    """The smallest reward."""

    @staticmethod
    def estimate(sample):
        return sample.min()


def test_what_has_no_bound_is_told():
    pair, wide = coins(0.1, 0.9), {"a": rewards.Uniform(0, 10), "b": rewards.Constant(1)}
    with pytest.raises(ParameterError, match="no theorem bounds the regret by Worst reward: Worst reward is not well-"):
        theory.upper_bound(Problem(pair, WorstReward()), 10)
    with pytest.raises(ParameterError, match=r"rewards in \[0, 1\], but arm 'a' has the support \[0, 10\]"):
        theory.upper_bound(Problem(wide, values.Mean()), 10)
    with pytest.raises(ParameterError, match=r"for the value mean only, got mean-variance$"):
        theory.lower_bound(Problem(pair, values.MeanVariance()))
    with pytest.raises(ParameterError, match="arm 'a' can give 10, more than the largest reward high = 1"):
        theory.lower_bound(Problem(wide, values.Mean()))
    with pytest.raises(ParameterError, match="burn_in must be .* got -1"):
        theory.upper_bound(Problem(pair, values.Mean()), 10, burn_in=-1)
    for gap in (0.0, -1.0, 1.5, math.nan, math.inf):
        with pytest.raises(ParameterError, match="gap must be greater than 0 and at most gamma = 1, got"):
            theory.Theorem1(gap, 1.0)
    for gamma in (0.0, math.nan, math.inf):
        with pytest.raises(ParameterError, match="gamma must be"):
            theory.Theorem1(0.5, gamma)
    for steps in (0, [5, -1], math.inf, math.nan):
        with pytest.raises(ParameterError, match="steps must be finite numbers and at least 1"):
            theory.Theorem1(0.5, 1.0).at(steps)


def kl(p, q):
    """The divergence of two coins."""
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


@pytest.mark.parametrize("p", [0.0, 1e-9, 0.1, 0.4, 0.8])
@pytest.mark.parametrize("q", [0.05, 0.5, 0.9, 1 - 1e-9])
def test_coins_are_as_far_apart_as_lai_and_robbins_say(p, q):
    expected = kl(p, q) if p < q else 0.0
    assert theory.k_inf(rewards.Bernoulli(p), q) == pytest.approx(expected, rel=1e-9)


def test_the_lower_bound_of_coins():
    bound = theory.lower_bound(Problem(coins(0.2, 0.5, 0.45, 0.5), values.Mean()))
    assert bound.source == "Lai and Robbins"
    assert bound.constant == pytest.approx(0.3 / kl(0.2, 0.5) + 0.05 / kl(0.45, 0.5))
    np.testing.assert_allclose(bound.regret([1, 100]), [0, bound.constant * math.log(100)])


def nearest(places, weights, level, high):
    """The least divergence from a discrete distribution to one on its places and `high`, with at least this mean."""
    grid = np.append(np.array(places), [] if high in places else [high])
    mass = np.append(np.array(weights), [0.0] * (grid.size - len(places)))

    def divergence(other):
        used = mass > 0
        return float(np.sum(mass[used] * np.log(mass[used] / other[used])))

    found = optimize.minimize(
        divergence,
        np.full(grid.size, 1 / grid.size),
        bounds=[(1e-12, 1)] * grid.size,
        constraints=[
            {"type": "eq", "fun": lambda other: other.sum() - 1},
            {"type": "ineq", "fun": lambda other: other @ grid - level},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize(
    ("places", "weights", "level", "high"),
    [
        ((0.0, 0.5, 1.0), (0.3, 0.5, 0.2), 0.6, 1.0),
        ((0.0, 0.2, 0.7), (0.3, 0.5, 0.2), 0.4, 1.0),  # lambda inside although there is no mass at the top
        ((0.0, 0.2, 0.7), (0.3, 0.5, 0.2), 0.9, 1.0),  # lambda at its end: the other one has mass at the top
        ((0.1, 0.3), (0.5, 0.5), 0.95, 1.0),
        ((0.4,), (1.0,), 0.5, 1.0),
        ((1.0, 4.0, 10.0), (0.6, 0.3, 0.1), 5.0, 10.0),
        ((-3.0, 0.0, 2.0), (0.2, 0.5, 0.3), 1.0, 4.0),
    ],
)
def test_k_inf_is_the_least_divergence(places, weights, level, high):
    class Some(rewards.DiscreteDistribution):
        atoms = np.array(places), np.array(weights)

    ours = theory.k_inf(Some(), level, high=high)
    assert ours == pytest.approx(nearest(places, weights, level, high), rel=1e-5)


@pytest.mark.parametrize("level", [0.51, 0.6, 0.9, 0.999])
def test_k_inf_of_a_continuous_arm(level):
    """On a grid of lambda, by the integral of the logarithm."""

    def expected_log(weight):
        left, right = 1 + weight * level, 1 - weight * (1 - level)
        return (left * math.log(left) - left - (right * math.log(right) if right > 0 else 0) + right) / weight

    shares = np.concatenate([np.geomspace(1e-3, 0.5, 4000), 1 - np.geomspace(1e-12, 0.5, 4000)])
    best = max(expected_log(share / (1 - level)) for share in shares)
    assert theory.k_inf(rewards.Uniform(0, 1), level) == pytest.approx(best, rel=1e-5)


def test_k_inf_at_the_edges():
    assert theory.k_inf(rewards.Constant(0.4), 0.4) == 0
    assert theory.k_inf(rewards.Uniform(0, 1), 0.3) == 0
    assert theory.k_inf(rewards.Uniform(0, 1), 1.0) == math.inf
    assert theory.k_inf(rewards.Constant(0.4), 0.5) == pytest.approx(math.log(0.6 / 0.5))
    # uniform on [0, 0.2]: lambda at its end, E log((1 - X) / (1 - level))
    assert theory.k_inf(rewards.Uniform(0, 0.2), 0.5) == pytest.approx((-0.8 * math.log(0.8) - 0.2) / 0.2 + math.log(2))
    for gap in (1e-4, 1e-7, 1e-10):  # close by, the square of the gap over twice the variance
        assert theory.k_inf(rewards.Uniform(0, 1), 0.5 + gap) == pytest.approx(6 * gap**2, rel=1e-5)


def test_lower_bounds_at_the_edges():
    def constant(**arms):
        return theory.lower_bound(Problem(arms, values.Mean())).constant

    assert constant(a=rewards.Bernoulli(0.5), b=rewards.Bernoulli(1.0)) == 0  # nothing can be better than always 1
    assert constant(a=rewards.Uniform(0, 1), b=rewards.Constant(1.0)) == 0
    best_is_constant = constant(a=rewards.Bernoulli(0.5), b=rewards.Constant(0.6))
    assert best_is_constant == pytest.approx(0.1 / kl(0.5, 0.6))
    both = constant(a=rewards.Constant(0.4), b=rewards.Uniform(0, 1))
    assert both == pytest.approx(0.1 / math.log(0.6 / 0.5))
    assert constant(a=rewards.Constant(0.4), b=rewards.Uniform(0, 1), c=rewards.Constant(0.5)) == pytest.approx(both)


def test_the_lower_bound_has_the_unit_of_the_rewards():
    unit = theory.lower_bound(Problem({"a": rewards.Uniform(0, 0.8), "b": rewards.Constant(0.5)}, values.Mean()))
    ten = theory.lower_bound(Problem({"a": rewards.Uniform(0, 8), "b": rewards.Constant(5)}, values.Mean()), high=10)
    assert unit.source == "Burnetas and Katehakis"
    assert ten.constant == pytest.approx(10 * unit.constant)


@pytest.mark.parametrize("rho", [0.5, 1.0])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_gamma_of_mean_variance_is_attained(n, rho):
    """All samples of coins: the largest change by one observation is (1 + rho) / n, not (1 + rho / 2) / n."""
    value = values.MeanVariance(rho)
    changes = [
        value.of(np.array([*rest, 1.0])) - value.of(np.array([*rest, 0.0]))
        for rest in itertools.product([0.0, 1.0], repeat=n - 1)
    ]
    assert n * np.abs(changes).max() == pytest.approx(1 + rho) == value.gamma


def test_k_inf_needs_rewards_up_to_the_largest():
    with pytest.raises(ParameterError, match="can give 1.5, more than the largest reward high = 1"):
        theory.k_inf(rewards.Uniform(0, 1.5), 0.9)


@pytest.mark.parametrize("pulls", [1.0, 5.0, 25.0])
def test_a_policy_that_gives_up_early_is_stuck_as_often_as_the_bound_says(pulls):
    """For the policy that tries an arm so often and goes on with it if all were successes, the probabilities are known.

    The arm gets `pulls` successes with probability p^pulls, and then 1,000 pulls. On the first problem it is better.
    """
    good, bad, limit = 0.8, 0.2, 1_000.0
    tries = int(pulls)
    mean = tries * (1 - bad**tries) + (limit + tries) * bad**tries
    divergence = bad * math.log(bad / good) + (1 - bad) * math.log((1 - bad) / (1 - good))
    bound = theory.least_stuck(mean, divergence, limit)
    assert 0 < bound <= 1 - good**tries
    p = 1 - mean / limit
    assert p * math.log(p / bound) + (1 - p) * math.log((1 - p) / (1 - bound)) == pytest.approx(mean * divergence)


def test_the_bound_on_stuck_replications_refuses_what_is_no_number_of_pulls():
    with pytest.raises(ParameterError, match="pulls must be a finite number greater than 0, got -1"):
        theory.least_stuck(-1, 0.1, 100)
    assert theory.least_stuck(200, 0.1, 100) == 0.0
