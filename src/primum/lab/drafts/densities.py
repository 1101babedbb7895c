"""The density curve and the atoms of a reward distribution, to be drawn."""

from __future__ import annotations

import numpy as np

from primum.lab.http.schemas import Atom, Density
from primum.rewards import RewardDistribution
from primum.rewards.quadrature import Array

MOST_POINTS = 120  # of a curve
MOST_ATOMS_DRAWN = 60
FIRST_INTERVALS = 30  # of equal width to begin with, and as many quantiles
MOST_ROUNDS, POINTS_PER_ROUND = 10, 8  # of halving the intervals where the curve bends most
INVISIBLE_AREA = 1e-4  # between the curve and its chord; the area under the curve is 1


def density(distribution: RewardDistribution) -> Density:
    """The density over the support, or from the 0.001 to the 0.999 quantile where the support is unbounded.

    Points are evenly spaced, at quantiles, and then where the curve bends, so that it shows narrow peaks and edges.
    Where the density is infinite, the curve is cut off at three times its largest mean over a thirtieth of the support.
    """
    low, high = _ends(distribution)
    if distribution.atoms is not None or not low < high:
        return Density(x=[], y=[])
    even = np.linspace(low, high, FIRST_INTERVALS + 1)
    quantiles = distribution.quantile((np.arange(FIRST_INTERVALS) + 0.5) / FIRST_INTERVALS)
    x = np.unique(np.append(even, np.clip(quantiles, low, high)))
    top = np.inf
    y = _heights(distribution, x, top)
    if np.isinf(y).any():
        top = 3 * float((np.diff(distribution.cdf(even)) / np.diff(even)).max())
        y = np.minimum(y, top)
    for _ in range(MOST_ROUNDS):
        if x.size >= MOST_POINTS:
            break
        middle = (x[:-1] + x[1:]) / 2
        between = _heights(distribution, middle, top)
        bend = np.abs(between - (y[:-1] + y[1:]) / 2) * np.diff(x)
        worst = np.argsort(bend)[-min(POINTS_PER_ROUND, MOST_POINTS - x.size) :]
        worst = np.sort(worst[bend[worst] > INVISIBLE_AREA])
        x, y = np.insert(x, worst + 1, middle[worst]), np.insert(y, worst + 1, between[worst])
    return Density(x=x.tolist(), y=y.tolist()) if y.any() else Density(x=[], y=[])


def atoms(distribution: RewardDistribution) -> list[Atom]:
    """The rewards with positive probability; if there are many, in bins."""
    rewards, probabilities = distribution.jumps
    if rewards.size > MOST_ATOMS_DRAWN:
        probabilities, edges = np.histogram(rewards, MOST_ATOMS_DRAWN, weights=probabilities)
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
