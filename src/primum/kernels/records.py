"""Records of an arm's rewards for the value in use, and the value of all of them or of a fresh sub-sample.

Three kinds of record (contract.SAMPLE, MOMENTS, TAIL). A record is brought up to date when it is used, so a
policy that never uses it pays nothing.
- `bag`: rewards in no particular order; for moments, what their features exceed the first one by, with their `totals`,
  so that the variance of large rewards does not cancel. While an arm has shown at most two different features
  (`levels`, `highs` of them the second) its sub-samples need one hypergeometric draw and no bag at all.
- `ranked`: for values of the lower tail, the lowest rewards in ascending order (`ordered` of them), then the others.
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
    note,
    set_fault,
    tail_size,
)
from primum.kernels.noting import SUBSAMPLE
from primum.kernels.streams import U
from primum.kernels.subsampling import hypergeometric, lowest, lowest_by_selection, shuffle_front, sort


@kernel
def is_arm(history: Any, arm: int) -> bool:
    """Whether there is such an arm; if not, the policy is at fault."""
    if arm < 0 or arm >= history.arms:
        set_fault(history, -1)
        return False
    return True


@kernel
def value_of(history: Any, arm: int) -> float:
    """The safety value, estimated on all rewards of an arm, which must have at least one."""
    if not is_arm(history, arm):
        return math.nan
    if history.estimated[arm] == history.pulls[arm]:
        return history.estimates[arm]
    return evaluate(history, arm)


@kernel
def value_of_subsample(history: Any, arm: int, n: int) -> float:
    """The safety value, estimated on a fresh uniform n-subset of an arm's rewards."""
    size = history.pulls[arm] if is_arm(history, arm) else 0
    if n < 1 or n > size:
        set_fault(history, -1)
        return math.nan
    return value_of(history, arm) if n == size else evaluate_subsample(history, arm, n)


@kernel
def value_of_block(history: Any, arm: int, first: int, n: int) -> float:
    """The safety value, estimated on n successive rewards of an arm, from the one with index `first` on."""
    if not is_arm(history, arm) or n < 1 or first < 0 or first > history.pulls[arm] - n:
        set_fault(history, -1)
        return math.nan
    return evaluate_block(history, arm, first, n)


@kernel
def value_of_sample(history: Any, arm: int, size: int) -> float:
    """The safety value, estimated on the numbers in history.sample[:size], as if they were rewards of an arm.

    Their order does not matter, and it may change.
    """
    if not is_arm(history, arm) or size < 1 or size > history.ample:
        set_fault(history, -1)
        return math.nan
    return evaluate_sample(history, arm, size)


# These stand for the functions below that a policy was not seen to call (compiling.connect), one for each signature,
# should it call one after all.


@kernel
def unconnected(history: Any, arm: int) -> float:
    """For evaluate."""
    set_fault(history, -1)
    return math.nan


def unconnected_2(history: Any, arm: int, second: Any) -> float:
    """For evaluate_subsample, evaluate_sample, evaluate_distribution and evaluate_reweighted."""
    return unconnected(history, arm)


def unconnected_3(history: Any, arm: int, second: int, third: int) -> float:
    """For evaluate_block."""
    return unconnected(history, arm)


UNCONNECTED = {2: unconnected, 3: unconnected_2, 4: unconnected_3}  # by number of arguments


def evaluate(history: Any, arm: int) -> float:
    """The work of value_of."""
    n = history.pulls[arm]
    if n == 0:
        set_fault(history, -1)
        return math.nan
    if history.kind == MOMENTS:
        collect(history, arm)
        value = from_sums(history, arm, n, history.totals[arm, 0], history.totals[arm, 1])
    elif history.kind == TAIL:
        wanted = checked_tail_size(history, arm, n)
        rank(history, arm, wanted)
        value = from_tail(history, history.ranked[arm, :wanted], n)
    else:
        value = estimate(history, history.rewards[arm, :n])
    history.estimates[arm] = guarded(history, arm, value)
    history.estimated[arm] = n
    return value


def evaluate_subsample(history: Any, arm: int, n: int) -> float:
    """The work of value_of_subsample, for n less than the size."""
    size = history.pulls[arm]
    kind = history.kind
    if history.bagged[arm] != size:
        collect(history, arm)
    if kind == MOMENTS and history.distinct[arm] <= 2:
        highs = history.highs[arm]
        high = hypergeometric(highs, size - highs, n, history.log_factorials, history.stream)
        note(history, SUBSAMPLE, arm, n, float(high), 0.0)
        step = history.levels[arm, 1] - history.levels[arm, 0]
        return guarded(history, arm, from_sums(history, arm, n, high * step, high * step * step))
    wanted = checked_tail_size(history, arm, n) if kind == TAIL else 0
    # selection looks at about wanted * size / n entries, the shuffle moves and compares n (measured: 2 and 6 ns)
    if kind == TAIL and wanted * size <= 3 * n * n:
        rank(history, arm, size)
        lowest_by_selection(history.ranked[arm], size, n, wanted, history.tail, history.stream)
        note(history, SUBSAMPLE, arm, n, 0.0, 0.0)
        return guarded(history, arm, from_tail(history, history.tail[:wanted], n))
    # of the kept and the left out part, the smaller is shuffled; a tail is wanted only where that is the kept one
    moved = n if 2 * n <= size else size - n
    bag = history.bag[arm]
    s1, s2 = shuffle_front(bag, size, moved, history.stream)
    if kind == MOMENTS:
        if moved != n:
            s1, s2 = history.totals[arm, 0] - s1, history.totals[arm, 1] - s2
        value = from_sums(history, arm, n, s1, s2)
    elif kind == TAIL:
        lowest(bag, n, wanted, history.tail)
        value = from_tail(history, history.tail[:wanted], n)
    else:
        value = estimate(history, bag[:n] if moved == n else bag[moved:size])
    note(history, SUBSAMPLE, arm, n, 0.0, 0.0)
    return guarded(history, arm, value)


MANY = 1 << 52  # observations: stands for a known distribution


def evaluate_block(history: Any, arm: int, first: int, n: int) -> float:
    """The work of value_of_block."""
    rewards = history.rewards[arm]
    if history.kind == MOMENTS:
        value = of_moments(history, rewards[first : first + n])
    elif history.kind == TAIL:
        wanted = checked_tail_size(history, arm, n)
        lowest(rewards[first : first + n], n, wanted, history.tail)
        value = from_tail(history, history.tail[:wanted], n)
    else:
        value = estimate(history, rewards[first : first + n])
    return guarded(history, arm, value)


def evaluate_sample(history: Any, arm: int, size: int) -> float:
    """The work of value_of_sample."""
    sample = history.sample
    if history.kind == MOMENTS:
        value = of_moments(history, sample[:size])
    elif history.kind == TAIL:
        wanted = checked_tail_size(history, arm, size)
        lowest(sample, size, wanted, sample)
        value = from_tail(history, sample[:wanted], size)
    else:
        value = estimate(history, sample[:size])
    return guarded(history, arm, value)


@kernel
def of_moments(history: Any, sample: Any) -> float:
    """A moment value of a sample."""
    n = sample.size
    start = feature(history, sample[0]) if history.has_feature else sample[0]
    s1, s2 = 0.0, 0.0
    for i in range(n):
        x = (feature(history, sample[i]) if history.has_feature else sample[i]) - start
        s1 += x
        s2 += x * x
    return from_moments(history, n, start + s1 / n, spread(s2, s1 * (s1 / n)) / max(1, n - 1))


@kernel
def from_sums(history: Any, arm: int, n: int, s1: float, s2: float) -> float:
    """A moment value from the sum and the sum of squares of what n features exceed the arm's first one by."""
    mean = s1 / n
    return from_moments(history, n, history.levels[arm, 0] + mean, spread(s2, s1 * mean) / max(1, n - 1))


@kernel
def spread(squares: float, of_mean: float) -> float:
    """A sum of squares minus that of their mean; 0 where only rounding errors are left, whose root would be 1e-8."""
    left = squares - of_mean
    return left if left > 1e-13 * squares else 0.0


@kernel
def guarded(history: Any, arm: int, value: float) -> float:
    """Check a value: one that is not a number stops the run."""
    if math.isnan(value):
        set_fault(history, arm + 1)
    return value


@kernel
def checked_tail_size(history: Any, arm: int, n: int) -> int:
    """How many of the lowest of n rewards the value needs; anything but 1 .. n stops the run."""
    wanted = tail_size(history, n)
    if wanted < 1 or wanted > n:
        set_fault(history, arm + 1)
        return 1
    return wanted


@large_kernel
def collect(history: Any, arm: int) -> None:
    """Bring bag, totals and levels up to date."""
    pulls = history.pulls[arm]
    for i in range(history.bagged[arm], pulls):
        x = history.rewards[arm, i]
        if history.has_feature:
            x = feature(history, x)
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
        if history.kind == MOMENTS:
            x -= history.levels[arm, 0]
            history.totals[arm, 0] += x
            history.totals[arm, 1] += x * x
        history.bag[arm, i] = x
    history.bagged[arm] = pulls


@kernel
def insert(ranked: Any, size: int, x: float) -> None:
    """Put x in its place among ranked[:size], which is ascending; bisection, because moving is cheaper than looking."""
    first, last = 0, size
    while first < last:
        middle = (first + last) // 2
        if ranked[middle] <= x:
            first = middle + 1
        else:
            last = middle
    i, place = U(size), U(first)
    while i > place:
        ranked[i] = ranked[i - U(1)]
        i -= U(1)
    ranked[place] = x


@large_kernel
def rank(history: Any, arm: int, wanted: int) -> None:
    """Bring the ranked record up to date, its lowest `wanted` in order.

    A tail needs no more, and a reward above the ordered part is put aside at no cost. That part keeps its share of the
    rewards as they come in, so half as much again as is wanted now suffices; where it does not, all are kept in order
    from then on.
    """
    known, pulls = history.ranks[arm], history.pulls[arm]
    ranked, ordered = history.ranked[arm], history.ordered[arm]
    low = min(ordered, known)
    if pulls - known > 32:
        for i in range(known, pulls):
            ranked[i] = history.rewards[arm, i]
        low = 0
    else:
        for n in range(known, pulls):
            x = history.rewards[arm, n]
            if low < n and ranked[low - 1] <= x:
                ranked[n] = x
            else:
                ranked[n] = ranked[low]
                insert(ranked, low, x)
                low += 1
    if low < wanted:
        sort(ranked, pulls)
        low = pulls
        if ordered < known:
            ordered = MANY
    history.ordered[arm] = ordered if ordered == MANY else min(low, wanted + wanted // 2 + 32)
    history.ranks[arm] = pulls
