"""Sub-samples are uniform over all subsets, on every path. Each chi-square test has a false-alarm rate of 1e-6, and
there are 30 of them: one false alarm in 37,000 runs if the seed were not fixed."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from primum.kernels import contract, streams
from primum.kernels.native import compiling
from primum.kernels.records import value_of_subsample
from primum.kernels.subsampling import hypergeometric
from primum.policies import BesaPlus
from primum.values import MomentValue, SafetyValue, TailValue

DRAWS = 30_000
ALARM = 1e-6


@dataclass(frozen=True)
class SumOfSample(SafetyValue):
    """The sum, from the whole sample; with rewards 1, 2, 4, ... it tells which subset was drawn."""

    @staticmethod
    def estimate(sample):
        return sample.sum()


@dataclass(frozen=True)
class SumOfMoments(MomentValue):
    """The same from moments."""

    @staticmethod
    def from_moments(n, mean, variance):
        return n * mean


@dataclass(frozen=True)
class SumOfTail(TailValue):
    """The sum of the lowest `count`."""

    count: int = 2

    @staticmethod
    def tail_size(n, count):
        return min(n, int(count))

    @staticmethod
    def from_tail(tail, n, count):
        return tail.sum()


def draw_values(words, n, out):
    history = contract.history_of(words, 0)
    for i in range(out.size):
        s0, s1 = streams.philox(i, 0, 0, streams.DECISION, np.uint64(2026))
        history.stream[0] = s0
        history.stream[1] = s1
        out[i] = value_of_subsample(history, 0, n)


def drawn(value, rewards, n):
    histories = contract.Histories(1, 1, len(rewards), 0, value, BesaPlus())
    compiling.connect(histories)
    histories.begin(0, [0])
    histories.arrays["rewards"][0, 0] = rewards
    histories.arrays["pulls"][0, 0] = len(rewards)
    out = np.empty(DRAWS)
    compiling.compiled(draw_values)(histories.words, n, out)
    return out


def check(observed, expected):
    """Chi-square of drawn values against the probabilities of all possible ones."""
    counts = Counter(np.round(observed, 9))
    assert set(counts) <= set(expected), "a value that no subset has"
    assert stats.chisquare([counts[x] for x in expected], [DRAWS * p for p in expected.values()]).pvalue > ALARM


def over_subsets(rewards, n, value):
    subsets = list(itertools.combinations(rewards, n))
    counts = Counter(round(value(subset), 9) for subset in subsets)
    return {x: count / len(subsets) for x, count in counts.items()}


POWERS = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("value", [SumOfSample(), SumOfMoments(), SumOfTail(count=7)], ids=str)
def test_every_subset_is_equally_likely(value, n):
    """Short and complementary shuffles (2 n below and above the size), sequential selection of a whole sub-sample."""
    check(drawn(value, POWERS[::-1], n), over_subsets(POWERS, n, sum))


@pytest.mark.parametrize(
    ("size", "n", "count"), [(7, 4, 2), (14, 2, 1), (14, 3, 2)], ids=["selection", "shuffle 1 of 2", "shuffle 2 of 3"]
)
def test_tails_have_the_distribution_of_the_lowest_of_a_subset(size, n, count):
    rewards = [float(x) for x in range(size)]
    by_shuffle = count * size > 3 * n * n
    assert by_shuffle == (size == 14)
    rng = np.random.default_rng(1)
    expected = over_subsets(rewards, n, lambda subset: sum(sorted(subset)[:count]))
    check(drawn(SumOfTail(count=count), rng.permutation(rewards), n), expected)


def test_coins_are_counted_as_if_drawn_one_by_one():
    """The two-valued path, through the record."""
    check(drawn(SumOfMoments(), [0.0, 1.0, 1.0, 0.0, 1.0], 3), over_subsets([0, 1, 1, 0, 1], 3, sum))


def draw_counts(good, bad, n, table, out):
    stream = np.zeros(2, np.uint64)
    for i in range(out.size):
        s0, s1 = streams.philox(i, 0, 0, streams.DECISION, np.uint64(7))
        stream[0] = s0
        stream[1] = s1
        out[i] = hypergeometric(good, bad, n, table, stream)


@pytest.mark.parametrize(
    ("good", "bad", "n"),
    [
        (3, 9, 7),  # one by one
        (9, 3, 7),
        (12, 30, 11),
        (30, 12, 31),
        (90, 40, 36),
        (90, 80, 37),  # ratio of uniforms
        (900, 1_400, 1_900),
        (3_000, 2_500, 900),
        (2_500, 3_000, 4_900),
        (40_000, 60_000, 30_000),  # factorials beyond the table
    ],
)
def test_hypergeometric_numbers_have_their_distribution(good, bad, n):
    out = np.empty(DRAWS)
    compiling.compiled(draw_counts)(good, bad, n, contract.log_factorials(), out)
    distribution = stats.hypergeom(good + bad, good, n)
    edges = np.unique(distribution.ppf(np.linspace(0.01, 0.99, 40)))
    edges = edges[edges < distribution.support()[1]]
    observed = np.histogram(out, np.concatenate([[-np.inf], edges + 0.5, [np.inf]]))[0]
    expected = np.diff(np.concatenate([[0.0], distribution.cdf(edges), [1.0]]))
    assert stats.chisquare(observed, DRAWS * expected).pvalue > ALARM
