"""The pulls of a run while it is computed."""

from __future__ import annotations

import threading

import numpy as np

from primum.results import Results
from primum.runs import Experiment
from primum.runs.simulation import check_steps


class PullBuffer:
    """The pulls of an experiment, written in any order; the complete replications from the first on can be read.

    Results are views of the buffer, because complete replications never change. All methods are safe to call from
    several threads.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment, self.problem = experiment, experiment.problem()
        self.problem.true_values  # now, so that a value without one is refused before anything is played  # noqa: B018
        self.steps = check_steps(experiment.steps, experiment.horizon)
        shape = len(experiment.policies), experiment.replications, self.steps.size, len(self.problem.arms)
        self._pulls = np.zeros(shape, np.int32)  # takes no memory until it is written to
        self._lock = threading.Lock()  # of all below
        self._is_done = np.zeros(experiment.replications, np.bool_)
        self._done = self._complete = 0
        self._results: Results | None = None

    @property
    def done(self) -> int:
        """Replications that are written, in any order."""
        with self._lock:
            return self._done

    @property
    def complete(self) -> int:
        """Replications that are written, without a gap from the first on."""
        with self._lock:
            return self._complete

    def write(self, results: Results) -> None:
        """Write some replications; `mark` makes them visible."""
        self._pulls[:, results.replications] = results.pulls.values

    def mark(self, numbers: range) -> None:
        """Declare these replications written."""
        with self._lock:
            self._is_done[numbers.start : numbers.stop] = True
            self._done += len(numbers)
            rest = self._is_done[self._complete :]
            self._complete += rest.size if rest.all() else int(rest.argmin())

    def results(self) -> Results | None:
        """The complete replications; None if there are none."""
        with self._lock:
            if self._complete and (self._results is None or len(self._results.replications) < self._complete):
                self._results = self._part(range(self._complete), self.experiment.replications)
            return self._results

    def detached_results(self) -> Results | None:
        """The complete replications, copied unless they are all, so that the rest of the buffer can be freed."""
        results = self.results()
        if results is None or len(results.replications) == self.experiment.replications:
            return results
        return self._part(range(len(results.replications)), self.experiment.replications, copy=True)

    def piece(self, numbers: range) -> Results:
        """Some of the replications, as a simulation of them gives them."""
        return self._part(numbers, len(numbers))

    def _part(self, numbers: range, requested: int, copy: bool = False) -> Results:
        asked, pulls = self.experiment, self._pulls[:, numbers.start : numbers.stop]
        return Results(
            self.problem,
            asked.policies,
            asked.horizon,
            asked.seed or 0,
            self.steps,
            numbers,
            pulls.copy() if copy else pulls,
            requested=requested,
        )
