"""The sheet on which a run's pulls are entered."""

from __future__ import annotations

import numpy as np

from primum.experiments import Experiment
from primum.results import Results
from primum.simulation import check_steps


class Sheet:
    """The pulls of an experiment, entered in any order; the complete replications from the first on can be seen.

    Results are views of the sheet, because nothing that is complete changes any more.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment, self.problem = experiment, experiment.problem()
        self.problem.true_values  # now, so that what has none is refused before anything is played  # noqa: B018
        self.steps = check_steps(experiment.steps, experiment.horizon)
        shape = len(experiment.policies), experiment.replications, self.steps.size, len(self.problem.arms)
        self._pulls = np.zeros(shape, np.int32)  # takes no memory until it is written to
        self._done = np.zeros(experiment.replications, np.bool_)
        self.done = self.complete = 0  # replications in any order; those from the first on
        self._seen: Results | None = None

    def write(self, results: Results) -> None:
        """Enter some replications; others may be entered at the same time."""
        self._pulls[:, results.replications] = results.pulls.values

    def mark(self, numbers: range) -> None:
        """Say that these replications are entered."""
        self._done[numbers.start : numbers.stop] = True
        self.done += len(numbers)
        rest = self._done[self.complete :]
        self.complete += rest.size if rest.all() else int(rest.argmin())

    @property
    def size(self) -> int:
        """Bytes of the complete replications."""
        return self._pulls[:, : self.complete].nbytes

    def results(self) -> Results | None:
        """The complete replications; None if there are none."""
        if self.complete and (self._seen is None or len(self._seen.replications) < self.complete):
            self._seen = self._part(range(self.complete), self.experiment.replications)
        return self._seen

    def results_alone(self) -> Results | None:
        """The same, without keeping the memory of the others."""
        seen = self.results()
        if seen is None or self.complete == self.experiment.replications:
            return seen
        return self._part(range(self.complete), self.experiment.replications, copy=True)

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
