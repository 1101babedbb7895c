"""Every built-in distribution against plain formulas, quadrature and rejection sampling."""

import pickle
import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

from primum import rewards
from primum.errors import ParameterError
from primum.plugins import registry
from tests.rewards.textbook import components, textbook

SMOOTH = {
    "uniform": rewards.Uniform(-1, 3),
    "normal": rewards.TruncatedNormal(0.3, 0.2),
    "outside": rewards.TruncatedNormal(-0.4, 0.3),
    "above": rewards.TruncatedNormal(7, 2, low=-1, high=4),
    "mixture": rewards.TruncatedNormalMixture([0.1, 0.5, 1.4], [0.1, 0.6, 0.4], [0.2, 0.5, 0.3]),
    "components": rewards.TruncatedNormalMixture(
        [0.1, 0.5, 1.4], [0.1, 0.6, 0.4], [0.2, 0.5, 0.3], truncate="component"
    ),
    "modes": rewards.TruncatedNormalMixture([0.2, 0.7], [0.02, 0.01], low=0, high=1),
    "paper": rewards.paper_mixture(arms=1, seed=3)["arm 1"],
}
DISCRETE = {
    "bernoulli": rewards.Bernoulli(0.3),
    "never": rewards.Bernoulli(0),
    "always": rewards.Bernoulli(1),
    "constant": rewards.Constant(-2.5),
}
ALL = SMOOTH | DISCRETE
LEVELS = [1e-6, 1e-3, 0.05, 0.3, 0.5, 0.9, 1.0]

smooth = pytest.mark.parametrize("arm", SMOOTH.values(), ids=SMOOTH)
every = pytest.mark.parametrize("arm", ALL.values(), ids=ALL)


def integral(function, arm, high=None):
    """Quadrature, told where the modes are."""
    low, top = arm.support
    high = top if high is None else high
    peaks = [0.2, 0.7] if arm is SMOOTH["modes"] else [0.1] if isinstance(arm, rewards.TruncatedNormalMixture) else []
    edges = sorted({low, high, *(x + d for x in peaks for d in (-0.1, 0, 0.1) if low < x + d < high)})
    return sum(quad(function, a, b, epsabs=1e-14, epsrel=1e-13, limit=200)[0] for a, b in pairwise(edges))


@smooth
def test_density_and_cdf_match_the_textbook(arm):
    density, cdf = textbook(arm)
    x = np.linspace(*arm.support, 201)
    np.testing.assert_allclose(arm.density(x), [density(point) for point in x], rtol=1e-11)
    np.testing.assert_allclose(arm.cdf(x), [cdf(point) for point in x], atol=1e-13)
    outside = np.array([arm.support[0] - 0.1, arm.support[1] + 0.1])
    assert arm.cdf(outside) == pytest.approx([0, 1], abs=1e-15)
    assert arm.density(outside).tolist() == [0, 0]


@smooth
def test_moments_match_quadrature(arm):
    density, _ = textbook(arm)
    mean = integral(lambda x: x * density(x), arm)
    assert arm.mean == pytest.approx(mean, abs=1e-11)
    assert arm.variance == pytest.approx(integral(lambda x: (x - mean) ** 2 * density(x), arm), abs=1e-11)
    assert arm.expectation(np.exp) == pytest.approx(integral(lambda x: np.exp(x) * density(x), arm), abs=1e-10)


@smooth
@pytest.mark.parametrize("level", LEVELS)
def test_lower_integral_matches_quadrature(arm, level):
    density, cdf = textbook(arm)
    edge = arm.support[1] if level == 1 else brentq(lambda x: cdf(x) - level, *arm.support, xtol=1e-15)
    worst = integral(lambda x: (x - edge) * density(x), arm, edge) / level + edge  # free of rounding in the edge
    assert arm.lower_integral(level) / level == pytest.approx(worst, abs=1e-9)


@pytest.mark.parametrize("arm", DISCRETE.values(), ids=DISCRETE)
@pytest.mark.parametrize("level", LEVELS)
def test_lower_integral_of_atoms(arm, level):
    values, probabilities = arm.atoms
    edge = values[
        np.searchsorted(np.cumsum(probabilities), level - 1e-12)
    ]  # max of z - E (z - X)+ / level, at the quantile
    worst = edge - probabilities @ np.maximum(edge - values, 0) / level
    assert arm.lower_integral(level) / level == pytest.approx(worst, abs=1e-12)
    assert arm.density(0.5) is None


def test_bernoulli_and_constant():
    arm = rewards.Bernoulli(0.3)
    assert (arm.mean, arm.variance) == pytest.approx((0.3, 0.21))
    assert arm.quantile(np.array([0.1, 0.7, 0.7001, 0.9])).tolist() == [0, 0, 1, 1]
    assert arm.cdf([-0.1, 0, 0.5, 1]).tolist() == [0, 0.7, 0.7, 1]
    assert arm.expectation(lambda x: 3 if x > 0.5 else 1) == pytest.approx(1.6)
    constant = rewards.Constant(0.4)
    assert (constant.mean, constant.variance, constant.support) == (0.4, 0, (0.4, 0.4))
    assert constant.quantile(np.array([[0.1], [0.9]])).tolist() == [[0.4], [0.4]]


@smooth
def test_quantile_inverts_cdf(arm):
    tails = 10.0 ** -np.arange(4, 16)
    u = np.concatenate([tails, np.random.default_rng(1).random(20_000), 1 - tails])
    x = arm.quantile(u)
    rounding = 4 * np.spacing(np.abs(x)) * arm.density(x)
    assert (np.abs(arm.cdf(x) - u) <= 1e-12 + rounding).all()
    assert arm.quantile(u.reshape(2, -1)).shape == (2, u.size // 2)
    assert arm.quantile(u[7]) == x[7]


@every
def test_quantile_stays_within_the_support_and_rises(arm):
    u = np.sort(np.concatenate([np.random.default_rng(2).random(20_000), [2.0**-53, 1 - 2.0**-53]]))
    x = arm.quantile(u)
    low, high = arm.support
    assert ((x >= low) & (x <= high)).all()
    assert np.diff(x).min() >= -np.spacing(max(abs(low), abs(high)))


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(-4, 3)), min_size=1, max_size=4),
    st.sampled_from(["mixture", "component"]),
    st.lists(st.floats(2.0**-53, 1 - 2.0**-53), min_size=2, max_size=50),
)
def test_any_mixture_has_a_rising_and_exact_quantile(components, truncate, u):
    locations, exponents = zip(*components, strict=True)
    arm = rewards.TruncatedNormalMixture(locations, [10.0**e for e in exponents], truncate=truncate)
    x = arm.quantile(np.sort(u))
    assert np.diff(x).min() >= -np.spacing(1.0)
    assert ((x >= 0) & (x <= 1)).all()
    # cdf(x) may jump by as much as neighbouring numbers x differ in it
    below, above = arm.cdf(x - 1e-15), arm.cdf(x + 1e-15)
    assert ((below - 1e-12 <= np.sort(u)) & (np.sort(u) <= above + 1e-12)).all()


@smooth
def test_rejection_sampling_agrees(arm):
    """By the Dvoretzky-Kiefer-Wolfowitz inequality a right cdf fails once in 1e9 seeds; the mean (5 sigma) in 1e6."""
    rng, n = np.random.default_rng(4), 200_000
    low, high = arm.support
    if isinstance(arm, rewards.Uniform):
        sample = rng.uniform(low, high, n)
    else:
        locations, deviations, weights = components(arm)
        sample = np.empty(0)
        while sample.size < n:
            k = rng.choice(weights.size, size=n, p=weights)
            drawn = rng.normal(locations[k], deviations[k])
            outside = (drawn < low) | (drawn > high)
            while outside.any() and getattr(arm, "truncate", "") == "component":
                drawn[outside] = rng.normal(locations[k[outside]], deviations[k[outside]])
                outside = (drawn < low) | (drawn > high)
            sample = np.append(sample, drawn[~outside])
        sample = sample[:n]
    grid = arm.cdf(np.sort(sample))
    distance = max(np.max(np.arange(1, n + 1) / n - grid), np.max(grid - np.arange(n) / n))
    assert distance < np.sqrt(np.log(2e9) / (2 * n))
    assert abs(sample.mean() - arm.mean) < 5 * np.sqrt(arm.variance / n)


@every
def test_drawn_rewards_agree(arm):
    """The mean of drawn rewards is within 5 deviations: a right distribution fails once in 1e6 seeds."""
    n = 100_000
    x = arm.quantile(np.random.default_rng(5).random(n))
    assert abs(x.mean() - arm.mean) <= 5 * np.sqrt(arm.variance / n) + 1e-12
    fourth = arm.expectation(lambda y: (y - arm.mean) ** 4)
    assert (
        abs(x.var() - arm.variance)
        <= 5 * np.sqrt(max(0.0, fourth - arm.variance**2) / n) + 25 * arm.variance / n + 1e-12
    )


@every
def test_equality_hash_spec_and_pickle_know_parameters_only(arm):
    twin = registry.build("rewards", arm.spec())
    fresh = pickle.dumps(twin)
    assert {twin} == {arm}
    u = np.linspace(0.01, 0.99, 99)
    before = twin.quantile(u)
    assert {twin} == {arm}
    assert pickle.dumps(twin) == fresh
    again = pickle.loads(fresh)
    assert again == arm
    np.testing.assert_array_equal(again.quantile(u), before)
    assert registry.build("rewards", arm.label).mean == pytest.approx(arm.mean, abs=1e-10)


def test_threads_share_one_arm():
    arm = rewards.TruncatedNormalMixture([0.2, 0.6], [0.1, 0.02])
    u = np.random.default_rng(6).random((4, 50_000))
    results, start = [None] * 4, threading.Barrier(4)

    def draw(i):
        start.wait()
        results[i] = arm.quantile(u[i])

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = rewards.TruncatedNormalMixture([0.2, 0.6], [0.1, 0.02]).quantile(u)
    np.testing.assert_array_equal(np.array(results), expected)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: rewards.Bernoulli(1.2), "bernoulli: probability must be in [0, 1], got 1.2"),
        (lambda: rewards.Bernoulli("often"), "bernoulli: probability must be a number in [0, 1], got 'often'"),
        (lambda: rewards.Constant(float("nan")), "constant: value must be a finite number, got nan"),
        (lambda: rewards.Uniform(1, 1), "uniform: low must be less than high, got low=1 and high=1"),
        (lambda: rewards.TruncatedNormal(0.5, 0), "truncated-normal: deviation must be in (0, inf), got 0"),
        (
            lambda: rewards.TruncatedNormal(0.5, 1, low=2, high=-1),
            "truncated-normal: low must be less than high, got low=2 and high=-1",
        ),
        (
            lambda: rewards.TruncatedNormalMixture([0.1, 0.2], [1]),
            "truncated-normal-mixture: deviations must be as many as locations (2), got 1",
        ),
        (
            lambda: rewards.TruncatedNormalMixture([0.1, 0.2], [1, 1], [1]),
            "truncated-normal-mixture: weights must be as many as locations (2), got 1",
        ),
        (
            lambda: rewards.TruncatedNormalMixture([0.1, 0.2], [1, 1], [0.5, 0.6]),
            "truncated-normal-mixture: weights must add up to 1, got 1.1",
        ),
        (
            lambda: rewards.TruncatedNormalMixture([], []),
            "truncated-normal-mixture: locations must have at least one number, got none",
        ),
        (
            lambda: rewards.TruncatedNormalMixture([0.1], [-1]),
            "truncated-normal-mixture: deviations[0] must be in (0, inf), got -1",
        ),
        (
            lambda: rewards.TruncatedNormalMixture([0.1], [1], truncate="mixtures"),
            "truncated-normal-mixture: truncate: no choice named 'mixtures'; did you mean 'mixture'?",
        ),
    ],
)
def test_bad_parameters_get_a_sentence(make, sentence):
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == sentence
