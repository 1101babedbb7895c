"""How an arm's rewards are kept for the value in use, and the value of all of them or of a fresh sub-sample.

Three kinds of record (contract.SAMPLE, MOMENTS, TAIL). A record catches up with the rewards when it is asked, so a
policy that never asks pays nothing.
- `bag`: features in no particular order, with their `totals`. While an arm has shown at most two different features
  (`levels`, `highs` of them the second) its sub-samples need one hypergeometric draw and no bag at all.
- `ranked`: rewards in ascending order, for values of the lower tail.
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
    tail_size,
)
from primum.kernels.subsampling import hypergeometric, lowest_by_selection, lowest_by_shuffle, shuffle_front, sort


def value_of(history: Any, arm: int) -> float:
    """The safety value, estimated on all rewards of an arm; it must have one at least."""
    n = history.pulls[arm]
    if history.estimated[arm] == n:
        return history.estimates[arm]
    if history.kind == MOMENTS:
        collect(history, arm)
        value = from_moments(history, n, history.totals[arm, 0], history.totals[arm, 1])
    elif history.kind == TAIL:
        rank(history, arm)
        value = from_tail(history, history.ranked[arm, : tail_size(history, n)], n)
    else:
        value = estimate(history, history.rewards[arm, :n])
    value = guarded(history, arm, value)
    history.estimates[arm] = value
    history.estimated[arm] = n
    return value


def value_of_subsample(history: Any, arm: int, n: int) -> float:
    """The safety value, estimated on a fresh uniform n-subset of an arm's rewards."""
    size = history.pulls[arm]
    if n == size:
        return value_of(history, arm)
    if history.bagged[arm] != size:
        collect(history, arm)
    if history.kind == MOMENTS:
        if history.distinct[arm] <= 2:
            high = hypergeometric(
                history.highs[arm], size - history.highs[arm], n, history.log_factorials, history.stream
            )
            a, b = history.levels[arm, 0], history.levels[arm, 1]
            s1 = (n - high) * a + high * b
            s2 = (n - high) * a * a + high * b * b
        elif 2 * n <= size:
            s1, s2 = shuffle_front(history.bag[arm], size, n, history.stream)
        else:
            s1, s2 = shuffle_front(history.bag[arm], size, size - n, history.stream)
            s1 = history.totals[arm, 0] - s1
            s2 = history.totals[arm, 1] - s2
        return guarded(history, arm, from_moments(history, n, s1, s2))
    if history.kind == TAIL:
        wanted = tail_size(history, n)
        # selection looks at about wanted * size / n entries, the shuffle moves and compares n (measured: 2 and 6 ns)
        if wanted * size <= 3 * n * n:
            rank(history, arm)
            lowest_by_selection(history.ranked[arm], size, n, wanted, history.tail, history.stream)
        else:
            lowest_by_shuffle(history.bag[arm], size, n, wanted, history.tail, history.stream)
        return guarded(history, arm, from_tail(history, history.tail[:wanted], n))
    if 2 * n <= size:
        shuffle_front(history.bag[arm], size, n, history.stream)
        return guarded(history, arm, estimate(history, history.bag[arm, :n]))
    shuffle_front(history.bag[arm], size, size - n, history.stream)
    return guarded(history, arm, estimate(history, history.bag[arm, size - n : size]))


@kernel
def guarded(history: Any, arm: int, value: float) -> float:
    """Every value passes here: one that is not a number stops the run."""
    if math.isnan(value) and history.fault == 0:
        set_fault(history, arm + 1)
    return value


@large_kernel
def collect(history: Any, arm: int) -> None:
    """Bring bag, totals and levels up to date."""
    pulls = history.pulls[arm]
    for i in range(history.bagged[arm], pulls):
        x = history.rewards[arm, i]
        if history.has_feature:
            x = feature(history, x)
        history.totals[arm, 0] += x
        history.totals[arm, 1] += x * x
        history.bag[arm, i] = x
        count = history.distinct[arm]
        if count == 0:
            history.levels[arm, 0] = x
            history.distinct[arm] = 1
        elif count == 1 and x != history.levels[arm, 0]:
            history.levels[arm, 1] = x
            history.distinct[arm] = 2
        elif count == 2 and x != history.levels[arm, 0] and x != history.levels[arm, 1]:
            history.distinct[arm] = 3
        if history.distinct[arm] == 2 and x == history.levels[arm, 1]:
            history.highs[arm] += 1
    history.bagged[arm] = pulls


@large_kernel
def rank(history: Any, arm: int) -> None:
    """Bring the ascending record up to date."""
    known = history.ranks[arm]
    pulls = history.pulls[arm]
    ranked = history.ranked[arm]
    if pulls - known > 32:
        for i in range(known, pulls):
            ranked[i] = history.rewards[arm, i]
        sort(ranked, pulls)
    else:
        for n in range(known, pulls):
            x = history.rewards[arm, n]
            place = n
            while place > 0 and ranked[place - 1] > x:
                ranked[place] = ranked[place - 1]
                place -= 1
            ranked[place] = x
    history.ranks[arm] = pulls
