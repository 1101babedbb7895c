"""The randomisation test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, PrimumError
from primum.plugins.parameters import parameter
from primum.trials.analyses.analysis import Analysis
from primum.trials.data import Floats, TrialData
from primum.values import Mean

ROWS = 1_000  # re-runs that are made side by side
ROUNDING = 1e-12  # statistics that differ by less, of the largest outcome, are equal
NO_POWER = (
    "the design gives every re-run the same allocation, because its policy is deterministic given the data, so a "
    "randomisation test has no power; use a policy that randomises, or a burn-in"
)


@dataclass(frozen=True)
class RandomisationTest(Analysis):
    """Runs the design again on the recorded outcomes, and compares the difference in the safety value.

    Outcomes and the times at which they were known are held fixed, as they would be if the arms made no difference to
    any patient, and the design allocates the same patients again `runs` times with fresh random numbers:
    p = (1 + number of re-runs with a statistic at least as large) / (1 + number of re-runs). It holds its level under
    any drift, delay and policy that randomises. If the trial could stop early, only re-runs that end at the same look
    count. The statistic is the difference in the design's safety value between an arm and the control, 0 where one of
    them has no patients: with CVaR or mean-variance it is a test for those.

    >>> from primum import policies, rewards, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=60, policy=policies.BesaPlus(), burn_in=5,
    ...     analysis=RandomisationTest(sided="greater", runs=499),
    ... )
    >>> trial = trials.simulate_one(design, [rewards.Bernoulli(0.2), rewards.Bernoulli(0.8)], seed=1)
    >>> bool(trial.analyse()["p_value"].item() < 0.1)
    True
    """

    title = "Randomisation test"

    runs: int = parameter(999, "re-runs of the trial", low=1, high=10_000_000, integer=True)

    def p_values(self, data: TrialData) -> Floats:
        from primum.trials.arrivals import Timing
        from primum.trials.running import play

        arm, outcome = data.one_by_one(self.title)
        course = data.course
        if course is None:
            raise ParameterError(f"{self.title} needs the times at which outcomes were known, got data without them")
        found, moved = np.empty((len(data), data.counts.shape[1] - 1)), False
        for row in range(len(data)):
            size = int(course.size[row])
            timing = Timing(*(each if len(each) == 1 else each[row : row + 1] for each in _parts(course.timing)))
            observed = self.towards(self._differences(data, np.array([row])))
            recorded = course.as_recorded(row)
            least = observed - ROUNDING * max(1.0, np.nanmax(np.abs(outcome[row])))
            beyond, total = np.zeros(observed.shape[1]), 0
            for first in range(0, self.runs, ROWS):
                count = min(ROWS, self.runs - first)
                again = play(
                    data.design,
                    recorded[None, None, :],
                    timing,
                    course.seed,
                    np.full(count, course.replications[row]),
                    np.arange(first, first + count) + 1,
                    most_patients=size,
                    interventions=course.interventions,
                    most_looks=course.most_looks,
                    is_over=course.is_over,
                )
                assert again is not None
                reallocated, _ = again.data.one_by_one(self.title)
                moved = moved or bool((reallocated != arm[row]).any())
                same_end = (again.size == size) & (again.stopped_at == course.stopped_at[row])
                statistics = self.towards(self._differences(again.data, np.flatnonzero(same_end)))
                beyond += (statistics >= least).sum(axis=0)
                total += len(statistics)
            found[row] = (1 + beyond) / (1 + total)
        if not moved:
            raise PrimumError(f"{self.title}: {NO_POWER}")
        return found

    def direction(self, data: TrialData) -> Floats:
        return np.sign(self._differences(data, np.arange(len(data))))

    def _differences(self, data: TrialData, rows: NDArray[np.intp]) -> Floats:
        """The difference in the safety value in some trials, 0 where an arm has no patients: trial x comparison."""
        estimates = data.means[rows]
        if data.design.value != Mean():
            arm, outcome = data.one_by_one(self.title)
            for i, row in enumerate(rows):
                for k in range(estimates.shape[1]):
                    if data.counts[row, k]:
                        known = (arm[row] == k) & np.isfinite(outcome[row])
                        estimates[i, k] = data.design.value.of(outcome[row][known])
        difference = estimates[:, 1:] - estimates[:, :1]
        return np.where(np.isfinite(difference), difference, 0.0)


def _parts(timing: Any) -> tuple[Any, ...]:
    return timing.accrual, timing.arrivals, timing.ready, timing.ends
