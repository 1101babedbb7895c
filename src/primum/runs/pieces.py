"""Experiments in pieces, each computed once: one mechanism for studies, the reproduction and the laboratory."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any

from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.plugins.registry import classes
from primum.policies import Policy
from primum.results import Results
from primum.runs import runner
from primum.runs.experiment import Experiment, part_of
from primum.runs.part import Part, Pulls, inner_value, no_pulls, pack_pulls
from primum.runs.progress import Progress
from primum.runs.runner import Sink
from primum.runs.simulation import check_steps
from primum.store import Store, fingerprints

PIECE_STEPS = 2_000_000  # steps of one policy in a piece: a fraction of a second, or some for a slow one
FORMAT = "primum-pulls-1"
log = logging.getLogger("primum")


class Pieces(Sink):
    """Replications cut into ranges, and what was computed of each in a store, by key.

    All pieces but the last have the same size, so that more replications add pieces. The last one is stored as far as
    it goes: with more replications it is completed, and with fewer its first ones are taken. `keys` say what else the
    contents depend on; there may be several for the same replications, such as one for each policy.
    """

    def __init__(self, store: Store, keys: Sequence[dict[str, Any]], count: int, size: int) -> None:
        self.store, self.size, self._keys = store, size, keys
        self._ranges = [range(first, min(first + size, count)) for first in range(0, count, size)]

    def __iter__(self) -> Iterator[range]:
        return iter(self._ranges)

    def key(self, first: int, number: int, *, is_whole: bool) -> dict[str, Any]:
        """All that a content depends on: that of a whole piece, or from a replication on."""
        return self._keys[number] | {"first": first} | ({"count": self.size} if is_whole else {})

    def stored(self, piece: range, number: int) -> int:
        """How many replications of a piece, from the first on, are stored; of a whole piece it is not checked."""
        if self.store.has(self.key(piece.start, number, is_whole=True)):
            return len(piece)
        return sum(map(len, self.stored_arrays(piece, number)))

    def keep(self, replications: range, number: int, content: bytes) -> None:
        """Store the content of some replications, if that is possible."""
        self.store.keep(self._key_of_range(replications, number), content)

    def _key_of_range(self, replications: range, number: int) -> dict[str, Any]:
        first = replications.start
        is_whole = first % self.size == 0 and len(replications) == self.size
        return self.key(first, number, is_whole=is_whole)

    def stored_arrays(self, piece: range, number: int) -> Iterator[NDArray[Any]]:
        """What is stored of a piece: the whole, or one part after the other as far as they go."""
        whole = self._read(self.key(piece.start, number, is_whole=True))
        if whole is not None:
            yield whole[: len(piece)]
            return
        first = piece.start
        while first < piece.stop and (some := self._read(self.key(first, number, is_whole=False))) is not None:
            yield some[: piece.stop - first]
            first += len(some)

    def _read(self, key: dict[str, Any]) -> NDArray[Any] | None:
        content = self.store.get(key)
        found = None if content is None else self.unpack(content)
        return found if found is not None and len(found) else None

    @abstractmethod
    def unpack(self, content: bytes) -> NDArray[Any] | None:
        """An array with a row for each replication; None if the content is not one."""

    @abstractmethod
    def missing(self, piece: range) -> list[Any]:
        """The parts that must be computed of a piece."""

    @abstractmethod
    def receive(self, part: Any, packed: Sequence[bytes]) -> None:
        """Store the results of a part, if that is possible."""

    def take(self, part: Any, played: Sequence[NDArray[Any]]) -> None:
        """Store the results of a part, if that is possible."""
        self.receive(part, [part.pack(each) for each in played])


class ExperimentPieces(Pieces):
    """The replications of an experiment that has a seed, and the pulls of each policy in a store.

    A piece has one policy, so that a policy added to an experiment is all that is computed.
    """

    def __init__(self, experiment: Experiment, store: Store) -> None:
        if experiment.seed is None:
            raise ParameterError("an experiment needs a seed to be stored")
        self.experiment, self.problem = experiment, experiment.problem()
        self.steps = check_steps(experiment.steps, experiment.horizon)
        self._common = {
            "what": FORMAT,
            "value": self.problem.value.spec(),
            "arms": [[name, arm.spec()] for name, arm in self.problem.arms.items()],
            "horizon": experiment.horizon,
            "seed": experiment.seed,
            "steps": experiment.steps if experiment.steps in (None, "all", "last") else self.steps.tolist(),
        }
        keys = [self._key_of(policy) for policy in experiment.policies]
        self._numbers = {policy.label: number for number, policy in enumerate(experiment.policies)}
        super().__init__(store, keys, experiment.replications, max(1, PIECE_STEPS // experiment.horizon))

    def _key_of(self, policy: Policy) -> dict[str, Any]:
        plugins = [*self.problem.arms.values(), self.problem.value, policy, inner_value(policy, self.problem.value)]
        return self._common | {"policy": policy.spec(), "fingerprint": fingerprints.results(set(classes(plugins)))}

    def missing(self, piece: range) -> list[Part]:
        """What must be computed of a piece, policies with the same replications together."""
        by_count: dict[int, list[Policy]] = {}
        for number, policy in enumerate(self.experiment.policies):
            count = self.stored(piece, number)
            if count < len(piece):
                by_count.setdefault(count, []).append(policy)
        return [self.part(policies, piece[count:]) for count, policies in sorted(by_count.items())]

    def part(self, policies: Sequence[Policy], replications: range) -> Part:
        """Some replications of some policies of the experiment."""
        return part_of(self.experiment, policies, replications, self.problem)

    def receive(self, part: Part, packed: Sequence[bytes]) -> None:
        """Store the packed pulls of a part, if that is possible."""
        for policy, content in zip(part.policies, packed, strict=True):
            self.keep(part.replications, self._numbers[policy.label], content)

    def unpack(self, content: bytes) -> Pulls | None:
        """The pulls of a policy: replication x step x arm."""
        return self.part((), range(0)).unpack(content)

    def put_results(self, results: Results) -> None:
        """Store the results of a piece; a PrimumError if that is not possible."""
        first, pulls = int(results.replications[0]), results.pulls.values
        replications = range(first, first + pulls.shape[1])
        for number, of_policy in enumerate(pulls):
            self.store.put(self._key_of_range(replications, number), pack_pulls(of_policy))

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
                for some in self.stored_arrays(piece, policy):
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
    found = (ExperimentPieces(experiment, store) for experiment in experiments)
    return run_pieces(found, threads=threads, executor=executor, progress=progress)


def run_pieces(
    cells: Iterable[Pieces],
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: bool | Progress = True,
) -> bool:
    """Compute what a store does not have; False if Ctrl-C stopped it before."""
    threads = runner.check_threads(threads, executor)
    todo = ((part, pieces) for pieces in cells for piece in pieces for part in pieces.missing(piece))
    return runner.run(todo, threads=threads, executor=executor, progress=progress)


def results(experiment: Experiment, store: Store, *, is_complete: bool = True) -> Results:
    """The results of an experiment that `run` has computed, as far as they go.

    If they were complete, what was damaged or removed since is computed again.
    """
    found = ExperimentPieces(experiment, store).results()
    if not is_complete or len(found.replications) == found.requested:
        return found
    log.warning("a stored piece is damaged or was removed; its experiment is computed again")
    return experiment.run(progress=False)
