"""The Gittins index, and rules by it, against slow dynamic programmes and known numbers.

The tests that draw random numbers have fixed seeds; each says how often it would fail with others.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import primum
from primum import policies, rewards
from primum.errors import ParameterError
from primum.kernels import engine
from primum.kernels.contract import WORDS, Histories
from primum.kernels.native import compiling
from primum.policies import gittins_index
from primum.policies.counts import Counts


def index(discount, successes, failures):
    table = gittins_index.packed_table(discount, 1, False)
    return gittins_index.index(table, successes, successes + failures)


def by_bisection(discount, successes, failures, depth):
    """The reward of a known arm that is as good, by optimal stopping over all states up to `depth` more outcomes."""
    low, high = 0.0, 1.0
    for _ in range(30):
        known = (low + high) / 2
        safe = known / (1 - discount)
        more = np.arange(depth + 1)
        means = (successes + 1 + more) / (successes + failures + 2 + depth)
        values = np.maximum(means, known) / (1 - discount)
        for n in range(depth - 1, -1, -1):
            means = (successes + 1 + more[: n + 1]) / (successes + failures + 2 + n)
            kept = means * (1 + discount * values[1:]) + (1 - means) * discount * values[:-1]
            values = np.maximum(kept, safe)
        low, high = (known, high) if kept[0] > safe else (low, known)
    return low


@pytest.mark.parametrize(
    ("state", "known"), [((0, 0), 0.869), ((1, 0), 0.910), ((0, 1), 0.700), ((1, 1), 0.784)], ids=str
)
def test_published_indices(state, known):
    """They are cut off after three digits."""
    assert math.floor(1000 * index(0.99, *state)) == 1000 * known


@pytest.mark.parametrize("state", [(0, 0), (1, 0), (3, 5), (0, 30), (60, 2), (90, 110), (470, 30)], ids=str)
def test_indices_are_those_of_optimal_stopping(state):
    assert index(0.99, *state) == pytest.approx(by_bisection(0.99, *state, 700), abs=6e-5)
    assert index(0.9, *state) == pytest.approx(by_bisection(0.9, *state, 200), abs=6e-5)


def test_native_indices_are_those_of_the_source():
    native = compiling.compiled(gittins_index.indices)(0.8, 6, 30, 50)
    np.testing.assert_array_equal(native, gittins_index.indices(0.8, 6, 30, 50))


@pytest.mark.parametrize(("discount", "depth"), [(0.9, 830), (0.99, 1100), (0.999, 2500)])
def test_extrapolated_indices(discount, depth):
    """After 800 outcomes, against indices computed that far."""
    n = 800
    exact = compiling.compiled(gittins_index.indices)(discount, n, depth, 2000)[-n - 1 :]
    table = gittins_index.packed_table(discount, 1, False)
    extrapolated = [gittins_index.index(table, s, n) for s in range(n + 1)]
    np.testing.assert_allclose(extrapolated, exact, rtol=0, atol=3e-4)


def test_the_discount_is_bounded():
    with pytest.raises(ParameterError, match=r"gittins: discount must be in \(0, 0.9995\], got 1"):
        policies.Gittins(discount=1)


def test_chances_beyond_the_table():
    table = policies.Gittins().chances(Counts((501, 2), (501, 2), 600, primum.values.Mean()))
    for s0, s1 in [(300, 1), (0, 0), (501, 2)]:
        assert table[s0, s1] == (index(0.99, s1, 2 - s1) > index(0.99, s0, 501 - s0))


def expected_successes(patients, probabilities, discount=1.0, rule=None):
    """Of a rule for two arms, or of the best one; with given probabilities, or those of the posteriors if None.

    By dynamic programming backwards, over tables of the successes of both arms for each division of the patients. Also
    the rule's probabilities of arm 1 for each division.
    """
    later, chances = {}, {}
    for t in range(patients, -1, -1):
        tables = {}
        for n0 in range(t + 1):
            pulls = n0, t - n0
            if t == patients:
                tables[pulls] = np.zeros((n0 + 1, t - n0 + 1))
                continue
            s0, s1 = np.arange(n0 + 1)[:, None], np.arange(t - n0 + 1)[None, :]
            p0, p1 = probabilities or ((s0 + 1) / (n0 + 2), (s1 + 1) / (t - n0 + 2))
            first, second = later[n0 + 1, t - n0], later[n0, t - n0 + 1]
            first = p0 * (1 + discount * first[1:]) + (1 - p0) * discount * first[:-1]
            second = p1 * (1 + discount * second[:, 1:]) + (1 - p1) * discount * second[:, :-1]
            best = np.where(np.abs(second - first) < 1e-9, 0.5, second > first)
            chances[pulls] = best if rule is None else rule(pulls)
            tables[pulls] = (1 - chances[pulls]) * first + chances[pulls] * second
        later = tables
    return float(later[0, 0][0, 0]), chances


def test_the_best_rule_for_sixty_patients():
    """Known numbers, which show that the dynamic programme of these tests is right."""
    value, chances = expected_successes(60, None)
    assert value == pytest.approx(38.562343246635564, abs=1e-11)
    successes, _ = expected_successes(60, (0.3, 0.5), rule=chances.__getitem__)
    assert successes == pytest.approx(27.667781619675154, abs=1e-11)


def test_the_rule_is_the_best_under_discounting():
    """Of 60 patients with discount 0.8, all later ones weigh 1e-6; the greedy rule loses."""

    def value(policy):
        def rule(pulls):
            return policy.chances(Counts(pulls, pulls, 60, primum.values.Mean()))

        return expected_successes(60, None, 0.8, rule)[0]

    best, _ = expected_successes(60, None, 0.8)
    assert 0 <= best - value(policies.Gittins(discount=0.8)) < 1e-5
    assert best - value(policies.EpsilonGreedy(epsilon=0)) > 0.01


def block_chances(discount, block, start, control):
    """The expected allocation of the index rule over a block, by enumeration of all paths from a state on."""
    arms = len(start)
    allocated = [0.0] * arms
    paths = {start: 1.0}
    among = range(1 if control == "fixed" else 0, arms)
    share = 1 / arms if control == "fixed" else 0.0
    for _ in range(block):
        following = {}
        for state, weight in paths.items():
            indices = {k: index(discount, *state[k]) for k in among}
            best = [k for k in among if indices[k] == max(indices.values())]
            ways = [(0, weight * share)] + [(k, weight * (1 - share) / len(best)) for k in best]
            for k, part in ways:
                allocated[k] += part / block
                s, f = state[k]
                if k not in among:
                    following[state] = following.get(state, 0.0) + part
                    continue
                for outcome, chance in (((s + 1, f), (s + 1) / (s + f + 2)), ((s, f + 1), (f + 1) / (s + f + 2))):
                    after = (*state[:k], outcome, *state[k + 1 :])
                    following[after] = following.get(after, 0.0) + part * chance
        paths = following
    return allocated


@pytest.mark.parametrize("control", ["adaptive", "fixed"])
def test_a_block_has_the_expected_allocation_of_the_rule(control):
    """The first two patients of a block: each of 6 counts fails with probability below 1e-6."""
    policy = policies.ForwardLookingGittins(discount=0.9, block=4, control=control)
    histories = Histories(1, 3, 8, 0, primum.values.Mean(), policy)
    compiling.connect(histories)
    ask, tell = compiling.compiled(engine.ask), compiling.compiled(engine.tell)
    histories.begin(3, [0])
    chances = block_chances(0.9, 4, ((1, 0), (0, 1), (1, 1)), control)
    assert len({round(chance, 6) for chance in chances}) == 3
    told = [(0, 1.0), (1, 0.0), (2, 1.0), (2, 0.0), (1, 1.0)]  # the last one in the block, after its first patient
    for number, (arm, reward) in enumerate(told):
        histories.arrays["rewards"][0, arm, histories.arrays["pulls"][0, arm]] = reward
        tell(histories.words, arm)
        if number >= 3:
            counts = np.zeros(3, int)
            for replication in range(20_000):
                histories.words[0, WORDS["replication"]] = replication
                histories.words[0, WORDS["step"]] = number + 2
                counts[ask(histories.words)] += 1
            for count, chance in zip(counts, chances, strict=True):
                assert stats.binomtest(count, 20_000, chance).pvalue > 1e-6


@pytest.mark.parametrize(
    ("policy", "share", "successes"),
    [
        (policies.Gittins(discount=0.999), (0.842, 0.109), (198.19, 14.04)),
        (policies.ForwardLookingGittins(discount=0.999, block=1, control="fixed"), (0.648, 0.081), (181.73, 12.26)),
    ],
    ids=str,
)
def test_four_arms_with_423_patients(policy, share, successes):
    """Within 4.5 standard errors of ours and those of the 50,000 known replications: one in 70,000 fails, each."""
    problem = primum.Problem({f"{i}": rewards.Bernoulli(p) for i, p in enumerate((0.3, 0.3, 0.3, 0.5))}, "mean")
    count = 10_000
    results = primum.simulate(problem, [policy], horizon=423, replications=count, seed=11, steps="last", progress=False)
    pulls = results.pulls.values[0, :, 0]
    errors = math.sqrt(1 / count + 1 / 50_000)
    better = pulls[:, 3] / 423
    assert abs(better.mean() - share[0]) < 4.5 * share[1] * errors + 5e-4  # three digits are known
    expected = pulls @ np.array([0.3, 0.3, 0.3, 0.5])  # varies less than the successes
    assert abs(expected.mean() - successes[0]) < 4.5 * successes[1] * errors
    if policy.name != "gittins":
        assert abs(pulls[:, 0].mean() - 423 / 4) < 4.5 * math.sqrt(423 * 3 / 16 / count)
