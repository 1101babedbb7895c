"""A trial with given arms, its probability under the design, and the conditional test of a pair by full enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from tests.oracle.allocation_policies import PROBABILITIES
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
        if t < len(self.all) * self.design.burn_in:
            assert len(self.left) == len(self.all)
            block = self.arms[t - t % len(self.all) :]
            chances = [0.0 if arm in block else 1 / (len(self.all) - len(block)) for arm in self.all]
        else:
            parameters = {key: item for key, item in self.design.policy.spec().items() if key != "name"}
            rule = PROBABILITIES[self.design.policy.name]
            here = rule(self.policy.rewards, self.policy.assigned, self.design.patients, **parameters)
            for arm, chance in zip(self.left, here):
                chances[arm] = chance
        if not chances[self.given[t]] or (self.chances and not any(self.chances[-1])):
            chances = [0.0] * len(self.all)
        self.chances.append(chances)
        arm = self.given[t] if any(chances) else self.left[0]
        self.policy.assigned[self.left.index(arm)] += 1
        self.arms.append(arm)
        self.outcomes.append(self.recorded[t])

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
