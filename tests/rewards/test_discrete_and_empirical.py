"""Distributions given by their rewards."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from primum import Problem, simulate
from primum.errors import ParameterError
from primum.plugins import registry
from primum.rewards import Discrete, Empirical, Mixture


def test_discrete_is_sorted_and_merged():
    arm = Discrete([1, 0, 0.5, 1, 7], [0.2, 0.3, 0.4, 0.1, 0])
    assert arm == Discrete([0, 0.5, 1], [0.3, 0.4, 0.2 + 0.1])
    assert arm.support == (0, 1)
    assert arm.mean == pytest.approx(0.5, abs=1e-15)
    assert arm.variance == pytest.approx(0.15, abs=1e-15)
    assert arm.quantile(np.array([0.3, 0.31, 0.7, 0.71])).tolist() == [0, 0.5, 0.5, 1]
    assert arm.cdf([-1, 0, 0.6, 1]) == pytest.approx([0, 0.3, 0.7, 1], abs=1e-15)
    assert arm.lower_integral(0.5) == pytest.approx(0.1, abs=1e-15)
    thirds = Discrete([1, 2, 3], [0.3333333333, 0.3333333333, 0.3333333333])  # not quite 1, as people write it
    assert thirds.atoms[1].sum() == pytest.approx(1, abs=1e-15)
    assert thirds.mean == pytest.approx(2, abs=1e-15)


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.integers(1, 50)), min_size=1, max_size=15))
def test_a_discrete_distribution_is_that_of_the_data_it_counts(pairs):
    total = sum(count for _, count in pairs)
    arm = Discrete([x for x, _ in pairs], [count / total for _, count in pairs])
    data = Empirical([x for x, count in pairs for _ in range(count)])
    assert arm.mean == pytest.approx(data.mean, abs=1e-9)
    assert arm.mean == pytest.approx(np.mean(data.data), abs=1e-9)
    assert arm.variance == pytest.approx(np.var(data.data), abs=1e-6)
    assert data.variance == pytest.approx(np.var(data.data), abs=1e-6)
    for level in (0.1, 0.5, 1.0):
        worst = np.interp(level * total, np.arange(total + 1), np.append(0, np.cumsum(data.data))) / total
        assert arm.lower_integral(level) == pytest.approx(worst, abs=1e-9)
        assert data.lower_integral(level) == pytest.approx(worst, abs=1e-9)
    middles = (np.arange(total) + 0.5) / total
    assert data.quantile(middles).tolist() == list(data.data)
    np.testing.assert_array_equal(arm.quantile(middles), data.quantile(middles))
    for twin in (arm, data):
        assert registry.build("rewards", twin.spec()) == twin
        assert pickle.loads(pickle.dumps(twin)) == twin


@pytest.mark.parametrize("n", [1, 3, 7, 49, 137, 1000])
def test_quantile_of_data_inverts_its_cdf(n):
    arm = Empirical(np.arange(n))
    u = np.arange(1, n) / n
    assert arm.quantile(arm.cdf(np.arange(n - 1))).tolist() == list(range(n - 1))  # to the last digit
    assert arm.quantile(np.nextafter(u, 1) + 1e-14).tolist() == list(range(1, n))
    assert arm.quantile(np.array([2.0**-53, 1 - 2.0**-53])).tolist() == [0, n - 1]


def test_order_makes_no_difference():
    assert Empirical([3, 1, 2]) == Empirical(np.array([1, 2, 3]))
    assert hash(Empirical([3, 1, 2])) == hash(Empirical([1, 2, 3]))


def test_long_data_have_a_short_label_and_a_whole_spec():
    arm = Empirical(np.arange(137) / 137)
    assert arm.label == repr(arm) == f"empirical(data=[0, {1 / 137}, {2 / 137}, ... 134 more])"
    assert registry.build("rewards", json.loads(json.dumps(arm.spec()))) == arm
    with pytest.raises(ParameterError, match="this list was abbreviated for display; write it in full, or give a spec"):
        registry.build("rewards", arm.label)
    assert registry.build("rewards", Empirical(np.arange(12)).label) == Empirical(np.arange(12))
    assert "... 134 more" in Mixture([arm]).label


def test_a_hundred_thousand_observations(tmp_path):
    data = np.random.default_rng(1).normal(size=100_000)
    arm, u = Empirical(data), np.random.default_rng(2).random(1_000_000)
    assert abs(arm.quantile(u).mean() - data.mean()) < 5 * data.std() / 1000
    assert (arm.mean, arm.variance) == pytest.approx((data.mean(), data.var()), abs=1e-12)
    assert pickle.loads(pickle.dumps(arm)) == arm
    results = simulate(Problem({"a": arm}, "mean"), ["besa"], horizon=5, replications=1, seed=1, progress=False)
    results.save(tmp_path / "run.nc")
    assert type(results).load(tmp_path / "run.nc").problem.arms["a"] == arm


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Discrete([], []), "discrete: values must have at least one number, got none"),
        (lambda: Discrete([1, 2], [1]), "discrete: probabilities must be as many as values (2), got 1"),
        (lambda: Discrete([1, 2], [0.5, 0.6]), "discrete: probabilities must add up to 1, got 1.1"),
        (lambda: Discrete([1, 2], [1.5, -0.5]), "discrete: probabilities[0] must be in [0, 1], got 1.5"),
        (lambda: Discrete([1, None], [0.5, 0.5]), "discrete: values[1] must be a finite number, got None"),
        (lambda: Empirical([]), "empirical: data must have at least one number, got none"),
        (lambda: Empirical([1, float("nan")]), "empirical: data[1] must be a finite number, got nan"),
        (lambda: Empirical("abc"), "empirical: data must be a list, each a finite number, got 'abc'"),
    ],
)
def test_bad_parameters_get_a_sentence(make, sentence):
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == sentence
