"""What an author gets for a quantile function and a support alone, against the closed forms of the built-ins."""

import math

import numpy as np
import pytest

from primum import rewards
from primum.errors import ParameterError


def twin_of(arm):
    """An arm with the same quantile function, and nothing else."""

    class _Twin(rewards.RewardDistribution):
        support = arm.support

        def quantile(self, u):
            assert ((u > 0) & (u < 1)).all()
            return arm.quantile(u)

    return _Twin()


SMOOTH = [
    rewards.Uniform(-1, 3),
    rewards.TruncatedNormal(0.3, 0.2),
    rewards.TruncatedNormal(-2, 0.1),
    rewards.paper_mixture(arms=1, seed=9)["arm 1"],
]
JUMPS = [
    rewards.Bernoulli(0.3),
    rewards.Bernoulli(1),
    rewards.Constant(0.4),
    rewards.TruncatedNormalMixture([0.2, 0.7], [0.01, 0.02]),
]


@pytest.mark.parametrize("arm", SMOOTH + JUMPS, ids=str)
def test_defaults_agree_with_closed_forms(arm):
    twin = twin_of(arm)
    assert twin.atoms is None
    assert twin.mean == pytest.approx(arm.mean, abs=1e-11)
    assert twin.variance == pytest.approx(arm.variance, abs=1e-11)
    for level in (1e-6, 0.01, 0.37, 1.0):
        assert twin.lower_integral(level) / level == pytest.approx(arm.lower_integral(level) / level, abs=1e-8)
    kink = 0.37
    assert twin.expectation(lambda x: np.maximum(kink - x, 0)) == pytest.approx(
        arm.expectation(lambda x: max(kink - x, 0.0)), abs=1e-11
    )
    low, high = arm.support
    x = np.linspace(low - 0.1, high + 0.1, 77)
    np.testing.assert_allclose(twin.cdf(x), arm.cdf(x), atol=1e-11)
    assert twin.cdf(high) == 1


@pytest.mark.parametrize("arm", SMOOTH, ids=str)
def test_default_density(arm):
    low, high = arm.support
    x = np.linspace(low, high, 41)[1:-1]
    scale = arm.density(x).max()
    np.testing.assert_allclose(twin_of(arm).density(x), arm.density(x), atol=2e-6 * scale)
    assert twin_of(arm).density(np.array([low - 1, high + 1])).tolist() == [0, 0]


def test_expectation_takes_functions_of_numbers_or_arrays():
    arm = rewards.Uniform(0, 2)
    expected = (math.exp(2) - 1) / 2
    for function in (np.exp, math.exp, lambda x: math.exp(x) if x > 0 else 1.0):
        assert arm.expectation(function) == pytest.approx(expected, abs=1e-11)
    assert arm.expectation(lambda x: 3.0) == pytest.approx(3)
    assert arm.expectation(lambda x: x > 0.5) == pytest.approx(0.75, abs=1e-11)
    assert arm.expectation(lambda x: x < 2e-8) == pytest.approx(1e-8, rel=1e-4)
    for jump in np.random.default_rng(1).random(50):  # wherever it is, even next to the edge of a panel
        for edge in (jump, jump / 1000, 0.25 + jump / 1000):
            assert arm.expectation(lambda x, edge=edge: x < 2 * edge) == pytest.approx(edge, abs=1e-11)
    assert rewards.Constant(2.0).expectation(math.exp) == math.exp(2)
    with pytest.raises(ZeroDivisionError):
        arm.expectation(lambda x: 1 / 0)


def test_infinite_support():
    class _Exponential(rewards.RewardDistribution):
        support = (0.0, math.inf)

        def quantile(self, u):
            return -np.log1p(-u)

    arm = _Exponential()
    assert (arm.mean, arm.variance) == pytest.approx((1, 1), abs=1e-9)
    assert arm.cdf([0.5, 3]) == pytest.approx(1 - np.exp([-0.5, -3]), abs=1e-12)
    assert arm.density([0.5, 3]) == pytest.approx(np.exp([-0.5, -3]), abs=1e-5)


def test_a_discrete_distribution_needs_atoms_alone():
    class _Die(rewards.DiscreteDistribution):
        atoms = np.arange(1.0, 7.0), np.full(6, 1 / 6)

    die = _Die()
    assert die.support == (1, 6)
    assert (die.mean, die.variance) == pytest.approx((3.5, 35 / 12))
    assert die.quantile(np.array([1e-9, 0.5, 0.51, 1 - 2.0**-53])).tolist() == [1, 3, 4, 6]
    assert die.cdf([0, 1, 3.5, 7]) == pytest.approx([0, 1 / 6, 1 / 2, 1])
    assert die.lower_integral(0.25) == pytest.approx(1 / 6 + 2 / 12)


def test_probabilities_whose_sum_is_rounded_to_less_than_one():
    class _Many(rewards.DiscreteDistribution):
        atoms = np.arange(7.0), np.full(7, 1 / 7)

    assert np.cumsum(_Many.atoms[1])[-1] < 1 - 2.0**-53
    assert _Many().quantile(1 - 2.0**-53) == 6


def test_missing_parts_get_a_sentence():
    class _Nothing(rewards.RewardDistribution):
        pass

    class _NoAtoms(rewards.DiscreteDistribution):
        pass

    class _NoCdf(rewards.ContinuousDistribution):
        support = (0.0, 1.0)

    for ask, sentence in [
        (lambda: _Nothing().mean, "_Nothing has no `quantile(u)`: a reward distribution needs one"),
        (lambda: _Nothing().support, "_Nothing has no `support`: a reward distribution needs (low, high)"),
        (lambda: _NoAtoms().mean, "_NoAtoms has no `atoms`: a discrete distribution needs them"),
        (lambda: _NoCdf().mean, "_NoCdf has no `cdf(x)`: a continuous distribution needs one"),
        (lambda: _NoCdf().density(0.5), "_NoCdf has no `density(x)`: a continuous distribution needs one"),
    ]:
        with pytest.raises(ParameterError) as caught:
            ask()
        assert str(caught.value) == sentence
