"""The randomisation test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, PrimumError
from primum.plugins.parameters import parameter
from primum.plugins.registry import find, names
from primum.text import listed
from primum.trials.analyses.analysis import Analysis
from primum.trials.data import Floats, TrialData
from primum.trials.pairs import NO_PAIR, Pair
from primum.values import Mean

if TYPE_CHECKING:
    from primum.trials.design import Design

Flags = NDArray[np.bool_]
ROWS = 1_000  # re-runs that are made side by side
ROUNDING = 1e-12  # statistics that differ by less, of the largest outcome, are equal
FEWER = "The trial and its {:,} re-runs have unequal weights, and count as much as {:,.1f} of equal weight."
NO_POWER = (
    "the design gives every re-run the same allocation, because its policy is deterministic given the data, so a "
    "randomisation test has no power; use a coin, a policy that randomises, or a burn-in"
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

    With more than two arms such re-runs would test only that all arms are equal. So for arm k the arms of all patients
    who received neither k nor the control are held fixed too, and each re-run draws the others in order, k with
    probability e_t(k) / (e_t(0) + e_t(k)), where e_t are the allocation probabilities of the design in that re-run. Its
    probability in the design is that of its being drawn times the weight
    w = prod (e_t(0) + e_t(k)) over the patients of the pair x prod e_t(A_t) over the others, who received A_t.
    If k and the control make no difference to any patient, the trial is therefore any one of the trial and its
    re-runs with probability proportional to w, and p is the sum of w over those with a statistic at least as large,
    the trial among them, divided by the sum over all (Harrison, Biometrika 99, 2012). Each p-value is valid whatever
    the other arms do, so that Holm's adjustment keeps the probability of any false claim at `alpha`. Which patients
    the coin of the design allocates is held fixed too. It needs a policy that states its probabilities
    (`states_probabilities`). Where weights differ much there is little power, as with permuted blocks of random
    sizes.

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
        return self._tested(data)[0]

    def with_warnings(self, data: TrialData) -> tuple[Floats, list[str]]:
        p_values, counts = self._tested(data)
        some = [FEWER.format(self.runs, count) if count < self.runs else "" for count in counts[0]]
        return p_values, some if len(some) > 1 else [""]

    def _tested(self, data: TrialData) -> tuple[Floats, Floats]:
        """The p-values, and how many re-runs with equal weights all would count as much as: trial x comparison."""
        arm, _ = data.one_by_one(self.title)
        if data.course is None:
            raise ParameterError(f"{self.title} needs the times at which outcomes were known, got data without them")
        arms = data.counts.shape[1]
        self.check_design(data.design)
        found, counts = np.empty((2, len(data), arms - 1))
        moved = False
        for row in range(len(data)):
            for k in range(1, arms):
                weights, beyond, differ = self._re_runs(data, row, Pair(k, arm[row]) if arms > 2 else NO_PAIR)
                found[row, k - 1] = weights[beyond].sum() / weights.sum()
                counts[row, k - 1] = weights.sum() ** 2 / (weights**2).sum()
                moved = moved or bool(differ.any())
        if not moved:
            raise PrimumError(f"{self.title}: {NO_POWER}")
        return found, counts

    def _re_runs(self, data: TrialData, row: int, pair: Pair) -> tuple[Floats, Flags, Flags]:
        """The trial and its re-runs: weights, whether the statistic is at least as large, whether an arm differs."""
        from primum.trials.simulation.arrivals import Timing
        from primum.trials.simulation.running import play

        course, (arm, outcome) = data.course, data.one_by_one(self.title)
        size, recorded, comparison = int(course.size[row]), course.as_recorded(row), max(pair.arm, 1) - 1
        timing = Timing(*(each if len(each) == 1 else each[row : row + 1] for each in _parts(course.timing)))
        observed = self.towards(self._differences(data, np.array([row])))[0, comparison]
        least = observed - ROUNDING * max(1.0, np.nanmax(np.abs(outcome[row])))
        log_weights, beyond = np.full(self.runs + 1, -np.inf), np.zeros(self.runs + 1, np.bool_)
        differ = np.zeros(self.runs + 1, np.bool_)
        for first in range(0, self.runs + 1, ROWS):
            lanes = np.arange(first, min(first + ROWS, self.runs + 1))
            again = play(
                data.design,
                recorded[None, None, :],
                timing,
                course.seed,
                np.full(lanes.size, course.replications[row]),
                lanes,
                most_patients=size,
                interventions=course.interventions,
                most_looks=course.most_looks,
                is_over=course.is_over,
                pair=pair,
            )
            assert again is not None
            reallocated, _ = again.data.one_by_one(self.title)
            differ[lanes] = (reallocated != arm[row]).any(axis=1)
            ended = np.flatnonzero((again.size == size) & (again.stopped_at == course.stopped_at[row]))
            log_weights[lanes[ended]] = 0.0 if again.log_weights is None else again.log_weights[ended]
            beyond[lanes[ended]] = self.towards(self._differences(again.data, ended))[:, comparison] >= least
        return np.exp(log_weights - log_weights.max()), beyond, differ

    def check_design(self, design: Design) -> None:
        policy = design.policy
        if len(design.arms) == 2 or policy.states_probabilities:
            return
        others: list[Any] = [find("policies", name) for name in names("policies")]
        stating = [other.title for other in others if other.states_probabilities and not other.only_arms]
        raise PrimumError(
            f"{self.title}: with {len(design.arms)} arms it needs the exact probability of each allocation, which "
            f"{policy.display_name} does not state; it can be used with two arms, or with a policy that states its "
            f"probabilities: {listed(stating, 'or')}"
        )

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
