"""Bounded differences, unbiasedness and inheritance by enumeration, against what the values say of themselves."""

import itertools
import math

import numpy as np
import pytest

from primum import rewards
from primum.values import (
    CVaR,
    Entropic,
    LowerPartialMoment,
    Mean,
    MeanCVaR,
    MeanGini,
    MeanStd,
    MeanVariance,
    Quantile,
    RestrictedMean,
    SafetyValue,
    Semivariance,
    Sharpe,
    Spectral,
    Threshold,
)

LATTICE = np.linspace(0, 1, 5)
VALUES = [
    Mean(),
    MeanVariance(0.5),
    MeanVariance(3.0),
    CVaR(0.3),
    CVaR(0.3, "ceil"),
    CVaR(0.3, "chen"),
    CVaR(0.75),
    CVaR(1.0),
    CVaR(1.0, "ceil"),
    CVaR(1.0, "chen"),
    MeanStd(0.0),
    MeanStd(2.0),
    MeanGini(0.5),
    MeanGini(3.0),
    MeanCVaR(0.3, 0.25),
    MeanCVaR(1.0, 0.25),
    MeanCVaR(0.3, 1.0),
    Quantile(0.5),
    Quantile(0.3),
    Entropic(1.0),
    Entropic(5.0),
    Threshold(0.5),
    Threshold(0.0),
    Threshold(1.5),
    LowerPartialMoment(),
    LowerPartialMoment(target=1.5, order=0.5, weight=2.0),
    LowerPartialMoment(target=-0.5),
    Semivariance(0.0),
    Semivariance(1.0),
    Semivariance(20.0),
    Sharpe(),
    Sharpe(target=0.8, regularizer=0.1),
    Sharpe(target=-1.0, regularizer=2.0),
    Spectral(0.5),
    Spectral(5.0),
    RestrictedMean(1.0),
    RestrictedMean(0.4),
    RestrictedMean(-1.0),
]
every_value = pytest.mark.parametrize("value", VALUES, ids=str)
every_bounded_value = pytest.mark.parametrize("value", [value for value in VALUES if value.gamma is not None], ids=str)


def largest_difference(value, n):
    """n times the most that one of n rewards on a lattice in [0, 1] can move the estimate."""
    largest = 0.0
    for others in itertools.combinations_with_replacement(LATTICE, n - 1):
        estimates = [value.of(np.array([*others, x])) for x in LATTICE]
        largest = max(largest, n * (max(estimates) - min(estimates)))
    return largest


@pytest.mark.parametrize("n", range(2, 7))
def test_gamma_by_lattice_search(n):
    assert largest_difference(Mean(), n) == pytest.approx(1)
    for rho in (0.5, 1.0, 3.0):
        assert largest_difference(MeanVariance(rho), n) == pytest.approx(1 + rho)
    for alpha in (0.15, 0.3, 0.5, 0.75, 1.0):
        assert largest_difference(CVaR(alpha), n) == pytest.approx(min(n, 1 / alpha))
        assert largest_difference(CVaR(alpha, "ceil"), n) == pytest.approx(n / math.ceil(alpha * n - 1e-9))
        assert largest_difference(CVaR(alpha, "chen"), n) == pytest.approx(
            max(1, n / (math.floor(alpha * n + 1e-9) + 1))
        )
    for rho in (0.25, 1.0, 3.0):
        assert largest_difference(MeanGini(rho), n) == pytest.approx(1 + 2 * rho)
        assert largest_difference(Semivariance(rho), n) == pytest.approx(1 + rho * (1 - 1 / n) ** 2)
        assert largest_difference(Entropic(rho), n) == pytest.approx(n / rho * math.log1p(math.expm1(rho) / n))
        assert largest_difference(Spectral(rho), n) == pytest.approx(n * math.expm1(-rho / n) / math.expm1(-rho))
        assert largest_difference(LowerPartialMoment(0.6, 2, rho), n) == pytest.approx(1 + rho * 0.6**2)


def test_gamma_of_a_sharpe_ratio():
    """Bounded for its regularizer's sake: large, and reached for large n only."""
    value = Sharpe(regularizer=0.1)
    moved = 50 * (value.of(np.ones(50)) - value.of(np.append(np.ones(49), 0.0)))
    assert moved == pytest.approx(16.66, abs=0.01)
    assert value.gamma == pytest.approx(0.1**-0.5 + 0.1**-1.5 / 2)


@pytest.mark.parametrize("n", range(2, 7))
def test_where_no_gamma_exists(n):
    for rho in (0.5, 2.0):
        assert largest_difference(MeanStd(rho), n) == pytest.approx(1 + rho * math.sqrt(n))
    for level in (0.07, 0.3, 0.5, 0.9):
        assert largest_difference(Quantile(level), n) == n


@every_bounded_value
def test_gamma_is_a_bound_and_is_reached(value):
    for n in range(2, 7):
        assert largest_difference(value, n) <= value.gamma + 1e-12
    rng = np.random.default_rng(4)
    for n in (7, 12, 30):
        for _ in range(100):
            sample = rng.beta(*rng.uniform(0.05, 2, 2), n)
            estimates = [value.of([*sample[1:], x]) for x in (0.0, sample[0], 1.0)]
            assert n * (max(estimates) - min(estimates)) <= value.gamma + 1e-9
    # all others equal, one crosses from end to end
    n = 20_000
    moves = [abs(value.of(np.full(n, x)) - value.of([*[x] * (n - 1), 1 - x])) for x in (0.0, 1.0)]
    assert n * max(moves) == pytest.approx(value.gamma, rel=0.01)


class _Law(rewards.DiscreteDistribution):
    """Given probabilities of points on a lattice in [0, 1]."""

    def __init__(self, probabilities):
        self.__dict__["probabilities"] = probabilities

    @property
    def atoms(self):
        return np.linspace(0, 1, self.probabilities.size), self.probabilities


@every_bounded_value
def test_lipschitz_is_a_bound_and_is_reached(value):
    """Two distributions on a lattice, far apart and close: their values and the largest difference of their sums."""
    rng = np.random.default_rng(5)
    for _ in range(150):
        spread, share = 10 ** rng.uniform([-2, -4], [1, 0])
        first, second = rng.dirichlet(np.full(7, spread), 2)
        second = (1 - share) * first + share * second
        apart = np.abs(np.cumsum(first - second)).max()
        moved = abs(value.true_value(_Law(first)) - value.true_value(_Law(second)))
        assert moved <= value.lipschitz * apart + 1e-9
    assert from_end_to_end(value, 1e-6) == pytest.approx(value.lipschitz * 1e-6, rel=0.001)


def from_end_to_end(value, share):
    """How far the value moves when part of a distribution that is all at 0 or all at 1 moves to the other end."""
    moves = [
        value.true_value(_Law(np.array([1 - end, end]))) - value.true_value(_Law(np.array([1 - x, x])))
        for end, x in ((0.0, share), (1.0, 1 - share))
    ]
    return max(np.abs(moves))


def test_where_no_lipschitz_constant_exists():
    for share in (1e-4, 1e-8):
        assert from_end_to_end(MeanStd(2.0), share) == pytest.approx(2 * math.sqrt(share), rel=0.01)
    for level in (0.07, 0.5):
        below, above = (_Law(np.array([level + d, 1 - level - d])) for d in (-1e-9, 1e-9))
        assert Quantile(level).true_value(below) - Quantile(level).true_value(above) == 1
    assert MeanStd(2.0).lipschitz is Quantile(0.5).lipschitz is None


@every_value
def test_unbiased_as_claimed(value):
    """The expectation of the estimate over all samples of a three-point distribution, against the true value."""

    class _Points(rewards.DiscreteDistribution):
        atoms = np.array([0.0, 0.3, 1.0]), np.array([0.2, 0.5, 0.3])

    points, probabilities = _Points.atoms
    for n in (2, 3, 4):
        expected = sum(
            probabilities[list(drawn)].prod() * value.of(points[list(drawn)])
            for drawn in itertools.product(range(3), repeat=n)
        )
        bias = expected - value.true_value(_Points())
        if value.unbiased:
            assert bias == pytest.approx(0, abs=1e-14)
        elif isinstance(value, CVaR | MeanCVaR | Entropic | Spectral):
            assert bias > 1e-3  # the best of several means is seen too bright
        else:
            assert abs(bias) > 1e-4


@every_value
def test_inherits_as_claimed(value):
    """The mean of the estimate over all sub-samples, against the estimate on the sample."""
    sample = np.array([0.1, 0.9, 0.35, 0.5, 1.0])
    means = [np.mean([value.of(sample[list(kept)]) for kept in itertools.combinations(range(5), m)]) for m in (2, 3, 4)]
    error = np.max(np.abs(np.array(means) - value.of(sample)))
    assert error < 1e-14 if value.averages_over_subsamples else error > 1e-3


def test_what_values_say_of_themselves():
    class _Median(SafetyValue):
        name = "median"

        @staticmethod
        def estimate(sample):
            return np.median(sample)

    assert Mean().well_behaved_reason == "mean is well-behaved: unbiased, with bounded differences gamma = 1."
    assert MeanVariance(0.5).well_behaved_reason == (
        "mean - 0.5 var is well-behaved: unbiased, with bounded differences gamma = 1.5."
    )
    assert CVaR(0.3).well_behaved_reason == (
        "CVaR 30 % is not well-behaved: the estimator is biased; "
        "the estimate on sub-samples does not average to the estimate on the sample."
    )
    assert MeanStd().well_behaved_reason == (
        "mean - sd is not well-behaved: one of n observations can move it by (1 + rho sqrt(n)) / n, more than any "
        "gamma / n; no unbiased estimator exists; "
        "the estimate on sub-samples does not average to the estimate on the sample."
    )
    assert Quantile().well_behaved_reason == (
        "median is not well-behaved: one observation can move it by 1, however many there are; "
        "no unbiased estimator exists; the estimate on sub-samples does not average to the estimate on the sample."
    )
    assert Entropic().well_behaved_reason == (
        "entropic risk (theta 1) is not well-behaved: no unbiased estimator exists; "
        "the estimate on sub-samples does not average to the estimate on the sample."
    )
    assert (
        MeanGini().well_behaved_reason
        == "mean - 0.5 Gini difference is well-behaved: unbiased, with bounded differences gamma = 2."
    )
    assert _Median().well_behaved_reason == (
        "Median is not well-behaved: no bound is known on the effect of one observation; the estimator is biased; "
        "the estimate on sub-samples does not average to the estimate on the sample."
    )
    verdicts = {str(value): value.is_well_behaved for value in (*VALUES, _Median())}
    assert [name for name, good in verdicts.items() if not good] == [
        "cvar(alpha=0.3)",
        "cvar(alpha=0.3, estimator='ceil')",
        "cvar(alpha=0.3, estimator='chen')",
        "cvar(alpha=0.75)",
        "mean-std(rho=2)",
        "mean-cvar(weight=0.3, alpha=0.25)",
        "quantile",
        "quantile(level=0.3)",
        "entropic",
        "entropic(theta=5)",
        "semivariance",
        "semivariance(rho=20)",
        "sharpe",
        "sharpe(target=0.8, regularizer=0.1)",
        "sharpe(target=-1, regularizer=2)",
        "spectral(aversion=0.5)",
        "spectral",
        "median",
    ]
