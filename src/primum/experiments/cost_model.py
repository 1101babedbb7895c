"""How long a replication takes: the policies and the drawing of rewards, measured on a short stretch of it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.policies import Policy
from primum.problem import Problem
from primum.simulation import Batch, batch_size, first_block
from primum.store.lru_cache import LruCache, digest

LEAST, MOST = 0.003, 0.02  # processor seconds of playing that make a measurement
FIRST = 32  # steps of the first stretch, at least
FACTOR = 4  # and by how much each is longer than the one before
BLOCK = 64  # rewards of an arm that are drawn at first
DRAWN = 8192  # rewards that are drawn to see how long that takes
KEPT = 2000  # measurements that are remembered


@dataclass(frozen=True)
class Pace:
    """The time of a replication of so many steps, and the power of the steps with which it grows."""

    steps: int
    seconds: float
    exponent: float

    def seconds_for(self, horizon: int) -> float:
        """Processor seconds of a replication of this horizon."""
        return self.seconds * float((horizon / self.steps) ** self.exponent)


_known = LruCache[Pace](KEPT)


def pace_of_policy(problem: Problem, policy: Policy, horizon: int) -> Pace:
    """What a policy takes, measured once for all horizons up to the same power of two."""
    key = [policy.spec(), problem.value.spec(), _arms(problem), horizon.bit_length()]
    return _known.made(digest(key), lambda: _played(problem, policy, horizon))


def pace_of_rewards(problem: Problem, horizon: int) -> Pace:
    """What drawing the rewards takes, which all policies share."""
    return _known.made(digest([_arms(problem), horizon.bit_length()]), lambda: _drawn(problem, horizon))


def _arms(problem: Problem) -> list[dict[str, Any]]:
    return [arm.spec() for arm in problem.arms.values()]


def _played(problem: Problem, policy: Policy, horizon: int) -> Pace:
    space = _Stretch(problem, policy, horizon)  # with the real horizon, which the policy may look at
    steps = min(horizon, max(FIRST, 4 * len(problem.arms)))  # beyond the steps in which each arm is tried
    pace, spent = Pace(steps, space.seconds(steps), 0.0), 0.0
    while pace.steps < horizon and (spent + pace.seconds < _enough(pace, horizon) or not pace.exponent):
        steps, before, spent = min(FACTOR * pace.steps, horizon), pace, spent + pace.seconds
        seconds = space.seconds(steps)
        power = math.log(seconds / before.seconds, steps / before.steps)
        pace = Pace(steps, seconds, min(2.0, max(1.0, power)))
    if pace.steps < horizon:
        return pace
    # short replications are played side by side, and what they have in common is paid for once
    most = batch_size(len(problem.arms), horizon, 1, policy.memory_width)
    rows = min(most, math.ceil((LEAST - spent) / pace.seconds))
    seconds = _Stretch(problem, policy, horizon, rows).seconds(horizon) / rows if rows > 1 else pace.seconds
    return Pace(horizon, seconds, 1.0)


def _enough(pace: Pace, horizon: int) -> float:
    """Processor seconds of playing that make a measurement: more where a replication takes long."""
    return min(MOST, max(LEAST, pace.seconds_for(horizon)))


def _drawn(problem: Problem, horizon: int) -> Pace:
    arms = problem.arms.values()
    uniforms = np.linspace(0.001, 0.999, max(64, DRAWN // len(arms)))
    for _ in range(2):  # the first time some distributions make a table
        began = time.thread_time()
        for arm in arms:
            arm.quantile(uniforms)
        spent = time.thread_time() - began
    one = spent / (uniforms.size * len(arms))
    # each arm's first block, and then about half as many again as are used, because blocks double
    count = max(len(arms) * first_block(len(arms), horizon), 1.5 * horizon)
    return Pace(horizon, one * count, 1.0)


class _Stretch(Batch):
    """Replications of one policy, again and again; all have the same rewards, drawn once and not timed."""

    def __init__(self, problem: Problem, policy: Policy, horizon: int, rows: int = 1) -> None:
        super().__init__(problem, [policy], horizon, rows)
        self.rows, self.drawing = rows, 0.0
        self.known = [0] * len(self.arms)  # how many rewards of each arm are drawn

    def seconds(self, steps: int) -> float:
        """Processor seconds for playing so many steps."""
        # the first of two times may touch new memory, and the system gives out large pages, which takes milliseconds
        return max(1e-7, min(self._once(steps), self._once(steps)))

    def _once(self, steps: int) -> float:
        pulls = np.zeros((1, self.rows, 1, len(self.arms)), np.int32)
        began, self.drawing = time.thread_time(), 0.0  # of this thread: a busy machine does not matter
        self.play(0, np.arange(self.rows), np.array([steps], np.int64), pulls)
        return time.thread_time() - began - self.drawing

    def draw(self, seed: int, replications: Any, arm: int, rows: Any, drawn: Any) -> None:
        began = time.thread_time()
        have = int(drawn[rows[0], arm])
        if self.known[arm] == have:
            count = min(max(BLOCK, have), self.rewards.shape[2] - have)
            uniforms = np.random.default_rng([arm, have]).random(count)
            self.rewards[:, arm, have : have + count] = self.arms[arm][1].quantile(uniforms)
            self.known[arm] = have + count
        drawn[rows, arm] = self.known[arm]
        self.drawing += time.thread_time() - began
