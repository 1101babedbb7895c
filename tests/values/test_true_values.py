"""True values of every value on every distribution: closed forms, quadrature and simulation."""

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats
from scipy.integrate import quad
from scipy.optimize import brentq

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
    MomentValue,
    Quantile,
    RestrictedMean,
    SafetyValue,
    Semivariance,
    Sharpe,
    Spectral,
    Threshold,
)
from tests.problems import VALUES, Grid
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


def by_definition(arm):
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
    expectation, _ = by_definition(arm)
    mean = expectation(lambda x: x)
    variance = expectation(lambda x: (x - mean) ** 2)
    assert Mean().true_value(arm) == pytest.approx(mean, abs=1e-9)
    for rho in (0.0, 1.0, 7.0):
        assert MeanVariance(rho).true_value(arm) == pytest.approx(mean - rho * variance, abs=1e-9)


@every_arm
@pytest.mark.parametrize("alpha", ALPHAS)
def test_cvar(arm, alpha):
    """max over z of z - E (z - X)+ / alpha, attained at the quantile (Rockafellar, Uryasev 2000)."""
    expectation, quantile = by_definition(arm)
    z = quantile(alpha)
    expected = z - expectation(lambda x: max(z - x, 0.0), z) / alpha
    for estimator in ("fractional", "ceil", "chen"):
        assert CVaR(alpha, estimator).true_value(arm) == pytest.approx(expected, abs=1e-9)


class _Clipped(rewards.RewardDistribution):
    """Uniform on [-1/4, 5/4] and cut to [0, 1]: an atom of 1/6 at each end, and a density between them."""

    support = (0.0, 1.0)

    def quantile(self, u):
        return np.clip(1.5 * u - 0.25, 0.0, 1.0)


class _Root(rewards.RewardDistribution):
    """The square root of a uniform number; nothing but its quantile function is given."""

    support = (0.0, 1.0)

    def quantile(self, u):
        return np.sqrt(u)


class _Three(rewards.DiscreteDistribution):
    atoms = np.array([-0.5, 0.25, 2.0]), np.array([0.2, 0.5, 0.3])


DISTRIBUTIONS = ARMS | {"clipped": _Clipped(), "root": _Root(), "three": _Three()}


class _Plain:
    """Expectations and integrals of a distribution, from its textbook formulas and by SciPy."""

    def __init__(self, arm):
        self.low, self.high = arm.support
        self.points, self.weights = np.empty(0), np.empty(0)
        if isinstance(arm, _Clipped):
            self.points, self.weights, self.density = np.array([0.0, 1.0]), np.full(2, 1 / 6), lambda x: 2 / 3
        elif isinstance(arm, _Root):
            self.density = lambda x: 2 * x
        elif arm.atoms is not None:
            (self.points, self.weights), self.density = arm.atoms, None
        else:
            self.density, self.smooth = textbook(arm)

    def integral(self, f, *edges):
        marks = sorted({self.low, self.high, *[edge for edge in (*edges, *self.points) if self.low < edge < self.high]})
        return sum(quad(f, a, b, epsabs=1e-13, epsrel=1e-12, limit=200)[0] for a, b in itertools.pairwise(marks))

    def expectation(self, f, *edges):
        smooth = self.integral(lambda x: f(x) * self.density(x), *edges) if self.density else 0.0
        return smooth + sum(w * f(x) for x, w in zip(self.points, self.weights))

    def cdf(self, x):
        """P(X <= x) for x below the highest reward."""
        below = float(self.weights[self.points <= x].sum())
        if hasattr(self, "smooth"):
            return below + self.smooth(x)
        return below + (quad(self.density, self.low, x)[0] if self.density else 0.0)


@pytest.mark.parametrize("arm", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_by_definition(arm):
    plain = _Plain(arm)
    mean = plain.expectation(lambda x: x)
    variance = plain.expectation(lambda x: (x - mean) ** 2)
    near = {"abs": 1e-8, "rel": 0}

    assert MeanStd(2).true_value(arm) == pytest.approx(mean - 2 * math.sqrt(variance), **near)
    assert Sharpe(0.3, 0.05).true_value(arm) == pytest.approx((mean - 0.3) / math.sqrt(variance + 0.05), **near)
    below = plain.expectation(lambda x: max(mean - x, 0.0) ** 2, mean)
    assert Semivariance(2).true_value(arm) == pytest.approx(mean - 2 * below, **near)
    apart = 2 * plain.integral(lambda x: plain.cdf(x) * (1 - plain.cdf(x)))
    assert MeanGini(2).true_value(arm) == pytest.approx(mean - 2 * apart, **near)
    worst = CVaR(0.3).true_value(arm)
    assert MeanCVaR(0.2, 0.3).true_value(arm) == pytest.approx(0.2 * mean + 0.8 * worst, **near)
    for level in (0.25, 0.6, 1.0):  # the first and the last are atoms of some
        reached = plain.expectation(lambda x, level=level: float(x >= level), level)
        assert Threshold(level).true_value(arm) == pytest.approx(reached, **near)
        capped = plain.expectation(lambda x, level=level: min(x, level), level)
        assert RestrictedMean(level).true_value(arm) == pytest.approx(capped, **near)
        for order in (0.5, 2, 3.5):
            short = plain.expectation(lambda x, level=level, order=order: max(level - x, 0.0) ** order, level)
            assert LowerPartialMoment(level, order, 3).true_value(arm) == pytest.approx(mean - 3 * short, **near)
    for theta in (1e-9, 0.1, 1.0, 10.0 if arm == ARMS["far"] else 50.0):  # under 50, its rarest rewards count
        cost = plain.expectation(lambda x, theta=theta: math.expm1(-theta * (x - mean)), mean, mean - 1 / theta)
        assert Entropic(theta).true_value(arm) == pytest.approx(mean - math.log1p(cost) / theta, **near)
    for k in (0.1, 5.0, 40.0):  # the value is what its distorted distribution function leaves above it
        left = plain.integral(lambda x, k=k: 1 - math.expm1(-k * plain.cdf(x)) / math.expm1(-k))
        assert Spectral(k).true_value(arm) == pytest.approx(plain.low + left, **near)


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_by_a_fine_grid_of_quantiles(value):
    """40,000 quantiles of a distribution with many atoms and of one with two and a density; jumps may be off by one."""
    n = 40_000
    for arm in (Grid(4), _Clipped()):
        grid = arm.quantile((np.arange(n) + 0.5) / n)
        assert value.true_value(arm) == pytest.approx(value.of(grid), abs=2e-4)


@pytest.mark.parametrize("p", [0.0, 0.3, 0.9, 0.95, 1.0])
def test_bernoulli(p):
    arm, q = rewards.Bernoulli(p), 1 - p
    assert MeanVariance(rho=2).true_value(arm) == pytest.approx(p - 2 * p * q, abs=1e-15)
    assert MeanStd(rho=2).true_value(arm) == pytest.approx(p - 2 * math.sqrt(p * q), abs=1e-15)
    assert MeanGini(rho=2).true_value(arm) == pytest.approx(p - 4 * p * q, abs=1e-15)
    assert Semivariance(rho=2).true_value(arm) == pytest.approx(p - 2 * p**2 * q, abs=1e-15)
    assert LowerPartialMoment(0.4, 3, 2).true_value(arm) == pytest.approx(p - 2 * q * 0.4**3, abs=1e-15)
    assert Sharpe(0.2, 0.1).true_value(arm) == pytest.approx((p - 0.2) / math.sqrt(p * q + 0.1), abs=1e-14)
    assert RestrictedMean(0.7).true_value(arm) == pytest.approx(p * 0.7, abs=1e-15)
    for level, reached in ((-1, 1), (0, 1), (0.5, p), (1, p), (1.1, 0)):
        assert Threshold(level).true_value(arm) == pytest.approx(reached, abs=1e-15)
    for theta in (1e-6, 1, 50):
        expected = -math.log1p(p * math.expm1(-theta)) / theta if p < 1 else 1.0
        assert Entropic(theta).true_value(arm) == pytest.approx(expected, abs=1e-14)
    for k in (0.1, 5):
        expected = (math.exp(-k * q) - math.exp(-k)) / -math.expm1(-k)
        assert Spectral(k).true_value(arm) == pytest.approx(expected, abs=1e-14)
    for alpha in ALPHAS:
        worst = max(0.0, (p - (1 - alpha)) / alpha)
        assert CVaR(alpha).true_value(arm) == pytest.approx(worst, abs=1e-13)
        assert MeanCVaR(0.3, alpha).true_value(arm) == pytest.approx(0.3 * p + 0.7 * worst, abs=1e-13)
        if alpha < 1:  # P(X <= 0) = alpha counts, though 1 - 0.9 is rounded to less than 0.1
            assert Quantile(alpha).true_value(arm) == (p > 1 - alpha + 1e-12)


def test_uniform():
    arm = rewards.Uniform(2, 5)
    assert CVaR(0.1).true_value(arm) == pytest.approx(2 + 0.1 * 3 / 2, abs=1e-14)
    assert MeanVariance(rho=2).true_value(arm) == pytest.approx(3.5 - 2 * 9 / 12, abs=1e-14)
    assert MeanGini(rho=2).true_value(arm) == pytest.approx(3.5 - 2 * 1, abs=1e-12)
    assert Quantile(0.3).true_value(arm) == pytest.approx(2.9, abs=1e-11)
    for theta in (0.5, 3.0):
        expected = -math.log((math.exp(-2 * theta) - math.exp(-5 * theta)) / (3 * theta)) / theta
        assert Entropic(theta).true_value(arm) == pytest.approx(expected, abs=1e-12)
    assert Entropic(1e-10).true_value(arm) == pytest.approx(3.5 - 1e-10 / 2 * 9 / 12, abs=1e-14)


def test_truncated_normal():
    m, s, theta = 0.6, 0.3, 7.0
    low, high = (0 - m) / s, (1 - m) / s
    mass = special.ndtr(high + s * theta) - special.ndtr(low + s * theta)
    log_moment = -m * theta + (s * theta) ** 2 / 2 + math.log(mass / (special.ndtr(high) - special.ndtr(low)))
    arm = rewards.TruncatedNormal(m, s)
    assert Entropic(theta).true_value(arm) == pytest.approx(-log_moment / theta, abs=1e-11)


def test_beta():
    """A user's own distribution, of which only the quantile function is known."""
    a, b = 2.0, 5.0

    class _Beta(rewards.RewardDistribution):
        support = (0.0, 1.0)

        def quantile(self, u):
            return stats.beta.ppf(u, a, b)

    arm, mean = _Beta(), a / (a + b)
    for theta in (0.1, 5.0):
        expected = -math.log(special.hyp1f1(a, a + b, -theta)) / theta
        assert Entropic(theta).true_value(arm) == pytest.approx(expected, abs=1e-10)
    c = 0.4
    first = mean * special.betainc(a + 1, b, c)
    second = a * (a + 1) / ((a + b) * (a + b + 1)) * special.betainc(a + 2, b, c)
    short = c**2 * special.betainc(a, b, c) - 2 * c * first + second
    assert LowerPartialMoment(c, 2, 1).true_value(arm) == pytest.approx(mean - short, abs=1e-10)


def test_entropic_where_exponentials_have_no_room():
    """Rewards in days, or unbounded ones: exp(-1000) is 0 and exp(1000) is infinite."""

    class _Normal(rewards.RewardDistribution):
        support = (-math.inf, math.inf)

        def quantile(self, u):
            return special.ndtri(u)

    assert Entropic(1.0).true_value(rewards.Uniform(1000, 3000)) == pytest.approx(1000 + math.log(2000), abs=1e-9)
    assert Entropic(50.0).true_value(rewards.Uniform(-1000, 0)) == pytest.approx(-1000 + math.log(5e4) / 50, abs=1e-9)
    assert Entropic(2.0).true_value(_Normal()) == pytest.approx(-1.0, abs=1e-8)


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

    expectation, _ = by_definition(arm)
    assert _Moments().true_value(arm) == pytest.approx(MeanVariance(2.0).true_value(arm), abs=1e-9)
    low, high = arm.support
    edge = min(max(0.5, low), high)
    shortfall = expectation(lambda x: max(0.5 - x, 0.0), edge) if edge > low or arm.atoms is not None else 0.0
    assert _Shortfall().true_value(arm) == pytest.approx(-shortfall, abs=1e-9)
    assert _Sample().true_value(arm) == pytest.approx(CVaR(0.1).true_value(arm), abs=2e-5)


@pytest.mark.parametrize(("a", "b"), [(0.01, 0.01), (0.01, 1.0), (0.02, 2.0), (0.1, 0.1), (2.0, 3.0)])
def test_the_mean_difference_of_beta_distributions(a, b):
    """4 B(a + b, a + b) / ((a + b) B(a, a) B(b, b)): quantiles that cluster at an end must not be looked up again."""
    exact = 4 / (a + b) * math.exp(special.betaln(a + b, a + b) - special.betaln(a, a) - special.betaln(b, b))
    arm = rewards.Beta(a, b)
    assert arm.mean - MeanGini(1.0).true_value(arm) == pytest.approx(exact, rel=1e-6)
