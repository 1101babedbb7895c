"""Policies that play the best of one number for each arm, from their definitions, on lists."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

from tests.oracle.trial import Trial


def largest(fits: Callable[[float], bool], low: float, high: float) -> float:
    """The largest number in [low, high] that fits, if all below it do."""
    if fits(high):
        return high
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def divergence(p: Sequence[float], q: Sequence[float]) -> float:
    """Kullback-Leibler, of two laws on the same points."""
    if any(b == 0 < a for a, b in zip(p, q)):
        return math.inf
    return math.fsum(a * math.log(a / b) for a, b in zip(p, q) if a > 0)


def coin_divergence(p: float, q: float) -> float:
    return divergence([p, 1 - p], [q, 1 - q])


def budget(trial: Trial, exploration: float) -> float:
    level = math.log(trial.step)
    return max(0.0, level + exploration * math.log(level))


def highest_coin(mean: float, limit: float) -> float:
    return largest(lambda q: coin_divergence(mean, q) <= limit, mean, 1.0)


def highest_mean_within(sample: Sequence[float], limit: float) -> float:
    """The largest mean of a law on [0, 1] within a divergence of that of the sample.

    Its weights are proportional to those of the sample over (nu - x), for a nu beyond the sample and no less than 1;
    at nu = 1 there may be mass on 1, where the sample has none, too.
    """
    sample = sorted(sample)
    n = len(sample)
    if sample[0] == 1 or limit == 0:
        return math.fsum(sample) / n

    def law(nu: float) -> list[float]:
        weights = [1 / (nu - x) for x in sample]
        return [weight / math.fsum(weights) for weight in weights]

    def reached(nu: float) -> float:
        return divergence([1 / n] * n, law(nu))

    if sample[-1] < 1 and reached(1.0) <= limit:  # the law loses a share of its weights to the point 1
        share = math.exp(reached(1.0) - limit)
        return share * math.fsum(q * x for q, x in zip(law(1.0), sample)) + 1 - share
    s = largest(lambda s: reached(1 + math.exp(-s)) <= limit, -35.0, 35.0)
    return math.fsum(q * x for q, x in zip(law(1 + math.exp(-s)), sample))


def kl_ucb(trial: Trial, exploration: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    limit = budget(trial, exploration)
    return trial.best(lambda k: highest_coin(statistics.fmean(trial.rewards[k]), limit / trial.pulls(k)))


def imed(trial: Trial) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    means = [statistics.fmean(rewards) for rewards in trial.rewards]
    return trial.best(lambda k: -trial.pulls(k) * coin_divergence(means[k], max(means)) - math.log(trial.pulls(k)))


def ucb_v(trial: Trial, zeta: float, weight: float, width: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm

    def index(k: int) -> float:
        share = zeta * math.log(trial.step) / trial.pulls(k)
        mean, variance = statistics.fmean(trial.rewards[k]), statistics.pvariance(trial.rewards[k])
        return mean + math.sqrt(2 * variance * share) + 3 * weight * width * share

    return trial.best(index)


def mvts(trial: Trial, rho: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm

    def score(k: int) -> float:
        mean, count, alpha, beta = 0.0, 0, 0.5, 0.5
        for x in trial.rewards[k]:
            beta += count / (count + 1) * (x - mean) ** 2 / 2
            mean = (count * mean + x) / (count + 1)
            count += 1
            alpha += 0.5
        tau = trial.stream.gamma(alpha) / beta
        return mean + trial.stream.normal() * math.sqrt(1 / count) - rho / tau

    return trial.best(score)


def cvar_ucb(trial: Trial, alpha: float, top: float, bound: str, confidence: str) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    count = trial.step if confidence == "anytime" else trial.horizon

    def index(k: int) -> float:
        n = trial.pulls(k)
        if bound == "brown":
            return trial.estimate(trial.rewards[k]) + top / alpha * math.sqrt(math.log(count) / n)
        points = [*sorted(trial.rewards[k]), top]
        eps = math.sqrt(math.log(2 * count**2) / (2 * n))
        cut = [min(max(j / n - eps, 0), alpha) for j in range(1, n + 1)]
        return top - math.fsum((points[j] - points[j - 1]) * cut[j - 1] for j in range(1, n + 1)) / alpha

    return trial.best(index)


def minimum(trial: Trial) -> int:
    arm = trial.opening(1)
    return trial.best(lambda k: min(trial.rewards[k])) if arm is None else arm


def ra_ucb(trial: Trial, theta: float, exploration: float, divergence: str) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    limit = budget(trial, exploration)

    def index(k: int) -> float:
        utilities = sorted((1 - math.exp(-theta * x)) / (1 - math.exp(-theta)) for x in trial.rewards[k])
        share = limit / trial.pulls(k)
        if divergence == "bernoulli":
            best = highest_coin(math.fsum(utilities) / len(utilities), share)
        else:
            best = highest_mean_within(utilities, share)
        return -math.log(1 - (1 - math.exp(-theta)) * best) / theta

    if divergence == "bernoulli":
        return trial.best(index)
    indices = [index(k) for k in range(trial.arms)]  # chance decides between the best only
    return trial.best(lambda k: indices[k] if trial.tied(indices[k], max(indices)) else -math.inf)


RULES: dict[str, Callable[..., int]] = {
    "kl-ucb": kl_ucb,
    "imed": imed,
    "ucb-v": ucb_v,
    "mvts": mvts,
    "cvar-ucb": cvar_ucb,
    "min": minimum,
    "ra-ucb": ra_ucb,
}

LEARNERS: dict[str, Callable[..., None]] = {}
