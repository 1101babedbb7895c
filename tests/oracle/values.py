"""The estimators, from their definitions, on a list."""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import math
import re
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
    in_reward_units: bool = True


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


def functionals(points: Sample, weights: Sample, n: int | None) -> dict[str, Any]:
    """What a formula can name, of points in ascending order; n says that they are a sample of so many."""
    unbiased = 1.0 if n is None or n == 1 else n / (n - 1)
    below = list(itertools.accumulate(weights))
    gini = 2 * math.fsum(f * (1 - f) * (y - x) for f, (x, y) in zip(below, itertools.pairwise(points)))  # F (1 - F)

    def expected(function: Callable[[float], float]) -> float:
        return math.fsum(w * function(x) for x, w in zip(points, weights))

    def quantile(level: float) -> float:
        return next((x for x, total in zip(points, below) if total >= level - 1e-9), points[-1])

    var = weighted_variance(points, weights) * unbiased
    return {
        "mean": weighted_mean(points, weights),
        "var": var,
        "std": math.sqrt(var),
        "min": points[0],
        "max": points[-1],
        "median": quantile(0.5),
        "gini": gini * unbiased,
        "cvar": lambda alpha: weighted_cvar(points, weights, alpha),
        "quantile": quantile,
        "prob": lambda level: expected(lambda x: x >= level),
        "lpm": lambda target, order: expected(lambda x: (target - x) ** order if x < target else 0.0),
        "entropic": lambda theta: -math.log(expected(lambda x: math.exp(-theta * x))) / theta,
        "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
        "exp": lambda x: math.exp(x) if x < 700 else math.inf,
        "log": lambda x: math.log(x) if x > 0 else math.nan,
        "abs": abs,
        "power": lambda x, y: math.nan if x < 0 and y % 1 else x**y,  # which would be complex
        "minimum": lambda x, y: math.nan if math.isnan(x + y) else min(x, y),
        "maximum": lambda x, y: math.nan if math.isnan(x + y) else max(x, y),
    }


class Powers(ast.NodeTransformer):
    """Calls of `power` in place of ``**``."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        is_power = isinstance(node.op, ast.Pow)
        return ast.Call(ast.Name("power", ast.Load()), [node.left, node.right], []) if is_power else node


def formula(text: str) -> Value:
    """A formula as Python itself reads it; tests may, the package must not."""

    code = compile(ast.fix_missing_locations(Powers().visit(ast.parse(text, mode="eval"))), "formula", "eval")

    def evaluate(points: Sample, weights: Sample, n: int | None) -> float:
        try:
            # with numbers of Python, which raise where those of NumPy warn
            return eval(code, {"__builtins__": {}}, functionals([float(x) for x in points], weights, n))
        except (ZeroDivisionError, OverflowError):
            return math.nan

    names = set(re.findall("[a-z]+", text))
    value = Value(
        lambda x: evaluate(sorted(x), [1 / len(x)] * len(x), len(x)),
        weighted=lambda x, w: evaluate(x, w, None),
        in_reward_units="*" not in text.replace("2 *", "").replace("0.5 *", "") and "prob" not in names,
    )
    levels = [float(level) for level in re.findall(r"(?:cvar|quantile)\(([^)]*)\)", text)]
    if names <= {"cvar", "quantile", "min"}:
        value.kind, value.tail_share = "tail", max(levels, default=1e-9)
        value.tail_size = lambda n: max([1, *(math.ceil(round(level * n, 9)) for level in levels)])
    elif names <= {"mean", "prob", "lpm"} and names != {"mean"}:  # of linear ones, which are all that we ask for
        value.feature = functools.cache(lambda x: evaluate([x], [1.0], 1))
    elif not names <= {"mean", "var", "std"}:
        value.kind = "sample" if names <= {"mean", "var", "std", "prob", "lpm", "entropic"} else "tail"
    if value.kind == "moments":  # the points of a law of moments come in no order
        value.weighted = lambda x, w: evaluate(*zip(*sorted(zip(x, w))), None)
    return value


def mean_std(rho: float) -> Value:
    return Value(
        lambda x: statistics.fmean(x) - rho * math.sqrt(variance(x)),
        weighted=lambda x, w: weighted_mean(x, w) - rho * math.sqrt(weighted_variance(x, w)),
    )


def sharpe(target: float, regularizer: float) -> Value:
    return Value(
        lambda x: (statistics.fmean(x) - target) / math.sqrt(variance(x) + regularizer),
        weighted=lambda x, w: (weighted_mean(x, w) - target) / math.sqrt(weighted_variance(x, w) + regularizer),
        in_reward_units=False,
    )


def expected(utility: Callable[[float], float]) -> Value:
    """The mean of a utility."""
    return Value(
        lambda x: statistics.fmean(map(utility, x)),
        weighted=lambda x, w: weighted_mean([utility(each) for each in x], w),
        feature=utility,
    )


def threshold(level: float) -> Value:
    return dataclasses.replace(expected(lambda x: float(x >= level)), in_reward_units=False)


def restricted_mean(cap: float) -> Value:
    return expected(lambda x: min(x, cap))


def lower_partial_moment(target: float, order: float, weight: float) -> Value:
    return expected(lambda x: x - weight * max(target - x, 0.0) ** order)


def plug_in(weighted: Callable[[Sample, Sample], float], kind: str) -> Value:
    """The value of a law, estimated by that of the sample."""
    return Value(lambda x: weighted(sorted(x), [1 / len(x)] * len(x)), kind, weighted)


def semivariance(rho: float) -> Value:
    def weighted(x: Sample, w: Sample) -> float:
        mean = weighted_mean(x, w)
        return mean - rho * math.fsum(b * max(mean - a, 0.0) ** 2 for a, b in zip(x, w))

    return plug_in(weighted, "sample")


def entropic(theta: float) -> Value:
    def weighted(x: Sample, w: Sample) -> float:
        return x[0] - math.log(math.fsum(b * math.exp(theta * (x[0] - a)) for a, b in zip(x, w))) / theta

    return plug_in(weighted, "sample")


def mean_cvar(weight: float, alpha: float) -> Value:
    def weighted(x: Sample, w: Sample) -> float:
        return weight * weighted_mean(x, w) + (1 - weight) * weighted_cvar(x, w, alpha)

    return plug_in(weighted, "tail")


def spectral(aversion: float) -> Value:
    def weighted(x: Sample, w: Sample) -> float:
        edges = [math.exp(-aversion * edge) for edge in itertools.accumulate(w, initial=0.0)]
        return math.fsum(a * (b - c) for a, (b, c) in zip(x, itertools.pairwise(edges))) / (1 - math.exp(-aversion))

    return plug_in(weighted, "tail")


def mean_gini(rho: float) -> Value:
    def estimate(x: Sample) -> float:
        n = len(x)  # the i-th lowest is the larger one in i - 1 pairs, the smaller one in n - i
        apart = math.fsum((2 * i - n - 1) * each for i, each in enumerate(sorted(x), start=1))
        return statistics.fmean(x) - rho * apart / max(1, n * (n - 1) / 2)

    def weighted(x: Sample, w: Sample) -> float:
        law = list(zip(x, w))
        return weighted_mean(x, w) - rho * math.fsum(p * q * abs(a - b) for a, p in law for b, q in law)

    return Value(estimate, "tail", weighted)


def quantile(level: float) -> Value:
    def weighted(x: Sample, w: Sample) -> float:
        return next((a for a, share in zip(x, itertools.accumulate(w)) if share >= level - 1e-12), x[-1])

    def size(n: int) -> int:
        return math.ceil(round(level * n, 9))

    return Value(lambda x: sorted(x)[size(len(x)) - 1], "tail", weighted, tail_size=size, tail_share=level)


def of(spec: dict[str, Any]) -> Value:
    """The value that a spec names."""
    parameters = {key: item for key, item in spec.items() if key != "name"}
    return VALUES[spec["name"]](**parameters)


VALUES: dict[str, Callable[..., Value]] = {
    "cvar": cvar,
    "entropic": entropic,
    "formula": formula,
    "lower-partial-moment": lower_partial_moment,
    "mean": mean,
    "mean-cvar": mean_cvar,
    "mean-gini": mean_gini,
    "mean-std": mean_std,
    "mean-variance": mean_variance,
    "quantile": quantile,
    "restricted-mean": restricted_mean,
    "semivariance": semivariance,
    "sharpe": sharpe,
    "spectral": spectral,
    "threshold": threshold,
}
