"""Cost model: the time of a replication, for policies and for drawing rewards, measured on a short part of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.policies import Policy
from primum.problem import Problem
from primum.rewards import RewardDistribution
from primum.runs.part import Workspace, first_block, side_by_side
from primum.runs.processor_time import processor_seconds
from primum.store.lru_cache import LruCache, digest

SHORTEST_SECONDS, LONGEST_SECONDS = 0.003, 0.02  # processor time of playing that makes a measurement
FIRST_STEPS = 32  # of the first part that is played, at least
GROWTH = 4  # each part has this many times the steps of the one before
FIRST_REWARDS = 64  # of an arm that are drawn at first, here and to see how long drawing takes
MOST_REWARDS = 8192  # of all arms together that are drawn to see how long drawing takes
MOST_MEASUREMENTS = 2000  # in the cache


@dataclass(frozen=True)
class Pace:
    """The processor time of a replication of `steps` steps, which grows as steps ** exponent."""

    steps: int
    seconds: float
    exponent: float

    def seconds_for(self, horizon: int) -> float:
        """Processor seconds of a replication of this horizon."""
        return self.seconds * float((horizon / self.steps) ** self.exponent)


_known = LruCache[Pace](MOST_MEASUREMENTS)


def pace_of_policy(problem: Problem, policy: Policy, horizon: int) -> Pace:
    """The pace of a policy, measured once for all horizons up to the same power of two."""
    key = [policy.spec(), problem.value.spec(), _arms(problem), horizon.bit_length()]
    return _known.get_or_compute(digest(key), lambda: _played(problem, policy, horizon))


def pace_of_rewards(problem: Problem, horizon: int) -> Pace:
    """The pace of drawing rewards, which all policies share."""
    return _known.get_or_compute(digest([_arms(problem), horizon.bit_length()]), lambda: _drawn(problem, horizon))


def _arms(problem: Problem) -> list[dict[str, Any]]:
    return [arm.spec() for arm in problem.arms.values()]


def _played(problem: Problem, policy: Policy, horizon: int) -> Pace:
    space = _Stretch(problem, policy, horizon)  # with the real horizon, on which the policy may depend
    steps = min(horizon, max(FIRST_STEPS, 4 * len(problem.arms)))  # more than it takes to try each arm once
    pace, spent = Pace(steps, space.seconds(steps), 0.0), 0.0
    while pace.steps < horizon and (spent + pace.seconds < _enough(pace, horizon) or not pace.exponent):
        steps, before, spent = min(GROWTH * pace.steps, horizon), pace, spent + pace.seconds
        seconds = space.seconds(steps)
        power = math.log(seconds / before.seconds, steps / before.steps)
        pace = Pace(steps, seconds, min(2.0, max(1.0, power)))
    if pace.steps < horizon:
        return pace
    # short replications are played side by side, and share the time that each call takes
    most = side_by_side(len(problem.arms), horizon, 1, policy.memory_width)
    rows = min(most, math.ceil((SHORTEST_SECONDS - spent) / pace.seconds))
    seconds = _Stretch(problem, policy, horizon, rows).seconds(horizon) / rows if rows > 1 else pace.seconds
    return Pace(horizon, seconds, 1.0)


def _enough(pace: Pace, horizon: int) -> float:
    """Processor seconds of playing that make a measurement: more where a replication takes longer."""
    return min(LONGEST_SECONDS, max(SHORTEST_SECONDS, pace.seconds_for(horizon)))


def _drawn(problem: Problem, horizon: int) -> Pace:
    arms, count = list(problem.arms.values()), FIRST_REWARDS
    _seconds_of_drawing(arms, count)  # the first time some distributions make a table
    seconds = _seconds_of_drawing(arms, count)
    if seconds < LONGEST_SECONDS:
        count = max(FIRST_REWARDS, MOST_REWARDS // len(arms))
        seconds = _seconds_of_drawing(arms, count)
    # each arm's first block, and then about half as many again as are used, because blocks double
    needed = max(len(arms) * first_block(len(arms), horizon), 1.5 * horizon)
    return Pace(horizon, seconds / (count * len(arms)) * needed, 1.0)


def _seconds_of_drawing(arms: Sequence[RewardDistribution], count: int) -> float:
    uniforms = np.linspace(0.001, 0.999, count)
    began = processor_seconds()
    for arm in arms:
        arm.quantile(uniforms)
    return processor_seconds() - began


class _Stretch(Workspace):
    """Some steps of one policy, played several times on the same rewards; drawing these is not timed."""

    def __init__(self, problem: Problem, policy: Policy, horizon: int, rows: int = 1) -> None:
        super().__init__(problem, [policy], horizon, rows)
        self._rows = rows
        self._drawing = 0.0  # processor seconds of drawing rewards so far
        self._known = [0] * len(self.arms)  # how many rewards of each arm are drawn

    def seconds(self, steps: int) -> float:
        """Processor seconds for playing this many steps."""
        # the first of two times may touch new memory, and the system gives out large pages, which takes milliseconds
        return max(1e-7, min(self._once(steps), self._once(steps)))

    def _once(self, steps: int) -> float:
        pulls = np.zeros((1, self._rows, 1, len(self.arms)), np.int32)
        began = processor_seconds() - self._drawing
        self.play(0, np.arange(self._rows), np.array([steps], np.int64), pulls)
        return processor_seconds() - self._drawing - began

    def draw(self, seed: int, replications: Any, arm: int, rows: Any, drawn: Any) -> None:
        began = processor_seconds()
        have = int(drawn[rows[0], arm])
        if self._known[arm] == have:
            count = min(max(FIRST_REWARDS, have), self.rewards.shape[2] - have)
            self.rewards[:, arm, have : have + count] = self._more(arm, have, count)
            self._known[arm] = have + count
        drawn[rows, arm] = self._known[arm]
        self._drawing += processor_seconds() - began

    def _more(self, arm: int, have: int, count: int) -> Any:
        """More rewards of an arm; where drawing takes long, a sample of those it has, because only time is measured."""
        rng = np.random.default_rng([arm, have])
        if have and self._drawing > LONGEST_SECONDS:
            return rng.choice(self.rewards[0, arm, :have], count)
        return self.arms[arm][1].quantile(rng.random(count))
