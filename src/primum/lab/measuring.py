"""How long a replication takes: the policies and the drawing of rewards, measured on a short stretch of it."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.policies import Policy
from primum.problem import Problem
from primum.simulation import Batch, batch_size, first_block

ENOUGH = 0.015  # processor seconds of playing that make a measurement
FIRST = 32  # steps of the first stretch
DRAWN = 8192  # rewards that are drawn to see how long that takes
KEPT = 2000  # measurements that are remembered

_known: OrderedDict[str, Pace] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class Pace:
    """The time of a replication of so many steps, and the power of the steps with which it grows."""

    steps: int
    seconds: float
    exponent: float

    def seconds_for(self, horizon: int) -> float:
        """Processor seconds of a replication of this horizon."""
        return self.seconds * float((horizon / self.steps) ** self.exponent)


def pace_of_policy(problem: Problem, policy: Policy, horizon: int) -> Pace:
    """What a policy takes, measured once for all horizons up to the same power of two."""
    key = [policy.spec(), problem.value.spec(), _arms(problem), horizon.bit_length()]
    return _remembered(key, lambda: _played(problem, policy, horizon))


def pace_of_rewards(problem: Problem, horizon: int) -> Pace:
    """What drawing the rewards takes, which all policies share."""
    return _remembered([_arms(problem), horizon.bit_length()], lambda: _drawn(problem, horizon))


def _arms(problem: Problem) -> list[dict[str, Any]]:
    return [arm.spec() for arm in problem.arms.values()]


def _remembered(key: list[Any], measure: Callable[[], Pace]) -> Pace:
    name = hashlib.sha256(json.dumps(key).encode()).hexdigest()
    with _lock:
        if name in _known:
            _known.move_to_end(name)
            return _known[name]
    pace = measure()
    with _lock:
        _known[name] = pace
        while len(_known) > KEPT:
            _known.popitem(last=False)
    return pace


def _played(problem: Problem, policy: Policy, horizon: int) -> Pace:
    _Stretch(problem, [policy], 1, 1).seconds(1, 1)  # compiles
    space = _Stretch(problem, [policy], horizon, 1)  # with the real horizon, which the policy may look at
    steps = min(FIRST, horizon)
    before, last = 0.0, space.seconds(steps, 1)
    spent = last
    while steps < horizon and (spent < ENOUGH or before == 0.0):
        steps, before = min(2 * steps, horizon), last
        last = space.seconds(steps, 1)
        spent += last
    if steps < horizon:
        return Pace(steps, last, min(2.0, max(1.0, math.log2(last / before))))
    # short replications are played side by side, and what they have in common is paid for once
    rows, most = 1, batch_size(len(problem.arms), horizon, 1, policy.memory_width)
    while spent < ENOUGH and rows < most:
        rows = min(4 * rows, most)
        last = _Stretch(problem, [policy], horizon, rows).seconds(horizon, rows)
        spent += last
    return Pace(horizon, last / rows, 1.0)


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
    """Replications whose drawing of rewards is timed apart: it is cheaper for many at once than for one."""

    drawing = 0.0

    def seconds(self, steps: int, rows: int) -> float:
        """Processor seconds of this thread for playing so many steps, so that a busy machine does not matter."""
        pulls = np.zeros((1, rows, 1, len(self.arms)), np.int32)
        stop, played = np.zeros(1, np.int64), np.zeros(1, np.int64)
        began, self.drawing = time.thread_time(), 0.0
        self.play(0, np.arange(rows), np.array([steps], np.int64), pulls, stop, played)
        return max(time.thread_time() - began - self.drawing, 1e-7)

    def _draw(self, *arguments: Any) -> None:
        began = time.thread_time()
        super()._draw(*arguments)
        self.drawing += time.thread_time() - began
