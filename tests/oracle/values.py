"""The estimators, from their definitions, on a list."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Sample = Sequence[float]


@dataclass
class Value:
    """A value as the oracle sees it."""

    estimate: Callable[[Sample], float]
    kind: str = "moments"  # or "tail", or "sample": how the engine keeps the rewards
    weighted: Callable[[Sample, Sample], float] | None = None  # points and weights that add up to 1
    feature: Callable[[float], float] = float
    tail_size: Callable[[int], int] = lambda n: n
    tail_share: float = 1.0


def weighted_mean(points: Sample, weights: Sample) -> float:
    return math.fsum(w * x for w, x in zip(weights, points))


def weighted_variance(points: Sample, weights: Sample) -> float:
    mean = weighted_mean(points, weights)
    return math.fsum(w * (x - mean) ** 2 for w, x in zip(weights, points))


def weighted_cvar(points: Sample, weights: Sample, alpha: float) -> float:
    """The mean of the lowest `alpha` of the mass; points in ascending order."""
    taken = total = 0.0
    for x, w in zip(points, weights):
        part = min(w, alpha - taken)
        total += part * x
        taken += part
    return total / alpha


def variance(x: Sample) -> float:
    return statistics.variance(x) if len(x) > 1 else 0.0


def mean() -> Value:
    return Value(statistics.fmean, weighted=weighted_mean)


def mean_variance(rho: float) -> Value:
    return Value(
        lambda x: statistics.fmean(x) - rho * variance(x),
        weighted=lambda x, w: weighted_mean(x, w) - rho * weighted_variance(x, w),
    )


def cvar(alpha: float, estimator: str = "fractional") -> Value:
    def fractional(x: Sample) -> float:
        return weighted_cvar(sorted(x), [1 / len(x)] * len(x), alpha)

    def lowest(x: Sample) -> float:
        return statistics.fmean(sorted(x)[: size(len(x))])

    def size(n: int) -> int:
        if estimator == "chen":
            return min(n, math.floor(round(alpha * n, 9)) + 1)
        return math.ceil(round(alpha * n, 9))

    return Value(
        fractional if estimator == "fractional" else lowest,
        "tail",
        lambda x, w: weighted_cvar(x, w, alpha),
        tail_size=size,
        tail_share=alpha,
    )


def of(spec: dict[str, Any]) -> Value:
    """The value that a spec names."""
    parameters = {key: item for key, item in spec.items() if key != "name"}
    return VALUES[spec["name"]](**parameters)


VALUES: dict[str, Callable[..., Value]] = {"mean": mean, "mean-variance": mean_variance, "cvar": cvar}
