"""Experiments in pieces, each computed once: one mechanism for studies, the reproduction and the laboratory."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.executors import run_all
from primum.experiments.experiment import Experiment
from primum.experiments.rough_cost import rough_cost
from primum.policies import Policy
from primum.progress import Bar, Progress
from primum.results import Results
from primum.simulation import (
    Monitor,
    check_steps,
    check_threads,
    inner_value,
    no_pulls,
    play_elsewhere,
    play_part,
)
from primum.store import Store, fingerprints
from primum.transport import Part, classes, pack_pulls, unpack_pulls

PIECE_STEPS = 2_000_000  # steps of one policy in a piece: a fraction of a second, or some for a slow one
TASKS_PER_THREAD = 4  # at least
FORMAT = "primum-pulls-1"
DONE: Any = None  # in place of a part
log = logging.getLogger("primum")


class Pieces:
    """The replications of an experiment that has a seed, cut into ranges, and the pulls of each policy in a store.

    A piece has one policy, so that a policy added to an experiment is all that is computed. All pieces but the last
    have the same size, so that more replications add pieces. The last one is stored as far as it goes: with more
    replications it is completed, and with fewer its first ones are taken.
    """

    def __init__(self, experiment: Experiment, store: Store) -> None:
        if experiment.seed is None:
            raise ParameterError("an experiment needs a seed to be stored")
        self.store, self.experiment, self.problem = store, experiment, experiment.problem()
        self.steps = check_steps(experiment.steps, experiment.horizon)
        self.size = max(1, PIECE_STEPS // experiment.horizon)
        count = experiment.replications
        self._ranges = [range(first, min(first + self.size, count)) for first in range(0, count, self.size)]
        self._common = {
            "what": FORMAT,
            "value": self.problem.value.spec(),
            "arms": [[name, arm.spec()] for name, arm in self.problem.arms.items()],
            "horizon": experiment.horizon,
            "seed": experiment.seed,
            "steps": experiment.steps if experiment.steps in (None, "all", "last") else self.steps.tolist(),
        }
        self._keys = [self._key_of(policy) for policy in experiment.policies]

    def _key_of(self, policy: Policy) -> dict[str, Any]:
        plugins = [*self.problem.arms.values(), self.problem.value, policy, inner_value(policy, self.problem.value)]
        return self._common | {"policy": policy.spec(), "fingerprint": fingerprints.results(set(classes(plugins)))}

    def __iter__(self) -> Iterator[range]:
        return iter(self._ranges)

    def key(self, first: int, policy: int, *, is_whole: bool) -> dict[str, Any]:
        """All that the pulls of a policy, by its position, depend on: in a whole piece, or from a replication on."""
        return self._keys[policy] | {"first": first} | ({"count": self.size} if is_whole else {})

    def missing(self, piece: range) -> list[Part]:
        """What must be computed of a piece, policies with the same replications together.

        Of whole pieces the content is not checked.
        """
        by_count: dict[int, list[Policy]] = {}
        for number, policy in enumerate(self.experiment.policies):
            if not self.store.has(self.key(piece.start, number, is_whole=True)):
                count = sum(map(len, self._segments(piece, number)))
                if count < len(piece):
                    by_count.setdefault(count, []).append(policy)
        return [self.part(policies, piece[count:]) for count, policies in sorted(by_count.items())]

    def part(self, policies: Sequence[Policy], replications: range) -> Part:
        """Some replications of some policies of the experiment."""
        asked = self.experiment
        return Part(self.problem, policies, asked.horizon, asked.seed or 0, self.steps, replications)

    def put(self, part: Part, packed: Sequence[bytes]) -> None:
        """Store the packed pulls of a part, if that is possible."""
        first = part.replications.start
        is_whole = first % self.size == 0 and len(part.replications) == self.size
        for policy, content in zip(part.policies, packed, strict=True):
            number = self.experiment.policies.index(policy)
            self.store.keep(self.key(first, number, is_whole=is_whole), content)

    def _segments(self, piece: range, policy: int) -> Iterator[NDArray[np.int32]]:
        """The stored pulls of a policy in a piece: the whole, or one part after the other as far as they go."""
        whole = self._read(self.key(piece.start, policy, is_whole=True))
        if whole is not None:
            yield whole[: len(piece)]
            return
        first = piece.start
        while first < piece.stop and (some := self._read(self.key(first, policy, is_whole=False))) is not None:
            yield some[: piece.stop - first]
            first += len(some)

    def _read(self, key: dict[str, Any]) -> NDArray[np.int32] | None:
        content = self.store.get(key)
        pulls = None if content is None else unpack_pulls(content)
        expected = self.steps.size, len(self.problem.names)
        return pulls if pulls is not None and len(pulls) and pulls.shape[1:] == expected else None

    def put_results(self, results: Results) -> None:
        """Store the results of a piece; a PrimumError if that is not possible."""
        first, pulls = int(results.replications[0]), results.pulls.values
        for number, of_policy in enumerate(pulls):
            self.store.put(self.key(first, number, is_whole=pulls.shape[1] == self.size), pack_pulls(of_policy))

    def get(self, piece: range) -> Results | None:
        """The results of a piece, or None if some of it must be computed."""
        results = self.results([piece])
        return results if len(results.replications) == len(piece) else None

    def results(self, pieces: Sequence[range] | None = None) -> Results:
        """The stored results of successive pieces, all by default.

        Of the replications that are there for all policies, those without a gap from the first on.
        """
        pieces = self._ranges if pieces is None else pieces
        asked = range(pieces[0].start, pieces[-1].stop)
        pulls = no_pulls(len(self._keys), len(asked), self.steps.size, len(self.problem.names))
        complete = len(asked)
        for policy, out in enumerate(pulls):
            filled = 0
            for piece in pieces:
                for some in self._segments(piece, policy):
                    out[filled : filled + len(some)] = some
                    filled += len(some)
                if filled < piece.stop - asked.start:
                    break
            complete = min(complete, filled)
        about = self.experiment
        return Results(
            self.problem,
            about.policies,
            about.horizon,
            about.seed or 0,
            self.steps,
            asked[:complete],
            pulls if complete == len(asked) else pulls[:, :complete].copy(),
            requested=len(asked),
        )


def run(
    experiments: Iterable[Experiment],
    store: Store,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: bool | Progress = True,
) -> bool:
    """Compute what a store does not have of experiments that have seeds; False if Ctrl-C stopped it before.

    On `threads` threads, all processors by default, or on an executor whose tasks have `threads` threads each, one by
    default. Progress is in microseconds of work, roughly. If a piece cannot be stored, a warning says so and the run
    goes on.
    """
    threads = check_threads(threads, executor)
    todo = [
        (pieces, part)
        for pieces in (Pieces(experiment, store) for experiment in experiments)
        for piece in pieces
        for part in pieces.missing(piece)
    ]
    if executor is None and threads > 1:
        todo = _cut(todo, TASKS_PER_THREAD * threads)
    costs = np.array([rough_cost(part) for _, part in todo])
    with Bar(int(costs.sum()), progress) if isinstance(progress, bool) else progress as bar:
        bar.say("simulating")
        if executor is None:
            return _on_threads(todo, costs, threads, bar)
        owners: dict[int, tuple[Pieces, float]] = {}  # of parts that are played
        done = 0.0

        def parts() -> Iterator[Part]:
            for number in range(len(todo)):
                pieces, part = todo[number]
                todo[number] = DONE  # tables of its arms take memory
                owners[id(part)] = pieces, costs[number]
                yield part

        def receive(part: Part, packed: list[bytes]) -> None:
            nonlocal done
            pieces, cost = owners.pop(id(part))
            pieces.put(part, packed)
            done += cost

        return play_elsewhere(parts(), executor, threads, receive, lambda: bar.update(int(done)))


def _cut(todo: list[tuple[Pieces, Part]], wanted: int) -> list[tuple[Pieces, Part]]:
    """The same parts; if they are few, each in several, so that no thread is idle for long."""
    ways = -(-wanted // max(1, len(todo)))
    if ways <= 1:
        return todo
    cut = []
    for pieces, part in todo:
        numbers, size = part.replications, -(-len(part.replications) // ways)
        for first in range(0, len(numbers), size):
            cut.append((pieces, dataclasses.replace(part, replications=numbers[first : first + size])))
    return cut


def _on_threads(todo: list[tuple[Pieces, Part]], costs: NDArray[Any], threads: int, bar: Progress) -> bool:
    monitor = Monitor(len(todo))
    per_step = costs / np.maximum(1, [part.size for _, part in todo])

    def play(task: int) -> bool:
        pieces, part = todo[task]
        todo[task] = DONE
        pulls = play_part(part, monitor, task)
        if pulls is not None:
            pieces.put(part, [pack_pulls(of_policy) for of_policy in pulls])
        return pulls is not None

    done = run_all(play, len(todo), threads, lambda: bar.update(int(monitor.played[:, 0] @ per_step)), monitor.stop)
    return all(done)


def results(experiment: Experiment, store: Store) -> Results:
    """The results of an experiment that `run` has computed; what was damaged or removed since is computed again."""
    found = Pieces(experiment, store).results()
    if len(found.replications) == found.requested:
        return found
    log.warning("a stored piece is damaged or was removed; its experiment is computed again")
    return experiment.run(progress=False)
