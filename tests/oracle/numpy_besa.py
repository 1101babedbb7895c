"""BESA+ and UCB1 in plain NumPy, as one would write them without a library: an oracle of behaviour, a rival in speed.

Rewards come from a tape of shape (arms, horizon): tape[arm, i] is the reward of the i-th pull of the arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Value = Callable[[Floats], float]


def mean(sample: Floats) -> float:
    return float(np.mean(sample))


def mean_variance(rho: float) -> Value:
    return lambda sample: float(np.mean(sample) - rho * np.var(sample, ddof=1))


def cvar(alpha: float) -> Value:
    """Fractional: all of the lowest observations count in full but the last, which counts for what remains."""

    def value(sample: Floats) -> float:
        wanted = alpha * sample.size
        lowest = np.sort(sample)[: max(1, math.ceil(wanted - 1e-9))]
        return float((lowest.sum() - lowest[-1] * (lowest.size - wanted)) / wanted)

    return value


def besa_plus(tape: Floats, value: Value, rng: np.random.Generator, floor: float = 1.0) -> Counts:
    """The pulls of each arm after a game as long as the tape; without a floor and with the mean, this is BESA."""
    arms, horizon = tape.shape
    pulls = np.zeros(arms, np.int64)
    for step in range(1, horizon + 1):
        least = int(np.argmin(pulls))
        if pulls[least] == 0 or pulls[least] < floor * math.log(step):
            chosen = least
        else:
            chosen = tournament(rng.permutation(arms), tape, pulls, value, rng)
        pulls[chosen] += 1
    return pulls


def tournament(order: Counts, tape: Floats, pulls: Counts, value: Value, rng: np.random.Generator) -> int:
    """The champion of a knock-out between the halves of a list."""
    if order.size == 1:
        return int(order[0])
    half = order.size // 2
    a = tournament(order[:half], tape, pulls, value, rng)
    b = tournament(order[half:], tape, pulls, value, rng)
    return duel(a, b, tape, pulls, value, rng)


def duel(a: int, b: int, tape: Floats, pulls: Counts, value: Value, rng: np.random.Generator) -> int:
    """The arm with the larger value on sub-samples of equal size; a tie goes to the less pulled, then to chance."""
    n = min(pulls[a], pulls[b])
    va = value(rng.choice(tape[a, : pulls[a]], n, replace=False, shuffle=False))
    vb = value(rng.choice(tape[b, : pulls[b]], n, replace=False, shuffle=False))
    if abs(va - vb) > 1e-12:
        return a if va > vb else b
    if pulls[a] != pulls[b]:
        return a if pulls[a] < pulls[b] else b
    return a if rng.random() < 0.5 else b


def ucb1(tape: Floats, rng: np.random.Generator) -> Counts:
    """The pulls of each arm after a game as long as the tape; index: mean + sqrt(2 log t / n), t pulls so far."""
    arms, horizon = tape.shape
    pulls = np.ones(arms, np.int64)
    sums = tape[:, 0].copy()
    for total in range(arms, horizon):
        index = sums / pulls + np.sqrt(2.0 * math.log(total) / pulls)
        best = np.flatnonzero(index == index.max())
        chosen = int(best[0]) if best.size == 1 else int(rng.choice(best))
        sums[chosen] += tape[chosen, pulls[chosen]]
        pulls[chosen] += 1
    return pulls
