"""Checks of the declared properties of a safety value, by enumeration and search on rewards in [0, 1]."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from primum.checks.finding import Check, Counterexample, shown
from primum.rewards import Discrete

ROUNDING_ERROR = 1e-9
SCALES = (-3.0, 1.0), (10.0, 480.0), (0.0, 0.01)  # the new 0, and the distance of the new 1 from it
GRID_ERROR = 1e-3  # of a true value computed on a grid of quantiles


DISTRIBUTIONS = Discrete((0.0, 0.3, 1.0), (0.2, 0.5, 0.3)), Discrete((0.1, 0.8, 0.9), (0.6, 0.1, 0.3))


def gamma_bounds_what_one_reward_changes(value: Any) -> str:
    found = {n: max((_change(value, others) for others in _lattice(n)), key=_size) for n in range(2, 7)}
    found |= {n: _climb(value, n) for n in (10, 100)}
    worst = max(found, key=lambda n: found[n][0])
    size, others, (low, at_low), (high, at_high) = found[worst]
    seen = f"{worst} |change| = {size:.6g}"
    if value.gamma is None:
        growth = ", ".join(f"{found[n][0]:.4g} of {n}" for n in (2, 5, 10, 100))
        grows = "grows" if found[100][0] > 2 * found[10][0] else "does not grow much"
        return f"no gamma is claimed; the largest n |change| of n rewards found is {growth}: it {grows} with n"
    if size > value.gamma * (1 + ROUNDING_ERROR) + ROUNDING_ERROR:
        raise Counterexample(
            f"gamma is claimed to be {value.gamma:g}, but beside {shown(others)} a reward of {low:g} gives "
            f"{at_low:.6g} and one of {high:g} gives {at_high:.6g}: {seen}"
        )
    return f"gamma is claimed to be {value.gamma:g}; the largest n |change| found is {size:.6g}, with n = {worst}"


def _lattice(n: int) -> Iterator[Any]:
    points = np.linspace(0, 1, 5 if n < 5 else 3)
    return map(np.array, itertools.combinations_with_replacement(points, n - 1))


def _change(value: Any, others: Any, between: float = 0.5) -> Any:
    """n times the most that one reward beside the others changes, the others, and the two rewards with their values."""
    at = sorted(((x, value.of(np.append(others, x))) for x in (0.0, between, 1.0)), key=lambda pair: pair[1])
    return (others.size + 1) * (at[-1][1] - at[0][1]), others, at[0], at[-1]


def _size(change: Any) -> float:
    return float(change[0])


def _climb(value: Any, n: int) -> Any:
    """The largest change found by altering the others a little, again and again, while that does not reduce it."""
    rng = np.random.default_rng(n)
    summits = []
    for start in (np.zeros(n - 1), np.ones(n - 1), rng.random(n - 1), np.sort(rng.integers(0, 2, n - 1)) * 1.0):
        summit = _change(value, start)
        for _ in range(20):
            others = summit[1].copy()
            others[rng.random(n - 1) < rng.choice([1 / n, 0.3])] = rng.choice([0.0, 1.0, rng.random()])
            summit = max(_change(value, others, rng.random()), summit, key=_size)
        summits.append(summit)
    return max(summits, key=_size)


def is_unbiased_if_it_says_so(value: Any) -> str:
    largest, sentence = -1.0, ""
    for distribution in DISTRIBUTIONS:
        points, chances = distribution.atoms
        truth = value.true_value(distribution)
        expected = {
            n: sum(
                chances[list(drawn)].prod() * value.of(points[list(drawn)])
                for drawn in itertools.product(range(points.size), repeat=n)
            )
            for n in (2, 3, 4)
        }
        # an unbiased estimator has the same expectation for all n, whatever is known about the true value
        spread = max(expected.values()) - min(expected.values())
        if max(spread, abs(expected[2] - truth)) > largest:
            largest = max(spread, abs(expected[2] - truth))
            means = ", ".join(f"{mean:.6g} for {n}" for n, mean in expected.items())
            sentence = (
                f"rewards {shown(points)} with probabilities {shown(chances)}: the mean estimate is {means} of them, "
                f"the true value {truth:.6g}"
            )
        if value.unbiased and (spread > ROUNDING_ERROR or abs(expected[2] - truth) > GRID_ERROR * max(1.0, abs(truth))):
            raise Counterexample(f"it is claimed to be unbiased, but on {sentence}")
    return f"{'it is claimed to be unbiased' if value.unbiased else 'not claimed'}; {sentence}"


def sub_samples_average_to_the_sample_if_it_says_so(value: Any) -> str:
    largest, sentence = -1.0, ""
    for sample in (np.array([0.1, 0.9, 0.35, 0.5, 1.0]), np.array([0.0, 0.0, 1.0, 1.0, 1.0, 0.2])):
        whole = value.of(sample)
        for m in range(2, sample.size):
            mean = float(np.mean([value.of(sample[list(kept)]) for kept in _subsets(sample.size, m)]))
            if abs(mean - whole) > largest:
                largest = abs(mean - whole)
                sentence = f"on {shown(sample)} it is {whole:.6g}, on its sub-samples of {m} on average {mean:.6g}"
    if value.averages_over_subsamples and largest > ROUNDING_ERROR:
        raise Counterexample(f"it is claimed that sub-samples average to the sample, but {sentence}")
    return f"{'it is claimed' if value.averages_over_subsamples else 'not claimed'}; {sentence}"


def _subsets(n: int, m: int) -> Iterator[tuple[int, ...]]:
    return itertools.combinations(range(n), m)


def lipschitz_bounds_what_a_change_of_the_law_does(value: Any) -> str:
    if value.lipschitz is None:
        return "no lipschitz is claimed"
    rng = np.random.default_rng(13)
    steepest = 0.0
    for trial in range(100):
        points = np.sort(np.append(rng.random(rng.integers(1, 4)), [0.0, 1.0] if trial % 2 else [rng.random()]))
        first, second = rng.dirichlet(np.ones(points.size), 2)
        if trial % 3 == 0:  # move a little probability to a point
            second = 0.9 * first
            second[rng.integers(points.size)] += 0.1
        distance = float(np.abs(np.cumsum(first - second)).max())
        a, b = (value.true_value(Discrete(points.tolist(), chances.tolist())) for chances in (first, second))
        if abs(a - b) > value.lipschitz * distance + GRID_ERROR:
            raise Counterexample(
                f"lipschitz is claimed to be {value.lipschitz:g}, but rewards {shown(points)} with probabilities "
                f"{shown(first)} and {shown(second)}, {distance:.4g} apart, give {a:.6g} and {b:.6g}: "
                f"a ratio of {abs(a - b) / distance:.6g}"
            )
        steepest = max(steepest, abs(a - b) / max(distance, 0.02))
    return (
        f"lipschitz is claimed to be {value.lipschitz:g}; "
        f"the largest ratio found in 100 pairs of distributions is {steepest:.6g}"
    )


def is_rescaled_with_the_rewards_if_it_says_so(value: Any) -> str:
    if not value.equivariant:
        return "it is not claimed to have the unit of the rewards"
    furthest = 0.0
    for law, (low, width) in itertools.product(DISTRIBUTIONS, SCALES):
        points, chances = law.atoms
        rescaled = Discrete(tuple((low + width * points).tolist()), tuple(chances.tolist()))
        got, expected = value.true_value(rescaled), low + width * value.true_value(law)
        if not abs(got - expected) <= GRID_ERROR * width:
            raise Counterexample(
                f"it is claimed to be equivariant, but for rewards {low:g} + {width:g} X, where X is {shown(points)} "
                f"with probabilities {shown(chances)}, it is {got:.6g} and not {expected:.6g}"
            )
        furthest = max(furthest, abs(got - expected) / width)
    return f"it is rescaled with the rewards, to within {furthest:.2g} of their range"


CHECKS: tuple[Check, ...] = (
    gamma_bounds_what_one_reward_changes,
    is_unbiased_if_it_says_so,
    sub_samples_average_to_the_sample_if_it_says_so,
    lipschitz_bounds_what_a_change_of_the_law_does,
    is_rescaled_with_the_rewards_if_it_says_so,
)
