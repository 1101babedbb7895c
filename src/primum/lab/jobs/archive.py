"""The archive of runs: pieces of experiments in a store, and runs that have ended."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from primum.errors import PrimumError
from primum.experiments import Experiment
from primum.experiments.pieces import key_of, pieces
from primum.lab.http.schemas import Question, Run
from primum.results import Results
from primum.store import Store


class Shelf:
    """A store within a limit; it is trimmed each time that a twentieth of the limit has been written."""

    def __init__(self, store: Store, limit: int) -> None:
        self.store, self.limit = store, limit
        self._written = limit  # what earlier processes wrote is not known
        self._lock = threading.Lock()

    def put(self, key: Any, content: bytes) -> None:
        """Keep the content under a key."""
        self.store.put(key, content)
        part = self.limit // 20
        with self._lock:
            self._written += len(content)
            due = self._written > part
            if due:
                self._written = 0
        if due:
            self.store.trim(self.limit - part)


class Pieces:
    """The pieces of an experiment on a shelf, as `experiments.stored` has them."""

    def __init__(self, shelf: Shelf, experiment: Experiment) -> None:
        self.shelf = shelf
        self._ranges, self._common = list(pieces(experiment)), key_of(experiment, range(1))

    def __iter__(self) -> Iterator[range]:
        return iter(self._ranges)

    def has(self, piece: range) -> bool:
        """Whether there is a file with this piece."""
        return self.shelf.store.has(self._key(piece))

    def get(self, piece: range) -> Results | None:
        """The piece, or None if it must be computed."""
        content = self.shelf.store.get(self._key(piece))
        try:
            return None if content is None else Results.from_bytes(content, "the store")
        except PrimumError:  # other versions of the packages that read it: it can be computed again
            return None

    def put(self, results: Results) -> None:
        """Keep a piece."""
        first, last = int(results.replications[0]), int(results.replications[-1])
        self.shelf.put(self._key(range(first, last + 1)), results.to_bytes())

    def _key(self, piece: range) -> dict[str, Any]:
        # the rest of `key_of` is the same for all pieces, and takes a while when there are thousands
        return self._common | {"replications": [piece.start, piece.stop]}


@dataclass(frozen=True)
class EndedRun:
    """A run that has ended, its question, and the results if there are any."""

    run: Run
    question: Question
    results: Results | None

    @cached_property  # because arms may make more tables later, and a cache must subtract what it added
    def size(self) -> int:
        """Bytes of the pulls, and of the tables that the arms have made."""
        if self.results is None:
            return 0
        return self.results.pulls.nbytes + array_bytes(list(self.results.problem.arms.values()))


def array_bytes(*objects: Any) -> int:
    """Bytes of all arrays within these objects, their attributes, and the tuples and lists in them."""
    todo, seen, total = list(objects), set[int](), 0
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            total += one.nbytes
        elif isinstance(one, (list, tuple)):
            todo += one
        elif not isinstance(one, (type, ModuleType)):
            todo += getattr(one, "__dict__", {}).values()
    return total
