"""One live trial on lists: people enrol, tell outcomes in any order, correct them and drop arms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.oracle.clinical_trial import ClinicalTrial, Judgement, Look


class LiveTrial(ClinicalTrial):
    """A trial whose outcomes come from outside."""

    def __init__(self, design: Any, seed: int, judge: Callable[[Look], Judgement] | None = None) -> None:
        self.design, self.seed, self.replication, self.lane, self.repetitions = design, seed, 0, 0, 0
        self.judge, self.looks = judge, self.interim_looks()
        self.potential = [[math.nan] * design.patients for _ in self.all]
        self.arms, self.outcomes, self.told, self.told_before, self.frequencies = [], [], [], [], []
        self.left, self.claimed, self.reason = list(self.all), set(), ""
        self.arrived: list[int] = []
        self.burnt_in: list[int] = []
        self.policy = self.new_policy()

    def known(self, before: int) -> list[int]:
        return list(self.arrived)

    def at_look(self, t: int, look: int) -> list[int] | None:
        if self.design.looks_count == "patients":
            return self.arrived if t == look else None
        return self.arrived[:look] if len(self.arrived) >= look else None

    def next(self) -> None:
        """Enrol somebody, unless a look stops the trial."""
        self.take_looks()
        if not self.reason:
            self.enrol(len(self.arms))

    def take_looks(self) -> None:
        """Take the interim looks that are due."""
        while self.looks and not self.reason and (seen := self.at_look(len(self.arms), self.looks[0][1])) is not None:
            number, _ = self.looks.pop(0)
            assert self.judge is not None
            by_arm = {arm: self.of_arm(seen, arm) for arm in self.left}
            self.take(self.judge(Look(number, len(self.arms), by_arm)))

    def close(self) -> None:
        """Take all looks that are due, and the final one."""
        self.take_looks()
        if self.judge is not None and not self.reason:
            self.take_final(self.judge, self.arrived)

    def arrive(self, patient: int, outcome: float) -> None:
        self.outcomes[patient] = outcome
        self.arrived.append(patient)

    def correct(self, patient: int, outcome: float) -> None:
        self.outcomes[patient] = outcome
        if patient in self.told:
            self.policy = self.new_policy()

    def drop(self, arm: int) -> None:
        self.left = [each for each in self.left if each != arm]
        self.policy = self.new_policy()
