"""The index of growth on made-up curves whose growth is known.

The coverage of the intervals is counted in 200 seeded simulations for each kind of curve. An interval that covers 93 %
of the time, which is what the bootstrap can do on these curves, is refused once in 7,000 if the seed were not fixed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from primum.errors import ParameterError
from primum.theory.growth import growth

STEPS = np.unique(np.geomspace(1, 10_000, 200).astype(int))
T = STEPS.astype(float)


def like_logarithm(rng, count):
    """Independent increments, one unit for each unit of log t."""
    return np.cumsum(rng.gamma(np.diff(np.log(T), prepend=0.0), 1.0, (count, T.size)), axis=1)


def like_root(rng, count):
    return rng.gamma(2.0, 1.0, (count, 1)) * np.sqrt(T) + rng.gamma(1.0, 3.0, (count, 1)) * np.log(T)


def mostly_flat(rng, count):
    """One run in twenty is stuck and grows in a line, as those of BESA+ do."""
    stuck = rng.random((count, 1)) < 0.05
    return np.where(stuck, 0.1 * T, 0.3 * rng.gamma(1.0, 1.0, (count, 1)) * np.log(T))


MEANS = {
    like_logarithm: np.log(T),
    like_root: 2 * np.sqrt(T) + 3 * np.log(T),
    mostly_flat: 0.05 * 0.1 * T + 0.95 * 0.3 * np.log(T),
}


@pytest.mark.parametrize("index", [-1.0, -0.25, 0.0, 1e-4, 0.237, 0.5, 1.0, 1.4])
@pytest.mark.parametrize("level", [-40.0, 0.0, 7.0])
def test_exact_curves_have_their_index(index, level):
    shape = np.log(T) if index == 0 else (T**index - 1) / index
    found = growth([level + 3 * shape], STEPS)
    assert found.index == pytest.approx(index, abs=1e-3)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_the_two_alternatives_are_the_nearest_of_their_kind():
    logarithm, root = growth([5 + 2 * np.log(T)], STEPS), growth([3 * np.sqrt(T)], STEPS)
    assert logarithm.logarithm == pytest.approx((5, 2))
    assert logarithm.log_error == pytest.approx(0, abs=1e-9)
    assert logarithm.power_error > 0.005
    assert root.power == pytest.approx((3, 0.5))
    assert root.power_error == pytest.approx(0, abs=1e-6)
    assert root.log_error > 0.05
    np.testing.assert_allclose(logarithm.log_curve([1, math.e**2]), [5, 9])
    np.testing.assert_allclose(root.power_curve([1, 100]), [3, 30])


def test_only_the_last_two_powers_of_ten_count():
    late = np.where(T < 100, 500.0, 500.0 + np.log(T / 100))
    assert growth([late], STEPS).index == pytest.approx(0, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("count", [30, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", MEANS)
def test_the_interval_covers_the_index_of_the_expectation(kind, count):
    truth = growth([MEANS[kind]], STEPS).index
    rng = np.random.default_rng(7)
    found = [growth(kind(rng, 100), STEPS, seed=k) for k in range(count)]
    covered = sum(one.low <= truth <= one.high for one in found)
    assert covered > stats.binom(count, 0.93).ppf(1 / 7_000)
    assert all(one.low <= one.index <= one.high for one in found)
    assert np.median([one.high - one.low for one in found]) < 0.6


def test_a_few_stuck_runs_make_the_mean_a_power():
    """The median stays a logarithm, and so would the mean without them."""
    rng = np.random.default_rng(3)
    regret = mostly_flat(rng, 4_000)
    assert growth(regret, STEPS).low > 0.8
    calm = growth(regret[regret[:, -1] < 100], STEPS)
    assert calm.index == pytest.approx(0, abs=0.01)
    assert calm.log_error < 0.01 < calm.power_error


def test_the_seed_decides_the_interval_and_nothing_else():
    regret = like_root(np.random.default_rng(1), 300)
    one, again, other = (growth(regret, STEPS, seed=seed) for seed in (5, 5, 6))
    assert one == again
    assert one != other
    assert one.index == other.index
    assert one.low == pytest.approx(other.low, abs=0.01)


def test_batches_lose_little():
    """1,000 replications are 200 batches of five; the spread of the index is that of the replications."""
    rng = np.random.default_rng(2)
    found = [growth(like_logarithm(rng, 1_000), STEPS, seed=k) for k in range(60)]
    spread = np.std([one.index for one in found], ddof=1)
    width = np.mean([one.high - one.low for one in found]) / (2 * 1.96)
    assert width == pytest.approx(spread, rel=0.4)  # 4 standard errors of a deviation from 60


def test_batches_of_unequal_size_weigh_every_replication_the_same():
    regret = like_root(np.random.default_rng(4), 207)
    assert growth(regret, STEPS).index == pytest.approx(growth([regret.mean(axis=0)], STEPS).index)


def test_no_growth_has_no_index():
    for flat in (np.zeros((5, T.size)), np.full((3, T.size), 4.0), np.where(T < 50, 1.0, 2.0)[None]):
        found = growth(flat, STEPS)
        assert math.isnan(found.index)
        assert math.isnan(found.low)
        assert math.isnan(found.high)
        np.testing.assert_array_equal(found.log_curve(T), flat[0, -1])
        np.testing.assert_array_equal(found.power_curve(T), flat[0, -1])


def test_replications_that_are_all_alike_have_no_interval():
    found = growth(np.tile(np.sqrt(T), (500, 1)), STEPS)
    assert found.index == pytest.approx(0.5, abs=1e-3)
    assert math.isnan(found.low)


def test_growth_in_few_replications_only():
    """Resamples without the one that grows are flat; they are the lowest index there is."""
    regret = np.zeros((200, T.size))
    regret[0] = T
    found = growth(regret, STEPS)
    assert found.index == pytest.approx(1, abs=1e-3)
    assert found.low < -2.9
    assert found.high == pytest.approx(1, abs=0.01)


def test_whole_numbers_and_narrow_floats_are_fine():
    assert growth(np.arange(1, 1001)[None], np.arange(1, 1001)).index == pytest.approx(1, abs=1e-3)
    assert growth(np.sqrt(T)[None].astype(np.float32), STEPS).index == pytest.approx(0.5, abs=1e-3)


def test_what_cannot_be_fitted_is_told():
    rising = np.tile(np.sqrt(T), (3, 1))
    with pytest.raises(ParameterError, match=r"regret cannot fall, but its mean falls from .* at step 1\d\d to"):
        growth(-rising, STEPS)
    with pytest.raises(ParameterError, match=r"table of at least one replication by 9 steps, got one of .* \(3, "):
        growth(rising, STEPS[:9])
    with pytest.raises(ParameterError, match="table of at least one replication"):
        growth(rising[:0], STEPS)
    with pytest.raises(ParameterError, match="needs the regret at 5 steps or more in the last 2 powers of ten.* got 3"):
        growth(rising[:, :4], [1, 100, 1000, 10_000])
    with pytest.raises(ParameterError, match="got 0"):
        growth(np.zeros((3, 0)), [])
    for steps in (STEPS[::-1], STEPS - 1, np.where(STEPS == 10_000, math.inf, T), np.where(STEPS == 1, math.nan, T)):
        with pytest.raises(ParameterError, match="steps must be finite numbers of at least 1 that rise"):
            growth(rising, steps)
    rising[1, -1] = math.nan
    with pytest.raises(ParameterError, match="regret must be finite"):
        growth(rising, STEPS)


def test_more_replications_make_the_interval_narrower():
    regret = mostly_flat(np.random.default_rng(0), 20_000)
    few, many = growth(regret[:500], STEPS), growth(regret, STEPS)
    assert many.high - many.low < 0.5 * (few.high - few.low)
