"""simulate(): policies against a problem, many replications at once."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, within
from primum.plugins import registry
from primum.plugins.parameters import Parameter
from primum.plugins.spec_text import write
from primum.policies import Policy
from primum.problem import Problem, check_size
from primum.results import Results
from primum.results.validation import LARGEST_COUNT as LARGEST_COUNT
from primum.runs import runner
from primum.runs.part import Part, Pulls, compile_for, inner_value, no_pulls, side_by_side
from primum.runs.progress import Progress
from primum.text import repeats

Policies = Sequence[Policy | str] | Mapping[str, Policy | str]  # a mapping gives the names under which they are shown


def simulate(
    problem: Problem,
    policies: Policies,
    *,
    horizon: int,
    replications: int | range,
    seed: int | None = None,
    steps: str | Sequence[int] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: bool | Progress = True,
) -> Results:
    """Play each policy `replications` times for `horizon` steps.

    All policies meet the same i-th reward of each arm in the same replication, and the results do not depend on
    `threads` or on which policies run together. Policies in a mapping are shown under its names. `steps` says when
    pulls are recorded: about 200 times by default, ``"all"``, ``"last"``, or a list that is completed by the horizon.
    Without a `seed` a fresh one is drawn; it can be read from the results. Ctrl-C stops the run and returns the
    replications that all policies have completed.

    A range of replications plays those numbers of a longer run: `range(100, 200)` gives the second hundred, and
    `Results.joined` puts the pieces together. `progress` may be your own Progress object.

    An `executor` (a process pool, Dask's `client.get_executor()`) plays the replications elsewhere, in tasks of some
    seconds with `threads` threads each, one by default, and gives equal results.

    >>> from primum import policies, rewards, values
    >>> problem = Problem({"a": rewards.Bernoulli(0.2), "b": rewards.Bernoulli(0.8)}, values.Mean())
    >>> results = simulate(problem, [policies.Ucb1()], horizon=100, replications=10, seed=1, progress=False)
    >>> results.pulls.sizes["arm"]
    2
    >>> named = {"gentle": policies.BesaPlus(floor=0.5), "bold": policies.BesaPlus(floor=5)}
    >>> simulate(problem, named, horizon=100, replications=10, seed=1, progress=False).labels
    ['gentle', 'bold']
    """
    if not isinstance(problem, Problem):
        raise ParameterError(f"problem must be a primum.Problem, got {problem!r}")
    players = check_policies(policies)
    horizon = whole("horizon", horizon, 1, LARGEST_COUNT)
    asked = check_replications(replications)
    seed = secrets.randbits(63) if seed is None else whole("seed", seed, 0, 2**64 - 1)
    threads = runner.check_threads(threads, executor)
    whole_run = Part(problem, players, horizon, seed, check_steps(steps, horizon), asked)
    work = work_of(whole_run, threads, executor)
    problem.true_values  # before anything is played, so that a value without one is reported at once  # noqa: B018
    for policy in players:
        check_fit(problem, policy)
    pulls = PullsInMemory(whole_run)
    runner.run(
        [(part, pulls) for part in work],
        threads=threads,
        executor=executor,
        progress=progress,
        cost=lambda part: part.size,
        compiling=lambda: compile_for(problem, players, seed),
    )
    return pulls.results()


def work_of(whole: Part, threads: int, executor: Executor | None) -> Iterator[Part]:
    """A part in those that threads play at a time, or that make a message to an executor."""
    policies, horizon = whole.policies, whole.horizon
    width = max(policy.memory_width for policy in policies)
    size = side_by_side(len(whole.problem.arms), horizon, threads, width)
    if executor is not None:
        size = max(1, runner.MESSAGE_STEPS // (len(policies) * horizon))
    return runner.cut(whole, size)


class PullsInMemory(runner.Sink):
    """The pulls of a run in memory, and which replications are complete."""

    def __init__(self, whole: Part) -> None:
        self.whole, self.pulls = whole, no_pulls(*whole.shape)
        self.kept = np.zeros(len(whole.replications), np.bool_)

    def take(self, part: Part, played: Sequence[Pulls]) -> None:
        first = self.whole.replications.start
        mine = slice(part.replications.start - first, part.replications.stop - first)
        for out, pulls in zip(self.pulls, played, strict=True):
            out[mine] = pulls
        self.kept[mine] = True

    def results(self) -> Results:
        """The results of the replications that are complete."""
        whole, pulls, numbers = self.whole, self.pulls, np.array(self.whole.replications)
        if not self.kept.all():
            numbers, pulls = numbers[self.kept], pulls[:, self.kept]
        about = whole.problem, whole.policies, whole.horizon, whole.seed, whole.steps
        return Results(*about, numbers, pulls, requested=len(whole.replications))


def check_replications(replications: Any) -> range:
    """The numbers of the replications to play: a count from 0 on, or a range."""
    if not isinstance(replications, range):
        return range(whole("replications", replications, 1, LARGEST_COUNT))
    if not replications or replications.step != 1 or replications[0] < 0 or replications[-1] >= LARGEST_COUNT:
        raise ParameterError(f"replications must be an ascending range within [0, {LARGEST_COUNT}], got {replications}")
    return replications


def check_policies(policies: Policies) -> list[Policy]:
    """The policies as objects with distinct labels."""
    if isinstance(policies, (str, Policy)) or not isinstance(policies, Sequence | Mapping):
        raise ParameterError(f"policies must be a list or a mapping of names, got {policies!r}", ("policies",))
    if not policies:
        raise ParameterError("policies must name at least one policy, got none", ("policies",))
    is_named = isinstance(policies, Mapping)
    given: Iterable[tuple[Any, Any]] = policies.items() if isinstance(policies, Mapping) else enumerate(policies)
    players: list[Policy] = []
    for key, policy in given:
        with within("policies", key if isinstance(key, int) else str(key)):
            player: Policy = registry.build("policies", policy)
            players.append(player.named(key) if is_named else player)
    check_different("policies", [player.label for player in players])
    return players


def check_different(what: str, names: Sequence[str]) -> None:
    """Refuse a name that comes twice."""
    for i in repeats(names):
        raise ParameterError(f"{what} must differ, got {names[i]!r} twice", (what, i))


def check_fit(problem: Problem, policy: Policy) -> None:
    """Refuse arms, a value or rewards that a policy is not made for."""
    policy.check_arms(len(problem.arms))
    policy.check_value(inner_value(policy, problem.value))
    least, most = policy.reward_bounds
    for name, arm in problem.arms.items():
        low, high = arm.support
        with within("arms", name):
            check_size(arm.display_name, low, high)
        if low < least or high > most:
            raise ParameterError(
                f"{policy.display_name} needs rewards in {Parameter('', least, most).interval}, "
                f"and arm {name!r} ({arm.display_name}) has them in {Parameter('', low, high).interval}"
                + _way_into(least, most, low, high)
            )


def _way_into(least: float, most: float, low: float, high: float) -> str:
    """How rewards from `low` to `high` can be brought into an interval, as a remark; empty if they are all the same."""
    if low == high:
        return ""
    start = least if math.isfinite(least) else most - 1
    end = most if math.isfinite(most) else start + 1
    way, does = ("scaled", "rescales") if math.isfinite(high - low) else ("clipped", "clips")
    return f"; {way}(distribution=..., low={write(start)}, high={write(end)}) {does} them"


def check_steps(steps: str | Sequence[int] | None, horizon: int) -> NDArray[np.int64]:
    """The recorded steps in order; the last is the horizon."""
    if steps is None:
        spaced = np.concatenate([np.linspace(0, horizon, 101)[1:], np.geomspace(1, horizon, 120)])
        return np.unique(np.clip(np.rint(spaced).astype(np.int64), 1, horizon))
    if isinstance(steps, (str, bytes)):
        if steps not in ("all", "last"):
            raise ParameterError(f"steps must be 'all', 'last' or a list of steps, got {steps!r}")
        return np.arange(1, horizon + 1) if steps == "all" else np.array([horizon])
    try:
        listed = [whole("steps", step, 1, horizon) for step in steps]
    except TypeError:
        raise ParameterError(f"steps must be 'all', 'last' or a list of steps, got {steps!r}") from None
    return np.unique(np.array([*listed, horizon], np.int64))


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number within bounds, or an error that says so."""
    return int(Parameter("", low, high, integer=True).check(name, value))
