"""Runs that have ended."""

from __future__ import annotations

from dataclasses import dataclass

from primum.lab.http.schemas import Question, Run
from primum.results import Results


@dataclass(frozen=True)
class Ended:
    """A run that has ended, its question, the results if there are any, and their size in bytes."""

    run: Run
    question: Question
    results: Results | None
    size: int
