"""Permuted blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.blocks import MOST_ROUNDS, block_continued, block_shares, next_round
from primum.kernels.choosing import drawn_arm
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts
from primum.policies.policy import Policy
from primum.policies.uniform_random import check_ratio


@dataclass(frozen=True)
class PermutedBlocks(Policy):
    """Permuted blocks: every block of patients has each arm in the same ratio, in random order.

    A block has one, two or three times the ratio, with equal probabilities: for two arms and the ratio 1 : 1 it has 2,
    4 or 6 patients. The sizes are never drawn; an arm is chosen with its probability given the arms so far, over all
    sizes that the blocks may have had. That is the same distribution, and nothing is kept from which the end of a block
    could be read. Who knows all earlier arms can be certain of the next one for 1 patient in 24, with two arms.

    With a `block` all blocks have this size, rounded up to a multiple of the sum of the ratio. Then earlier allocations
    determine many later ones: half of all with blocks of two, a third with blocks of four.

    An arm that is not listed counts 1 in the ratio. Blocks are counted from the first decision. Where earlier decisions
    came from another rule, as in a burn-in, or their order is forgotten because an arm was dropped or an outcome
    corrected, a block of random size begins after the last patients whose number is a multiple of the sum of the ratio.
    An arm that is ahead of its share at the end of a block has no places left in it, and the others share what is left
    in proportion to what they lack.

    >>> PermutedBlocks(block=6, ratio=[2, 1]).label
    'permuted-blocks(block=6, ratio=[2, 1])'
    """

    title = "Permuted blocks"
    group = "Allocation rules of trials"
    decides_by = "places left in the block"
    states_probabilities = True
    no_chances = (
        "its blocks have random sizes, so that its probabilities depend on the order of the earlier allocations; "
        "give it a fixed size, such as block=4"
    )

    memory_width = MOST_ROUNDS + 1  # the first row: probabilities of ends of the block, and the step that they are of

    block: int = parameter(0, "patients in a block; 0: random sizes", low=0, high=10**9, integer=True)
    ratio: tuple[int, ...] = parameter(
        (), "allocation ratio, a whole number for each arm; empty: equal", low=1, high=10**6, integer=True, many=True
    )

    def check_arms(self, arms: int) -> None:
        check_ratio(self, "ratio", arms)

    def packed(self) -> tuple[Any, ...]:
        return (np.array([self.block, *self.ratio], np.float64),)

    @staticmethod
    def choose(history: Any, block_and_ratio: Any) -> int:
        listed = block_and_ratio.size - 1
        if listed > history.arms:
            return -1
        in_round, in_ratio = history.order, 0
        for k in range(history.arms):
            in_round[k] = int(block_and_ratio[1 + k]) if k < listed else 1
            in_ratio += in_round[k]
        times = max(1, math.ceil(block_and_ratio[0] / in_ratio))  # the ratio in a round
        for k in range(history.arms):
            in_round[k] *= times
        ends, sizes = history.memory[0], 1 if block_and_ratio[0] > 0.0 else MOST_ROUNDS
        decided = history.step - 1
        round_end = decided // (times * in_ratio) + 1
        if ends[MOST_ROUNDS] != history.step:
            ends[:] = 0.0
            ends[0] = 1.0
        if ends[MOST_ROUNDS] != history.step or decided % (times * in_ratio) == 0:
            next_round(ends, sizes, MOST_ROUNDS)
        block_shares(ends, in_round, round_end, history.assigned, history.arms, history.scores)
        arm = drawn_arm(history)
        block_continued(ends, in_round, round_end, history.assigned, history.arms, arm)
        ends[MOST_ROUNDS] = history.step + 1
        return arm

    @property
    def has_chances(self) -> bool:
        return self.block > 0

    def chances(self, counts: Counts) -> Array:
        if not self.has_chances:
            return super().chances(counts)
        ratio = np.array((*self.ratio, 1, 1)[:2])
        places = ratio * -(-self.block // ratio.sum())
        blocks = sum(counts.assigned) // places.sum() + 1
        left = np.maximum(0, places * blocks - np.array(counts.assigned))
        return np.full((1, 1), left[1] / left.sum())
