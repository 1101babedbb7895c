"""SSMC."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import at_least
from primum.kernels.contract import kernel
from primum.kernels.records import value_of, value_of_block
from primum.kernels.rounds import (
    ROUND_WIDTH,
    begin_round,
    challenge,
    first_of_round,
    in_hand,
    is_below,
    least_of_round,
)
from primum.policies.policy import Policy

# what is kept of a challenger: how many blocks of the leader were better than its rewards, 1 + that leader, and how
# many rewards it had
BEATEN_BY, AGAINST, SIZE = ROUND_WIDTH, ROUND_WIDTH + 1, ROUND_WIDTH + 2


@kernel
def block_reached(history: Any, k: int, leader: int) -> float:
    """The value of a block of equally many successive rewards of the leader that the arm's value reaches, or nan.

    Blocks that were better stay so while the arm has no new reward, and are not looked at again.
    """
    n, memory = history.pulls[k], history.memory
    if memory[k, AGAINST] != 1.0 + leader or memory[k, SIZE] != n:
        memory[k, AGAINST] = 1.0 + leader
        memory[k, SIZE] = n
        memory[k, BEATEN_BY] = 0.0
    own, first = value_of(history, k), int(memory[k, BEATEN_BY])
    reached = math.nan
    while math.isnan(reached) and first + n <= history.pulls[leader]:
        block = value_of_block(history, leader, first, n)
        if at_least(history, own, block):
            reached = block
        else:
            first += 1
    memory[k, BEATEN_BY] = first
    return reached


@dataclass(frozen=True)
class Ssmc(Policy):
    """Sub-sample mean comparisons: an arm is pulled while some block of the leader's rewards is no better.

    Each arm once, then rounds as in `Sda`. A challenger k with N_k rewards, fewer than the leader, wins if

        N_k < sqrt(log r)    or    v(its rewards) >= min over i of v(the leader's rewards i, ..., i + N_k - 1),

    where r is the number of the round. Winners are pulled once each in random order; if there is none, the leader is.
    Works under any safety value; published for the mean.

    Reference: Chan, "The multi-armed bandit problem: an efficient nonparametric solution", Annals of Statistics 48(1),
    2020. Not checked against the article: the rule is as Baudry, Kaufmann, Maillard, NeurIPS 2020, give it.

    >>> Ssmc().label
    'ssmc'
    """

    title = "SSMC"

    memory_width = ROUND_WIDTH + 3

    decides_by = "rounds of a leader against its challengers"

    @staticmethod
    def choose(history: Any) -> int:
        arm = in_hand(history)
        if arm >= 0:
            return arm
        leader = begin_round(history)
        least = least_of_round(history)
        for k in range(history.arms):
            if history.pulls[k] < history.pulls[leader] and not is_below(history, k, least):
                block = block_reached(history, k, leader)
                challenge(history, k, not math.isnan(block), value_of(history, k), block)
        return first_of_round(history)
