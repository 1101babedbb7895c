"""The optimal allocation rule of a trial with two arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.kernels.choosing import drawn_arm
from primum.kernels.contract import kernel
from primum.kernels.streams import uniform
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts
from primum.policies.optimal_sweep import TWO_SIDED, WORD, Programme, block_start, null_likelihood
from primum.policies.policy import MEAN, Policy
from primum.store.lru_cache import LruCache

MOST_PATIENTS = 400  # a table of 270 MB
SUCCESSES, OUTCOMES = 0, 1
CACHED_BYTES = 1 << 29


def check_prior(name: str, lower: tuple[float, ...], higher: tuple[float, ...]) -> None:
    """Refuse pairs of success probabilities that are not pairs, or whose order is wrong."""
    if not lower:
        raise ParameterError(f"{name}: lower must have at least one number, got none", ("lower",))
    if len(higher) != len(lower):
        raise ParameterError(
            f"{name}: higher must have as many numbers as lower, {len(lower)}, got {len(higher)}", ("higher",)
        )
    for i, (low, high) in enumerate(zip(lower, higher, strict=True)):
        if low >= high:
            raise ParameterError(
                f"{name}: higher[{i}] must exceed lower[{i}], {low:g}, got {high:g}", ("higher", str(i))
            )


def check_weights(name: str, null: tuple[float, ...], weights: tuple[float, ...]) -> None:
    """Refuse weights that do not belong to the success probabilities without a difference."""
    if len(weights) != len(null):
        raise ParameterError(
            f"{name}: null_weights must have as many numbers as null, {len(null)}, got {len(weights)}",
            ("null_weights",),
        )


@kernel
def decided(table: Any, n0: int, s0: int, n1: int, s1: int) -> int:
    """The arm of the next patient, from a packed table."""
    t, patients = n0 + n1, int(table[0])
    cell = block_start(t, n1) + s0 * (n1 + 1) + s1
    word = int(table[1 + patients + int(table[1 + t]) + cell // WORD])
    return (word >> (cell % WORD)) & 1


@dataclass(frozen=True)
class OptimalAllocation(Policy):
    """The allocation rule that puts the most patients of a trial on the better arm at a given power and level.

    For two arms with outcomes 0 and 1. Of all rules and tests together it maximises

        share + `power_weight` x power - sum over p of its null weight x type I error at p

    by dynamic programming from the last of `patients` back. The share is the fraction of patients on the better arm,
    averaged over the pairs of `lower` and `higher` success probabilities, with either arm as the better one; the power
    is the average over the pairs. `primum.trials.optimal` finds the weights at which a design has the power and the
    level that are asked for; with power weight 0 the rule maximises the share alone. It knows that a `coin` allocates
    some of the patients at random, and leaves it to the design to toss it.

    A rule is a table with a decision for each state, which is computed again from these numbers, the same bits on
    every machine. With late outcomes it decides by those that are known, as if there were no other patients. After its
    last patient it takes the arm with the larger (successes + 1) / (outcomes + 2), ties at random. A reward in [0, 1]
    counts as a success with probability equal to the reward.

    >>> OptimalAllocation(patients=40, lower=[0.3], higher=[0.5]).label
    'optimal-allocation(patients=40)'
    """

    title = "Optimal allocation"
    group = "Allocation rules of trials"

    patients: int = parameter(100, "patients of the trial", low=1, high=MOST_PATIENTS, integer=True)
    lower: tuple[float, ...] = parameter(
        (0.3,), "lower success probability of each pair of the prior", low=0.0, high=1.0, many=True
    )
    higher: tuple[float, ...] = parameter(
        (0.5,), "higher success probability of each pair of the prior", low=0.0, high=1.0, many=True
    )
    power_weight: float = parameter(0.0, "what power is worth relative to the share", low=0.0)
    null: tuple[float, ...] = parameter((), "success probabilities without a difference", low=0.0, high=1.0, many=True)
    null_weights: tuple[float, ...] = parameter((), "what type I error costs at each of them", low=0.0, many=True)
    sided: str = parameter(
        "greater", "the alternative that power is of: arm 1 is better than the control, worse, or different",
        choices=("greater", "less", TWO_SIDED),
    )  # fmt: skip
    coin: float = parameter(0.0, "share of patients whom the design allocates at random", low=0.0, high=1.0)

    memory_width = 2
    only_arms = 2

    own_value = MEAN
    reward_bounds = 0.0, 1.0
    decides_by = "dynamic programming"
    states_probabilities = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prior(self.name, self.lower, self.higher)
        check_weights(self.name, self.null, self.null_weights)

    @property
    def display_name(self) -> str:
        return self.given_name or f"{self.title} ({self.patients} patients)"

    def packed(self) -> tuple[Any, ...]:
        return (_tables.get_or_compute(self, lambda: _table(self)),)

    @staticmethod
    def choose(history: Any, table: Any) -> int:
        if history.arms != 2:
            return -1
        memory, scores = history.memory, history.scores
        s0, n0 = int(memory[0, SUCCESSES]), int(memory[0, OUTCOMES])
        s1, n1 = int(memory[1, SUCCESSES]), int(memory[1, OUTCOMES])
        if n0 + n1 < table[0]:
            scores[1] = float(decided(table, n0, s0, n1, s1))
        else:
            control, other = (s0 + 1) * (n1 + 2), (s1 + 1) * (n0 + 2)
            scores[1] = 0.5 if other == control else 1.0 if other > control else 0.0
        scores[0] = 1.0 - scores[1]
        return drawn_arm(history)

    @staticmethod
    def learn(history: Any, arm: int, reward: float, table: Any) -> None:
        history.memory[arm, OUTCOMES] += 1.0
        if uniform(history.stream) < reward:
            history.memory[arm, SUCCESSES] += 1.0

    def chances(self, counts: Counts) -> Array:
        n0, n1 = counts.pulls
        t, size = n0 + n1, (n0 + 1) * (n1 + 1)
        if t < self.patients:
            table = self.packed()[0]
            cells = block_start(t, n1) + np.arange(size)
            words = table[1 + self.patients + int(table[1 + t]) + cells // WORD].astype(np.int64)
            return ((words >> (cells % WORD)) & 1).reshape(n0 + 1, n1 + 1).astype(np.float64)
        s0, s1 = counts.successes
        return (np.sign((s1 + 1) * (n0 + 2) - (s0 + 1) * (n1 + 2)) + 1) / 2


_tables: LruCache[Array] = LruCache(most=64, room=CACHED_BYTES, size=lambda table: table.nbytes)


def _table(policy: OptimalAllocation) -> Array:
    """What native code gets: the patients, where the decisions after each number of them begin, and the words."""
    programme = Programme(policy.patients, policy.lower, policy.higher, policy.sided, policy.coin)
    programme.decide(1.0, policy.power_weight, null_likelihood(policy.null, policy.null_weights, policy.patients))
    table = np.concatenate([[policy.patients], programme.starts[:-1], programme.table]).astype(np.float64)
    table.flags.writeable = False
    return table
