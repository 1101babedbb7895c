"""How long a policy takes for one replication: measured on a short stretch of it."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from primum.errors import PrimumError
from primum.policies import Policy
from primum.problem import Problem
from primum.simulation import Batch, batch_size

ENOUGH = 0.015  # processor seconds of playing that make a measurement
FIRST = 32  # steps of the first stretch
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


def pace_of(problem: Problem, policy: Policy, horizon: int) -> Pace:
    """The pace of a policy, measured once for all horizons up to the same power of two."""
    arms = [arm.spec() for arm in problem.arms.values()]
    told = json.dumps([policy.spec(), problem.value.spec(), arms, horizon.bit_length()])
    key = hashlib.sha256(told.encode()).hexdigest()
    with _lock:
        if key in _known:
            _known.move_to_end(key)
            return _known[key]
    try:
        pace = _measured(problem, policy, horizon)
    except PrimumError:
        raise
    except Exception as error:  # whatever another author's plug-in may raise
        raise PrimumError(f"{policy.label} cannot be played here: {type(error).__name__}: {error}") from error
    with _lock:
        _known[key] = pace
        while len(_known) > KEPT:
            _known.popitem(last=False)
    return pace


def _measured(problem: Problem, policy: Policy, horizon: int) -> Pace:
    _seconds(Batch(problem, [policy], 1, 1), 1, 1)  # compiles
    space = Batch(problem, [policy], horizon, 1)  # with the real horizon, which the policy may look at
    steps = min(FIRST, horizon)
    before, last = 0.0, _seconds(space, steps, 1)
    spent = last
    while steps < horizon and (spent < ENOUGH or before == 0.0):
        steps, before = min(2 * steps, horizon), last
        last = _seconds(space, steps, 1)
        spent += last
    if steps < horizon:
        return Pace(steps, last, min(2.0, max(1.0, math.log2(last / before))))
    # short replications are played side by side, and what they have in common is paid for once
    rows, most = 1, batch_size(len(problem.arms), horizon, 1, policy.memory_width)
    while spent < ENOUGH and rows < most:
        rows = min(4 * rows, most)
        last = _seconds(Batch(problem, [policy], horizon, rows), horizon, rows)
        spent += last
    return Pace(horizon, last / rows, 1.0)


def _seconds(space: Batch, steps: int, rows: int) -> float:
    """Processor seconds of this thread, so that a busy machine does not matter."""
    pulls = np.zeros((1, rows, 1, len(space.arms)), np.int32)
    stop, played = np.zeros(1, np.int64), np.zeros(1, np.int64)
    began = time.thread_time()
    space.play(0, np.arange(rows), np.array([steps], np.int64), pulls, stop, played)
    return max(time.thread_time() - began, 1e-7)
