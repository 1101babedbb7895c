"""The hot loop: decide, observe, record; it pauses when it needs rewards that are not drawn yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from primum.kernels.contract import choose, history_of, kernel, learn, set_fault, set_step
from primum.kernels.streams import DECISION, LEARNING, philox

# What `play` leaves in `waiting` for a replication besides 1 + the arm whose next reward it needs.
RUNNING, FINISHED = 0, -1
BLOCK = 32  # steps whose random numbers are addressed at a time: 3 ns each instead of 18


@kernel
def decide(history: Any, s0: Any, s1: Any) -> int:
    """The arm for this step, with these random numbers."""
    history.stream[0] = s0
    history.stream[1] = s1
    arm = choose(history)
    if arm < 0 or arm >= history.arms:
        set_fault(history, -1)
    if history.fault != 0:
        return 0
    history.assigned[arm] += 1
    set_step(history, history.step + 1)
    return arm


@kernel
def observe(history: Any, arm: int) -> None:
    """Take in the reward at rewards[arm, pulls[arm]]."""
    n = history.pulls[arm]
    reward = history.rewards[arm, n]
    excess = reward - history.rewards[arm, 0]
    history.sums[arm] += reward
    history.squares[arm] += excess * excess
    history.scale[0] = max(history.scale[0], abs(reward))
    history.pulls[arm] = n + 1
    if history.has_learn:
        s0, s1 = philox(n, arm, history.replication, LEARNING, history.seed)
        history.stream[0] = s0
        history.stream[1] = s1
        learn(history, arm, reward)


def play(histories: Any, drawn: Any, waiting: Any, recorded: Any, steps: Any, out: Any, stop: Any, played: Any) -> None:
    """Play each replication on until it needs a reward beyond `drawn`, or is finished.

    `out[r, i]` receives the pulls after step `steps[i]`. `stop[0]` may be set from outside; `played[0]` counts steps.
    """
    keys = np.empty((2, BLOCK), np.uint64)
    for r in range(waiting.size):
        if waiting[r] == FINISHED:
            continue
        history = history_of(histories, r)
        used = BLOCK
        while stop[0] == 0:
            if waiting[r] == RUNNING:
                if used == BLOCK:
                    used = 0
                    for i in range(BLOCK):
                        s0, s1 = philox(history.step + i, 0, history.replication, DECISION, history.seed)
                        keys[0, i] = s0
                        keys[1, i] = s1
                arm = decide(history, keys[0, used], keys[1, used])
                used += 1
                if history.fault != 0:
                    return
            else:
                arm = waiting[r] - 1
            if history.pulls[arm] >= drawn[r, arm]:
                waiting[r] = arm + 1
                break
            waiting[r] = RUNNING
            observe(history, arm)
            played[0] += 1
            step = history.step - 1
            if step == steps[recorded[r]]:
                for k in range(history.arms):
                    out[r, recorded[r], k] = history.pulls[k]
                recorded[r] += 1
                if recorded[r] == steps.size:  # the last recorded step is the horizon
                    waiting[r] = FINISHED
                    break


def ask(histories: Any) -> int:
    """One decision, for a Player."""
    history = history_of(histories, 0)
    s0, s1 = philox(history.step, 0, history.replication, DECISION, history.seed)
    return decide(history, s0, s1)


def tell(histories: Any, arm: int) -> None:
    """One reward, for a Player; it stands at rewards[arm, pulls[arm]]."""
    observe(history_of(histories, 0), arm)
