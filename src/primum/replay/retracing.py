"""A decision taken again, with notes of what was compared.

The source of the policy and of the tournament runs as plain Python, with functions of ours in the place of those to
take notes of. Only the value of a sub-sample is asked of native code, because that is where the time goes; it leaves
the sub-sample in the history's arrays, where it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.kernels.choosing import duel, opening, tied, tournament
from primum.kernels.contract import MOMENTS, TAIL, Histories, history_of, tail_size
from primum.kernels.records import value_of_subsample
from primum.kernels.streams import DECISION, philox
from primum.kernels.subsampling import hypergeometric
from primum.policies import Policy
from primum.replay.steps import By, Duel, Sample, What

SHOWN = 60  # rewards of a sub-sample


def value_on(histories: Any, arm: int, n: int) -> float:
    """The value of a fresh sub-sample of n rewards of an arm, or of all its rewards; to be compiled."""
    return value_of_subsample(history_of(histories, 0), arm, n)


def has_tournament(policy: Policy) -> bool:
    """Whether a policy holds a tournament, so that its decisions can be retraced."""
    source: Any = policy.function("choose")
    return "tournament" in source.__code__.co_names and source.__globals__.get("tournament") is tournament


class Retraced:
    """The next decision of a history, with what led to it; the history's records move on with it."""

    def __init__(self, histories: Histories) -> None:
        from primum.kernels import compiling

        self.opened, self.floor = -1, 0.0  # the arm that had to be tried, and what it had fewer pulls than
        self.champion = -1  # of the tournament
        self.duels: list[Duel] = []
        self._looks: list[tuple[Sample, float]] = []
        self._words, self._value_on = histories.words, compiling.compiled(value_on)
        self._duel = substituted(duel, value_of_subsample=self._look)
        self._tournament = substituted(tournament, duel=self._meet)
        choose = substituted(histories.policy.function("choose"), opening=self._open, tournament=self._hold)
        with np.errstate(over="ignore"):  # the generators count on wrapping around
            history = histories[0]
            history.stream[:] = philox(history.step, 0, history.replication, DECISION, history.seed)
            self.arm = int(choose(history, *histories.policy.packed()))

    def _open(self, history: Any, floor: float) -> int:
        self.opened, self.floor = opening(history, floor), float(floor)
        return self.opened

    def _hold(self, history: Any) -> int:
        self.champion = int(self._tournament(history))
        return self.champion

    def _meet(self, history: Any, a: int, b: int) -> int:
        self._looks.clear()
        winner = int(self._duel(history, a, b))
        (first, x), (second, y) = self._looks
        by: By = "value"
        if tied(history, x, y):
            by = "chance" if first.all == second.all else "fewer pulls"
        self.duels.append(Duel(int(a), int(b), first.size, (first, second), (x, y), winner, by))
        return winner

    def _look(self, history: Any, arm: int, n: int) -> float:
        stream = history.stream.copy()
        value = float(self._value_on(self._words, arm, n))
        rewards, what = sampled(history, arm, n, stream)
        rewards = np.sort(rewards)
        if rewards.size > SHOWN:
            rewards = rewards[np.linspace(0, rewards.size - 1, SHOWN).round().astype(int)]
        self._looks.append((Sample(tuple(rewards.tolist()), int(n), int(history.pulls[arm]), what), value))
        return value


def substituted(function: Callable[..., Any], **others: Any) -> Callable[..., Any]:
    """A copy of a function that finds others under some names; the function stays as it is for everybody else."""
    source: Any = function
    scope = source.__globals__ | others
    return FunctionType(source.__code__, scope, source.__name__, source.__defaults__, source.__closure__)


def sampled(history: Any, arm: int, n: int, stream: Any) -> tuple[NDArray[np.float64], What]:
    """The sub-sample that `value_on` has just looked at, which began with this state of the stream; and what it is."""
    size, rewards, bag = history.pulls[arm], history.rewards[arm], history.bag[arm]
    if history.kind == TAIL:
        wanted = tail_size(history, n)
        tail = np.sort(rewards[:size])[:wanted] if n == size else history.tail[:wanted]
        return tail, "rewards" if wanted == n else "lowest rewards"
    if n == size and not history.has_feature:
        return rewards[:n], "rewards"
    if history.kind == MOMENTS and history.distinct[arm] <= 2:
        good = history.highs[arm]
        highs = good if n == size else hypergeometric(good, size - good, n, history.log_factorials, stream)
        return np.repeat(history.levels[arm], (n - highs, highs)), "features" if history.has_feature else "counts"
    moved = n if 2 * n <= size else size - n  # as in records.evaluate_subsample
    part = bag[:n] if moved == n else bag[moved:size]
    if history.kind == MOMENTS:  # exact but for rounding: the bag has what they exceed the first one by
        return part + history.levels[arm, 0], "features" if history.has_feature else "rewards"
    return part, "rewards"
