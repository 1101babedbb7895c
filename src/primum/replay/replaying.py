"""replay(): one replication of a simulation, step by step."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.kernels import engine, records
from primum.kernels.contract import WORDS, history_of
from primum.kernels.records import value_of
from primum.policies import Policy
from primum.problem import Problem
from primum.replay.reasons import reason_of
from primum.replay.recording import Notes, Recorder
from primum.replay.steps import Replay, Step
from primum.runs.part import Workspace
from primum.runs.simulation import LARGEST_COUNT, check_fit, check_policies, whole

MOST_STEPS = 200  # of one replay


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

    Each decision has its reason, as far as the policy declares what it decides by (`Policy.decides_by`): the scores of
    all arms, such as upper confidence bounds, or the duels with their sub-samples, and what the opening forced.

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
        policy=player.display_name,
        decides_by=player.decides_by,
        replication=replication,
        horizon=horizon,
        first=first,
        arms=tuple(problem.names),
        value=window.value,
        before=tuple(window.pulls[0].tolist()),
        steps=tuple(window.steps()),
    )


class Window:
    """Some steps of a replication: played by the engine with notes, and evaluated once more for the estimates."""

    def __init__(
        self, problem: Problem, policy: Policy, horizon: int, seed: int, replication: int, first: int, last: int
    ) -> None:
        from primum.kernels.native import compiling

        self._problem, self._policy = problem, policy
        self._workspace = Workspace(problem, [policy], horizon, 1)
        self._histories = self._workspace.histories[0]
        self._value_on_all = compiling.compiled(value_on_all)
        self.value: str = self._histories.value.display_name
        self._begin(seed, np.array([replication]), first - 1, last)
        recorder = Recorder(self._histories)
        # pulls before the window and after each of its steps, and what was noted at each
        self.pulls, self._notes = self._decide(recorder, last - first + 1)
        self._histories.begin(seed, [replication])  # from here on, rewards are evaluated with separate records
        self._histories.arrays["pulls"][0] = self.pulls[0]
        # `connect` leaves out what the policy does not call
        evaluate = compiling.native(records.evaluate, "evaluate", 0, "records")
        self._histories.words[:, WORDS["evaluate"]] = evaluate.address

    def _begin(self, seed: int, numbers: NDArray[np.int64], played: int, last: int) -> None:
        """Play the steps before the window, and draw the rewards that may be needed in it."""
        self._histories.begin(seed, numbers)
        if played:
            scratch = np.zeros((1, 1, 1, len(self._problem.arms)), np.int32)
            self._workspace.play(seed, numbers, np.array([played]), scratch)
        pulls = self._histories.arrays["pulls"]
        drawn = pulls // 2 * 2  # they are drawn in pairs
        for arm, needed in enumerate((pulls[0] + last - played).tolist()):
            while drawn[0, arm] < needed:
                self._workspace.draw(seed, numbers, arm, np.zeros(1, np.int64), drawn)

    def _decide(self, recorder: Recorder, count: int) -> tuple[NDArray[np.int64], list[Notes]]:
        """Take the next steps as a simulation does."""
        from primum.kernels.native import compiling

        ask, tell = compiling.compiled(engine.ask), compiling.compiled(engine.tell)
        pulls, notes = [self._histories.arrays["pulls"][0].copy()], []
        for _ in range(count):
            recorder.begin()
            arm = ask(self._histories.words)
            self._histories.check(self._problem.names)
            notes.append(recorder.end())
            tell(self._histories.words, arm)
            self._histories.check(self._problem.names)
            pulls.append(self._histories.arrays["pulls"][0].copy())
        return np.array(pulls), notes

    def steps(self) -> Iterator[Step]:
        """The steps, one after another."""
        names, gaps = self._problem.names, self._problem.gaps
        for (before, after), notes in zip(itertools.pairwise(self.pulls), self._notes, strict=True):
            arm, pulls = int((after - before).argmax()), tuple(before.tolist())
            estimates = self._estimates(pulls)
            self._histories.arrays["pulls"][0] = after
            yield Step(
                step=int(after.sum()),
                arm=arm,
                reward=float(self._workspace.rewards[0, arm, pulls[arm]]),
                regret=float(after @ gaps),
                pulls=pulls,
                estimates=estimates,
                why=reason_of(arm, pulls[arm], estimates[arm], names, self._policy, notes),
            )

    def _estimates(self, pulls: tuple[int, ...]) -> tuple[float | None, ...]:
        """The value of all rewards of each arm so far."""
        words = self._histories.words
        estimates = tuple(float(self._value_on_all(words, arm)) if n else None for arm, n in enumerate(pulls))
        self._histories.check(self._problem.names)
        return estimates


def value_on_all(histories: Any, arm: int) -> float:
    """The value of all rewards of an arm; to be compiled."""
    return value_of(history_of(histories, 0), arm)
