"""The normal distribution, against SciPy and closed forms."""

import numpy as np
import pytest
from scipy import stats

from primum import Problem, checks, policies, rewards, simulate, values
from primum.errors import ParameterError
from primum.rewards import Normal

MEAN, SD = -0.7, 2.5
ARM, TWIN = Normal(MEAN, SD), stats.norm(MEAN, SD)


def test_it_is_what_scipy_has():
    x = np.linspace(MEAN - 30 * SD, MEAN + 30 * SD, 601)
    np.testing.assert_allclose(ARM.cdf(x), TWIN.cdf(x), rtol=1e-13, atol=0)
    np.testing.assert_allclose(ARM.density(x), TWIN.pdf(x), rtol=1e-12, atol=1e-300)
    assert (ARM.mean, ARM.variance, ARM.support) == (MEAN, SD**2, TWIN.support())
    assert ARM.atoms is None
    checks.assert_conforms(ARM)


def test_quantiles():
    """As exact as a probability is drawn, which is a multiple of 2^-53."""
    tails = 10.0 ** -np.arange(1, 16)
    u = np.concatenate([tails, np.random.default_rng(1).random(20_000), 1 - tails])
    x = ARM.quantile(u)
    assert (np.abs(TWIN.cdf(x) - u) <= np.clip(1e-9 * np.minimum(u, 1 - u), 4e-16, 1e-12)).all()
    usual = (u > 1e-6) & (u < 1 - 1e-6)
    np.testing.assert_allclose(x[usual], TWIN.ppf(u[usual]), atol=1e-8)
    ends = (ARM.quantile(np.array([2.0**-53, 1 - 2.0**-53])) - MEAN) / SD
    assert ends == pytest.approx([-8.2, 8.2], abs=0.1)
    assert (np.diff(ARM.quantile(np.sort(u))) >= 0).all()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (values.Mean(), MEAN),
        (values.MeanVariance(0.5), MEAN - 0.5 * SD**2),
        (values.MeanStd(0.5), MEAN - 0.5 * SD),
        (values.CVaR(0.1), MEAN - SD * stats.norm.pdf(stats.norm.ppf(0.1)) / 0.1),
        (values.Quantile(0.3), TWIN.ppf(0.3)),
        (values.Entropic(2.0), MEAN - SD**2),
        (values.Semivariance(1.0), MEAN - SD**2 / 2),
        (values.MeanGini(0.5), MEAN - 0.5 * SD * 2 / np.sqrt(np.pi)),
        (values.Threshold(0.0), TWIN.sf(0.0)),
        (values.Sharpe(regularizer=0.25), MEAN / np.sqrt(SD**2 + 0.25)),
    ],
    ids=str,
)
def test_true_values_in_closed_form(value, expected):
    assert value.true_value(ARM) == pytest.approx(expected, abs=1e-10)


def test_expectations():
    assert ARM.expectation(lambda x: x**4) == pytest.approx(MEAN**4 + 6 * MEAN**2 * SD**2 + 3 * SD**4, rel=1e-12)
    assert ARM.expectation(lambda x: 1.0 if x > 0 else 0.0) == pytest.approx(TWIN.sf(0), abs=1e-11)
    assert ARM.lower_integral(1) == MEAN
    assert ARM.lower_integral(0.2) == pytest.approx(0.2 * values.CVaR(0.2).true_value(ARM), abs=1e-11)
    with pytest.raises(ParameterError, match=r"normal\(-0.7, sd 2.5\): an expectation depends on rewards more than 20"):
        ARM.expectation(lambda x: np.exp(8 * x))


def test_it_is_played():
    problem = Problem({"low": Normal(), "high": "normal(mean=1, sd=0.5)"}, values.Mean())
    results = simulate(problem, [policies.Ucb1()], horizon=200, replications=50, seed=1, progress=False)
    assert problem.arms["high"] == Normal(1, 0.5)
    assert results.best_arm_share.values[:, :, -1].mean() > 0.8
    clipped = rewards.Clipped(ARM, -1, 1)
    expected = -TWIN.cdf(-1) + TWIN.sf(1) + TWIN.expect(lambda x: x, lb=-1, ub=1)
    assert clipped.mean == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("sd", [0, -1, np.inf, np.nan])
def test_a_standard_deviation_is_positive_and_finite(sd):
    with pytest.raises(ParameterError, match="normal: sd must be"):
        Normal(0, sd)
