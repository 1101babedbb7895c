"""A recorder of the notes that kernels take while native code decides (see kernels/noting.py)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.kernels import noting
from primum.kernels.choosing import tied
from primum.kernels.contract import MOMENTS, TAIL, Histories, tail_size
from primum.replay.steps import By, Challenge, Duel, Sample, What

MOST_REWARDS_SHOWN = 60  # of a sub-sample


@dataclass
class Notes:
    """What was compared and concluded in one decision."""

    conclusion: int | None = None  # the last one, about this arm and with this number
    arm: int = -1
    number: float = math.nan
    scores: tuple[float, ...] = ()
    tied: tuple[int, ...] = ()  # arms that share the largest score
    log_weights: list[float] = field(default_factory=list)
    duels: list[Duel] = field(default_factory=list)
    leader: int | None = None
    challenges: list[Challenge] = field(default_factory=list)


class Recorder:
    """Records what the kernels note about the decisions of the first of some histories.

    Native code waits while a note is taken, so the history's arrays have what the note is about.
    """

    def __init__(self, histories: Histories) -> None:
        self._history = histories[0]
        self._error: Exception | None = None
        self.begin()
        histories.attach(self._record)

    def begin(self) -> None:
        """Begin with a new decision."""
        self._notes, self._samples = Notes(), dict[int, Sample]()

    def end(self) -> Notes:
        """What was noted since the decision began; learning, which may follow, is no part of it."""
        if self._error is not None:
            raise self._error
        notes = self._notes
        self.begin()
        return notes

    def _record(self, event: int, arm: int, other: int, x: float, y: float) -> None:
        try:
            self._take(event, arm, other, x, y)
        except Exception as error:  # it cannot pass through native code
            self._error = self._error or error

    def _take(self, event: int, arm: int, other: int, x: float, y: float) -> None:
        notes = self._notes
        match event:
            case noting.SCORES:
                self._look_at_scores()
            case noting.LOG_WEIGHT:
                notes.log_weights.append(x)
            case noting.SUBSAMPLE:
                self._samples[arm] = self._sample(arm, other, int(x))
            case noting.DUEL:
                notes.duels.append(self._duel(arm, other, x, y))
            case noting.WON_BY_CHANCE:
                notes.duels[-1] = replace(notes.duels[-1], winner=arm)
            case noting.LEADS:
                notes.leader = arm
            case noting.CHALLENGE:
                reached = None if math.isnan(y) else y
                is_tied = reached is not None and bool(tied(self._history, x, y))
                notes.challenges.append(Challenge(arm, other == 1, x, reached, is_tied))
            case noting.BELOW_FLOOR:
                notes.challenges.append(Challenge(arm, won=True, floor=x))
            case _:
                if event in (noting.HIGHEST, noting.DRAWN):
                    self._look_at_scores()
                notes.conclusion, notes.arm, notes.number = event, arm, x

    def _look_at_scores(self) -> None:
        scores = self._history.scores.tolist()
        best = max(scores)
        self._notes.scores = tuple(scores)
        self._notes.tied = tuple(k for k, score in enumerate(scores) if tied(self._history, score, best))

    def _duel(self, a: int, b: int, x: float, y: float) -> Duel:
        """A duel as `kernels.duel` judges it; where that is by chance, the winner is noted next."""
        pulls = self._history.pulls[a], self._history.pulls[b]
        size = int(min(pulls))
        by: By = "value"
        winner = a if x > y else b
        if tied(self._history, x, y):
            by = "chance" if pulls[0] == pulls[1] else "fewer pulls"
            winner = a if pulls[0] < pulls[1] else b
        # no sub-sample is drawn where all rewards are wanted
        first, second = (self._samples[arm] if arm in self._samples else self._sample(arm, size, 0) for arm in (a, b))
        self._samples.clear()
        return Duel(a, b, size, (first, second), (x, y), winner, by)

    def _sample(self, arm: int, n: int, highs: int) -> Sample:
        rewards, what = sampled(self._history, arm, n, highs)
        rewards = np.sort(rewards)
        if rewards.size > MOST_REWARDS_SHOWN:
            rewards = rewards[np.linspace(0, rewards.size - 1, MOST_REWARDS_SHOWN).round().astype(int)]
        return Sample(tuple(rewards.tolist()), n, int(self._history.pulls[arm]), what)


def sampled(history: Any, arm: int, n: int, highs: int) -> tuple[NDArray[np.float64], What]:
    """The n rewards of an arm that were compared last, all or the sub-sample just drawn, and their kind.

    Of two-valued rewards in a sub-sample, `highs` are of the second value.
    """
    size, rewards, bag = history.pulls[arm], history.rewards[arm], history.bag[arm]
    if history.kind == TAIL:
        wanted = tail_size(history, n)
        tail = np.sort(rewards[:size])[:wanted] if n == size else history.tail[:wanted]
        return tail, "rewards" if wanted == n else "lowest rewards"
    if n == size and not history.has_feature:
        return rewards[:n], "rewards"
    if history.kind == MOMENTS and history.distinct[arm] <= 2:
        highs = history.highs[arm] if n == size else highs
        return np.repeat(history.levels[arm], (n - highs, highs)), "features" if history.has_feature else "counts"
    moved = n if 2 * n <= size else size - n  # as in records.evaluate_subsample
    part = bag[:n] if moved == n else bag[moved:size]
    if history.kind == MOMENTS:  # exact up to rounding: the bag holds their differences from the first one
        return part + history.levels[arm, 0], "features" if history.has_feature else "rewards"
    return part, "rewards"
