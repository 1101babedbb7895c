"""Runs that have ended."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from primum.lab.http.schemas import Question, Run
from primum.results import Results


class EndedRun:
    """A run that has ended, its question as data, and its pulls if there are any.

    Arms are built when they are needed, and dropped afterwards: the tables that an arm makes on first use take half a
    megabyte or more, at any time, and a question can have 250 distributions. Those of recent arms are in `shared_arms`.
    """

    def __init__(self, run: Run, question: Question, results: Results | None) -> None:
        self.run, self._question = run, question.model_dump_json()
        self._kept = None
        if results is not None:
            self._kept = results.problem.true_values, results.steps, results.pulls.values

    @property
    def size(self) -> int:
        """Bytes of the question and the pulls."""
        return len(self._question) + (self._kept[2].nbytes if self._kept else 0)

    @property
    def question(self) -> Question:
        """The question, built from its data."""
        return Question.model_validate_json(self._question)

    def results(self) -> Results | None:
        """The complete replications; None if there are none."""
        if self._kept is None:
            return None
        asked, (true_values, steps, pulls) = self.question.experiment(), self._kept
        problem = asked.problem()
        problem.true_values = true_values  # so that they are not computed again
        given = problem, asked.policies, asked.horizon, asked.seed or 0, steps, range(pulls.shape[1]), pulls
        return Results(*given, requested=asked.replications)


def array_bytes(*objects: Any) -> int:
    """Bytes of all arrays within these objects, their attributes, and the tuples, lists and tables in them."""
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
        elif isinstance(one, dict):
            todo += one.values()
        elif not isinstance(one, (type, ModuleType)):
            todo += getattr(one, "__dict__", {}).values()
    return total
