"""The one runner: parts are played on threads, or on any executor, and each goes to its sink.

A part is some replications of an experiment, or of a design in a scenario. It has `replications`, a `size` in steps, a
`cost` in microseconds, its `plugins`, a `spec()` from which `from_spec` makes an equal part, and `play(monitor, number,
space)`, which gives arrays with a row for each replication; `pack` and `unpack` turn each of them into bytes and back.
"""

from __future__ import annotations

import dataclasses
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, PrimumError, quoted
from primum.plugins.parameters import Parameter
from primum.runs.executors import available_threads, run_all, submit_all
from primum.runs.part import Monitor
from primum.runs.progress import Bar, Progress
from primum.runs.wire import Message

MESSAGE_STEPS = 20_000_000  # in a message to another process: some seconds of work
PARTS_PER_THREAD = 4  # at least, so that none waits long for the others
DONE: Any = None  # in place of a part


class Sink(ABC):
    """Where the results of parts go."""

    @abstractmethod
    def take(self, part: Any, played: Sequence[NDArray[Any]]) -> None:
        """What a part gave in this process; called by several threads."""

    def receive(self, part: Any, packed: Sequence[bytes]) -> None:
        """What a part gave in another process."""
        played = [array for content in packed if (array := part.unpack(content)) is not None]
        assert len(played) == len(packed)
        self.take(part, played)


Work: TypeAlias = tuple[Any, Sink]  # a part and where its results go


def check_threads(threads: int | None, executor: Executor | None) -> int:
    """The number of threads: all processors by default, or one for each message to an executor."""
    if executor is not None and not isinstance(executor, Executor):
        raise ParameterError(f"executor must be a concurrent.futures.Executor, got {quoted(executor)}")
    unless_told = available_threads() if executor is None else 1
    return unless_told if threads is None else int(Parameter("", 1, 1024, integer=True).check("threads", threads))


def run(
    work: Iterable[Work],
    *,
    threads: int,
    executor: Executor | None,
    progress: bool | Progress,
    cost: Callable[[Any], float] = lambda part: float(part.cost),
    compiling: Callable[[], None] | None = None,
) -> bool:
    """Play parts; False after Ctrl-C. Progress is the `cost` of what is played; `compiling` is done before, if here."""
    todo = list(work)
    if executor is None and threads > 1:
        todo = _cut(todo, PARTS_PER_THREAD * threads)
    costs = np.array([cost(part) for part, _ in todo])
    with Bar(int(costs.sum()), progress) if isinstance(progress, bool) else progress as bar:
        if compiling is not None and executor is None:
            bar.say("compiling")
            compiling()
        bar.say("simulating")
        if executor is None:
            return _on_threads(todo, costs, threads, bar)
        return _elsewhere(todo, costs, threads, executor, bar)


def _cut(todo: list[Work], wanted: int) -> list[Work]:
    """The same parts; if they are few, each in several, so that no thread is idle for long."""
    ways = max(1, -(-wanted // max(1, len(todo))))
    return [(some, sink) for part, sink in todo for some in cut(part, -(-len(part.replications) // ways))]


def cut(part: Any, size: int) -> Iterator[Any]:
    """A part in several of as many replications; the last one may have fewer."""
    numbers = part.replications
    if size >= len(numbers):
        yield part
        return
    for first in range(0, len(numbers), size):
        yield dataclasses.replace(part, replications=numbers[first : first + size])


def _on_threads(todo: list[Work], costs: NDArray[Any], threads: int, bar: Progress) -> bool:
    monitor, local = Monitor(len(todo)), threading.local()
    per_step = costs / np.maximum(1, [part.size for part, _ in todo])

    def play(number: int) -> bool:
        part, sink = todo[number]
        todo[number] = DONE  # tables of its arms take memory
        played = part.play(monitor, number, local.__dict__)
        if played is not None:
            sink.take(part, played)
        return played is not None

    watch = lambda: bar.update(int(monitor.played[:, 0] @ per_step))  # noqa: E731
    return all(run_all(play, len(todo), threads, watch, monitor.stop))


def _elsewhere(todo: list[Work], costs: NDArray[Any], threads: int, executor: Executor, bar: Progress) -> bool:
    """Play parts on an executor, several small ones in a message."""
    sent: dict[int, list[int]] = {}  # numbers of parts, by message
    waiting: dict[int, Work] = {}
    done = 0.0

    def messages() -> Iterator[Message]:
        for numbers in _by_message([part.size for part, _ in todo]):
            sent[len(sent)] = numbers
            for number in numbers:
                waiting[number], todo[number] = todo[number], DONE
            yield Message.of([waiting[number][0] for number in numbers], threads)

    def receive(message: int, answer: list[list[bytes]] | str) -> None:
        nonlocal done
        if isinstance(answer, str):
            raise PrimumError(answer)
        for number, packed in zip(sent[message], answer, strict=True):
            part, sink = waiting.pop(number)
            sink.receive(part, packed)
            done += costs[number]

    return submit_all(executor, compute, messages(), receive, lambda: bar.update(int(done)))


def _by_message(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Numbers of parts, put together until they have some seconds of work."""
    message: list[int] = []
    size = 0
    for number, each in enumerate(sizes):
        if message and size + each > MESSAGE_STEPS:
            yield message
            message, size = [], 0
        message.append(number)
        size += each
    if message:
        yield message


def compute(message: Message) -> list[list[bytes]] | str:
    """Play the parts of a message, for another process: the packed results of each, or an error."""
    try:
        played = [(part, _played(part, message.threads)) for part in message.read()]
    except PrimumError as error:
        return str(error)
    return [[part.pack(each) for each in results] for part, results in played]


class _Gathered(Sink):
    """Results by their first replication."""

    def __init__(self) -> None:
        self.found: dict[int, Sequence[NDArray[Any]]] = {}

    def take(self, part: Any, played: Sequence[NDArray[Any]]) -> None:
        self.found[part.replications.start] = played


def _played(part: Any, threads: int) -> Sequence[NDArray[Any]]:
    """The results of a part, on several threads if there are to be any."""
    gathered = _Gathered()
    if not run([(part, gathered)], threads=threads, executor=None, progress=False):
        raise KeyboardInterrupt
    in_order = [gathered.found[first] for first in sorted(gathered.found)]
    return [np.concatenate(each) for each in zip(*in_order, strict=True)]
