"""Permuted blocks of random sizes, which nobody draws.

A round has as many patients of each arm as the allocation ratio says, and a block is some rounds in random order. The
size of a block is not drawn at its beginning: `ends` has the probability of each round with which the current block may
end, given the arms so far, and each arm is chosen with its probability under them. The arms have the same distribution
as if sizes were drawn, and even who sees everything that the program knows can tell no more of the next arm than who
knows the arms so far.
"""

from __future__ import annotations

from typing import Any

from primum.kernels.contract import kernel, large_kernel

MOST_ROUNDS = 3  # in a block of random size: 1, 2 or 3, with equal probabilities


@kernel
def places(in_round: Any, end: int, assigned: Any, k: int) -> float:
    """The places of an arm that are left until the end of a round."""
    return max(0.0, float(in_round[k] * end - assigned[k]))


@kernel
def all_places(in_round: Any, end: int, assigned: Any, arms: int) -> float:
    """The places of all arms."""
    total = 0.0
    for k in range(arms):
        total += places(in_round, end, assigned, k)
    return total


@kernel
def next_round(ends: Any, sizes: int, most: int) -> None:
    """Begin a round: a block that ended before it is followed by one of 1 to `sizes` rounds, but not more than `most`.

    `ends[i]` becomes the probability that the current block ends i rounds after this one. Before the first round
    `ends[0]` must be 1 and the others 0.
    """
    ended = ends[0]
    for i in range(MOST_ROUNDS - 1):
        ends[i] = ends[i + 1]
    ends[MOST_ROUNDS - 1] = 0.0
    for size in range(1, sizes + 1):
        ends[min(size, most) - 1] += ended / sizes


@large_kernel
def block_shares(ends: Any, in_round: Any, round_end: int, assigned: Any, arms: int, shares: Any) -> None:
    """The probability of each arm in round `round_end`, from 1, given the arms so far."""
    for k in range(arms):
        shares[k] = 0.0
    for i in range(MOST_ROUNDS):
        if ends[i] > 0.0:
            total = all_places(in_round, round_end + i, assigned, arms)
            for k in range(arms):
                shares[k] += ends[i] * (places(in_round, round_end + i, assigned, k) / total)


@large_kernel
def block_continued(ends: Any, in_round: Any, round_end: int, assigned: Any, arms: int, arm: int) -> None:
    """Take in the arm that was chosen; `assigned` are those before it."""
    likelihood = 0.0
    for i in range(MOST_ROUNDS):
        if ends[i] > 0.0:
            left = places(in_round, round_end + i, assigned, arm)
            ends[i] *= left / all_places(in_round, round_end + i, assigned, arms)
            likelihood += ends[i]
    for i in range(MOST_ROUNDS):
        ends[i] /= likelihood
