"""Contestants play in turns, A, B, A, B ..., so that a machine that slows down slows them all down."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

ROUNDS = 5
BUDGET_SECONDS = 12.0  # CPU time after which a contestant sits out; each has at least one turn
MOST_STANDARD_ERRORS = 4.5  # with 20 arms, one false alarm in 7,000 comparisons


@dataclass(frozen=True)
class Turn:
    """Some replications: steps played, CPU seconds used, final pulls (game, arm)."""

    steps: int
    seconds: float
    pulls: np.ndarray[Any, Any]

    @property
    def speed(self) -> float:
        return self.steps / self.seconds


Contestant = Callable[[], Turn]


@dataclass(frozen=True)
class Standing:
    """A rival after the race: its median speed in steps per CPU second, and the median of our speed divided by its."""

    speed: float
    ratio: float


def race(ours: Contestant, rivals: dict[str, Contestant], rounds: int = ROUNDS) -> tuple[float, dict[str, Standing]]:
    """Our median speed, and how each rival fared."""
    own: list[float] = []
    speeds: dict[str, list[float]] = {name: [] for name in rivals}
    spent = dict.fromkeys(rivals, 0.0)
    for _ in range(rounds):
        own.append(ours().speed)
        for name, rival in rivals.items():
            if spent[name] < BUDGET_SECONDS:
                turn = rival()
                spent[name] += turn.seconds
                speeds[name].append(turn.speed)
    standings = {
        name: Standing(statistics.median(theirs), statistics.median(a / b for a, b in zip(own, theirs, strict=False)))
        for name, theirs in speeds.items()
    }
    return statistics.median(own), standings


def distance(a: Turn, b: Turn) -> float:
    """The largest difference between mean pulls of an arm in standard errors: do two versions play alike?"""
    error = np.sqrt(a.pulls.var(axis=0, ddof=1) / len(a.pulls) + b.pulls.var(axis=0, ddof=1) / len(b.pulls))
    return float(np.max(np.abs(a.pulls.mean(axis=0) - b.pulls.mean(axis=0)) / error))
