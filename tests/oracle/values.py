"""The estimators, from their definitions, on a list."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

Estimator = Callable[[Sequence[float]], float]


def mean() -> Estimator:
    return statistics.fmean


def mean_variance(rho: float) -> Estimator:
    return lambda x: statistics.fmean(x) - (rho * statistics.variance(x) if len(x) > 1 else 0.0)


def cvar(alpha: float, estimator: str = "fractional") -> Estimator:
    def fractional(x: Sequence[float]) -> float:
        n = len(x)
        weights = [min(max(alpha - j / n, 0.0), 1 / n) / alpha for j in range(n)]
        return math.fsum(w * y for w, y in zip(weights, sorted(x)))

    def lowest(count: Callable[[int], int]) -> Estimator:
        return lambda x: statistics.fmean(sorted(x)[: count(len(x))])

    return {
        "fractional": fractional,
        "ceil": lowest(lambda n: math.ceil(round(alpha * n, 9))),
        "chen": lowest(lambda n: min(n, math.floor(round(alpha * n, 9)) + 1)),
    }[estimator]


def of(spec: dict[str, object]) -> Estimator:
    """The estimator that a value's spec names."""
    parameters = {key: item for key, item in spec.items() if key != "name"}
    return {"mean": mean, "mean-variance": mean_variance, "cvar": cvar}[str(spec["name"])](**parameters)  # type: ignore[operator]
