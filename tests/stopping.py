"""Runs that are stopped as by Ctrl-C."""

from __future__ import annotations

from typing import Any

from primum import Study
from primum.runs.experiment import part_of
from primum.runs.simulation import PullsInMemory
from primum.runs.studies.results import StudyResults


class StoppedAtOnce:
    """Progress that stops a run as soon as it can."""

    def __enter__(self) -> StoppedAtOnce:
        return self

    def say(self, text: str) -> None:
        pass

    def update(self, done: int) -> None:
        raise KeyboardInterrupt

    def __exit__(self, *_: Any) -> None:
        pass


def nothing_complete(study: Study) -> StudyResults:
    """The results of a study that was stopped before any replication was complete."""
    parts = [part_of(each, each.policies, range(each.replications)) for each in study]
    return StudyResults(study, [PullsInMemory(part).results() for part in parts].__getitem__, is_complete=False)
