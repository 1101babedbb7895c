"""Estimates on samples: numbers worked out by hand, and the three shapes a value can have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from primum.errors import ParameterError
from primum.values import CVaR, Mean, MeanVariance, MomentValue, SafetyValue, TailValue

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


@settings(deadline=None, derandomize=True)
@given(samples, st.floats(0.01, 1))
def test_cvar_is_that_of_the_empirical_distribution(sample, alpha):
    """max over z of z - E (z - X)+ / alpha, which is attained at an observation."""
    best = max(z - np.maximum(z - sample, 0).mean() / alpha for z in sample)
    fractional = CVaR(alpha).of(sample)
    assert fractional == pytest.approx(best, abs=1e-9)
    assert fractional <= CVaR(alpha, "ceil").of(sample) + 1e-9
    assert sample.min() - 1e-12 <= fractional <= sample.mean() + 1e-12


@settings(deadline=None, derandomize=True)
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


def test_a_value_of_moments_may_have_a_feature():
    class _Shortfall(MomentValue):
        @staticmethod
        def feature(x):
            return max(0.5 - x, 0.0)  # a function of one number, not of an array

        @staticmethod
        def from_moments(n, mean, variance):
            return -mean

    assert _Shortfall().of([0.1, 0.3, 0.9]) == pytest.approx(-0.2)
    assert _Shortfall().crossings() == ("feature", "from_moments")
    assert Mean().crossings() == ("from_moments",)


def test_a_value_of_the_tail():
    class _SecondWorst(TailValue):
        @staticmethod
        def tail_size(n):
            return min(n, 2)

        @staticmethod
        def from_tail(tail, n):
            return tail[-1]

    assert _SecondWorst().of([0.9, 0.2, 0.7, 0.4]) == 0.4
    assert _SecondWorst().crossings() == ("tail_size", "from_tail")
    assert CVaR().crossings() == ("tail_size", "from_tail", "weighted")


def test_a_value_without_an_estimate_is_told_so():
    class _Nothing(SafetyValue):
        pass

    with pytest.raises(ParameterError, match="^_Nothing needs a static method `estimate`"):
        _Nothing().crossings()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: CVaR(alpha=0), "cvar: alpha must be in (0, 1], got 0"),
        (lambda: CVaR(alpha=1.5), "cvar: alpha must be in (0, 1], got 1.5"),
        (lambda: CVaR(estimator="ceiling"), "cvar: estimator: no choice named 'ceiling'; did you mean 'ceil'?"),
        (lambda: MeanVariance(rho=-1), "mean-variance: rho must be in [0, inf), got -1"),
    ],
)
def test_bad_parameters_get_a_sentence(make, sentence):
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == sentence
