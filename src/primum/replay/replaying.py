"""replay(): one replication of a simulation, step by step."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum import engine
from primum.errors import ParameterError, PrimumError
from primum.kernels import records
from primum.kernels.contract import ARRAYS, LARGE, SHARED, WORDS, Histories, set_step
from primum.policies import Policy
from primum.problem import Problem
from primum.replay.reasons import reason_of
from primum.replay.retracing import Retraced, has_tournament, value_on
from primum.replay.steps import Replay, Step
from primum.simulation import LARGEST_COUNT, Batch, check_fit, check_policies, whole

MOST_STEPS = 200  # in one replay


def replay(
    problem: Problem,
    policy: Policy | str,
    *,
    horizon: int,
    seed: int,
    replication: int = 0,
    first: int = 1,
    count: int = 50,
) -> Replay:
    """Show `count` steps, from step `first` on, of one replication as `simulate` plays it with the same seed.

    Of policies that hold a tournament, such as BESA+, the duels are shown, with the sub-samples that decided them.

    >>> from primum import rewards, values
    >>> problem = Problem({"old": rewards.Constant(0.4), "new": rewards.Uniform(0, 1)}, values.Mean())
    >>> shown = replay(problem, "besa-plus", horizon=100, seed=1, count=3)
    >>> shown.steps[0].why.sentence
    "'old' has no reward yet, so it is tried"
    """
    if not isinstance(problem, Problem):
        raise ParameterError(f"problem must be a primum.Problem, got {problem!r}")
    (player,) = check_policies([policy])
    horizon = whole("horizon", horizon, 1, LARGEST_COUNT)
    seed = whole("seed", seed, 0, 2**64 - 1)
    replication = whole("replication", replication, 0, LARGEST_COUNT - 1)
    first = whole("first", first, 1, horizon)
    last = min(first + whole("count", count, 1, MOST_STEPS) - 1, horizon)
    problem.true_values  # as in simulate()  # noqa: B018
    check_fit(problem, player)
    window = Window(problem, player, horizon, seed, replication, first, last)
    return Replay(
        policy=player.label,
        replication=replication,
        horizon=horizon,
        first=first,
        arms=tuple(problem.names),
        value=window.value,
        before=tuple(window.pulls[0].tolist()),
        steps=tuple(window.steps()),
    )


class Window:
    """Some steps of a replication: taken by the engine for the decisions, and once more for the reasons."""

    def __init__(
        self, problem: Problem, policy: Policy, horizon: int, seed: int, replication: int, first: int, last: int
    ) -> None:
        from primum.kernels import compiling

        self._problem, self._policy = problem, policy
        self._batch = Batch(problem, [policy], horizon, 1)
        self._histories = self._batch.histories[0]
        self._value_on = compiling.compiled(value_on)
        self._ask, self._tell = compiling.compiled(engine.ask), compiling.compiled(engine.tell)
        self.value: str = self._histories.value.label
        self._begin(seed, np.array([replication]), first - 1, last)
        self._is_retraced = has_tournament(policy)
        views = written(self._histories)
        kept = [view.copy() for view in views]
        self.pulls = self._decide(last - first + 1)  # before the window, and after each of its steps
        if self._is_retraced:
            for view, content in zip(views, kept, strict=True):
                view[...] = content
        else:  # only the rewards are looked at, with a record of our own
            self._histories.begin(seed, [replication])
            self._histories.arrays["pulls"][0] = self.pulls[0]
        # `connect` leaves out what the policy does not call
        evaluate = compiling.native(records.evaluate, "evaluate", 0, "records")
        self._histories.words[:, WORDS["evaluate"]] = evaluate.address

    def _begin(self, seed: int, numbers: NDArray[np.int64], played: int, last: int) -> None:
        """Play the steps before the window, and draw the rewards that may be needed in it."""
        self._histories.begin(seed, numbers)
        if played:
            scratch = np.zeros((1, 1, 1, len(self._problem.arms)), np.int32)
            self._batch.play(seed, numbers, np.array([played]), scratch)
        pulls = self._histories.arrays["pulls"]
        drawn = pulls // 2 * 2  # they are drawn in pairs
        for arm, needed in enumerate((pulls[0] + last - played).tolist()):
            while drawn[0, arm] < needed:
                self._batch.draw(seed, numbers, arm, np.zeros(1, np.int64), drawn)

    def _decide(self, count: int) -> NDArray[np.int64]:
        """Take the next steps as a simulation does; the pulls of each arm before them and after each."""
        pulls = [self._histories.arrays["pulls"][0].copy()]
        for _ in range(count):
            arm = self._ask(self._histories.words)
            self._histories.check(self._problem.names)
            self._tell(self._histories.words, arm)
            self._histories.check(self._problem.names)
            pulls.append(self._histories.arrays["pulls"][0].copy())
        return np.array(pulls)

    def steps(self) -> Iterator[Step]:
        """The steps, one after another."""
        names, gaps = self._problem.names, self._problem.gaps
        for before, after in itertools.pairwise(self.pulls):
            step, arm, pulls = int(after.sum()), int((after - before).argmax()), tuple(before.tolist())
            estimates = self._estimates(pulls)
            decision = self._retrace(step, arm) if self._is_retraced else None
            self._histories.arrays["pulls"][0] = after
            yield Step(
                step=step,
                arm=arm,
                reward=float(self._batch.rewards[0, arm, pulls[arm]]),
                regret=float(after @ gaps),
                pulls=pulls,
                estimates=estimates,
                why=reason_of(step, arm, pulls, estimates[arm], names, self._policy, self.value, decision),
            )

    def _estimates(self, pulls: tuple[int, ...]) -> tuple[float | None, ...]:
        """The value of all rewards of each arm so far."""
        words = self._histories.words
        estimates = tuple(float(self._value_on(words, arm, n)) if n else None for arm, n in enumerate(pulls))
        self._histories.check(self._problem.names)
        return estimates

    def _retrace(self, step: int, arm: int) -> Retraced:
        """The decision for an arm once more, with notes."""
        decision = Retraced(self._histories)
        if decision.arm != arm:
            names = self._problem.names
            raise PrimumError(
                f"{self._policy.label} chose {names[arm]!r} at step {step}, and {names[decision.arm]!r} when its plain "
                "source was followed: it decides by something else than its history"
            )
        history = self._histories[0]
        history.assigned[arm] += 1
        set_step(history, step + 1)
        self._tell(self._histories.words, arm)
        return decision


def written(histories: Histories) -> list[NDArray[Any]]:
    """All that a history knows, as views; of the records only the part that has been written."""
    history, views = histories[0], [histories.words[0]]
    for name, (_, dims) in ARRAYS.items():
        array = histories.arrays[name]
        if dims == ("arms", "capacity"):
            views += [row[:n] for row, n in zip(array[0], history.pulls.tolist(), strict=True)]
        elif name not in SHARED and set(dims).isdisjoint(LARGE):  # what else is large is scratch
            views.append(array[0])
    return views
