"""Which values pooled outcomes of several arms can raise above that of every arm, as docs/ideas.md states."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primum import rewards, values

CONVEX = [
    values.Mean(),
    values.MeanVariance(rho=2.0),
    values.MeanStd(rho=1.5),
    values.MeanGini(rho=2.0),
    values.CVaR(alpha=0.3),
    values.MeanCVaR(weight=0.4, alpha=0.2),
    values.Spectral(aversion=5.0),
    values.Quantile(level=0.35),
    values.Entropic(theta=4.0),
    values.Threshold(level=0.5),
    values.LowerPartialMoment(target=0.6, order=2.0, weight=3.0),
    values.RestrictedMean(cap=0.7),
    values.Sharpe(target=0.0, regularizer=0.01),
]
POINTS = st.lists(st.integers(0, 10), min_size=1, max_size=4, unique=True).map(lambda tenths: [x / 10 for x in tenths])


@st.composite
def arms(draw):
    points = sorted(draw(POINTS))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(points), max_size=len(points)))
    return rewards.Discrete(points, [weight / sum(weights) for weight in weights])


def pooled(first, second, share):
    return rewards.Mixture([first, second], [share, 1 - share])


@pytest.mark.parametrize("value", CONVEX, ids=str)
@given(first=arms(), second=arms(), share=st.floats(0.01, 0.99))
def test_pooled_outcomes_are_worth_no_more_than_those_of_the_best_arm(value, first, second, share):
    best = max(value.true_value(first), value.true_value(second))
    assert value.true_value(pooled(first, second, share)) <= best + 1e-9


@pytest.mark.parametrize(
    ("value", "first", "second", "share", "worth"),
    [
        (values.Formula("mean + 2 * var"), rewards.Constant(0.0), rewards.Constant(1.0), 0.25, 1.125),
        (values.Semivariance(rho=4.0), rewards.Constant(0.0), rewards.Bernoulli(0.5), 0.8, 0.064),
        (values.Sharpe(target=0.5), rewards.Constant(0.3), rewards.Constant(0.0), 0.8, -0.26 / (0.0144 + 0.01) ** 0.5),
    ],
    ids=str,
)
def test_pooled_outcomes_can_be_worth_more_than_those_of_every_arm(value, first, second, share, worth):
    assert value.true_value(pooled(first, second, share)) == pytest.approx(worth, abs=1e-6)
    assert worth > max(value.true_value(first), value.true_value(second)) + 0.05
