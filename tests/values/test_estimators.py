"""Estimates on samples: numbers worked out by hand, and the three shapes a value can have."""

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from primum.errors import ParameterError
from primum.kernels.contract import Histories
from primum.kernels.records import value_of_subsample
from primum.policies import BesaPlus
from primum.values import (
    CVaR,
    Entropic,
    Formula,
    LowerPartialMoment,
    Mean,
    MeanCVaR,
    MeanGini,
    MeanStd,
    MeanVariance,
    MomentValue,
    Quantile,
    RestrictedMean,
    SafetyValue,
    Semivariance,
    Sharpe,
    Spectral,
    TailValue,
    Threshold,
)
from tests.problems import VALUES

samples = st.lists(st.floats(0, 1), min_size=2, max_size=30).map(np.array)


def test_mean_and_mean_variance():
    sample = np.array([0.0, 0.5, 1.0, 0.5])
    assert Mean().of(sample) == 0.5
    assert MeanVariance(rho=2).of(sample) == pytest.approx(0.5 - 2 / 6)  # the unbiased variance is 0.5 / 3
    assert MeanVariance(rho=2).of(np.array([0.7])) == 0.7  # one observation has no variance
    assert MeanVariance(rho=0).of(sample) == 0.5
    same = np.full(3, 0.1)  # rounding does not make their variance negative
    assert MeanVariance(rho=1e9).of(same) <= Mean().of(same)


@pytest.mark.parametrize(
    ("alpha", "fractional", "ceil", "chen"),
    [
        (0.3, 1 / 6, 0.5, 0.5),  # alpha n = 1.2: (0 + 0.2 * 1) / 1.2, two of them, two of them
        (0.5, 0.5, 0.5, 1.0),  # alpha n = 2: where the three differ, chen takes one more
        (0.1, 0.0, 0.0, 0.0),
        (0.9, (3 + 0.6 * 3) / 3.6, 1.5, 1.5),
        (1.0, 1.5, 1.5, 1.5),
    ],
)
def test_cvar_by_hand(alpha, fractional, ceil, chen):
    sample = np.array([2.0, 0.0, 3.0, 1.0])
    assert CVaR(alpha).of(sample) == pytest.approx(fractional, abs=1e-15)
    assert CVaR(alpha, "ceil").of(sample) == pytest.approx(ceil, abs=1e-15)
    assert CVaR(alpha, "chen").of(sample) == pytest.approx(chen, abs=1e-15)


@pytest.mark.parametrize("estimator", ["fractional", "ceil", "chen"])
def test_cvar_is_not_led_astray_by_rounding(estimator):
    """0.07 * 100 is 7.000000000000001 and 0.29 * 100 is 28.999999999999996."""
    sample = np.arange(100.0)
    for alpha, n in ((0.07, 7), (0.29, 29), (0.57, 57)):
        extra = estimator == "chen"
        assert CVaR(alpha, estimator).of(sample) == pytest.approx((n - 1 + extra) / 2, abs=1e-9)


@given(samples, st.floats(0.01, 1))
def test_cvar_is_that_of_the_empirical_distribution(sample, alpha):
    """max over z of z - E (z - X)+ / alpha, which is attained at an observation."""
    best = max(z - np.maximum(z - sample, 0).mean() / alpha for z in sample)
    fractional = CVaR(alpha).of(sample)
    assert fractional == pytest.approx(best, abs=1e-9)
    assert fractional <= CVaR(alpha, "ceil").of(sample) + 1e-9
    assert sample.min() - 1e-12 <= fractional <= sample.mean() + 1e-12


@given(samples, st.floats(0.01, 100))
def test_conversion_of_rho(sample, rho):
    """mu - rho s2 is -rho times Sani's s2 - R mu with R = 1 / rho."""
    sani = sample.var(ddof=1) - sample.mean() / rho
    assert MeanVariance(rho).of(sample) == pytest.approx(-rho * sani, rel=1e-9, abs=1e-9)


def test_conversion_of_rho_keeps_the_best_arm_and_using_rho_itself_does_not():
    rng = np.random.default_rng(1)
    rho, changed = 3.0, 0
    for _ in range(50):
        arms = rng.beta(*rng.uniform(0.2, 2, 2), size=(5, 40))
        mean, variance = arms.mean(axis=1), arms.var(axis=1, ddof=1)
        best = np.argmax([MeanVariance(rho).of(arm) for arm in arms])
        assert best == np.argmin(variance - mean / rho)
        changed += best != np.argmin(variance - mean * rho)
    assert changed > 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (MeanStd(2), 0.5 - 2 * math.sqrt(0.54 / 3)),
        (Sharpe(0.1, 0.01), 0.4 / math.sqrt(0.54 / 3 + 0.01)),
        (MeanGini(2), 0.5 - 2 * (0.1 + 0.6 + 0.9 + 0.5 + 0.8 + 0.3) / 6),
        (MeanCVaR(0.25, 0.5), 0.25 * 0.5 + 0.75 * 0.15),
        (MeanCVaR(0.25, 0.3), 0.25 * 0.5 + 0.75 * (0.1 + 0.2 * 0.2) / 1.2),
        (Quantile(0.5), 0.2),
        (Quantile(0.51), 0.7),
        (Quantile(0.01), 0.1),
        (Threshold(0.7), 0.5),
        (Threshold(0.71), 0.25),
        (LowerPartialMoment(0.4, 2, 3), 0.5 - 3 * (0.09 + 0.04) / 4),
        (LowerPartialMoment(1.2, 1, 1), 0.5 - 0.7),
        (Semivariance(3), 0.5 - 3 * (0.16 + 0.09) / 4),
        (RestrictedMean(0.3), 0.9 / 4),
        (Entropic(2), -math.log(sum(math.exp(-2 * x) for x in (0.1, 0.2, 0.7, 1.0)) / 4) / 2),
        (Spectral(math.log(16)), (8 * 0.1 + 4 * 0.2 + 2 * 0.7 + 1.0) / 15),  # weights halve from one to the next
    ],
    ids=str,
)
def test_by_hand(value, expected):
    assert value.of(np.array([0.7, 0.1, 1.0, 0.2])) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_of_one_observation_or_equal_ones(value):
    """A spread of 0: nothing is taken away from the observation, and nothing is divided by 0."""
    for x in (0.0, 0.3, 1.0, -5.0):
        one = value.of([x])
        assert math.isfinite(one)
        assert value.of([x] * 7) == pytest.approx(one, abs=1e-12)
        if not isinstance(value, Sharpe | Threshold | LowerPartialMoment | RestrictedMean | Formula):
            assert one == pytest.approx(x, abs=1e-12)


@settings(max_examples=30)
@given(samples, st.data())
@pytest.mark.parametrize("value", [value for value in VALUES if "weighted" in value._crossings()], ids=str)
def test_weights_are_shares_of_a_sample(value, sample, data):
    """The value of a distribution is that of a sample in which each point is found as often as its weight says."""
    counts = data.draw(st.lists(st.integers(1, 5), min_size=sample.size, max_size=sample.size))
    points, repeated = np.sort(sample), np.repeat(np.sort(sample), counts)
    of_law = type(value).weighted(points, np.array(counts) / sum(counts), *value.packed())
    if isinstance(value, MeanGini):  # the second reward of a distribution may be the first again
        apart = np.abs(np.subtract.outer(repeated, repeated)).mean()
        assert of_law == pytest.approx(repeated.mean() - value.rho * apart, abs=1e-12)
    elif isinstance(value, Formula):  # var and gini are without bias on a sample; see test_formula
        assert math.isfinite(of_law)
    elif getattr(value, "estimator", "fractional") == "fractional":
        assert of_law == pytest.approx(value.of(repeated), abs=1e-12)
    else:
        assert of_law == pytest.approx(CVaR(value.alpha).of(repeated), abs=1e-12)


@given(samples)
def test_gini_mean_difference_is_that_of_all_pairs(sample):
    pairs = [abs(a - b) for a, b in itertools.combinations(sample, 2)]
    assert MeanGini(1).of(sample) == pytest.approx(sample.mean() - np.mean(pairs), abs=1e-13)


@pytest.mark.parametrize("level", [0.07, 0.29, 0.57, 0.7])
def test_a_quantile_is_not_led_astray_by_rounding(level):
    n = round(100 * level)
    assert Quantile(level).of(np.arange(1.0, 101.0)) == n
    assert Quantile.weighted(np.arange(1.0, 101.0), np.full(100, 0.01), level) == n


@pytest.mark.parametrize("theta", [1e-12, 1e-6, 0.01, 1.0, 50.0, 700.0])
@pytest.mark.parametrize(
    "sample",
    [[0.0, 1.0], [1.0] * 5, [0.95, 0.97, 1.0], [-3.0, 0.5, 2.0], [1e-9, 2e-9], [-40.0, -39.5, 60.0], [1e6, 1e6 + 1]],
    ids=str,
)
def test_entropic_keeps_its_digits(sample, theta):
    with localcontext(prec=700):
        points, aversion = [Decimal(x) for x in sample], Decimal(theta)
        total = sum(((points[0] - x) * aversion).exp() for x in points)
        expected = float(points[0] - (total / len(points)).ln() / aversion)
    scale = max(map(abs, sample))
    assert Entropic(theta).of(sample) == pytest.approx(expected, rel=1e-14, abs=1e-15 * scale)
    weights = np.full(len(sample), 1 / len(sample))
    assert Entropic.weighted(np.array(sample), weights, theta) == pytest.approx(expected, rel=1e-14, abs=1e-15 * scale)


def test_entropic_of_a_law_whose_worst_outcome_is_rare():
    weights = np.array([1e-18, 1 - 1e-18])
    assert Entropic.weighted(np.array([0.0, 1.0]), weights, 50.0) == pytest.approx(
        -math.log(1e-18 + math.exp(-50)) / 50, rel=1e-13
    )


def test_a_sub_sample_of_equal_rewards_has_no_deviation():
    """Its rewards are kept as differences from the first one, which need not be among them."""
    histories = Histories(1, 1, 40, 40, MeanStd(1.0), BesaPlus())
    histories.begin(1, [0])
    rewards = np.array([0.0] + [0.7] * 6 + [0.2])
    histories.arrays["rewards"][0, 0, : rewards.size] = rewards
    histories.arrays["pulls"][0, 0] = rewards.size
    histories.arrays["stream"][0] = 1, 2
    with np.errstate(over="ignore"):
        seen = [value_of_subsample(histories[0], 0, 3) for _ in range(60)]
    assert min(abs(value - 0.7) for value in seen) < 1e-15
    assert not [value for value in seen if 1e-15 < abs(value - 0.7) < 1e-6]


def test_a_value_of_moments_may_have_a_feature():
    class _Shortfall(MomentValue):
        @staticmethod
        def feature(x):
            return max(0.5 - x, 0.0)  # a function of one number, not of an array

        @staticmethod
        def from_moments(n, mean, variance):
            return -mean

    assert _Shortfall().of([0.1, 0.3, 0.9]) == pytest.approx(-0.2)
    assert _Shortfall().of_counts(4) == pytest.approx([-0.5, -0.375, -0.25, -0.125, 0.0])
    assert _Shortfall()._crossings() == ("feature", "from_moments")
    assert Mean()._crossings() == ("from_moments",)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.label)
def test_estimates_by_the_number_of_ones_are_those_on_the_sample(value):
    for n in (1, 2, 3, 8, 25):
        each = [value.of(np.repeat([0.0, 1.0], [n - s, s])) for s in range(n + 1)]
        np.testing.assert_allclose(value.of_counts(n), each, rtol=1e-12, atol=1e-12)


def test_a_value_of_the_tail():
    class _SecondWorst(TailValue):
        @staticmethod
        def tail_size(n):
            return min(n, 2)

        @staticmethod
        def from_tail(tail, n):
            return tail[-1]

    assert _SecondWorst().of([0.9, 0.2, 0.7, 0.4]) == 0.4
    assert _SecondWorst()._crossings() == ("tail_size", "from_tail")
    assert CVaR()._crossings() == ("tail_size", "from_tail", "weighted")


def test_a_value_without_an_estimate_is_told_so():
    class _Nothing(SafetyValue):
        pass

    with pytest.raises(ParameterError, match="^_Nothing needs a static method `estimate`"):
        _Nothing()._crossings()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: CVaR(alpha=0), "cvar: alpha must be in (0, 1], got 0"),
        (lambda: CVaR(alpha=1.5), "cvar: alpha must be in (0, 1], got 1.5"),
        (lambda: CVaR(estimator="ceiling"), "cvar: estimator: no choice named 'ceiling'; did you mean 'ceil'?"),
        (lambda: MeanVariance(rho=-1), "mean-variance: rho must be in [0, inf), got -1"),
        (lambda: Entropic(theta=0), "entropic: theta must be in (0, 700], got 0"),
        (lambda: Quantile(level=1), "quantile: level must be in (0, 1), got 1"),
        (lambda: Sharpe(regularizer=0), "sharpe: regularizer must be in [1e-09, inf), got 0"),
        (lambda: LowerPartialMoment(order=0), "lower-partial-moment: order must be in (0, 10], got 0"),
        (lambda: MeanCVaR(weight=2), "mean-cvar: weight must be in [0, 1], got 2"),
    ],
)
def test_bad_parameters_get_a_sentence(make, sentence):
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == sentence
