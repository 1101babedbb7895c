"""True values of every value on every distribution: closed forms, quadrature and simulation."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from primum import rewards
from primum.values import CVaR, Mean, MeanVariance, MomentValue, SafetyValue
from tests.rewards.textbook import textbook

ARMS = {
    "bernoulli": rewards.Bernoulli(0.85),
    "constant": rewards.Constant(0.4),
    "uniform": rewards.Uniform(0.2, 1.5),
    "normal": rewards.TruncatedNormal(0.6, 0.3),
    "far": rewards.TruncatedNormal(2, 0.2),
    "mixture": rewards.TruncatedNormalMixture([0.1, 0.9, 0.4], [0.5, 0.6, 0.9], [0.2, 0.3, 0.5]),
    "components": rewards.TruncatedNormalMixture([0.1, 1.9, 0.4], [0.5, 0.6, 0.9], truncate="component"),
}
ALPHAS = [0.01, 0.1, 0.2, 0.9, 1.0]
every_arm = pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)


def law(arm):
    """E f(X) and the quantile function, from the plain formulas of each distribution."""
    low, high = arm.support
    if arm.atoms is not None:
        p = getattr(arm, "probability", 1.0)
        return lambda f, edge=None: p * f(high) + (1 - p) * f(low), lambda u: high if u > 1 - p else low
    density, cdf = textbook(arm)

    def expectation(f, edge=high):
        return quad(lambda x: f(x) * density(x), low, edge, epsabs=1e-13, epsrel=1e-12, limit=200)[0]

    return expectation, lambda u: high if u == 1 else brentq(lambda x: cdf(x) - u, low, high, xtol=1e-15)


@every_arm
def test_mean_and_mean_variance(arm):
    expectation, _ = law(arm)
    mean = expectation(lambda x: x)
    variance = expectation(lambda x: (x - mean) ** 2)
    assert Mean().true_value(arm) == pytest.approx(mean, abs=1e-9)
    for rho in (0.0, 1.0, 7.0):
        assert MeanVariance(rho).true_value(arm) == pytest.approx(mean - rho * variance, abs=1e-9)


@every_arm
@pytest.mark.parametrize("alpha", ALPHAS)
def test_cvar(arm, alpha):
    """max over z of z - E (z - X)+ / alpha, attained at the quantile (Rockafellar, Uryasev 2000)."""
    expectation, quantile = law(arm)
    z = quantile(alpha)
    expected = z - expectation(lambda x: max(z - x, 0.0), z) / alpha
    for estimator in ("fractional", "ceil", "chen"):
        assert CVaR(alpha, estimator).true_value(arm) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("p", [0.0, 0.3, 0.9, 0.95, 1.0])
def test_bernoulli(p):
    arm = rewards.Bernoulli(p)
    assert MeanVariance(rho=2).true_value(arm) == pytest.approx(p - 2 * p * (1 - p), abs=1e-15)
    for alpha in ALPHAS:
        assert CVaR(alpha).true_value(arm) == pytest.approx(max(0.0, (p - (1 - alpha)) / alpha), abs=1e-13)


def test_uniform():
    assert CVaR(0.1).true_value(rewards.Uniform(2, 5)) == pytest.approx(2 + 0.1 * 3 / 2, abs=1e-14)
    assert MeanVariance(rho=2).true_value(rewards.Uniform(2, 5)) == pytest.approx(3.5 - 2 * 9 / 12, abs=1e-14)


@every_arm
def test_estimates_on_many_rewards_approach_the_true_value(arm):
    """Over 40 samples of 20 000; 6 standard errors (t with 39 degrees of freedom): once in 1e6 seeds per value."""
    u = np.random.default_rng(3).random((40, 20_000))
    samples = arm.quantile(u)
    for value in (Mean(), MeanVariance(1.0), CVaR(0.1), CVaR(0.1, "ceil"), CVaR(0.1, "chen")):
        estimates = np.array([value.of(sample) for sample in samples])
        bias = 1e-4 if isinstance(value, CVaR) else 0.0  # of the order of 1 / (alpha n)
        error = estimates.std(ddof=1) / np.sqrt(40)
        assert abs(estimates.mean() - value.true_value(arm)) <= 6 * error + bias + 1e-12


@every_arm
def test_values_of_an_author_who_gives_estimates_alone(arm):
    class _Moments(MomentValue):
        from_moments = staticmethod(lambda n, mean, variance: mean - 2.0 * variance)

    class _Shortfall(MomentValue):
        feature = staticmethod(lambda x: 0.5 - x if x < 0.5 else 0.0)
        from_moments = staticmethod(lambda n, mean, variance: -mean)

    class _Sample(SafetyValue):
        @staticmethod
        def estimate(sample):
            return np.sort(sample)[: sample.size // 10].mean()

    expectation, _ = law(arm)
    assert _Moments().true_value(arm) == pytest.approx(MeanVariance(2.0).true_value(arm), abs=1e-9)
    low, high = arm.support
    edge = min(max(0.5, low), high)
    shortfall = expectation(lambda x: max(0.5 - x, 0.0), edge) if edge > low or arm.atoms is not None else 0.0
    assert _Shortfall().true_value(arm) == pytest.approx(-shortfall, abs=1e-9)
    assert _Sample().true_value(arm) == pytest.approx(CVaR(0.1).true_value(arm), abs=2e-5)
