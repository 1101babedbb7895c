"""Random weights have the Dirichlet distribution on every path, and so have the values of reweighted rewards.

Kolmogorov-Smirnov, binomial and normal tests with a false-alarm rate of 1e-6 each, 25 of them: one false alarm in
40,000 runs if the seeds were not fixed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from primum.kernels import contract, streams
from primum.kernels.native import compiling
from primum.kernels.weighting import draw_weights, small_gamma, value_of_reweighted
from primum.policies import Npts
from primum.values import CVaR, Mean, MeanVariance, SafetyValue, TailValue
from tests.oracle import streams as oracle

ALARM = 1e-6
DRAWS = 20_000
TOP = 1.0


@dataclass(frozen=True)
class MeanOfSample(SafetyValue):
    """The mean, from a sample, by a value that knows nothing of weights."""

    @staticmethod
    def estimate(sample):
        return sample.mean()


@dataclass(frozen=True)
class LowestFifth(TailValue):
    """The mean of the lowest fifth, likewise."""

    @property
    def tail_share(self):
        return 0.2

    @staticmethod
    def tail_size(n):
        return max(1, n // 5)

    @staticmethod
    def from_tail(tail, n):
        return tail.mean()


def play(fill, value, rewards, out):
    """Call a kernel that fills `out` with what it makes of one arm's rewards."""
    histories = contract.Histories(1, 1, len(rewards) + 1, 0, value, Npts())
    compiling.connect(histories)
    histories.begin(0, [0])
    histories.arrays["rewards"][0, 0, : len(rewards)] = rewards
    histories.arrays["pulls"][0, 0] = len(rewards)
    histories.arrays["stream"][0] = [20, 26]
    compiling.compiled(fill)(histories.words, out)
    return out


def fill_values(words, out):
    history = contract.history_of(words, 0)
    for i in range(out.size):
        out[i] = value_of_reweighted(history, 0, 1.0)


def fill_weights(words, out):
    history = contract.history_of(words, 0)
    for i in range(out.shape[0]):
        drawn = draw_weights(history, history.pulls[0] + 1)
        for j in range(out.shape[1]):
            out[i, j] = history.weights[j] if j < drawn else -1.0


def values_of(value, rewards):
    return play(fill_values, value, rewards, np.empty(DRAWS))


def plain_values(of_weighted, rewards):
    """The same with NumPy: of_weighted(points ascending, weights), weights by row."""
    points = np.sort([*rewards, TOP])
    rng = np.random.default_rng(8)
    return np.concatenate(
        [of_weighted(points, rng.dirichlet(np.ones(points.size), 1_000)) for _ in range(DRAWS // 1_000)]
    )


def mean_variance(rho):
    def value(points, weights):
        mean = weights @ points
        return mean - rho * (weights @ points**2 - mean**2)

    return value


def cvar(alpha):
    def value(points, weights):
        reached = np.cumsum(weights, axis=1)
        return np.clip(alpha - (reached - weights), 0.0, weights) @ points / alpha

    return value


def same_distribution(ours, theirs):
    assert stats.ks_2samp(ours, theirs).pvalue > ALARM


def draw_exponentials(stream, out):
    for i in range(out.size // 2):
        out[i] = streams.exponential(stream)
    streams.fill_exponentials(stream, out[out.size // 2 :])


def test_exponential_numbers_have_their_distribution():
    out = np.empty(2_000_000)
    compiling.compiled(draw_exponentials)(np.array([3, 4], np.uint64), out)
    one, many = out[:1_000_000], out[1_000_000:]
    assert stats.kstest(one, "expon").pvalue > ALARM
    assert stats.kstest(many, "expon").pvalue > ALARM
    for start in (2.0, 7.7, streams.WIDTHS[1]):  # the last is where the tail begins, which about 190 numbers reach
        beyond = out[out > start]
        assert stats.binomtest(beyond.size, out.size, math.exp(-start)).pvalue > ALARM
        assert stats.kstest(beyond - start, "expon").pvalue > ALARM


def test_exponential_numbers_equal_the_oracle():
    """100,000 numbers: about 550 of them leave the quick way, and 10 the layers."""
    out = np.empty(100_000)
    compiling.compiled(draw_exponentials)(np.array([3, 4], np.uint64), out)
    twin = oracle.Stream(3, 4)
    assert out == pytest.approx([twin.exponential() for _ in range(out.size)], rel=1e-12)


def test_weights_have_the_moments_of_dirichlet_numbers():
    """Mean 1/n, mean product of two 1/(n (n + 1)), of a square twice that; 20 numbers share the false-alarm rate."""
    n = 5
    weights = play(fill_weights, MeanOfSample(), [0.5] * (n - 1), np.empty((DRAWS, n)))
    assert weights.sum(axis=1) == pytest.approx(1.0)
    limit = stats.norm.isf(ALARM / 40)

    def check(draws, expected):
        assert abs(draws.mean() - expected) < limit * draws.std() / math.sqrt(DRAWS)

    for i in range(n):
        check(weights[:, i], 1 / n)
        for j in range(i + 1):
            check(weights[:, i] * weights[:, j], (1 + (i == j)) / (n * (n + 1)))


def test_weights_of_the_lower_tail_are_drawn_until_they_suffice():
    """Of 2,000 weights with a share of 0.1, blocks of 236, 30 and so on; one in 200 needs the second."""
    size, first, second = 2_000, 236, 30
    value = CVaR(alpha=0.1)
    weights = play(fill_weights, value, np.linspace(0.0, 1.0, size - 1), np.empty((DRAWS, first + second)))
    mass = weights[:, :first].sum(axis=1)
    distribution = stats.beta(first, size - first)
    assert stats.kstest(mass, distribution.cdf).pvalue > ALARM
    assert stats.kstest(weights[:, first - 1] / mass, stats.beta(1, first - 1).cdf).pvalue > ALARM
    more = weights[:, first] >= 0.0
    assert (more == (mass < value.alpha)).all()
    assert more.sum() > 80
    parts = weights[more, first:] / (1.0 - mass[more, np.newaxis])
    assert stats.kstest(parts[:, -1], stats.beta(1, size - first - 1).cdf).pvalue > ALARM
    assert stats.kstest(parts.sum(axis=1), stats.beta(second, size - first - second).cdf).pvalue > ALARM


MANY = np.random.default_rng(4).random(150)
BINARY = [1.0] * 7 + [0.0] * 12


@pytest.mark.parametrize(
    ("value", "of_weighted", "rewards"),
    [
        (Mean(), mean_variance(0.0), MANY),
        (MeanVariance(rho=2.0), mean_variance(2.0), MANY[:9]),
        (MeanVariance(rho=2.0), mean_variance(2.0), BINARY),  # gamma numbers instead of weights
        (MeanVariance(rho=2.0), mean_variance(2.0), [0.25] * 6),
        (CVaR(alpha=0.1), cvar(0.1), MANY),  # only the lowest are weighted, in blocks
        (CVaR(alpha=0.05), cvar(0.05), np.tile(MANY, 4)),
        (CVaR(alpha=0.5), cvar(0.5), MANY[:9]),
        (CVaR(alpha=1.0), cvar(1.0), MANY),
        (CVaR(alpha=0.4), cvar(0.4), BINARY),
    ],
    ids=lambda item: str(item) if isinstance(item, SafetyValue) else "",
)
def test_values_of_reweighted_rewards_have_their_distribution(value, of_weighted, rewards):
    same_distribution(values_of(value, rewards), plain_values(of_weighted, rewards))


@pytest.mark.parametrize(
    ("value", "of_weighted", "error"),
    [(MeanOfSample(), mean_variance(0.0), 0.006), (LowestFifth(), cvar(0.2), 0.02)],
    ids=["mean", "cvar"],
)
def test_values_without_weights_have_nearly_the_distribution(value, of_weighted, error):
    """Resampled: 25 quantiles within `error`, five standard errors or more; 40 rewards."""
    ours, theirs = values_of(value, MANY[:40]), plain_values(of_weighted, MANY[:40])
    levels = np.linspace(0.02, 0.98, 25)
    ours, theirs = np.quantile(ours, levels), np.quantile(theirs, levels)
    assert np.abs(ours - theirs).max() < error


@pytest.mark.parametrize("shape", [0.5, 0.77, 1.0])
def test_weights_of_an_imagined_reward_are_gamma_variates(shape):
    stream = np.array([20, 26], np.uint64)
    with np.errstate(over="ignore"):
        drawn = np.array([small_gamma(stream, shape) for _ in range(DRAWS // 4)])
    assert stats.kstest(drawn, stats.gamma(shape).cdf).pvalue > ALARM
