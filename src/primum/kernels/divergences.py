"""The Kullback-Leibler divergence between Bernoulli distributions, and confidence bounds on a mean by it."""

from __future__ import annotations

import math
from typing import Any

from primum.kernels.contract import kernel, large_kernel
from primum.kernels.elementary import exp, log, log1p


@kernel
def exploration_level(history: Any, exploration: float) -> float:
    """log t + c log log t, the bound on n times a divergence; never negative, as it would be at t = 2 for c > 1.9."""
    level = log(history.step)
    return max(0.0, level + exploration * log(level)) if level > 0.0 else 0.0


@kernel
def surprise(p: float, q: float, excess: float) -> float:
    """p log(p / q), with 0 log 0 = 0; accurate where p is close to q if their difference, `excess`, is."""
    if p == 0.0:
        return 0.0
    if q == 0.0:
        return math.inf
    return p * (log1p(excess / q) if p < 2.0 * q < 4.0 * p else log(p) - log(q))


@kernel
def coin_divergence(p: float, q: float) -> float:
    """kl(p, q) = p log(p/q) + (1 - p) log((1 - p)/(1 - q))."""
    return max(0.0, surprise(p, q, p - q) + surprise(1.0 - p, 1.0 - q, q - p))


@large_kernel
def lowest_mean(p: float, divergence: float) -> float:
    """The smallest q in [0, p] with kl(p, q) <= divergence, to a few units in its last place.

    kl(p, e^s) is convex in s and falls up to s = log p, so Newton's method climbs to the root from any point below it.
    It starts at the largest of three lower bounds: kl(p, q) is at least -p log q minus the entropy of p, at least
    2 (p - q)^2, and at least (p - q)^2 / (2 p).
    """
    if p <= 0.0 or divergence <= 0.0:
        return p
    if p >= 1.0:
        return exp(-divergence)
    entropy = -p * log(p) - (1.0 - p) * log1p(-p)
    s = -(divergence + entropy) / p
    q = max(exp(s), p - math.sqrt(divergence / 2.0), p - math.sqrt(2.0 * p * divergence))
    if q <= 0.0:
        return 0.0
    for _ in range(100):
        excess = coin_divergence(p, q) - divergence
        if excess <= 0.0:
            break
        step = excess * (1.0 - q) / (p - q)
        if step < 1e-15:
            break
        q *= exp(step)
    return min(p, q)


@kernel
def highest_mean(p: float, divergence: float) -> float:
    """The largest q in [p, 1] with kl(p, q) <= divergence."""
    return 1.0 - lowest_mean(1.0 - p, divergence)
