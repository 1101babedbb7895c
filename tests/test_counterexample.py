"""The counter-example to Theorem 1 against slow and exact computations, and the figures that docs/theory.md states.

Comparisons with simulations, eleven in all, have a false alarm in 1.7 million each (5 standard errors) if the seeds
were not fixed.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize

from primum import Problem, policies, rewards, simulate, theory, values
from primum.errors import ParameterError
from primum.theory.counterexample import cramer_rate, first_violation, log_claimed, log_never_above, log_regret

DOCUMENT = (Path(__file__).parent.parent / "docs" / "theory.md").read_text()


def never_above(r, first, last):
    return math.exp(log_never_above(r, last, first=first)[-1])


def slow_never_above(r, first, last, grid=1000):
    """By distribution functions of sums on a fine grid, without a tilt."""
    places = np.arange(math.ceil((last * r + 1) * grid)) / grid
    law = np.ones(places.size)  # P(sum <= x, and below so far)
    for j in range(1, last + 1):
        area = np.concatenate([[0.0], np.cumsum(law[1:] + law[:-1]) / (2 * grid)])
        area[grid:] -= area[:-grid].copy()
        law = np.minimum(area, np.interp(j * r, places, area)) if j >= first else area
    return float(law[-1])


def exact_mean_below(r, n):
    """log P(mean of n uniform numbers < r) by whole numbers: the sum of Irwin and Hall."""
    top, bottom = (n * r).as_integer_ratio()
    total = sum((-1) ** k * math.comb(n, k) * (top - k * bottom) ** n for k in range(top // bottom + 1))
    return _log(total) - n * math.log(bottom) - _log(math.factorial(n))


def _log(whole):
    """The logarithm of a whole number of any size."""
    shift = max(0, whole.bit_length() - 60)
    return math.log(whole >> shift) + shift * math.log(2)


@pytest.mark.parametrize("r", [0.01, 0.1, 0.2, 0.3, 0.4, 0.49])
def test_the_rate_is_the_largest_of_its_kind(r):
    found = optimize.minimize_scalar(
        lambda x: math.log(math.expm1(x) / x) - x * r, bounds=(-2 / r, -1e-6), method="bounded", options={"xatol": 1e-9}
    )
    assert cramer_rate(r) == pytest.approx(-found.fun, rel=1e-8)


@pytest.mark.parametrize("r", [0.4, 0.35, 0.2])
def test_two_and_three_by_hand(r):
    """P(S2 < 2r) = 2 r^2; then the third must be below 3r - s, where the sum of two is s with density s."""
    split = max(0.0, 3 * r - 1)
    third = split**2 / 2 + 1.5 * r * ((2 * r) ** 2 - split**2) - ((2 * r) ** 3 - split**3) / 3
    np.testing.assert_allclose(np.exp(log_never_above(r, 3)), [2 * r * r, third], rtol=1e-6)


@pytest.mark.parametrize(("r", "first"), [(0.4, 2), (0.3, 2), (0.2, 2), (0.45, 5), (0.123, 2), (0.4, 18)])
def test_it_agrees_with_a_recursion_without_tilt(r, first):
    for last in (first, first + 1, first + 20):
        assert never_above(r, first, last) == pytest.approx(slow_never_above(r, first, last), rel=2e-4)


@pytest.mark.parametrize("r", [0.4, 0.3, 0.2])
def test_halving_the_grid_changes_nothing(r):
    np.testing.assert_allclose(log_never_above(r, 400), log_never_above(r, 400, nodes=80), atol=1e-5, rtol=0)


@pytest.mark.parametrize("r", [0.4, 0.3, 0.2])
def test_it_agrees_with_a_simulation(r):
    count = 400_000
    means = np.random.default_rng(8).random((count, 12)).cumsum(axis=1) / np.arange(1, 13)
    for n in (2, 5, 12):
        below = (means[:, 1:n] < r).all(axis=1).mean()
        expected = never_above(r, 2, n)
        assert abs(below - expected) < 5 * math.sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize("r", [Fraction(2, 5), Fraction(3, 10), Fraction(1, 5)])
def test_it_is_between_two_exact_numbers(r):
    """One of the n rotations of a sample with a mean below r is below it all along."""
    logs = log_never_above(float(r), 400)
    for n in (2, 3, 10, 100, 400):
        exact = exact_mean_below(r, n)
        assert exact - math.log(n) - 1e-6 < logs[n - 2] < exact + 1e-6


@pytest.mark.parametrize("r", [0.4, 0.3, 0.2])
def test_the_share_that_never_wins_falls_like_a_power(r):
    """exp(-I n) n^(-3/2) after n pulls, which is t^-I but for powers of log t."""
    logs = log_never_above(r, 400)[[198, 398]]
    slope = -np.diff(logs + 1.5 * np.log([200, 400])) / 200
    assert slope[0] == pytest.approx(cramer_rate(r), abs=3e-4)


def test_the_regret_that_is_at_least_there():
    log_horizon = 7
    horizon = math.floor(math.e**log_horizon)
    exact = 0.1 * (horizon - log_horizon) * slow_never_above(0.4, 2, log_horizon)
    bound = math.exp(log_regret(0.4, 10)[log_horizon - 2])
    assert exact * 0.999 < bound < exact * 1.0001
    problem = Problem({"old": rewards.Constant(0.4), "new": rewards.Uniform(0, 1)}, values.Mean())
    done = simulate(problem, [policies.BesaPlus()], horizon=horizon, replications=400, seed=1, progress=False)
    assert done.summary()["regret_mean"].iloc[0] > bound


@pytest.mark.parametrize("r", [0.4, 0.3, 0.2])
def test_what_is_claimed_is_theorem_1(r):
    steps = np.exp(np.arange(2.0, 401))
    np.testing.assert_allclose(log_claimed(r, 400), theory.Theorem1(0.5 - r, 1.0).log_bound(steps), rtol=1e-12)


@pytest.mark.parametrize("r", [Fraction(2, 5), Fraction(3, 10), Fraction(1, 5)])
def test_the_violation_of_theorem_1_needs_no_numerics(r):
    """With whole numbers and the bound by rotations, it comes after a few more steps of log T."""
    n = first_violation(float(r))
    assert (log_regret(float(r), n) > log_claimed(float(r), n)).sum() == 1
    claimed = log_claimed(float(r), n + 10)

    def surely(n):
        return math.log((0.5 - float(r)) / n) + n + math.log1p(-(n + 1) * math.exp(-n)) + exact_mean_below(r, n)

    certain = next(later for later in range(n - 5, n + 10) if surely(later) > claimed[later - 2])
    assert n <= certain <= n + 5
    row = re.search(rf"^\| {float(r)} \| (\d+) \| (\d+) \| 10\^(\d+) \|", DOCUMENT, re.MULTILINE)
    assert [int(entry) for entry in row.groups()] == [n, certain, math.floor(n / math.log(10))]


def test_there_may_be_no_violation():
    assert first_violation(0.4, last=302) is None
    assert first_violation(0.1) is None  # the rate is above 1: the bound falls with T


def test_the_rates_that_the_document_states():
    rows = re.findall(r"^\| (0\.\d) \| (0\.\d{4}) \| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) % \|", DOCUMENT, re.MULTILINE)
    assert [row[0] for row in rows] == ["0.4", "0.3", "0.2"]
    for r, rate, *shares in rows:
        assert float(rate) == pytest.approx(cramer_rate(float(r)), abs=5e-5)
        for horizon, share in zip((10**2, 10**4, 10**6), shares, strict=True):
            exact = 100 * never_above(float(r), 2, math.ceil(math.log(horizon)))
            assert float(share) == pytest.approx(exact, rel=0.005)


@pytest.mark.parametrize("floor", [1, 5])
def test_besa_plus_is_left_to_its_floor_as_often_as_computed(floor):
    """Constant 0.4 against uniform: the share of runs in which the better arm never wins a duel."""
    horizon, count = 1000, 10_000
    t = np.arange(1, horizon + 1)
    old = rewards.Constant(0.4)
    player = policies.BesaPlus(floor=floor)

    # against a worse constant, BESA+ makes only the pulls that its floor asks for
    def pulls(new, replications, steps):
        problem = Problem({"old": old, "new": new}, values.Mean())
        done = simulate(
            problem, [player], horizon=horizon, replications=replications, seed=3, steps=steps, progress=False
        )
        return done.pulls.values[0, :, :, 1]

    least = pulls(rewards.Constant(0.3), 1, t)[0]
    before = np.append(0, least[:-1])
    fewest = np.minimum(before, t - 1 - before)
    first_duel = np.flatnonzero((fewest > 0) & (fewest >= floor * np.log(t)))[0]
    ends = np.append(np.flatnonzero(np.diff(least)), horizon - 1)  # the last duel with each number of pulls
    ends = ends[ends >= first_duel]
    left = (pulls(rewards.Uniform(0, 1), count, t[ends]) == least[ends]).all(axis=1).mean()
    expected = never_above(0.4, before[first_duel], least[-1])
    assert abs(left - expected) < 5 * math.sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize("r", [0.0, 0.5, 0.7, -0.1, math.nan, math.pi / 10])
def test_other_r_are_refused(r):
    with pytest.raises(ParameterError, match="r must be in"):
        log_never_above(r, 10)
    if not 0.1 < r < 0.4:
        with pytest.raises(ParameterError, match="r must be in"):
            cramer_rate(r)


@pytest.mark.parametrize(("first", "last"), [(1, 5), (3, 2), (26, 30)])
def test_other_lengths_are_refused(first, last):
    with pytest.raises(ParameterError, match="first must be in"):
        log_never_above(0.4, last, first=first)
