"""The beta distribution against SciPy's and quadrature, extreme shapes included."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import betaincinv

from primum.errors import ParameterError
from primum.rewards import Beta

SHAPES = [(2, 3), (1, 1), (0.5, 0.5), (0.1, 0.1), (0.3, 4), (500, 3), (3, 1e5), (1e6, 1e6)]
shapes = pytest.mark.parametrize(("a", "b"), SHAPES)


@shapes
def test_closed_forms(a, b):
    arm, twin = Beta(a, b), stats.beta(a, b)
    assert arm.mean == pytest.approx(twin.mean(), rel=1e-12)
    assert arm.variance == pytest.approx(twin.var(), rel=1e-12)
    x = np.concatenate([[-0.1, 1.1], twin.ppf(np.linspace(0.001, 0.999, 50))])
    np.testing.assert_allclose(arm.cdf(x), twin.cdf(x), atol=1e-11)
    np.testing.assert_allclose(arm.density(x), twin.pdf(x), rtol=1e-7)
    assert arm.expectation(lambda x: x) == pytest.approx(arm.mean, rel=1e-9)
    assert arm.expectation(lambda x: (x - arm.mean) ** 2) == pytest.approx(arm.variance, rel=1e-8)


@shapes
@pytest.mark.parametrize("level", [1e-6, 0.05, 0.5, 0.99, 1.0])
def test_lower_integral(a, b, level):
    expected = quad(lambda u: betaincinv(a, b, u), 0, level, epsabs=1e-15, epsrel=1e-11, limit=500)[0]
    assert Beta(a, b).lower_integral(level) == pytest.approx(expected, rel=1e-8, abs=1e-15)


@shapes
def test_quantile(a, b):
    arm = Beta(a, b)
    u = np.random.default_rng(1).random(2000)
    x, expected = arm.quantile(u), betaincinv(a, b, u)
    # SciPy's distribution function has errors of 4e-12 at (3, 1e5)
    error = np.abs(x - expected) * np.minimum(arm.density(expected), 1e15)
    assert (error <= 2e-11 + 4 * np.spacing(x) * np.minimum(arm.density(expected), 1e15)).all()


def test_density_at_the_ends():
    assert Beta(0.5, 0.5).density([0, 1]).tolist() == [np.inf, np.inf]
    assert Beta(1, 1).density([0, 0.3, 1]).tolist() == pytest.approx([1, 1, 1], abs=1e-14)
    assert Beta(2, 2).density([0, 1]).tolist() == [0, 0]


def test_bounds():
    with pytest.raises(ParameterError, match=r"beta: a must be in \[0.01, 1e\+06\], got 0"):
        Beta(0, 1)
