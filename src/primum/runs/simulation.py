"""simulate(): policies against a problem, many replications at once."""

from __future__ import annotations

import math
import os
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, PrimumError, quoted, within
from primum.kernels import engine
from primum.kernels.contract import Histories
from primum.kernels.streams import REWARD, fill_uniforms
from primum.plugins import registry
from primum.plugins.parameters import Parameter
from primum.plugins.spec_text import write
from primum.policies import Policy
from primum.problem import Problem, check_size, rewards_at
from primum.results import Results
from primum.results.validation import LARGEST_COUNT as LARGEST_COUNT
from primum.runs.executors import available_threads, run_all, submit_all
from primum.runs.progress import Bar, Progress
from primum.runs.wire import Message, Part, pack_pulls, unpack_pulls
from primum.text import repeats
from primum.values import SafetyValue

Policies = Sequence[Policy | str] | Mapping[str, Policy | str]  # a mapping gives the names under which they are shown
TWO_CACHE_LINES = 16  # numbers of 8 bytes
TASK_REWARD_BYTES = 1 << 25  # set aside for the rewards of one task
TASK_STEPS = 1 << 19  # of one policy: a fraction of a second, so that little is lost when a run is stopped
MESSAGE_STEPS = 20_000_000  # of all policies in a message to another process: some seconds of work


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
    count = len(asked)
    seed = secrets.randbits(63) if seed is None else whole("seed", seed, 0, 2**64 - 1)
    threads = check_threads(threads, executor)
    arms = len(problem.arms)
    shares = 4 * threads if threads > 1 else 1  # several tasks for each thread, so that none waits long for the others
    width = max(player.memory_width for player in players)
    batch = min(batch_size(arms, horizon, threads, width), -(-count // shares))
    recorded = check_steps(steps, horizon)
    problem.true_values  # before anything is played, so that a value without one is reported at once  # noqa: B018
    for policy in players:
        check_fit(problem, policy)
    pulls, numbers = no_pulls(len(players), count, recorded.size, arms), np.arange(asked.start, asked.stop)

    tasks = -(-count // batch)
    monitor = Monitor(tasks)
    local = threading.local()

    def chunk(task: int) -> slice:
        return slice(task * batch, min((task + 1) * batch, count))

    def play(task: int) -> bool:
        if not hasattr(local, "batch"):
            local.batch = Batch(problem, players, horizon, batch)
        space: Batch = local.batch
        mine = chunk(task)
        return space.play(seed, numbers[mine], recorded, pulls[:, mine], monitor, task)

    kept = np.zeros(count, np.bool_)

    def receive(part: Part, packed: list[bytes]) -> None:
        mine = slice(part.replications.start - asked.start, part.replications.stop - asked.start)
        for of_policy, content in zip(pulls, packed, strict=True):
            received = unpack_pulls(content)
            assert received is not None
            of_policy[mine] = received
        kept[mine] = True

    with Bar(len(players) * count * horizon, progress) if isinstance(progress, bool) else progress as bar:
        if executor is None:
            bar.say("compiling")
            compile_for(problem, players, seed)
            bar.say("simulating")
            done = run_all(
                play,
                tasks,
                threads,
                watch=lambda: bar.update(monitor.steps_played),
                stop=monitor.stop,
            )
            for task, ok in enumerate(done):
                kept[chunk(task)] = bool(ok)
        else:
            bar.say("simulating")
            size = max(1, MESSAGE_STEPS // (len(players) * horizon))
            starts = range(0, count, size)
            parts = (Part(problem, players, horizon, seed, recorded, asked[i : i + size]) for i in starts)
            watch = lambda: bar.update(int(kept.sum()) * len(players) * horizon)  # noqa: E731
            run_on_executor(compute, parts, executor, threads, receive, watch)
    if not kept.all():
        numbers, pulls = numbers[kept], pulls[:, kept]
    return Results(problem, players, horizon, seed, recorded, numbers, pulls, requested=count)


class Monitor:
    """Shared by running tasks and the thread that waits for them: a flag that stops them, and the steps they played."""

    def __init__(self, tasks: int = 1) -> None:
        # each number that threads write at every step is alone in its cache lines, or they would slow each other down
        width = TWO_CACHE_LINES
        self.stopped = np.zeros(3 * width, np.int64)[width : width + 1]
        self.played = np.zeros((tasks + 1, width), np.int64)[1:, :1]  # by task

    def stop(self) -> None:
        """Make every task return as soon as it can."""
        self.stopped[0] = 1

    @property
    def steps_played(self) -> int:
        """Steps of all tasks so far."""
        return int(self.played.sum())


class Batch:
    """Some replications side by side: each policy plays all of them, and all meet the same rewards, drawn on demand."""

    def __init__(self, problem: Problem, policies: Sequence[Policy], horizon: int, count: int) -> None:
        from primum.kernels.native import compiling

        self.problem, self.arms = problem, list(problem.arms.items())
        storage: dict[str, NDArray[Any]] = {}
        arms = len(self.arms)
        try:
            self.histories = [
                Histories(
                    count,
                    arms,
                    horizon,
                    horizon,
                    inner_value(policy, problem.value),
                    policy,
                    storage,
                    problem.true_values if policy.needs_truth else None,
                )
                for policy in policies
            ]
        except MemoryError:
            raise PrimumError(f"{arms} arms x {horizon} steps are too many for this machine's memory") from None
        for histories in self.histories:
            compiling.connect(histories)
        self._play, self._fill = compiling.compiled(engine.play), compiling.compiled(fill_uniforms)
        self.rewards = storage["rewards"]

    def play(
        self,
        seed: int,
        replications: NDArray[Any],
        steps: NDArray[Any],
        out: NDArray[Any],
        monitor: Monitor | None = None,
        task: int = 0,
    ) -> bool:
        """Play the replications to the end; False if stopped before. `out` is policy x replication x step x arm."""
        monitor = monitor or Monitor()
        played = monitor.played[task]
        rows, arms = len(replications), len(self.arms)
        drawn = np.zeros((rows, arms), np.int64)
        if steps[-1] >= arms:  # else most arms are never played
            for arm in range(arms):
                self.draw(seed, replications, arm, np.arange(rows), drawn)
        for histories, pulls in zip(self.histories, out, strict=True):
            histories.begin(seed, replications)
            waiting, recorded = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
            while (waiting != engine.FINISHED).any():
                for arm in set((waiting[waiting > 0] - 1).tolist()):
                    needy = np.flatnonzero(waiting == arm + 1)
                    for have in set(drawn[needy, arm].tolist()):
                        self.draw(seed, replications, arm, needy[drawn[needy, arm] == have], drawn)
                self._play(histories.words, drawn, waiting, recorded, steps, pulls, monitor.stopped, played)
                histories.check(self.problem.names)
                if monitor.stopped[0]:
                    return False
        return True

    def draw(self, seed: int, replications: NDArray[Any], arm: int, rows: NDArray[Any], drawn: NDArray[Any]) -> None:
        """Draw the next block of an arm's rewards in some replications that have equally many; it doubles them."""
        name, distribution = self.arms[arm]
        have, capacity = int(drawn[rows[0], arm]), self.rewards.shape[2]
        uniforms = np.empty((rows.size, have or first_block(len(self.arms), capacity)))
        self._fill(np.uint64(seed), replications[rows], REWARD, arm, have, uniforms)
        uniforms = uniforms[:, : capacity - have]
        block = rewards_at(uniforms, f"arm {name!r}: {distribution.display_name}", distribution)
        self.rewards[rows, arm, have : have + block.shape[1]] = block
        drawn[rows, arm] = have + block.shape[1]


def play_part(part: Part, monitor: Monitor | None = None, task: int = 0) -> NDArray[np.int32] | None:
    """The pulls of a part, policy x replication x step x arm, played by this thread; None if it was stopped."""
    part.problem.true_values  # as in simulate()  # noqa: B018
    arms, count = len(part.problem.arms), len(part.replications)
    width = max(policy.memory_width for policy in part.policies)
    size = min(count, batch_size(arms, part.horizon, 1, width))
    space = Batch(part.problem, part.policies, part.horizon, size)
    pulls = no_pulls(len(part.policies), count, part.steps.size, arms)
    for first in range(0, count, size):
        some = part.replications[first : first + size]
        out = pulls[:, first : first + len(some)]
        if not space.play(part.seed, np.arange(some.start, some.stop), part.steps, out, monitor, task):
            return None
    return pulls


def compute(message: Message) -> list[list[bytes]] | str:
    """Play the parts of a message, for another process: the packed pulls of each policy of each part, or an error."""
    try:
        parts = [Part.from_spec(spec) for spec in message.read()]
        pulls = [play_part(part) if message.threads == 1 else _simulated(part, message.threads) for part in parts]
    except PrimumError as error:
        return str(error)
    return [[pack_pulls(of_policy) for of_policy in each] for each in pulls if each is not None]


def _simulated(part: Part, threads: int) -> NDArray[np.int32]:
    results = simulate(
        part.problem,
        part.policies,
        horizon=part.horizon,
        replications=part.replications,
        seed=part.seed,
        steps=part.steps.tolist(),
        threads=threads,
        progress=False,
    )
    pulls: NDArray[np.int32] = results.pulls.values
    return pulls


def run_on_executor(
    compute: Callable[[Message], list[list[bytes]] | str],
    parts: Iterable[Any],
    executor: Executor,
    threads: int,
    receive: Callable[[Any, list[bytes]], None],
    watch: Callable[[], None],
) -> bool:
    """Play parts on an executor, several small ones at a time; False after Ctrl-C.

    `compute` turns a message into the packed results of each part, and `receive` gets each part with them. `watch` is
    called now and then.
    """
    sent: dict[int, list[Any]] = {}

    def messages() -> Iterator[Message]:
        for number, bundle in enumerate(_bundles(parts)):
            sent[number] = bundle
            yield Message.of(bundle, threads)

    def take(number: int, answer: list[list[bytes]] | str) -> None:
        if isinstance(answer, str):
            raise PrimumError(answer)
        for part, packed in zip(sent.pop(number), answer, strict=True):
            receive(part, packed)

    return submit_all(executor, compute, messages(), take, watch)


def _bundles(parts: Iterable[Any]) -> Iterator[list[Any]]:
    """Parts, put together until they have some seconds of work."""
    bundle: list[Any] = []
    size = 0
    for part in parts:
        if bundle and size + part.size > MESSAGE_STEPS:
            yield bundle
            bundle, size = [], 0
        bundle.append(part)
        size += part.size
    if bundle:
        yield bundle


def compile_for(problem: Problem, policies: Sequence[Policy], seed: int = 0) -> None:
    """Compile all that the policies need on a problem, by a single step of each."""
    out = np.zeros((len(policies), 1, 1, len(problem.arms)), np.int32)
    Batch(problem, policies, 1, 1).play(seed, np.arange(1), np.ones(1, np.int64), out)


def first_block(arms: int, horizon: int) -> int:
    """How many rewards of an arm are drawn at first: about half of its share; an even number."""
    return min(1024, max(16, horizon // (2 * arms))) // 2 * 2


def no_pulls(*shape: int) -> NDArray[np.int32]:
    """Zeros for the pulls of policies x replications x steps x arms; a PrimumError if memory does not suffice."""
    size = 4 * math.prod(shape)
    if size > 0.8 * physical_memory():
        raise PrimumError(f"the recorded pulls need {size / 1e9:.0f} GB; record fewer steps, for example steps='last'")
    return np.zeros(shape, np.int32)


def check_threads(threads: int | None, executor: Executor | None) -> int:
    """The number of threads: all processors by default, or one in each task of an executor."""
    if executor is not None and not isinstance(executor, Executor):
        raise ParameterError(f"executor must be a concurrent.futures.Executor, got {quoted(executor)}")
    unless_told = available_threads() if executor is None else 1
    return unless_told if threads is None else whole("threads", threads, 1, 1024)


def inner_value(policy: Policy, measured: SafetyValue) -> SafetyValue:
    """The value that a policy uses inside: its own if it is tied to one."""
    value: SafetyValue = measured if policy.own_value is None else registry.build("values", policy.own_value)
    return value


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


def batch_size(arms: int, horizon: int, threads: int, width: int) -> int:
    """Replications that one task plays side by side; `width` is that of the policies' memory."""
    # a reward is kept in three places by most policies; what is set aside for the arms but not drawn takes no memory
    needed, memory = 24 * horizon * threads, physical_memory()
    if needed > 0.8 * memory:
        raise PrimumError(
            f"a horizon of {horizon} on {threads} threads needs {needed / 1e9:.0f} GB and this machine has "
            f"{memory / 1e9:.0f}; reduce the horizon or the threads"
        )
    return max(1, min(2048, TASK_STEPS // horizon, TASK_REWARD_BYTES // (8 * arms * max(horizon, width))))


def physical_memory() -> float:
    """Bytes of memory that the machine has; infinitely many where the system does not say."""
    known = hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if known else math.inf


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number within bounds, or an error that says so."""
    return int(Parameter("", low, high, integer=True).check(name, value))
