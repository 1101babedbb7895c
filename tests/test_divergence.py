"""The divergence of safety values: known numbers, a direct search, and the upper limit at all times."""

from __future__ import annotations

import math

import numpy as np
import pytest

from primum import rewards, theory, values
from primum.errors import ParameterError
from primum.theory.divergence import upper_limit, value_divergence

# computed by another program, which agrees with direct minimisation over distributions to 2e-9
KNOWN = [
    (values.Mean(), [0.2], None, 0.5, 1, math.log(0.8 / 0.5)),
    (values.Mean(), [0, 1], [0.7, 0.3], 0.5, 1, 0.08228288),
    (values.Mean(), [0.1, 0.2, 0.6], None, 0.5, 1, 0.27821558),
    (values.Mean(), [0.1, 0.2, 0.6], None, 0.5, 2, 0.11657249),
    (values.MeanVariance(rho=1), [0.1, 0.2, 0.6], None, 0.4, 1, 0.21485321),
    (values.MeanVariance(rho=1), [0.1, 0.2, 0.6], None, 0.4, 10, 0.21485321),
    (values.MeanVariance(rho=1), [0.2], None, 0.5, 1, 0.84622970),
    (values.MeanVariance(rho=3), [0, 1], None, -0.05, 1, 0.04121894),
    (values.CVaR(alpha=0.3), [0.1, 0.2, 0.6, 0.7], None, 0.3, 1, 0.22140411),
    (values.CVaR(alpha=0.5), [0.1, 0.3, 0.8], [0.2, 0.5, 0.3], 0.35, 1, 0.17469635),
    (values.CVaR(alpha=1.0), [0.1, 0.2, 0.6], None, 0.5, 1, 0.27821558),
    (values.CVaR(alpha=0.1), [0.2], None, 0.5, 1, math.log(16)),
    (values.CVaR(alpha=0.2), [0.3, 0.43, 0.44, 0.48, 0.83, 0.84], None, 0.811, 1, 2.315933),
    (values.Entropic(theta=2), [0.1, 0.2, 0.6], None, 0.4, 1, 0.22411033),
    (values.MeanCVaR(weight=0.5, alpha=0.2), [0.1, 0.2, 0.6], None, 0.4, 1, 0.64863672),
]


@pytest.mark.parametrize(("value", "atoms", "weights", "level", "high", "expected"), KNOWN, ids=str)
def test_known_numbers(value, atoms, weights, level, high, expected):
    found, _ = value_divergence(value, atoms, level, weights=weights, high=high)
    assert found == pytest.approx(expected, abs=4e-7 if len(atoms) == 6 else 6e-9)


def test_of_two_local_minima_the_smaller_one():
    k, m = value_divergence(values.MeanVariance(rho=5), [0.3, 0.9], 0.19, weights=[0.7, 0.3])
    assert (k, m) == (pytest.approx(0.133424, abs=2e-6), pytest.approx(0.366, abs=1e-3))


def test_for_the_mean_it_is_that_of_the_lower_bound():
    rng = np.random.default_rng(5)
    for _ in range(10):
        x, w = rng.uniform(size=4), rng.dirichlet(np.ones(4))
        arm = rewards.Discrete(tuple(x), tuple(w))
        expected = theory.k_inf(arm, 0.8, high=1.3)
        assert value_divergence(values.Mean(), x, 0.8, weights=w, high=1.3)[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("value", [values.MeanVariance(rho=2), values.CVaR(alpha=0.4), values.Entropic(theta=3)])
def test_no_distribution_with_the_level_is_nearer(value):
    """Random ones with the same atoms and others, each mixed with a high reward until it has the level."""
    rng, nearest = np.random.default_rng(6), []
    atoms, weights = np.array([0.1, 0.3, 0.6]), np.array([0.3, 0.5, 0.2])
    level = value.true_value(rewards.Discrete(tuple(atoms), tuple(weights))) + 0.1
    k, _ = value_divergence(value, atoms, level, weights=weights)
    for _ in range(300):
        points = np.concatenate([atoms, rng.uniform(size=2), [rng.uniform(0.4, 1.0)]])
        own = weights * np.exp(rng.uniform(0, 8) * atoms)
        q = np.append(own / own.sum() * (1 - (extra := 0.2 * rng.uniform() ** 3)), extra * rng.dirichlet(np.ones(2)))

        def mixed(share, q=q):
            return np.append((1 - share) * q, share)

        def worth(share, points=points, mixed=mixed):
            return value.true_value(rewards.Discrete(tuple(points), tuple(mixed(share))))

        least = min((share for share in np.linspace(0, 1, 101) if worth(share) >= level), default=1.0)
        there = mixed(least)[:3]
        if (there > 0).all():
            nearest.append(float(weights @ np.log(weights / there)))
    assert min(nearest) >= k - 1e-9
    assert min(nearest) < 2 * k + 0.02, "and some come near"


VALUES = [values.Mean(), values.MeanVariance(rho=1), values.CVaR(alpha=0.3), values.Entropic(theta=2)]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_the_upper_limit_is_where_the_divergence_reaches_its_bound(value):
    sample = np.random.default_rng(7).beta(2, 3, 60)
    limit = upper_limit(value, sample, alpha=0.05)
    bound = (math.log(20) + math.log(61)) / 60
    assert value_divergence(value, sample, limit)[0] == pytest.approx(bound, abs=1e-6)
    assert value.of(sample) < limit < 1


def test_limits_at_the_edges():
    assert upper_limit(values.Mean(), [], alpha=0.05) == 1
    assert upper_limit(values.Mean(), [1.0] * 50, alpha=0.05) == 1
    # one outcome: 1/40 of the nearest distribution is there, a quarter of its worst tenth, and the rest at 1
    assert upper_limit(values.CVaR(alpha=0.1), [0.5], alpha=0.05) == pytest.approx(0.875)
    assert upper_limit(values.Mean(), [0.0] * 1000, alpha=0.05) < 0.02
    many = np.random.default_rng(8).uniform(size=3000)
    rounded, few = (upper_limit(values.Mean(), each, alpha=0.05) for each in (many, np.round(many, 2)))
    assert rounded == pytest.approx(few, abs=0.01)


def test_what_is_refused():
    with pytest.raises(ParameterError, match="divergence of mean - 0.5 Gini.* is not known, only that of"):
        value_divergence(values.MeanGini(), [0.2], 0.5)
    with pytest.raises(ParameterError, match="high must be at least the largest reward, 2, got 1"):
        value_divergence(values.Mean(), [2.0], 0.5)
