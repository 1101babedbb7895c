"""Permuted blocks from their definition: sizes are drawn, and all that may have been drawn are listed."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

SIZES = (1, 2, 3)  # rounds in a block


def chances(
    in_round: Sequence[int],
    path: Sequence[int],
    sizes: Sequence[int] = SIZES,
    before: Sequence[int] = (),
    rounds: int | None = None,
    number: type = Fraction,
) -> list[Any]:
    """The probability of each arm after the arms in a path: P(path and arm) / P(path).

    `in_round` are the patients of each arm in a round, and `before` those that were allocated in another way. The last
    block ends after so many `rounds`, if they are given. Probabilities are fractions, or a `number` of another type.
    """
    start = list(before) or [0] * len(in_round)
    have = _probability(tuple(in_round), tuple(path), tuple(sizes), tuple(start), rounds, number)
    return [
        _probability(tuple(in_round), (*path, k), tuple(sizes), tuple(start), rounds, number) / have
        for k in range(len(in_round))
    ]


def _probability(
    in_round: tuple[int, ...],
    path: tuple[int, ...],
    sizes: tuple[int, ...],
    start: tuple[int, ...],
    rounds: Any,
    number: Any,
) -> Any:
    """The probability of a path."""
    size_of_round = sum(in_round)
    counts = [list(start)]
    for arm in path:
        counts.append([count + (k == arm) for k, count in enumerate(counts[-1])])

    def new_block(done: int, first: int) -> Any:
        ends = [first + size if rounds is None else min(first + size, rounds) for size in sizes]
        return sum((within(done, end) for end in ends), number(0)) / len(ends)

    @functools.cache
    def within(done: int, end: int) -> Any:
        """The probability of the path after `done` patients, if the current block ends after the round `end`."""
        if done == len(path):
            return number(1)
        left = [max(0, places * end - count) for places, count in zip(in_round, counts[done])]
        chance = number(left[path[done]]) / sum(left)
        if chance == 0:
            return chance
        is_end = sum(counts[done + 1]) == end * size_of_round
        return chance * (new_block(done + 1, end) if is_end else within(done + 1, end))

    return new_block(0, sum(start) // size_of_round)
