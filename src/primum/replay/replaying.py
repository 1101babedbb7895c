"""replay(): one replication of a simulation, step by step."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from primum import engine
from primum.errors import ParameterError, PrimumError
from primum.kernels import records
from primum.kernels.contract import WORDS, set_step
from primum.policies import Policy
from primum.problem import Problem
from primum.replay.reasons import reason_of
from primum.replay.retracing import Retraced, has_tournament, value_on
from primum.replay.steps import Replay, Step
from primum.simulation import MOST, Batch, check_fit, check_policies, whole

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
    horizon = whole("horizon", horizon, 1, MOST)
    seed = whole("seed", seed, 0, 2**64 - 1)
    replication = whole("replication", replication, 0, MOST - 1)
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
    """Some steps of a replication: played by the engine for the decisions, and once more for the reasons."""

    def __init__(
        self, problem: Problem, policy: Policy, horizon: int, seed: int, replication: int, first: int, last: int
    ) -> None:
        from primum.kernels import compiling

        self._problem, self._policy, self._seed, self._replication = problem, policy, seed, replication
        self._batch = Batch(problem, [policy], horizon, 1)
        self._histories = self._batch.histories[0]
        self.value: str = self._histories.value.label
        self.pulls = self._play(first - 1, last)  # after each step, beginning with the one before the window
        # the rewards stand ready now, and the history goes back to where the window begins
        self._is_retraced = has_tournament(policy)
        if self._is_retraced:
            self._play(first - 1, first - 1)
        else:  # of which only the rewards are looked at
            self._histories.begin(seed, [replication])
            self._histories.arrays["pulls"][0] = self.pulls[0]
        # `connect` leaves out what the policy does not call
        evaluate = compiling.native(records.evaluate, "evaluate", 0, "records")
        self._histories.words[:, WORDS["evaluate"]] = evaluate.address
        self._value_on, self._tell = compiling.compiled(value_on), compiling.compiled(engine.tell)

    def _play(self, first: int, last: int) -> NDArray[np.int32]:
        """Play from the beginning; the pulls of each arm after the steps from `first`, which may be 0, to `last`."""
        steps = np.arange(first, last + 1)
        pulls = np.zeros((steps.size, len(self._problem.arms)), np.int32)
        if last == 0:
            self._histories.begin(self._seed, [self._replication])
        else:
            played = int(first == 0)  # the index of the first step that is
            numbers, none = np.array([self._replication]), np.zeros(1, np.int64)
            self._batch.play(self._seed, numbers, steps[played:], pulls[None, None, played:], none, none.copy())
        return pulls

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
