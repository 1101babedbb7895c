"""Posterior probabilities against closed forms, exact sums and SciPy's quadrature."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import special, stats

from primum.errors import ParameterError
from primum.kernels import posteriors
from tests.oracle.allocation_policies import probabilities_best


def probability_best(successes, failures, **options):
    return posteriors.probability_best(np.add(successes, 1.0), np.add(failures, 1.0), **options)


def probability_superior(successes, failures, **options):
    return posteriors.probability_superior(np.add(successes, 1.0), np.add(failures, 1.0), **options)


def probability_equivalent(successes, failures, margin):
    return posteriors.probability_equivalent(np.add(successes, 1.0), np.add(failures, 1.0), margin)


def exact_superior(s0, f0, s1, f1):
    """P(Beta(1 + s1, 1 + f1) > Beta(1 + s0, 1 + f0)), a finite sum in fractions."""

    def beta(a, b):
        return Fraction(math.factorial(a - 1) * math.factorial(b - 1), math.factorial(a + b - 1))

    terms = (
        beta(1 + s0 + i, 2 + f0 + f1) / ((1 + f1 + i) * beta(1 + i, 1 + f1) * beta(1 + s0, 1 + f0))
        for i in range(s1 + 1)
    )
    return float(sum(terms))


def equivalent_by_quadrature(successes, failures, margin):
    """Gauss-Legendre between all points at which something changes, with nodes that crowd at the ends."""
    arms = [stats.beta(1 + s, 1 + f) for s, f in zip(successes, failures, strict=True)]
    ends = {0.0, 1.0, 1.0 - margin}
    for arm in arms:
        quantiles = arm.ppf([1e-13, 1e-6, 0.03, 0.5, 0.97, 1 - 1e-6, 1 - 1e-13])
        ends |= {*quantiles, *np.maximum(0.0, quantiles - margin)}
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t = (nodes + 1) / 2
    smooth, slope = t**3 * (10 - 15 * t + 6 * t * t), 30 * (t * (1 - t)) ** 2
    low, high = (np.array(part)[:, None] for part in zip(*itertools.pairwise(sorted(ends)), strict=True))
    x = low + (high - low) * smooth
    near = [arm.cdf(np.minimum(1.0, x + margin)) - arm.cdf(x) for arm in arms]
    density = sum(arm.pdf(x) * math.prod(near[:k] + near[k + 1 :]) for k, arm in enumerate(arms))
    return float((density * (high - low) * slope * weights / 2).sum())


@pytest.mark.slow
@given(counts=st.tuples(*[st.integers(0, 40)] * 4))
def test_two_arms_have_the_exact_finite_sum(counts):
    s0, f0, s1, f1 = counts
    expected = exact_superior(s0, f0, s1, f1)
    np.testing.assert_allclose(probability_best([[s0, s1]], [[f0, f1]]), [[1 - expected, expected]], rtol=0, atol=1e-11)
    superior = probability_superior([[s0, s1]], [[f0, f1]])
    np.testing.assert_allclose(superior, [[0.5, expected]], rtol=0, atol=1e-11)
    fewer = probability_superior([[s1, s0]], [[f1, f0]], control=1, lowest=True)
    np.testing.assert_allclose(fewer, [[1 - expected, 0.5]], rtol=0, atol=1e-11)


@pytest.mark.parametrize("most", [0.5, 3, 30, 300, 3000])
@pytest.mark.parametrize("arms", [1, 2, 3, 6, 12])
def test_several_arms_have_the_integral(arms, most):
    """Numbers of outcomes of different sizes in the same trial, fractions among them."""
    rng = np.random.default_rng([arms, int(most)])
    successes, failures = rng.random((2, 12, arms)) * most ** rng.random((2, 12, arms))
    successes[:4], failures[:4], failures[4:6] = np.rint(successes[:4]), np.rint(failures[:4]), 0.0
    found = probability_best(successes, failures)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(probability_best(failures, successes, lowest=True), found)
    for s, f, row in zip(successes, failures, found, strict=True):
        np.testing.assert_allclose(row, probabilities_best(s.tolist(), f.tolist()), rtol=0, atol=1e-10)


def test_equal_arms_are_equally_likely_the_best_and_relabelling_relabels():
    for n in (0, 1, 10, 1000):
        np.testing.assert_allclose(probability_best(np.full((1, 30), n), np.full((1, 30), n // 3)), 1 / 30, atol=1e-11)
    s, f = np.array([[3.0, 40.0, 0.0, 7.5]]), np.array([[1.0, 60.0, 2.0, 0.5]])
    order = [2, 0, 3, 1]
    np.testing.assert_allclose(
        probability_best(s[:, order], f[:, order]), probability_best(s, f)[:, order], rtol=0, atol=1e-11
    )


def test_arms_without_failures_have_a_closed_form():
    """Beta(n, 1) has the distribution function x^n, so P(best) is n_k / sum n."""
    successes = np.array([[0.0, 1.0, 6.0], [2.25, 99.0, 500.0]])
    expected = (1 + successes) / (1 + successes).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(probability_best(successes, np.zeros((2, 3))), expected, rtol=0, atol=1e-11)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    counts=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=4),
    margin=st.sampled_from([0.01, 0.05, 0.3, 0.9]),
)
@example([(0, 0), (0, 13)], 0.3)  # 1 is a multiple of the panels' period but for rounding
def test_equivalence_is_the_integral(counts, margin):
    successes, failures = zip(*counts, strict=True)
    expected = equivalent_by_quadrature(successes, failures, margin)
    assert probability_equivalent([successes], [failures], margin)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("n", [100, 700])
def test_equivalence_with_many_outcomes(n, margin):
    rng = np.random.default_rng(n)
    successes = rng.binomial([n, 2 * n, n], [0.25, 0.3, 0.02], (4, 3))
    failures = np.array([n, 2 * n, n]) - successes
    found = probability_equivalent(successes, failures, margin)
    for s, f, probability in zip(successes, failures, found, strict=True):
        assert probability == pytest.approx(equivalent_by_quadrature(s, f, margin), abs=1e-9)


@pytest.mark.parametrize(("arms", "margin"), [(2, 0.3), (3, 0.05), (7, 0.6)])
def test_equivalence_of_uniform_numbers_has_a_closed_form(arms, margin):
    """The range of K uniform numbers."""
    expected = arms * margin ** (arms - 1) * (1 - margin) + margin**arms
    found = probability_equivalent(np.zeros((2, arms)), np.zeros((2, arms)), margin)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_equivalence_with_fractional_sums():
    successes, failures = np.random.default_rng(3).random((2, 8, 3)) * 4
    found = probability_equivalent(successes, failures, 0.1)
    for s, f, probability in zip(successes, failures, found, strict=True):
        assert probability == pytest.approx(equivalent_by_quadrature(s, f, 0.1), abs=1e-7)


@given(x=st.floats(1e-3, 1e6))
def test_log_gamma(x):
    assert posteriors.log_gamma(x) == pytest.approx(float(special.gammaln(x)), rel=1e-14, abs=1e-14)


def test_what_is_no_count_is_refused():
    with pytest.raises(ParameterError, match=r"trial x arm, got the shapes \(2,\) and \(2,\)"):
        probability_best([1, 2], [1, 2])
    with pytest.raises(ParameterError, match="finite numbers above 0"):
        probability_best([[1, -2]], [[1, 2]])
    with pytest.raises(ParameterError, match=r"margin must be in \(0, 1\), got 1.5"):
        probability_equivalent([[1]], [[1]], 1.5)
    assert probability_best(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)
