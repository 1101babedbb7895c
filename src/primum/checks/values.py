"""Checks of a safety value: its native code, its estimates, its weights and its true value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum import rewards
from primum.checks.finding import Check, Counterexample, shown
from primum.checks.trial import Trial
from primum.kernels import value_of, value_of_block, value_of_reweighted, value_of_subsample
from primum.policies import Policy

SIZES = (1, 2, 3, 10, 100)
LARGE_SIZE_ERROR = 1e-2  # of an estimate on rewards in [0, 1], relative to a true value above 1
LARGE_SIZE = 5_000
WAYS = ("all of", "1 of", "half of", "all but one of", "the last two thirds of", "randomly weighted")


@dataclass(frozen=True)
class _Probe(Policy):
    """Evaluates the value on each arm's rewards in all ways that kernels offer."""

    memory_width = len(WAYS)

    @staticmethod
    def choose(history: Any) -> int:
        for arm in range(history.arms):
            n = history.pulls[arm]
            top = history.rewards[arm, 0]
            for i in range(n):
                top = max(top, history.rewards[arm, i])
            history.memory[arm, 0] = value_of(history, arm)
            history.memory[arm, 1] = value_of_subsample(history, arm, 1)
            history.memory[arm, 2] = value_of_subsample(history, arm, (n + 1) // 2)
            history.memory[arm, 3] = value_of_subsample(history, arm, max(1, n - 1))
            history.memory[arm, 4] = value_of_block(history, arm, n // 3, n - n // 3)
            history.memory[arm, 5] = value_of_reweighted(history, arm, top)
        return 0


def samples() -> list[Any]:
    """Rewards in [0, 1], of all sizes: any, of two kinds, with ties, all equal."""
    rng = np.random.default_rng(7)
    return [
        sample
        for n in SIZES
        for sample in (
            rng.random(n),
            np.where(rng.random(n) < 0.6, 1.0, 0.25),
            rng.integers(0, 4, n) / 3.0,
            np.full(n, 0.3),
            np.zeros(n),
        )
    ]


def wild_samples() -> list[Any]:
    """Rewards that are large or negative."""
    rng = np.random.default_rng(8)
    return [sample for n in SIZES for sample in (1_000.0 + rng.random(n), -5.0 * rng.random(n))]


def rounding(sample: Any, value: float) -> float:
    """How far apart two ways to add up the same numbers may be; values may square rewards."""
    largest = float(np.abs(sample).max())
    return 1e-9 * max(1.0, abs(value), largest) + 1e-12 * largest**2


def compiles(value: Any) -> str:
    Trial(_Probe(), value, 1, 1, native=True)
    return "native code was made, and it does not write to its sample"


def native_code_equals_the_source(value: Any) -> str:
    groups, furthest, remark = [samples(), wild_samples()], 0.0, ""
    for group in groups:
        try:
            plain = _probe(value, group, native=False)
        except Exception as error:
            if group is groups[0]:
                raise Counterexample(f"the source raises {type(error).__name__}: {error}") from None
            remark = "; it takes no large or negative rewards"
            continue
        native = _probe(value, group, native=True)
        for sample, fast, slow in zip(group, native, plain, strict=True):
            for way, a, b in zip(WAYS, fast, slow, strict=True):
                if not (abs(a - b) <= rounding(sample, b) or a == b or (math.isnan(a) and math.isnan(b))):
                    raise Counterexample(f"on {way} {shown(sample)} native code gives {a!r}, the source {b!r}")
                furthest = max(furthest, abs(a - b) if math.isfinite(a - b) else 0.0)
            if not math.isnan(fast[0]) and abs(fast[0] - value.of(sample)) > rounding(sample, fast[0]):
                raise Counterexample(
                    f"on {shown(sample)} native code gives {fast[0]!r}, `of` {value.of(sample)!r}: they must agree"
                )
    count = sum(len(group) for group in groups)
    return f"on {count} samples of up to {SIZES[-1]} rewards they differ by {furthest:.2g} at most{remark}"


def _probe(value: Any, group: list[Any], native: bool) -> list[list[float]]:
    trial = Trial(_Probe(), value, len(group), SIZES[-1], native=native)
    for arm, sample in enumerate(group):
        for reward in sample:
            trial.tell(arm, reward)
    trial.decide()
    found: list[list[float]] = trial.arrays["memory"].tolist()
    return found


def is_finite_on_few_rewards(value: Any) -> str:
    for sample in ([0.0], [0.5], [1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0, 1.0]):
        if not math.isfinite(value.of(sample)):
            raise Counterexample(f"on {shown(sample)} it is {value.of(sample)}")
    return f"on a single reward of 0, 0.5 and 1 it is {', '.join(f'{value.of([x]):.6g}' for x in (0.0, 0.5, 1.0))}"


def the_order_of_rewards_does_not_matter(value: Any) -> str:
    rng = np.random.default_rng(9)
    tried = [sample for sample in samples() if sample.size > 1]
    for sample in tried:
        for again in (sample[::-1], np.sort(sample), rng.permutation(sample)):
            a, b = value.of(sample), value.of(again.copy())
            if abs(a - b) > rounding(sample, a):
                raise Counterexample(f"on {shown(sample)} it is {a!r}, on {shown(again)} {b!r}")
    return f"on {len(tried)} samples in three other orders it stays the same"


def the_true_value_is_what_estimates_come_to(value: Any) -> str:
    rng = np.random.default_rng(10)
    furthest, where = -1.0, ""
    for distribution in (
        rewards.Uniform(0, 1),
        rewards.Bernoulli(0.37),
        rewards.TruncatedNormal(0.4, 0.3),
        rewards.Constant(0.45),
    ):
        truth = float(value.true_value(distribution))
        # one reward in each of as many equal slices, so that hardly anything is left to chance
        estimate = value.of(
            distribution.quantile(rng.permutation(np.arange(LARGE_SIZE) + rng.random(LARGE_SIZE)) / LARGE_SIZE)
        )
        error = abs(estimate - truth) / max(1.0, abs(truth))
        if not (math.isfinite(truth) and error <= LARGE_SIZE_ERROR):
            raise Counterexample(
                f"of {distribution} the true value is {truth:.6g}, the estimate on {LARGE_SIZE:,} rewards "
                f"{estimate:.6g}"
            )
        if error > furthest:
            furthest, where = error, str(distribution)
    return f"on {LARGE_SIZE:,} rewards of four distributions they differ by {furthest:.2g} at most, under {where}"


def looks_only_at_its_tail_share(value: Any) -> str:
    share = value.tail_share
    if share >= 1.0:
        return "it declares that it depends on all rewards"
    sample = np.sort(np.random.default_rng(11).random(LARGE_SIZE))
    kept = min(LARGE_SIZE - 1, math.ceil(share * LARGE_SIZE) + 1)
    changed = np.append(sample[:kept], np.ones(LARGE_SIZE - kept))
    a, b = value.of(sample), value.of(changed)
    if abs(a - b) > 1e-9:
        raise Counterexample(f"raising rewards above the lowest {share:g} moves it from {a!r} to {b!r}")
    return f"rewards above the lowest {share:g} can rise without changing it"


def weights_count_as_repetitions(value: Any) -> str:
    if "weighted" not in value._crossings():
        return "it has no `weighted`, so samples are resampled or given by their moments instead"

    def weighted(points: Any, weights: Any) -> float:
        return float(value.weighted(np.array(points), np.array(weights), *value.packed()))

    rng = np.random.default_rng(12)
    for size in (1, 2, 5, 30):
        points, weights = np.sort(rng.random(size)), rng.dirichlet(np.ones(size))
        expected = weighted(points, weights)
        halved = weighted(np.repeat(points, 2), np.repeat(weights / 2, 2))
        _agree("each of them twice with half the weight", points, weights, expected, halved)
        zero = weighted(np.append(0.0, points), np.append(0.0, weights))
        _agree("and a reward of 0 without weight", points, weights, expected, zero)
        enough = 1 + int(np.searchsorted(np.cumsum(weights), min(value.tail_share, 1 - 1e-9)))
        tail = weighted(points[:enough], weights[:enough])
        _agree(f"only the lowest {enough}, its tail share", points, weights, expected, tail)
    sample = np.sort(rng.random(LARGE_SIZE))
    a, b = weighted(sample, np.full(LARGE_SIZE, 1 / LARGE_SIZE)), value.of(sample)
    if abs(a - b) > LARGE_SIZE_ERROR * max(1.0, abs(b)):
        raise Counterexample(
            f"on {LARGE_SIZE:,} rewards of equal weight `weighted` gives {a:.6g}, the estimate is {b:.6g}"
        )
    return f"on {LARGE_SIZE:,} rewards of equal weight it differs from the estimate by {abs(a - b):.2g}"


def _agree(change: str, points: Any, weights: Any, a: float, b: float) -> None:
    if not abs(a - b) <= 1e-9 * max(1.0, abs(a)):
        raise Counterexample(f"rewards {shown(points)} with weights {shown(weights)} give {a!r}; {change}: {b!r}")


CHECKS: tuple[Check, ...] = (
    is_finite_on_few_rewards,
    the_order_of_rewards_does_not_matter,
    native_code_equals_the_source,
    the_true_value_is_what_estimates_come_to,
    looks_only_at_its_tail_share,
    weights_count_as_repetitions,
)
