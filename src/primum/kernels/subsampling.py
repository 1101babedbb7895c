"""Uniform sub-samples without replacement, one way for each kind of record."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from primum.kernels.contract import kernel, large_kernel
from primum.kernels.elementary import log
from primum.kernels.streams import LOW, S32, U, below, forward, scaled, uniform


@kernel
def bring(bag: Any, i: Any, offset: Any) -> float:
    """One move of a Fisher-Yates shuffle: the entry at i + offset comes to i."""
    x = bag[i + offset]
    bag[i + offset] = bag[i]
    bag[i] = x
    return x


@kernel
def shuffle_front(bag: Any, size: int, moved: int, stream: Any) -> tuple[float, float]:
    """Bring a uniform subset of `moved` of the first `size` entries to the front; its sum and sum of squares.

    A partial Fisher-Yates shuffle in place: the order of a bag carries no information. This loop is where the time of
    a duel goes, so each word serves two draws, the state stays in local variables, and indices are unsigned, which
    spares Numba the check for negative ones.
    """
    s0, s1 = stream[0], stream[1]
    total, squares = 0.0, 0.0
    i, end, left = U(0), U(moved), U(size)
    while i < end:
        word, s0, s1 = forward(s0, s1)
        offset, s0, s1 = scaled(word >> S32, left - i, s0, s1)
        x = bring(bag, i, offset)
        total += x
        squares += x * x
        i += U(1)
        if i < end:
            offset, s0, s1 = scaled(word & LOW, left - i, s0, s1)
            x = bring(bag, i, offset)
            total += x
            squares += x * x
            i += U(1)
    stream[0] = s0
    stream[1] = s1
    return total, squares


@kernel
def log_factorial(table: Any, k: int) -> float:
    """log(k!), from the table where it reaches."""
    return table[U(k)] if k < table.size else stirling(k)


@large_kernel
def stirling(k: int) -> float:
    """log(k!) by Stirling's series, for k beyond 10,000, where its error is below that of rounding."""
    x = k + 1.0
    return (x - 0.5) * log(x) - x + 0.9189385332046727 + 1.0 / (12.0 * x) - 1.0 / (360.0 * x * x * x)


@kernel
def hypergeometric(good: int, bad: int, n: int, table: Any, stream: Any) -> int:
    """The number of good items in a uniform n-subset of good + bad items."""
    size = good + bad
    drawn = min(n, size - n)
    rare = min(good, bad)
    fewer, more = min(drawn, rare), max(drawn, rare)  # the two roles are symmetric
    if fewer <= 36:  # measured: the costs cross there, at 50 ns
        found = _one_by_one(fewer, more, size, stream)
    else:
        found = _ratio_of_uniforms(rare, size, drawn, table, stream)
    if good > bad:
        found = drawn - found
    return found if drawn == n else good - found


@kernel
def _one_by_one(tries: int, targets: int, size: int, stream: Any) -> int:
    """How often `tries` draws without replacement meet one of the targets; no branch depends on chance."""
    s0, s1 = stream[0], stream[1]
    left, rest = U(targets), U(size)
    word = U(0)
    for i in range(tries):
        if i & 1 == 0:
            word, s0, s1 = forward(s0, s1)
        else:
            word <<= S32
        place, s0, s1 = scaled(word >> S32, rest, s0, s1)
        left -= U(place < left)
        rest -= U(1)
    stream[0] = s0
    stream[1] = s1
    return targets - np.int64(left)


@kernel
def log_ways(rare: int, rest: int, drawn: int, k: int, table: Any) -> float:
    """Minus the logarithm of the probability of k, but for a constant; rest = size - rare - drawn."""
    if rare + rest + drawn < table.size:
        return table[U(k)] + table[U(rare - k)] + table[U(drawn - k)] + table[U(rest + k)]
    return (
        log_factorial(table, k)
        + log_factorial(table, rare - k)
        + log_factorial(table, drawn - k)
        + log_factorial(table, rest + k)
    )


@kernel
def _ratio_of_uniforms(rare: int, size: int, drawn: int, table: Any, stream: Any) -> int:
    """The same where 2 rare <= size and 2 drawn <= size: Stadlober's HRUA, J. Comput. Appl. Math. 31, 1990."""
    share = rare / size
    spread = math.sqrt((size - drawn) * drawn * share * (1.0 - share) / (size - 1) + 0.5)
    centre = drawn * share + 0.5
    width = 1.7155277699214135 * spread + 0.8989161620588988  # 2 sqrt(2/e), 3 - 2 sqrt(3/e)
    end = min(min(drawn, rare) + 1.0, math.floor(centre + 16.0 * spread))  # beyond 16 deviations: below 1e-50
    rest = size - rare - drawn
    mode = np.int64((drawn + 1.0) * (rare + 1.0) / (size + 2.0))
    top = log_ways(rare, rest, drawn, mode, table)
    while True:
        x = uniform(stream)
        place = centre + width * (uniform(stream) - 0.5) / x
        if place < 0.0 or place >= end:
            continue
        k = np.int64(place)
        ratio = top - log_ways(rare, rest, drawn, k, table)
        if x * (4.0 - x) - 3.0 <= ratio:
            return k
        if x * (x - ratio) < 1.0 and 2.0 * log(x) <= ratio:
            return k


@kernel
def lowest_by_selection(ranked: Any, size: int, n: int, wanted: int, out: Any, stream: Any) -> None:
    """The `wanted` smallest of a uniform n-subset of an ascending record, by sequential selection."""
    taken = 0
    i = 0
    while taken < wanted:
        if below(stream, size - i) < n - taken:
            out[taken] = ranked[i]
            taken += 1
        i += 1


@large_kernel
def lowest(bag: Any, n: int, wanted: int, out: Any) -> None:
    """The `wanted` smallest of the first n of a bag, in ascending order at the front of `out`, which has room for n."""
    for i in range(n):
        out[i] = bag[i]
    low, high = 0, n - 1
    while low < high:  # Hoare's selection of the `wanted` smallest
        pivot = out[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while out[i] < pivot:
                i += 1
            while out[j] > pivot:
                j -= 1
            if i <= j:
                out[i], out[j] = out[j], out[i]
                i += 1
                j -= 1
        if wanted - 1 <= j:
            high = j
        elif wanted - 1 >= i:
            low = i
        else:
            break
    sort(out, wanted)


@large_kernel
def sort(array: Any, size: int) -> None:
    """Put array[:size] in ascending order: heapsort, because Numba's own sort takes seconds to compile."""
    end = size
    root = size // 2
    while end > 1:
        if root > 0:
            root -= 1
        else:
            end -= 1
            array[0], array[end] = array[end], array[0]
        x = array[root]
        hole = root
        child = 2 * hole + 1
        while child < end:
            if child + 1 < end and array[child + 1] > array[child]:
                child += 1
            if array[child] <= x:
                break
            array[hole] = array[child]
            hole = child
            child = 2 * hole + 1
        array[hole] = x
