"""Truncated normals where textbook formulas break down, and what truncating a mixture means."""

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

from primum.errors import ParameterError
from primum.rewards import TruncatedNormal, TruncatedNormalMixture

U = np.array([1e-9, 1e-3, 0.2, 0.5, 0.9, 1 - 1e-6])


def test_closed_forms_of_mean_variance_and_worst_share():
    """mean = m - s (phi(z_u) - phi(z_l)) / Z and so on, where they are exact enough."""
    m, s, low, high, alpha = 0.4, 0.5, 0.0, 1.0, 0.1
    arm = TruncatedNormal(m, s)
    z_l, z_u = (low - m) / s, (high - m) / s
    mass = norm.cdf(z_u) - norm.cdf(z_l)
    step = (norm.pdf(z_u) - norm.pdf(z_l)) / mass
    assert arm.mean == pytest.approx(m - s * step, abs=1e-14)
    variance = s**2 * (1 - (z_u * norm.pdf(z_u) - z_l * norm.pdf(z_l)) / mass - step**2)
    assert arm.variance == pytest.approx(variance, abs=1e-14)
    z_q = norm.ppf(norm.cdf(z_l) + alpha * mass)
    worst = (m * (norm.cdf(z_q) - norm.cdf(z_l)) - s * (norm.pdf(z_q) - norm.pdf(z_l))) / mass
    assert arm.lower_integral(alpha) == pytest.approx(worst, abs=1e-13)
    assert arm.log_mass == pytest.approx(np.log(mass), abs=1e-14)


@pytest.mark.parametrize(
    ("location", "deviation"), [(5, 0.1), (-5, 0.1), (1.5, 0.02), (-0.2, 0.01), (0.5, 0.01), (3, 1)]
)
def test_far_tails_match_scipy(location, deviation):
    arm = TruncatedNormal(location, deviation)
    z_l, z_u = (0 - location) / deviation, (1 - location) / deviation
    twin = truncnorm(z_l, z_u)
    x = twin.ppf(U) * deviation + location
    np.testing.assert_allclose(arm.quantile(U), x, atol=1e-6 * np.sqrt(arm.variance))
    assert arm.mean == pytest.approx(twin.mean() * deviation + location, abs=1e-12)
    a, b = (z_l, z_u) if location > 0.5 else (-z_u, -z_l)
    log_mass = norm.logcdf(b) + np.log1p(-np.exp(norm.logcdf(a) - norm.logcdf(b)))
    assert arm.log_mass == pytest.approx(log_mass, rel=1e-12, abs=1e-12)


def test_mean_far_away_matches_the_expansion():
    """For r = 50 deviations: deviation (1/r - 2/r^3 + 10/r^5 - 74/r^7), the next term being 1e-14."""
    expansion = 0.1 * (1 / 50 - 2 / 50**3 + 10 / 50**5 - 74 / 50**7)
    assert TruncatedNormal(-5, 0.1).mean == pytest.approx(expansion, abs=1e-13)
    assert 1 - TruncatedNormal(6, 0.1).mean == pytest.approx(expansion, abs=1e-13)


def test_very_far_away_it_is_exponential():
    """With r = 1e5 deviations from location to bound the density falls like exp(-r t), but for terms of order 1/r^2."""
    for location, bound, sign in ((1e4, 1.0, -1), (-1e4, 0.0, 1)):
        arm = TruncatedNormal(location, 0.1)
        scale = 0.1 / (abs(location - bound) / 0.1)
        assert sign * (arm.mean - bound) == pytest.approx(scale, rel=1e-8)
        assert arm.variance == pytest.approx(scale**2, rel=1e-8)
        u = np.array([0.1, 0.5, 0.9])
        expected = -scale * np.log(u if sign < 0 else 1 - u)
        np.testing.assert_allclose(sign * (arm.quantile(u) - bound), expected, atol=1e-15)
    arm = TruncatedNormal(-0.05, 3e-7, high=0.2)  # next to 0 numbers are fine enough to see 1e-11 of the interval
    u = np.linspace(0.01, 0.9999, 1000)
    np.testing.assert_allclose(arm.quantile(u), -(3e-7**2 / 0.05) * np.log1p(-u), rtol=1e-8)


@pytest.mark.parametrize("deviation", [1e3, 1e6, 1e12, 1e200])
def test_very_wide_it_is_uniform(deviation):
    arm = TruncatedNormal(0.3, deviation)
    u = np.linspace(0.001, 0.999, 999)
    bend = deviation**-2
    np.testing.assert_allclose(arm.quantile(u), u, atol=bend + 1e-12)
    np.testing.assert_allclose(arm.cdf(u), u, atol=bend + 1e-15)
    assert arm.mean == pytest.approx(0.5, abs=bend + 1e-15)
    assert arm.variance == pytest.approx(1 / 12, abs=bend + 1e-15)


@pytest.mark.parametrize("deviation", [1e-3, 1e-6, 1e-9])
def test_very_narrow_it_is_normal(deviation):
    arm = TruncatedNormal(0.3, deviation)
    np.testing.assert_allclose(arm.quantile(U), 0.3 + deviation * norm.ppf(U), atol=1e-6 * deviation + 1e-16)
    assert arm.mean == pytest.approx(0.3, abs=1e-15)
    assert arm.variance == pytest.approx(deviation**2, rel=1e-12)
    assert arm.lower_integral(0.1) / 0.1 == pytest.approx(0.3 - deviation * norm.pdf(norm.ppf(0.1)) / 0.1, abs=1e-11)


@pytest.mark.parametrize(
    "args", [(0.5, 1e-15), (1e9, 1e-3), (1e308, 1e-10), (-1e308, 1e150), (1e308, 1.0), (1e308, 1e308)]
)
def test_nothing_left_to_resolve_is_refused(args):
    with pytest.raises(
        ParameterError, match=r"leave no probability in \[0, 1\] that numbers can resolve; use constant"
    ):
        TruncatedNormal(*args)
    with pytest.raises(ParameterError, match="numbers can resolve"):
        TruncatedNormalMixture([0.5, args[0]], [0.1, args[1]])


def test_truncating_a_mixture_weighs_components_by_their_mass():
    """Half of the first normal lies in [0, 1], all of the second does."""
    locations, deviations = [0.0, 0.8], [0.05, 0.01]
    whole = TruncatedNormalMixture(locations, deviations)
    parts = TruncatedNormalMixture(locations, deviations, truncate="component")
    assert whole.cdf(0.5).item() == pytest.approx(1 / 3, abs=1e-12)
    assert parts.cdf(0.5).item() == pytest.approx(1 / 2, abs=1e-12)
    assert TruncatedNormalMixture([0.3], [0.2]).mean == TruncatedNormal(0.3, 0.2).mean


def test_weights_survive_when_all_components_are_far_away():
    """The probabilities of [0, 1] are about exp(-800) and exp(-880): the second component is left with exp(-80)."""
    arm = TruncatedNormalMixture([5, 5.2], [0.1, 0.1])
    first, second = TruncatedNormal(5, 0.1).mean, TruncatedNormal(5.2, 0.1).mean
    assert arm.mean == pytest.approx(first, abs=1e-13)
    assert abs(first - second) > 1e-5


def test_modes_far_apart_with_nothing_between():
    arm = TruncatedNormalMixture([0.2, 0.5, 0.9], [0.001] * 3, [0.25, 0.25, 0.5])
    u = np.random.default_rng(1).random(100_000)
    x = arm.quantile(u)
    centre = np.array([0.2, 0.5, 0.9])[np.searchsorted([0.25, 0.5], u)]
    assert np.abs(x - centre).max() < 0.008  # 1e-15 of a normal lies beyond 8 deviations
    assert np.abs(arm.cdf(x) - u).max() <= 1e-12
    assert arm.mean == pytest.approx(0.625, abs=1e-14)
    assert arm.variance == pytest.approx(0.25 * 0.425**2 + 0.25 * 0.125**2 + 0.5 * 0.275**2 + 1e-6, abs=1e-13)
    assert arm.lower_integral(0.25) / 0.25 == pytest.approx(0.2, abs=1e-11)
