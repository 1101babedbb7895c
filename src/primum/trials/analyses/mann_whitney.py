"""The Mann-Whitney test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.trials.analyses.analysis import NAIVE
from primum.trials.analyses.z_analysis import ZAnalysis, ratio
from primum.trials.data import Floats, TrialData

MOST_PATIENTS_SORTED = 1 << 20  # of all trials that are sorted at a time


@dataclass(frozen=True)
class MannWhitney(ZAnalysis):
    """The Mann-Whitney (Wilcoxon rank-sum) test: how often a patient of the arm does better than one of the control.

    U counts the pairs with the better outcome in the arm, ties as half. The statistic is U minus n_k n_0 / 2 over its
    standard deviation, corrected for ties; p-values are those of the normal distribution with a continuity correction.
    It needs the outcomes patient by patient.

    >>> from primum.trials import Design, TrialData
    >>> import numpy as np
    >>> test = MannWhitney(sided="greater")
    >>> design = Design(arms=["control", "new"], patients=6, policy="uniform-random", analysis=test)
    >>> arm, outcome = np.array([[0, 1, 0, 1, 1, 0]]), np.array([[0.2, 0.5, 0.3, 0.9, 0.3, 0.1]])
    >>> data = TrialData(design, np.array([[3, 3]]), np.array([[0.6, 1.7]]), np.array([[0.01, 0.28 / 3]]), arm, outcome)
    >>> test.statistic(data).round(4).tolist(), test.p_values(data).round(4).tolist()
    ([[1.7712]], [[0.0606]])
    """

    name = "mann-whitney"
    title = "Mann-Whitney"
    warning = NAIVE
    compares_means = False  # but chances to do better

    def statistic(self, data: TrialData) -> Floats:
        return ratio(*_ranked(data))

    def p_values(self, data: TrialData) -> Floats:
        from scipy.special import ndtr

        surplus, error = _ranked(data)
        tail: Floats = ndtr(-ratio(self.towards(surplus) - 0.5, error))
        p = np.minimum(2 * tail, 1.0) if self.sided == "two-sided" else tail
        return np.where(error > 0, p, 1.0)


def _ranked(data: TrialData) -> tuple[Floats, Floats]:
    """U minus its expectation without a difference, and its standard deviation: trial x comparison."""
    if data.arm is None or data.outcome is None:
        raise ParameterError("mann-whitney needs outcomes patient by patient, got counts alone")
    rows = max(1, MOST_PATIENTS_SORTED // max(1, data.arm.shape[1]))
    arms = data.counts.shape[1]
    parts = [
        _of_trials(data.arm[i : i + rows], data.outcome[i : i + rows], arms) for i in range(0, max(1, len(data)), rows)
    ]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _of_trials(arm: NDArray[np.int16], outcome: Floats, arms: int) -> tuple[Floats, Floats]:
    trials, patients = outcome.shape
    order = np.argsort(outcome, axis=1)  # unknown outcomes, NaN, come last
    outcome = np.take_along_axis(outcome, order, axis=1)
    arm = np.where(np.isnan(outcome), -1, np.take_along_axis(arm, order, axis=1))
    new = np.ones((trials, patients + 1), np.bool_)  # where a group of equal outcomes begins, and the end
    new[:, 1:-1] = outcome[:, 1:] != outcome[:, :-1]
    position = np.arange(patients + 1)
    begin = np.maximum.accumulate(np.where(new, position, 0), axis=1)[:, :-1]
    end = np.minimum.accumulate(np.where(new, position, patients)[:, :0:-1], axis=1)[:, ::-1]

    def before(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How many of those chosen come before each position, and before the end."""
        total = np.zeros((trials, patients + 1), np.int64)
        np.cumsum(chosen, axis=1, out=total[:, 1:])
        return total

    control = before(arm == 0)
    # control patients with a smaller outcome, ties as half
    beaten = (np.take_along_axis(control, begin, axis=1) + np.take_along_axis(control, end, axis=1)) / 2
    surplus, error = np.empty((trials, arms - 1)), np.empty((trials, arms - 1))
    n0 = control[:, -1]
    for k in range(1, arms):
        mine = arm == k
        own = before(mine)
        both = control + own
        n1 = own[:, -1]
        tied = np.where(
            new[:, :-1], np.take_along_axis(both, end, axis=1) - np.take_along_axis(both, begin, axis=1), 0
        ).astype(np.float64)
        excess = (tied**3 - tied).sum(axis=1)
        n = n0 + n1
        pairs = n0 * n1
        surplus[:, k - 1] = np.where(mine, beaten, 0.0).sum(axis=1) - pairs / 2
        error[:, k - 1] = np.sqrt(np.maximum(pairs / 12 * (n + 1 - excess / np.maximum(n * (n - 1), 1)), 0.0))
    return surplus, error
