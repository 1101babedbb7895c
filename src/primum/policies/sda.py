"""SDA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import at_least
from primum.kernels.contract import kernel
from primum.kernels.records import value_of, value_of_block, value_of_subsample
from primum.kernels.rounds import (
    ROUND_WIDTH,
    begin_round,
    challenge,
    first_of_round,
    in_hand,
    is_below,
    least_of_round,
)
from primum.kernels.streams import below
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy

UNIFORM, RANDOM_BLOCK, LAST_BLOCK = 0.0, 1.0, 2.0  # positions among the samplers


@kernel
def value_of_sampled(history: Any, arm: int, n: int, sampler: float) -> float:
    """The value of n of an arm's rewards."""
    if sampler == UNIFORM:
        return value_of_subsample(history, arm, n)
    last = history.pulls[arm] - n
    first = below(history.stream, last + 1) if sampler == RANDOM_BLOCK else last
    return value_of_block(history, arm, first, n)


@dataclass(frozen=True)
class Sda(Policy):
    """Sub-sampling duels of a leader against every other arm.

    Each arm once, then rounds. The leader is the most pulled arm (of several the one with the best value, then the
    leader before, then any). A challenger k with N_k rewards, fewer than the leader, wins if

        v(its rewards) > v(N_k of the leader's rewards)    or    N_k < floor * sqrt(log r),   r the number of the round.

    Winners are pulled once each in random order; if there is none, the leader is. The leader's part is a uniform subset
    (`uniform`, WR-SDA), a block of successive rewards that begins anywhere (`random-block`, RB-SDA), or its latest
    rewards (`last-block`, LB-SDA). With `uniform` and two arms this is BESA, except that a tie goes to the leader.

    As published, arms are compared by the mean and there is no floor. Where ties are likely, as with two-valued
    rewards, an arm with bad first rewards may then never be tried again: set floor=1. The article's random block never
    is the last one; here all are equally likely.

    Reference: Baudry, Kaufmann, Maillard, "Sub-sampling for efficient non-parametric bandit exploration", NeurIPS 2020,
    Algorithm 1 and section 2; for `last-block` Baudry, Russac, Cappé, ICML 2021, who have the floor.

    >>> Sda(sampler="last-block", floor=1).label
    "sda(sampler='last-block', floor=1)"
    """

    title = "SDA"

    sampler: str = parameter(
        "uniform", "how the leader's rewards are sub-sampled", choices=("uniform", "random-block", "last-block")
    )
    floor: float = parameter(0.0, "every arm gets at least floor x sqrt(ln(r)) pulls by round r", low=0.0)

    memory_width = ROUND_WIDTH

    decides_by = "rounds of a leader against its challengers"

    @staticmethod
    def choose(history: Any, sampler: float, floor: float) -> int:
        arm = in_hand(history)
        if arm >= 0:
            return arm
        leader = begin_round(history)
        least = floor * least_of_round(history)
        for k in range(history.arms):
            n = history.pulls[k]
            if n == history.pulls[leader]:
                continue  # the leader itself, or an arm that has no better value on all its rewards
            if not is_below(history, k, least):
                to_exceed, own = value_of_sampled(history, leader, n, sampler), value_of(history, k)
                challenge(history, k, not at_least(history, to_exceed, own), own, to_exceed)
        return first_of_round(history)
