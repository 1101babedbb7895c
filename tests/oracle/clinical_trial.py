"""One clinical trial on lists, patient by patient, with random numbers from the same addresses as the engine's."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from primum import rewards, trials
from tests.oracle import blocks
from tests.oracle.streams import DECISION, Stream, to_unit, words
from tests.oracle.trial import Trial

PATIENT, BURN_IN, REPETITION, COIN = 3, 4, 5, 6  # purposes
OUTCOME, ACCRUAL, DELAY = 0, 1, 2  # lanes of a patient's own numbers
NO_ARM_LEFT = "no arm left"


@dataclass
class Look:
    """What is known at a look: the outcomes of each arm in the order in which they arrived."""

    number: int
    patients: int
    outcomes: dict[int, list[float]]  # of the arms that are left


@dataclass
class Judgement:
    """What a stopping rule decides: arms declared better, arms dropped, and why the trial stops."""

    claimed: set[int] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    reason: str = ""


class Allocator(Trial):
    """A policy that decides with the random numbers of an address that it is given."""

    def decide(self, purpose: int, lane: int, index: int) -> int:
        self.stream = Stream.at(self.seed, self.replication, purpose, lane, index)
        arm = self.rule(self, **self.parameters)
        self.assigned[arm] += 1
        return arm


class ClinicalTrial:
    """A trial that is run when it is made: `arms` and `outcomes` of its patients, and how it ended."""

    def __init__(
        self,
        design: Any,
        scenario: Any,
        seed: int,
        replication: int,
        judge: Callable[[Look], Judgement] | None = None,
        lane: int = 0,
        repetitions: int = 0,
    ) -> None:
        self.design, self.seed, self.replication, self.lane = design, seed, replication, lane
        self.repetitions = repetitions
        patients = range(design.patients)
        self.potential = [
            [outcome(scenario, k, t, design, self.number(OUTCOME, t)) for t in patients] for k in self.all
        ]
        self.accrual = arrivals(design, [self.number(ACCRUAL, t) for t in patients])
        self.delays = [None if self.lag >= 0 else duration(design, self.number(DELAY, t)) for t in patients]
        self.arms: list[int] = []
        self.burnt_in: list[int] = []  # the arms planned for the burn-in so far
        self.outcomes: list[float] = []
        self.told: list[int] = []  # patients whose outcomes the policy knows, in the order of arrival
        self.told_before: list[list[int]] = []  # the same before each allocation
        self.frequencies: list[list[int]] = []
        self.left = list(self.all)
        self.claimed: set[int] = set()
        self.reason = ""
        self.policy = self.new_policy()
        self.run(judge)

    @property
    def all(self) -> range:
        return range(len(self.design.arms))

    @property
    def lag(self) -> int:
        return 0 if self.design.delay is None else int(self.design.delay.patients)

    def number(self, lane: int, t: int) -> float:
        return to_unit(words(self.seed, self.replication, PATIENT, lane, t // 2)[t % 2])

    def is_known(self, s: int, before: int) -> bool:
        """Whether an outcome is known when patient `before` arrives; after the last, when the last one arrived."""
        if s >= before:
            return False
        if self.lag >= 0:
            return s + self.lag + 1 <= before
        now = self.accrual[min(before, self.design.patients - 1)]
        return self.accrual[s] + self.delays[s] <= now

    def known(self, before: int) -> list[int]:
        """The patients whose outcomes are known when patient `before` arrives, in the order of arrival."""
        found = [s for s in range(len(self.arms)) if self.is_known(s, before)]
        return found if self.lag >= 0 else sorted(found, key=lambda s: (self.accrual[s] + self.delays[s], s))

    def in_order(self) -> list[int]:
        """All patients, in the order in which their outcomes arrive."""
        patients = range(self.design.patients)
        return (
            list(patients) if self.lag >= 0 else sorted(patients, key=lambda s: (self.accrual[s] + self.delays[s], s))
        )

    def sees_new_data(self, t: int) -> bool:
        blocks, burnt_in = self.design.blocks, len(self.all) * self.design.burn_in
        return (t >= burnt_in and (t - burnt_in) % blocks == 0) if isinstance(blocks, int) else t in blocks

    def burn_in(self, t: int) -> int | None:
        """The arm of a patient of the burn-in: permuted blocks of random sizes."""
        forced = min(len(self.all) * self.design.burn_in, self.design.patients)
        if t >= forced:
            return None
        rounds = math.ceil(forced / len(self.all))
        chances = blocks.chances([1] * len(self.all), self.burnt_in, rounds=rounds, number=float)
        number = to_unit(words(self.seed, self.replication, BURN_IN, self.lane, t)[0])
        self.burnt_in.append(next(k for k in self.all if math.fsum(chances[: k + 1]) > number and chances[k] > 0))
        return self.burnt_in[-1]

    def new_policy(self) -> Allocator:
        policy = Allocator(
            self.design.policy, self.design.value, len(self.left), self.design.patients, self.seed, self.replication
        )
        policy.assigned = [self.arms.count(arm) for arm in self.left]
        for s in self.told:
            self.tell(policy, s)
        return policy

    def tell(self, policy: Allocator, s: int) -> None:
        if self.arms[s] in self.left:
            policy.tell(self.left.index(self.arms[s]), self.outcomes[s])

    def run(self, judge: Callable[[Look], Judgement] | None) -> None:
        looks = self.interim_looks()
        for t in range(self.design.patients + 1):
            while looks and not self.reason and (seen := self.at_look(t, looks[0][1])) is not None:
                number, _ = looks.pop(0)
                assert judge is not None
                self.take(judge(Look(number, t, {arm: self.of_arm(seen, arm) for arm in self.left})))
            if self.reason:
                return
            if t < self.design.patients:
                self.enrol(t)
        if judge is not None:
            self.take_final(judge, list(range(self.design.patients)))

    def take_final(self, judge: Callable[[Look], Judgement], seen: list[int]) -> None:
        """The final look, with all outcomes that are ever known: nothing is dropped any more."""
        by_arm = {arm: self.of_arm(seen, arm) for arm in self.left}
        judgement = judge(Look(len(self.design.looks), len(self.arms), by_arm))
        self.claimed |= judgement.claimed
        self.reason = judgement.reason
        if not self.reason and not set(self.left) - judgement.dropped:
            self.reason = NO_ARM_LEFT

    def interim_looks(self) -> list[tuple[int, int]]:
        """The looks before the last patient; one there is the final look, which a rule that claims always has."""
        return [(number, look) for number, look in enumerate(self.design.looks) if look < self.design.patients]

    def at_look(self, t: int, look: int) -> list[int] | None:
        """The patients with known outcomes at a look that is due before patient t; None if it is not."""
        if self.design.looks_count == "patients":
            return self.known(t) if t == look else None
        first = self.in_order()[:look]
        is_last = t == self.design.patients  # then all outcomes are awaited
        return first if is_last or all(self.is_known(s, t) for s in first) else None

    def of_arm(self, patients: list[int], arm: int) -> list[float]:
        return [self.outcomes[s] for s in patients if self.arms[s] == arm]

    def take(self, judgement: Judgement) -> None:
        self.claimed |= judgement.claimed
        self.reason = judgement.reason
        dropped = judgement.dropped & set(self.left)
        self.left = [arm for arm in self.left if arm not in dropped]
        if not self.left and not self.reason:
            self.reason = NO_ARM_LEFT
        if dropped and not self.reason:
            self.policy = self.new_policy()

    def enrol(self, t: int) -> None:
        if self.sees_new_data(t):
            for s in self.known(t):
                if s not in self.told:
                    self.told.append(s)
                    self.tell(self.policy, s)
        self.told_before.append(list(self.told))
        arm = self.burn_in(t)
        if arm is None and len(self.left) == 1:
            arm = self.left[0]
        memory = copy.deepcopy(self.policy.memory)
        is_planned = arm in self.left
        if not is_planned:
            arm = self.tossed(t)
        if arm is None:
            place = self.policy.decide(DECISION, self.lane, t + 1)
            arm = self.left[place]
        else:
            place = self.left.index(arm)
            self.policy.assigned[place] += 1
        self.frequencies.append([0] * len(self.all) if is_planned else self.by_arm(self.repeated(t, place, memory)))
        self.arms.append(arm)
        self.outcomes.append(self.potential[arm][t])

    def tossed(self, t: int) -> int | None:
        """The arm of a patient whom the coin allocates."""
        first, last = self.design.coin if isinstance(self.design.coin, tuple) else (self.design.coin,) * 2
        begin, end = min(len(self.all) * self.design.burn_in, self.design.patients), self.design.patients - 1
        coin = 0.0 if t < begin else first + (last - first) * (t - begin) / max(1, end - begin)
        fallen, drawn = words(self.seed, self.replication, COIN, self.lane, t)
        return self.left[int(to_unit(drawn) * len(self.left))] if to_unit(fallen) < coin else None

    def by_arm(self, numbers: list[int]) -> list[int]:
        """Numbers of the arms that are left in the order of all arms, -1 for the others."""
        return [numbers[self.left.index(arm)] if arm in self.left else -1 for arm in self.all]

    def repeated(self, t: int, place: int, memory: dict[str, Any]) -> list[int]:
        """How often each arm is chosen when the decision for a patient is repeated with other random numbers."""
        again = copy.deepcopy(self.policy)
        again.assigned[place] -= 1
        found = [0] * len(self.all)
        for i in range(self.repetitions):
            again.memory = copy.deepcopy(memory)
            chosen = again.decide(REPETITION, i, t + 1)
            again.assigned[chosen] -= 1
            found[chosen] += 1
        return found


def arrivals(design: Any, numbers: list[float]) -> list[float]:
    """When each patient arrives."""
    if isinstance(design.accrual, trials.Given):
        return list(design.accrual.at)
    times: list[float] = []
    for t, number in enumerate(numbers):
        poisson = isinstance(design.accrual, trials.Poisson)
        times.append((times[-1] if t else 0.0) - math.log(number) / design.accrual.rate if poisson else float(t))
    return times


def duration(design: Any, number: float) -> float:
    return float(design.delay.distribution.quantile(number))


def outcome(scenario: Any, arm: int, t: int, design: Any, number: float) -> float:
    """The potential outcome of patient t on an arm."""
    distribution, by = scenario.arms[arm], shift(scenario.drift, t, design.patients)
    if isinstance(distribution, rewards.Bernoulli):
        return float(number > 1 - min(max(distribution.probability + by, 0.0), 1.0))
    low, high = distribution.support
    return min(max(float(distribution.quantile(number)) + by, low), high)


def shift(drift: Any, t: int, patients: int) -> float:
    if isinstance(drift, trials.Linear):
        return 0.0 if t == 0 else float(drift.by) if t == patients - 1 else float(drift.by / (patients - 1) * t)
    return float(drift.by) if isinstance(drift, trials.Step) and t >= drift.after else 0.0
