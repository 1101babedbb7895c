"""How a reward distribution looks: a curve for what has a density, and the rewards that have a probability."""

from __future__ import annotations

import numpy as np

from primum.lab.http.schemas import Atom, Density
from primum.rewards import RewardDistribution
from primum.rewards.quadrature import Array

POINTS = 120
MOST_ATOMS = 60
EVENLY = 30  # intervals to begin with, and as many quantiles
ROUNDS, AT_ONCE = 10, 8  # of halving the intervals where the curve bends most, and how many at a time
STRAIGHT = 1e-4  # area between the curve and its chord that nobody sees; all of it is 1


def density(distribution: RewardDistribution) -> Density:
    """The smooth part over the support, or from the 0.001 to the 0.999 quantile where that has no end.

    Points are even, at quantiles, and then where the curve is not straight, so that a narrow peak is met as well as an
    edge. Where the density is infinite the curve ends at three times the most that a thirtieth of the support has.
    """
    low, high = _ends(distribution)
    if distribution.atoms is not None or not low < high:
        return Density(x=[], y=[])
    even = np.linspace(low, high, EVENLY + 1)
    x = np.unique(np.append(even, np.clip(distribution.quantile((np.arange(EVENLY) + 0.5) / EVENLY), low, high)))
    top = np.inf
    y = _heights(distribution, x, top)
    if np.isinf(y).any():
        top = 3 * float((np.diff(distribution.cdf(even)) / np.diff(even)).max())
        y = np.minimum(y, top)
    for _ in range(ROUNDS):
        if x.size >= POINTS:
            break
        middle = (x[:-1] + x[1:]) / 2
        between = _heights(distribution, middle, top)
        bend = np.abs(between - (y[:-1] + y[1:]) / 2) * np.diff(x)
        worst = np.argsort(bend)[-min(AT_ONCE, POINTS - x.size) :]
        worst = np.sort(worst[bend[worst] > STRAIGHT])
        x, y = np.insert(x, worst + 1, middle[worst]), np.insert(y, worst + 1, between[worst])
    return Density(x=x.tolist(), y=y.tolist()) if y.any() else Density(x=[], y=[])


def atoms(distribution: RewardDistribution) -> list[Atom]:
    """The rewards that have a probability of their own; if they are many, gathered in narrow intervals."""
    rewards, probabilities = distribution.jumps
    if rewards.size > MOST_ATOMS:
        probabilities, edges = np.histogram(rewards, MOST_ATOMS, weights=probabilities)
        rewards = (edges[:-1] + edges[1:]) / 2
    pairs = zip(rewards.tolist(), probabilities.tolist(), strict=True)
    return [Atom(reward=reward, probability=probability) for reward, probability in pairs if probability > 0]


def _ends(distribution: RewardDistribution) -> tuple[float, float]:
    low, high = distribution.support
    first, last = distribution.quantile(np.array([0.001, 0.999])).tolist()
    return low if np.isfinite(low) else first, high if np.isfinite(high) else last


def _heights(distribution: RewardDistribution, x: Array, top: float) -> Array:
    heights = np.nan_to_num(distribution.smooth_density(x), nan=0.0, posinf=np.inf, neginf=0.0)
    return np.clip(heights, 0.0, top)
