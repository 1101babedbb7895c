"""The allocation rules of trials: published numbers, definitions, and frequencies of decisions of native code.

The tests that draw random numbers have fixed seeds; each says how often it would fail with others.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import primum
from primum import policies, rewards, values
from primum.errors import ParameterError
from primum.kernels import engine
from primum.kernels.choosing import restrict
from primum.kernels.contract import WORDS, Histories
from primum.kernels.native import compiling
from primum.kernels.posteriors import RESULT, probability_best
from primum.policies.counts import Counts
from primum.policies.posterior_best import KNOWN
from tests.oracle.allocation_policies import PROBABILITIES, restricted
from tests.problems import POLICIES

RULES = [policy for policy in POLICIES if policy.name in PROBABILITIES]
HORIZON = 200
COIN = policies.DoublyAdaptiveBiasedCoin

# five arms, of the tests of an R package
SUCCESSES, OUTCOMES = (20, 23, 18, 25, 27), (54, 65, 72, 60, 80)
TARGETS = [0.2076180, 0.2029166, 0.1717949, 0.2195535, 0.1981169]
HU_ZHANG = [0.3014955, 0.1942672, 0.0960814, 0.2887962, 0.1193597]


def state(policy, samples, assigned):
    """A native history with these outcomes and decisions."""
    histories = Histories(1, len(samples), 100, HORIZON, values.Mean(), policy)
    compiling.connect(histories)
    histories.begin(7, [0])
    for arm, sample in enumerate(samples):
        for i, outcome in enumerate(sample):
            histories.arrays["rewards"][0, arm, i] = outcome
            compiling.compiled(engine.tell)(histories.words, arm)
    return histories, np.array(assigned)


def decisions(policy, samples, assigned, count):
    """How often each arm is chosen, and the probabilities that were left in history.scores."""
    (histories, assigned), ask = state(policy, samples, assigned), compiling.compiled(engine.ask)
    chosen = np.zeros(len(samples), int)
    for replication in range(count):
        histories.words[0, WORDS["replication"]] = replication
        histories.words[0, WORDS["step"]] = assigned.sum() + 1
        histories.arrays["assigned"][0] = assigned
        chosen[ask(histories.words)] += 1
    histories.check([str(arm) for arm in range(len(samples))])
    return chosen, histories.arrays["scores"][0]


def probabilities(policy, samples, assigned):
    parameters = {name: value for name, value in policy.spec().items() if name != "name"}
    return np.array(PROBABILITIES[policy.name](samples, assigned, HORIZON, **parameters))


@pytest.mark.parametrize("policy", RULES, ids=str)
def test_decisions_have_the_probabilities_of_the_definition(policy):
    """On random states with late and fractional outcomes. 8 chi-squared tests for each of 13 policies at level 1e-7: a
    false alarm in 1e-5 of all seeds."""
    rng = np.random.default_rng(5)
    for number in range(8):
        arms = 2 + number % 4
        pulls = rng.integers(0, 40, arms) if number else np.zeros(arms, int)
        assigned = pulls + rng.integers(0, 4, arms) * (number % 2)
        samples = [rng.random(n) if number == 5 else rng.integers(0, 2, n).astype(float) for n in pulls]
        expected = probabilities(policy, samples, assigned.tolist())
        chosen, scores = decisions(policy, samples, assigned, 3000)
        if policy != policies.UniformRandom():
            np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-9)
        possible = expected > 1e-9
        assert chosen[~possible].sum() == 0
        if possible.sum() > 1:
            expected = expected[possible] / expected[possible].sum() * 3000
            assert stats.chisquare(chosen[possible], expected).pvalue > 1e-7


def test_rsihr_of_five_arms_as_an_r_package_has_it():
    """RARtrials 0.0.1, dabcd_min_var: its dabcd=TRUE gives the targets and dabcd=FALSE, the default, the probabilities
    of Hu and Zhang. The documentation says the reverse, and so do lists of these numbers."""
    samples = [[1.0] * s + [0.0] * (n - s) for s, n in zip(SUCCESSES, OUTCOMES, strict=True)]
    for gamma, expected in ((0.0, TARGETS), (2.0, HU_ZHANG)):
        np.testing.assert_allclose(decisions(COIN(gamma=gamma), samples, OUTCOMES, 1)[1], expected, rtol=0, atol=5e-8)
    p = (np.array(SUCCESSES) + 1) / (np.array(OUTCOMES) + 2)
    np.testing.assert_allclose(np.sqrt(p) / np.sqrt(p).sum(), TARGETS, rtol=0, atol=5e-8)


def test_a_biased_coin_keeps_to_its_target():
    """Allocation of 4,000 patients in 20 replications, against the target at the true probabilities. The standard error
    of a mean share is below 0.002, so 0.02 is 10 of them, bias included."""
    arms = {"a": rewards.Bernoulli(0.2), "b": rewards.Bernoulli(0.5), "c": rewards.Bernoulli(0.8)}
    p = np.array([0.2, 0.5, 0.8])
    targets = {"rsihr": np.sqrt(p), "neyman": np.sqrt(p * (1 - p)), "urn": 1 / (1 - p)}
    players = [COIN(target=target) for target in targets]
    results = primum.simulate(
        primum.Problem(arms, "mean"), players, horizon=4000, replications=20, seed=2, threads=1, progress=False
    )
    shares = results.pulls.values[:, :, -1].mean(axis=1) / 4000
    expected = np.array([target / target.sum() for target in targets.values()])
    np.testing.assert_allclose(shares, expected, rtol=0, atol=0.02)


def test_a_power_that_would_overflow():
    samples = [[1.0] * 50, [0.0] * 50]
    np.testing.assert_array_equal(decisions(COIN(gamma=1e6), samples, [50, 50], 1)[1], [1.0, 0.0])
    table = COIN(gamma=1e6).chances(Counts((50, 50), (50, 50), HORIZON, values.Mean()))
    np.testing.assert_array_equal(table[[50, 0], [0, 50]], [0.0, 1.0])


@pytest.mark.parametrize(("block", "ratio", "size"), [(4, (), 6), (6, (2, 1, 3), 6), (5, (2,), 8)])
def test_every_block_has_the_ratio_and_every_order_is_equally_likely(block, ratio, size):
    """Orders of the first block in 6,000 replications: a chi-squared test at level 1e-6."""
    arms = {name: rewards.Bernoulli(0.5) for name in "abc"}
    policy = policies.PermutedBlocks(block=block, ratio=ratio)
    results = primum.simulate(
        primum.Problem(arms, "mean"), [policy], horizon=2 * size, replications=6000, seed=3, steps="all",
        threads=1, progress=False,
    )  # fmt: skip
    pulls = results.pulls.values[0]
    places = np.array([*ratio, 1, 1, 1][:3]) * size // sum([*ratio, 1, 1, 1][:3])
    for blocks in (1, 2):
        assert (pulls[:, blocks * size - 1] == blocks * places).all()
    orders = [tuple(order) for order in np.diff(pulls[:, :size], axis=1, prepend=0).argmax(axis=2)]
    possible = set(itertools.permutations(np.repeat(range(3), places).tolist()))
    counts = [orders.count(order) for order in possible]
    assert sum(counts) == 6000
    assert stats.chisquare(counts).pvalue > 1e-6


def test_blocks_after_decisions_of_another_rule_catch_up():
    """Of 7 patients all had the first arm: it has no places left until the others have caught up."""
    policy, assigned = policies.PermutedBlocks(block=4), [7, 0]
    for expected in (1, 1, 1, 1, 1):
        chosen, _ = decisions(policy, [[], []], assigned, 50)
        assert chosen[expected] == 50
        assigned[expected] += 1
    assert decisions(policy, [[], []], [8, 8], 1)[1].tolist() == [0.5, 0.5]


def test_a_ratio_for_more_arms_than_there_are_is_refused():
    arms = primum.Problem({"a": rewards.Constant(0.5), "b": rewards.Constant(0.5)}, "mean")
    sentence = "uniform-random: weights has 3 numbers, one for each arm, and there are 2 arms"
    with pytest.raises(ParameterError, match=sentence):
        primum.simulate(arms, ["uniform-random(weights=[1, 2, 3])"], horizon=5, replications=1, progress=False)
    with pytest.raises(ParameterError, match="permuted-blocks: ratio has 3 numbers"):
        primum.Player("permuted-blocks(ratio=[1, 2, 3])", "mean", ["a", "b"])
    with pytest.raises(ParameterError, match="least must be at most largest, got 0.6 and 0.5"):
        policies.PosteriorBest(least=0.6, largest=0.5)
    with pytest.raises(ParameterError, match="needs to know the horizon"):
        primum.Player("posterior-best(schedule='thall-wathen')", "mean", ["a", "b"])


def test_without_weights_the_random_numbers_are_those_of_before():
    arms = primum.Problem({name: rewards.Bernoulli(0.5) for name in "abc"}, "mean")
    results = primum.simulate(arms, ["uniform-random"], horizon=30, replications=2, seed=4, progress=False)
    assert results.pulls.values[0, :, -1].tolist() == [[17, 6, 7], [16, 11, 3]]


SHARES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1e-300, 1.0]), min_size=1, max_size=8)


@given(shares=SHARES, bounds=st.tuples(st.floats(0, 0.5), st.floats(0.05, 1)), total=st.sampled_from([1.0, 0.7, 0.25]))
def test_restricted_shares(shares, bounds, total):
    least, largest = min(bounds), max(bounds)
    found = np.array([9.0, *shares, 9.0])
    restrict(found, 1, len(shares) + 1, total, least, largest)
    assert found[0] == found[-1] == 9
    inner = found[1:-1].copy()
    assert math.fsum(inner) == pytest.approx(total, abs=1e-12)
    if least * len(shares) < total < largest * len(shares):
        assert inner.min() >= least
        assert inner.max() <= largest * (1 + 1e-15)
        np.testing.assert_allclose(
            inner, restricted([max(x, 1e-300) for x in shares], total, least, largest), atol=1e-9
        )
        free = (inner > least * (1 + 1e-9)) & (inner < largest * (1 - 1e-9)) & (np.array(shares) > 1e-200)
        ratios = inner[free] / np.array(shares)[free]
        assert np.allclose(ratios, ratios[0] if ratios.size else 1.0, rtol=1e-9)
    else:
        assert np.ptp(inner) == 0
    again = inner.copy()
    restrict(again, 0, len(shares), total, least, largest)
    np.testing.assert_allclose(again, inner, rtol=0, atol=1e-14)


def test_raising_one_share_may_push_another_below_the_least():
    shares = np.array([0.01, 0.11, 0.88])
    restrict(shares, 0, 3, 1.0, 0.1, 1.0)
    np.testing.assert_allclose(shares, [0.1, 0.1, 0.8], rtol=0, atol=1e-15)


def test_posterior_probabilities_are_kept_until_an_outcome_comes_in():
    policy = policies.PosteriorBest(least=0.1)
    (histories, _), ask = state(policy, [[1.0, 0.0], [1.0]], [3, 2]), compiling.compiled(engine.ask)
    memory = histories.arrays["memory"][0]
    ask(histories.words)
    assert memory[0, KNOWN] == 4
    memory[:, :KNOWN] = 0.25  # so that computing again would show
    for _ in range(3):
        ask(histories.words)
    assert (memory[:, :KNOWN] == 0.25).all()
    histories.arrays["rewards"][0, 1, 1] = 0.5
    compiling.compiled(engine.tell)(histories.words, 1)
    ask(histories.words)
    assert memory[0, KNOWN] == 5
    np.testing.assert_allclose(memory[:, RESULT], probability_best([[2.0, 2.5]], [[2.0, 1.5]])[0], rtol=1e-14)


def test_exponent_1_is_thompson_sampling_and_the_lowest_is_the_highest_of_failures():
    for pulls in ((0, 0), (4, 9), (30, 12)):
        counts = Counts(pulls, pulls, HORIZON, values.Mean())
        highest = policies.PosteriorBest().chances(counts)
        np.testing.assert_allclose(highest, np.maximum(policies.Thompson().chances(counts), 1e-10), rtol=0, atol=1e-9)
        lowest = policies.PosteriorBest(best="lowest").chances(counts)
        np.testing.assert_allclose(lowest[::-1, ::-1], highest, rtol=0, atol=1e-12)


def test_thall_and_wathen_count_patients_from_1():
    counts = Counts((3, 4), (3, 4), 40, values.Mean())
    policy, fixed = policies.PosteriorBest(schedule="thall-wathen"), policies.PosteriorBest(exponent=8 / 80)
    np.testing.assert_allclose(policy.chances(counts), fixed.chances(counts), rtol=1e-14)
    assert policy.needs_horizon
    assert not fixed.needs_horizon
