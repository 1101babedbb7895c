"""Runs that have ended."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from primum.lab.http.schemas import Question, Run
from primum.results import Results


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
