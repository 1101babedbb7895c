"""Explore, then commit: explore all arms equally, then stay with one, which is in history.memory[0, 0]."""

from __future__ import annotations

import math
from typing import Any

from primum.kernels.choosing import opening
from primum.kernels.contract import kernel, note
from primum.kernels.elementary import power
from primum.kernels.noting import COMMITTED


@kernel
def exploration(history: Any) -> int:
    """Pulls of each arm before the choice: ceil((T/14)^(2/3)) (Sani, Lazaric, Munos, NIPS 2012), at most T/K."""
    least = math.ceil(power(history.horizon / 14.0, 2.0 / 3.0))
    return max(1, min(int(least), history.horizon // history.arms))


@kernel
def settled(history: Any, least: int) -> int:
    """The arm to explore, or the one committed to, or -1 while the outcomes that decide on it are not all known."""
    arm = opening(history, least)
    if arm < 0:
        arm = int(history.memory[0, 0]) - 1
        note(history, COMMITTED, arm, 0, 0.0, 0.0)
    return arm


@kernel
def must_commit(history: Any, least: int) -> bool:
    """Whether the exploration has just ended: nothing is chosen yet, and each arm has `least` known rewards."""
    ended = history.memory[0, 0] == 0.0
    for arm in range(history.arms):
        ended = ended and history.pulls[arm] >= least
    return ended


@kernel
def commit(history: Any, arm: int) -> None:
    """Commit to an arm."""
    history.memory[0, 0] = 1.0 + arm
