"""SDA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import tied
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
AUTHORS, CHALLENGER, LEADER, RANDOM = 0.0, 1.0, 2.0, 3.0  # positions among the rules for ties


@kernel
def value_of_sampled(history: Any, arm: int, n: int, sampler: float) -> float:
    """The value of n of an arm's rewards."""
    if sampler == UNIFORM:
        return value_of_subsample(history, arm, n)
    last = history.pulls[arm] - n
    first = below(history.stream, last) if sampler == RANDOM_BLOCK and last > 0 else last
    return value_of_block(history, arm, first, n)


@kernel
def beats(history: Any, own: float, other: float, ties: float) -> bool:
    """Whether a challenger's value beats that of the leader's part."""
    if not tied(history, own, other):
        return own > other
    return ties == CHALLENGER or (ties == RANDOM and below(history.stream, 2) == 0)


@dataclass(frozen=True)
class Sda(Policy):
    """Sub-sampling duels of a leader against every other arm.

    Each arm once, then rounds. The leader is the most pulled arm (of several the one with the best value, then the
    leader before, then any). A challenger k with N_k rewards, fewer than the leader, wins if

        v(its rewards) > v(N_k of the leader's rewards)    or    N_k < floor * sqrt(log r),   r the number of the round.

    Winners are pulled once each in random order; if there is none, the leader is. The leader's part is a uniform subset
    (`uniform`, WR-SDA), a block of successive rewards that begins anywhere before the last block (`random-block`,
    RB-SDA), or its latest rewards (`last-block`, LB-SDA).

    Ties go by `ties`. The authors' code breaks them at random in WR-SDA, where arms with as many rewards as the leader
    are challengers too, so that with two arms it is BESA; in RB- and LB-SDA the challenger wins them. The article's
    text gives them to the leader: where ties are likely, an arm with bad first rewards is then often given up for good,
    and `floor=1` does not mend it. Mean regret after 20,000 steps in 1,000 replications, Bernoulli arms, `uniform`:

        arms                              authors   leader   leader, floor=1
        .5, .6                             23         625          120
        .1, .05 x 3, .03 x 3, .01 x 3      88       1,093          789

    As published, arms are compared by the mean and there is no floor.

    Reference: Baudry, Kaufmann, Maillard, "Sub-sampling for efficient non-parametric bandit exploration", NeurIPS 2020,
    Algorithm 1, section 2 and the code they published; for `last-block` Baudry, Russac, Cappé, ICML 2021, who have the
    floor.

    >>> Sda(sampler="last-block", floor=1).label
    "sda(sampler='last-block', floor=1)"
    """

    title = "SDA"
    step_cost = (0.1, 2.2)

    sampler: str = parameter(
        "uniform", "how the leader's rewards are sub-sampled", choices=("uniform", "random-block", "last-block")
    )
    ties: str = parameter(
        "authors",
        "who wins a tie; with 'authors' chance for `uniform`, else the challenger",
        choices=("authors", "challenger", "leader", "random"),
    )
    floor: float = parameter(0.0, "every arm gets at least floor x sqrt(ln(r)) pulls by round r", low=0.0)

    memory_width = ROUND_WIDTH

    decides_by = "rounds of a leader against its challengers"

    @staticmethod
    def choose(history: Any, sampler: float, ties: float, floor: float) -> int:
        arm = in_hand(history)
        if arm >= 0:
            return arm
        if ties == AUTHORS:
            ties = RANDOM if sampler == UNIFORM else CHALLENGER
        leader = begin_round(history)
        least = floor * least_of_round(history)
        for k in range(history.arms):
            n = history.pulls[k]
            fewer = n < history.pulls[leader]
            if k == leader or not (fewer or ties == RANDOM) or (fewer and is_below(history, k, least)):
                continue
            to_beat, own = value_of_sampled(history, leader, n, sampler), value_of(history, k)
            challenge(history, k, beats(history, own, to_beat, ties), own, to_beat)
        return first_of_round(history)
