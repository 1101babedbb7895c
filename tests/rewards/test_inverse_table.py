"""The table of inverses on distribution functions that can be inverted by hand."""

import numpy as np
import pytest

from primum.rewards import ContinuousDistribution
from primum.rewards.inverse_table import InverseTable


class _Power(ContinuousDistribution):
    """u = x^k: for k < 1 the density is infinite at 0, for k > 1 it is nil there and the inverse is steep."""

    support = (0.0, 1.0)
    k = 1.0

    def cdf(self, x):
        return np.asarray(x) ** self.k

    def density(self, x):
        with np.errstate(divide="ignore"):
            return self.k * np.asarray(x) ** (self.k - 1)


@pytest.mark.parametrize("k", [0.25, 0.5, 1.0, 2.0, 5.0, 20.0])
def test_powers(k):
    power = type("_Power", (_Power,), {"k": k})()
    table = InverseTable(power)
    u = np.concatenate([10.0 ** -np.arange(1, 15), np.random.default_rng(1).random(50_000)])
    x = table(u)
    assert np.abs(x**k - u).max() <= 1e-12
    plain = u > 0.01
    np.testing.assert_allclose(x[plain], u[plain] ** (1 / k), atol=1e-10)
    assert (np.diff(table(np.sort(u))) >= -np.spacing(1.0)).all()


def test_a_gap_of_probability_zero():
    class _Gap(ContinuousDistribution):
        support = (0.0, 3.0)

        def cdf(self, x):
            return np.clip(x, 0, 1) / 2 + np.clip(np.asarray(x) - 2, 0, 1) / 2

        def density(self, x):
            return np.where((np.asarray(x) <= 1) | (np.asarray(x) >= 2), 0.5, 0.0)

    u = np.random.default_rng(2).random(10_000)
    np.testing.assert_allclose(InverseTable(_Gap())(u), np.where(u < 0.5, 2 * u, 1 + 2 * u), atol=1e-11)


def test_a_distribution_function_with_errors_gives_a_bounded_table():
    class _Rough(ContinuousDistribution):
        support = (0.0, 1.0)

        def cdf(self, x):
            x = np.asarray(x)
            return np.clip(x + 1e-7 * np.sin(1e9 * x), 0, 1)

        def density(self, x):
            return np.ones_like(np.asarray(x, float))

    table = InverseTable(_Rough())
    assert table._children.size <= 1 << 17
    u = np.sort(np.random.default_rng(3).random(10_000))
    x = table(u)
    assert np.abs(x - u).max() < 1e-6
    assert (np.diff(x) >= -np.spacing(1.0)).all()


def test_shapes():
    table = InverseTable(_Power())
    assert table(0.5).shape == ()
    assert table(np.empty((0, 3))).shape == (0, 3)
    u = np.random.default_rng(4).random((40, 1000))
    np.testing.assert_array_equal(table(u.T), table(u).T)
