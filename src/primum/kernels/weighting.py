"""The value of a weighted sample: rewards with random weights, or any points with weights.

Random weights are Dirichlet(1, ..., 1): exponential variates divided by their sum. A moment value follows from the
weighted moments, a value with `weighted` is computed by it, and any other is estimated on a resampled sample.
"""

from __future__ import annotations

import math
from typing import Any

from primum.kernels.contract import (
    MOMENTS,
    TAIL,
    estimate,
    feature,
    from_moments,
    from_tail,
    kernel,
    large_kernel,
    set_fault,
    weighted,
)
from primum.kernels.elementary import power
from primum.kernels.records import MANY, checked_tail_size, collect, guarded, is_arm, rank, spread
from primum.kernels.streams import exponential, fill_exponentials, gamma, uniform


@kernel
def value_of_reweighted(history: Any, arm: int, top: float) -> float:
    """The safety value of an arm's rewards and one more, `top`, no less than any, with Dirichlet(1, ..., 1) weights."""
    return evaluate_reweighted(history, arm, top) if is_arm(history, arm) else math.nan


@kernel
def value_of_distribution(history: Any, arm: int, size: int) -> float:
    """The safety value of the points history.points[:size], ascending, with weights that add up to 1."""
    if not is_arm(history, arm) or size < 1 or size > history.room:
        set_fault(history, -1)
        return math.nan
    return evaluate_distribution(history, arm, size)


def evaluate_distribution(history: Any, arm: int, size: int) -> float:
    """The work of value_of_distribution."""
    points, weights = history.points, history.weights
    if history.kind != MOMENTS:
        return guarded(history, arm, of_weighted(history, arm, points[:size], weights[:size]))
    start = feature(history, points[0]) if history.has_feature else points[0]
    s1, s2 = 0.0, 0.0
    for i in range(size):
        x = (feature(history, points[i]) if history.has_feature else points[i]) - start
        s1 += weights[i] * x
        s2 += weights[i] * x * x
    return guarded(history, arm, from_moments(history, MANY, start + s1, spread(s2, s1 * s1)))


def evaluate_reweighted(history: Any, arm: int, top: float) -> float:
    """The work of value_of_reweighted."""
    n = history.pulls[arm]
    if history.kind != MOMENTS:
        drawn = draw_weights(history, n + 1)
        rank(history, arm, min(drawn, n))
        ranked = history.ranked[arm]
        ranked[n] = top  # the next reward will overwrite it
        return guarded(history, arm, of_weighted(history, arm, ranked[:drawn], history.weights[:drawn]))
    collect(history, arm)
    extra = feature(history, top) if history.has_feature else top
    start = history.levels[arm, 0] if n > 0 else extra
    extra -= start
    stream = history.stream
    if history.distinct[arm] <= 2:  # weights of equal rewards add up to gamma variates
        total = exponential(stream)
        s1, s2 = total * extra, total * extra * extra
        highs = history.highs[arm]
        if highs < n:
            total += gamma(stream, float(n - highs))
        if highs > 0:
            step, weight = history.levels[arm, 1] - start, gamma(stream, float(highs))
            total += weight
            s1 += weight * step
            s2 += weight * step * step
    else:
        bag, weights = history.bag[arm], history.weights
        fill_exponentials(stream, weights[: n + 1])
        total = weights[n]
        s1, s2 = total * extra, total * extra * extra
        for i in range(n):
            weight, x = weights[i], bag[i]
            total += weight
            s1 += weight * x
            s2 += weight * x * x
    mean = s1 / total
    return guarded(history, arm, from_moments(history, MANY, start + mean, spread(s2, s1 * mean) / total))


@kernel
def small_gamma(stream: Any, shape: float) -> float:
    """A gamma variate of any positive shape."""
    if shape >= 1.0:
        return gamma(stream, shape)
    return gamma(stream, 1.0 + shape) * power(uniform(stream), 1.0 / shape)


@kernel
def value_of_hopeful(history: Any, arm: int, extra: float, shape: float) -> float:
    """The safety value of an arm's rewards, with exponential weights, and `extra`, with a Gamma(`shape`) weight.

    history.scores[arm] becomes the value of the same without `extra`, which may be larger.
    """
    if not is_arm(history, arm) or history.pulls[arm] < 1:
        set_fault(history, -1)
        return math.nan
    return evaluate_hopeful(history, arm, extra, shape)


def evaluate_hopeful(history: Any, arm: int, extra: float, shape: float) -> float:
    """The work of value_of_hopeful."""
    n = history.pulls[arm]
    stream, weights = history.stream, history.weights
    last = small_gamma(stream, shape)
    if history.kind == MOMENTS:
        collect(history, arm)
        start = history.levels[arm, 0]
        beyond = (feature(history, extra) if history.has_feature else extra) - start
        total, s1, s2 = 0.0, 0.0, 0.0
        if history.distinct[arm] <= 2:  # weights of equal rewards add up to gamma variates
            highs = history.highs[arm]
            if highs < n:
                total = gamma(stream, float(n - highs))
            if highs > 0:
                step, weight = history.levels[arm, 1] - start, gamma(stream, float(highs))
                total += weight
                s1 = weight * step
                s2 = s1 * step
        else:
            bag = history.bag[arm]
            fill_exponentials(stream, weights[:n])
            for i in range(n):
                weight, x = weights[i], bag[i]
                total += weight
                s1 += weight * x
                s2 += weight * x * x
        mean = s1 / total
        plain = from_moments(history, MANY, start + mean, spread(s2, s1 * mean) / total)
        total += last
        s1 += last * beyond
        s2 += last * beyond * beyond
        mean = s1 / total
        hopeful = from_moments(history, MANY, start + mean, spread(s2, s1 * mean) / total)
    else:
        fill_exponentials(stream, weights[:n])
        rank(history, arm, n)
        ranked, points = history.ranked[arm], history.points
        total = sum_of(weights[:n])
        for i in range(n):
            points[i] = ranked[i]
            weights[i] /= total
        plain = of_weighted(history, arm, points[:n], weights[:n])
        last /= total
        total = 1.0 + last
        place = n
        while place > 0 and ranked[place - 1] > extra:
            points[place] = ranked[place - 1]
            weights[place] = weights[place - 1] / total
            place -= 1
        points[place] = extra
        weights[place] = last / total
        for i in range(place):
            weights[i] /= total
        hopeful = of_weighted(history, arm, points[: n + 1], weights[: n + 1])
    history.scores[arm] = guarded(history, arm, plain)
    return guarded(history, arm, hopeful)


@large_kernel
def draw_weights(history: Any, size: int) -> int:
    """Dirichlet(1, ..., 1) weights of `size` points into history.weights; how many of them were drawn.

    Only the first ones that together make up the value's `tail_share`. Weights are exponential variates divided by
    their sum; the sum of a block is to the sum of the rest as two gamma variates, so the rest need not be drawn. The
    first block is nearly always enough, and those after it are small.
    """
    weights, stream = history.weights, history.stream
    share = history.tail_share[0]
    drawn, rest = 0, 1.0
    block = size
    if share < 1.0:
        block = min(size, int(share * size * 1.1) + 16)
    while drawn < size and 1.0 - rest < share:
        block = min(block, size - drawn)
        mass = rest
        if drawn + block < size:
            x = gamma(stream, float(block))
            mass *= x / (x + gamma(stream, float(size - drawn - block)))
        part = weights[drawn : drawn + block]
        fill_exponentials(stream, part)
        scale = mass / sum_of(part)
        for i in range(block):
            part[i] *= scale
        drawn += block
        rest -= mass
        block = block // 8 + 1
    return drawn


@kernel
def sum_of(array: Any) -> float:
    """The sum of an array, in four parts: an addition waits for the one before it."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    fours = array.size // 4
    for i in range(fours):
        a += array[4 * i]
        b += array[4 * i + 1]
        c += array[4 * i + 2]
        d += array[4 * i + 3]
    for i in range(4 * fours, array.size):
        a += array[i]
    return (a + b) + (c + d)


@kernel
def of_weighted(history: Any, arm: int, points: Any, weights: Any) -> float:
    """A value that is not one of moments, of points in ascending order with weights that add up to its tail share."""
    if history.has_weighted:
        return weighted(history, points, weights)
    size = resample(history, points, weights)
    resampled = history.resampled
    if history.kind == TAIL:
        return from_tail(history, resampled[: checked_tail_size(history, arm, size)], size)
    return estimate(history, resampled[:size])


@large_kernel
def resample(history: Any, points: Any, weights: Any) -> int:
    """A sample in place of a weighted one, for a value without `weighted`: each point as often as its weight
    says, rounded up or down at random (systematic resampling), four times as many as there are points and 60 more."""
    size = 4 * points.size + 60
    offset, edge, filled = uniform(history.stream), 0.0, 0
    for i in range(points.size):
        edge += weights[i] * size
        while filled < size and filled + offset < edge:
            history.resampled[filled] = points[i]
            filled += 1
    while filled < size:  # rounding
        history.resampled[filled] = points[points.size - 1]
        filled += 1
    return size
