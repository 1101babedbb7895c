"""The burn-in, and permuted blocks of random sizes in general: their distribution, and what can be foretold of them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from primum import policies, rewards, trials
from primum.errors import ParameterError
from primum.kernels.blocks import MOST_ROUNDS, block_continued, block_shares, next_round
from primum.trials.simulation import burn_in, running
from primum.trials.simulation.probabilities import given_all_before
from tests.oracle import blocks


def design_of(arms=2, **options):
    names = [f"arm {k}" for k in range(arms)]
    return trials.Design(**{"arms": names, "patients": 40, "policy": "uniform-random", "analysis": "welch-t"} | options)


def planned(design, replications, seed=1):
    numbers = np.arange(replications)
    return burn_in.plan(design, seed, numbers, np.zeros_like(numbers))[0][:, : design.forced]


def orders(in_round, sizes, length):
    """The probability of each order of the first patients: sizes are drawn, then each order of a block is as likely."""
    found = defaultdict(Fraction)

    def go_on(path, chance):
        if len(path) >= length:
            found[path[:length]] += chance
            return
        for size in sizes:
            block = [k for k, count in enumerate(in_round) for _ in range(count * size)]
            different = set(itertools.permutations(block))
            for order in different:
                go_on(path + order, chance / len(sizes) / len(different))

    go_on((), Fraction(1))
    return found


def by_kernels(in_round, sizes, path):
    """The probability of a path as the kernels have it, in plain Python."""
    ends, shares = np.array([1.0, *[0.0] * (MOST_ROUNDS - 1)]), np.empty(len(in_round))
    assigned, chance = np.zeros(len(in_round), int), 1.0
    for t, arm in enumerate(path):
        if t % sum(in_round) == 0:
            next_round(ends, sizes, MOST_ROUNDS)
        place = in_round, t // sum(in_round) + 1, assigned, len(in_round)
        block_shares(ends, *place, shares)
        chance *= shares[arm]
        if chance == 0:
            return 0.0
        block_continued(ends, *place, arm)
        assigned[arm] += 1
    return chance


@pytest.mark.parametrize(("in_round", "length"), [((1, 1), 7), ((2, 1), 5), ((1, 1, 1), 4)], ids=str)
def test_arms_have_the_distribution_of_blocks_whose_sizes_are_drawn(in_round, length):
    sizes = blocks.SIZES if sum(in_round) < 3 else (1, 2)
    expected = orders(in_round, sizes, length)
    for path in itertools.product(range(len(in_round)), repeat=length):
        assert by_kernels(np.array(in_round), len(sizes), path) == pytest.approx(float(expected[path]), abs=1e-14)
        twin = Fraction(1)
        for t, arm in enumerate(path):
            twin *= blocks.chances(in_round, path[:t], sizes)[arm]
            if not twin:
                break
        assert twin == expected[path]


@given(arms=st.integers(2, 4), each=st.integers(1, 7), patients=st.integers(1, 24), seed=st.integers(0, 2**63))
@settings(max_examples=30)
def test_probabilities_of_the_burn_in_are_those_of_all_sizes_that_may_have_been_drawn(arms, each, patients, seed):
    design = design_of(arms, burn_in=each, patients=patients)
    for path, found in zip(*(lambda plan: (plan.tolist(), burn_in.chances(design, plan)))(planned(design, 3, seed))):
        rounds = -(-design.forced // arms)
        for t in range(design.forced):
            expected = blocks.chances([1] * arms, path[:t], rounds=rounds)
            np.testing.assert_allclose(found[t], np.array(expected, float), rtol=0, atol=1e-12)
            assert ((found[t] == 0) == [chance == 0 for chance in expected]).all()


@given(arms=st.integers(2, 5), each=st.integers(1, 12), seed=st.integers(0, 2**63))
@settings(max_examples=30)
def test_a_burn_in_is_balanced_at_its_end_and_nearly_so_before(arms, each, seed):
    plan = planned(design_of(arms, burn_in=each, patients=arms * each), 20, seed)
    counts = np.cumsum(plan[:, :, None] == np.arange(arms), axis=1)
    assert (counts[:, -1] == each).all()
    assert (np.ptp(counts, axis=2) <= MOST_ROUNDS).all()


def test_orders_of_a_burn_in_come_up_as_often_as_they_should():
    """6,000 trials of 3 patients on each of two arms: a chi-squared test at level 1e-6."""
    found = [tuple(path) for path in planned(design_of(burn_in=3), 6000).tolist()]
    possible = set(itertools.permutations((0, 0, 0, 1, 1, 1)))
    assert set(found) == possible
    expected = [np.prod([float(blocks.chances([1, 1], p[:t], rounds=3)[p[t]]) for t in range(6)]) for p in possible]
    assert sum(expected) == pytest.approx(1)
    assert stats.chisquare([found.count(path) for path in possible], 6000 * np.array(expected)).pvalue > 1e-6


def determined(chances):
    return ((chances > 0).sum(axis=-1) == 1).mean()


def test_who_knows_the_allocations_before_is_hardly_ever_certain_of_the_next():
    """The burn-in of 20 patients on each of two arms, in 4,000 trials, within 5 standard errors: a false alarm in 2e6.

    Over very many blocks the part is 1/24; the last block, cut to what is left, adds to it.
    """
    design = design_of(burn_in=20)
    chances = burn_in.chances(design, planned(design, 4000))
    parts = ((chances > 0).sum(axis=2) == 1).mean(axis=1)
    assert abs(parts.mean() - 0.0667) < 5 * parts.std() / np.sqrt(4000)
    guessed = chances.max(axis=2).mean(axis=1)
    assert abs(guessed.mean() - 0.7045) < 5 * guessed.std() / np.sqrt(4000)


def test_what_is_determined_of_a_short_burn_in_exactly():
    """Among the first 6 patients: with blocks of two it is half of them."""
    design = design_of(burn_in=3)
    paths = sorted(set(itertools.permutations((0, 0, 0, 1, 1, 1))))
    chances = burn_in.chances(design, np.array(paths, np.int16))
    weights = np.take_along_axis(chances, np.array(paths)[:, :, None], axis=2).prod(axis=(1, 2))
    parts = ((chances > 0).sum(axis=2) == 1).mean(axis=1)
    assert weights.sum() == pytest.approx(1)
    assert (weights * parts).sum() == pytest.approx(67 / 324)


@pytest.mark.parametrize(("block", "part"), [(2, 1 / 2), (4, 1 / 3), (0, 1 / 24)])
def test_what_earlier_allocations_determine_under_permuted_blocks(block, part):
    """10 trials of 1,000 patients: an error of 0.02 is 6 standard errors, so a false alarm in 5e8. An arm that is
    possible has a probability of 0.07 or more, and none of 200 repetitions shows it in 1 of 2e6 decisions."""
    design = design_of(policy=policies.PermutedBlocks(block=block), patients=1000)
    scenario = trials.Scenario([rewards.Bernoulli(0.5)] * 2)
    trial = running.run(design, scenario, 3, range(10), repetitions=200)
    assert determined(given_all_before(trial)) == pytest.approx(part, abs=0.02)


def test_allocations_that_no_burn_in_has_are_refused():
    with pytest.raises(ParameterError, match="allocations are not those of a burn-in"):
        burn_in.chances(design_of(burn_in=2), np.array([[0, 0, 0, 1]], np.int16))


def test_patients_who_were_not_enrolled_have_no_probabilities():
    found = burn_in.chances(design_of(burn_in=2), np.array([[0, 0, -1, -1]], np.int16))
    assert found[0, :2].tolist() == [[0.5, 0.5], [pytest.approx(2 / 9), pytest.approx(7 / 9)]]
    assert np.isnan(found[0, 2:]).all()
