"""A trial with given arms, its probability under the design, and the conditional test of a pair by full enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from tests.oracle import blocks
from tests.oracle.allocation_policies import PROBABILITIES, chances_in_blocks, continue_blocks
from tests.oracle.clinical_trial import ClinicalTrial, Judgement, Look


class Reallocation(ClinicalTrial):
    """The patients of a trial, allocated to arms that are given; `chances[t]` has the probability of each arm.

    They are all 0 from the first patient on whose arm is impossible, and the trial is not gone on with.
    """

    def __init__(self, given: Sequence[int], recorded: Sequence[float], *trial: Any) -> None:
        self.given, self.recorded = given, recorded
        self.chances: list[list[float]] = []
        super().__init__(*trial)

    def enrol(self, t: int) -> None:
        if self.sees_new_data(t):
            for s in self.known(t):
                if s not in self.told:
                    self.told.append(s)
                    self.tell(self.policy, s)
        chances = [0.0] * len(self.all)
        forced = min(len(self.all) * self.design.burn_in, self.design.patients)
        if self.chances and not any(self.chances[-1]):
            pass  # an arm was impossible
        elif t < forced:
            assert len(self.left) == len(self.all)
            rounds = math.ceil(forced / len(self.all))
            chances = blocks.chances([1] * len(self.all), self.arms, rounds=rounds, number=float)
        else:
            by_coin = len(self.left) > 1 and self.tossed(t) is not None  # which patients these are is held fixed
            for arm, chance in zip(self.left, [1 / len(self.left)] * len(self.left) if by_coin else self.of_policy()):
                chances[arm] = chance
        if not chances[self.given[t]]:
            chances = [0.0] * len(self.all)
        self.chances.append(chances)
        arm = self.given[t] if any(chances) else self.left[0]
        if t >= forced and any(chances) and not by_coin and self.design.policy.name == "permuted-blocks":
            continue_blocks(self.policy, self.left.index(arm))
        self.policy.assigned[self.left.index(arm)] += 1
        self.arms.append(arm)
        self.outcomes.append(self.recorded[t])

    def of_policy(self) -> list[float]:
        """The policy's probability of each arm that is left."""
        parameters = {key: item for key, item in self.design.policy.spec().items() if key != "name"}
        if self.design.policy.name == "permuted-blocks":
            return chances_in_blocks(self.policy, **parameters)
        rule = PROBABILITIES[self.design.policy.name]
        return rule(self.policy.rewards, self.policy.assigned, self.design.patients, **parameters)

    @property
    def probability(self) -> float:
        return math.prod(chances[arm] for chances, arm in zip(self.chances, self.arms))

    def weight(self, pair: int, held: Sequence[int]) -> float:
        """The probability of what is held fixed: that of the pair for its patients, that of the arm for the others."""
        return math.prod(
            chances[0] + chances[pair] if arm in (0, pair) else chances[arm] for chances, arm in zip(self.chances, held)
        )


Judge = Callable[[Look], Judgement]


def enumerated(
    statistic: Callable[[Sequence[int]], float], pair: int, held: Sequence[int], recorded: Sequence[float], *trial: Any
) -> float:
    """P(statistic at least that of the trial, given the patients of the pair, the arms of the others, and the end)."""
    within = [t for t, arm in enumerate(held) if arm in (0, pair)]
    as_large, total = 0.0, 0.0
    beyond = [0] * (trial[0].patients - len(held))  # for those that go on longer
    for arms in itertools.product((0, pair), repeat=len(within)):
        given = list(held)
        for t, arm in zip(within, arms):
            given[t] = arm
        again = Reallocation([*given, *beyond], [*recorded, *beyond], *trial)
        if len(again.arms) != len(held):
            continue
        total += again.probability
        as_large += again.probability * (statistic(given) >= statistic(held) - 1e-9)
    return as_large / total
