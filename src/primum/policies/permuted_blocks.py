"""Permuted blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.choosing import drawn_arm
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts
from primum.policies.policy import Policy
from primum.policies.uniform_random import check_ratio


@dataclass(frozen=True)
class PermutedBlocks(Policy):
    """Permuted blocks: every block of patients has each arm in the same ratio, in random order.

    An arm is chosen with probability (its places left in the block) / (all places left in the block), which makes each
    order of the block equally likely. The size of a block is rounded up to a multiple of the sum of the ratio. An arm
    that is not listed counts 1 in the ratio.

    Blocks are counted from the first decision. Where earlier decisions came from another rule, as in a burn-in or after
    arms were dropped, an arm that is ahead of its share at the end of the current block has no places left, and the
    others share what is left in proportion to what they lack.

    >>> PermutedBlocks(block=6, ratio=[2, 1]).label
    'permuted-blocks(block=6, ratio=[2, 1])'
    """

    title = "Permuted blocks"
    group = "Allocation rules of trials"
    decides_by = "places left in the block"
    states_probabilities = True

    block: int = parameter(4, "patients in a block", low=1, high=10**9, integer=True)
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
        decided, in_ratio = 0, 0.0
        for k in range(history.arms):
            history.scores[k] = block_and_ratio[1 + k] if k < listed else 1.0
            in_ratio += history.scores[k]
            decided += history.assigned[k]
        times = math.ceil(block_and_ratio[0] / in_ratio)  # the ratio in a block
        blocks = decided // (times * int(in_ratio)) + 1
        for k in range(history.arms):
            history.scores[k] = max(0.0, history.scores[k] * times * blocks - history.assigned[k])
        return drawn_arm(history)

    def chances(self, counts: Counts) -> Array:
        ratio = np.array((*self.ratio, 1, 1)[:2])
        places = ratio * -(-self.block // ratio.sum())
        blocks = sum(counts.assigned) // places.sum() + 1
        left = np.maximum(0, places * blocks - np.array(counts.assigned))
        return np.full((1, 1), left[1] / left.sum())
