"""Welch's t test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from primum.trials.analyses.analysis import NAIVE
from primum.trials.analyses.z_analysis import ZAnalysis, ratio
from primum.trials.data import Floats, TrialData


@dataclass(frozen=True)
class WelchT(ZAnalysis):
    """Difference of means over its standard error, without the assumption of equal variances.

    t = (m_k - m_0) / sqrt(v_k/n_k + v_0/n_0), compared with Student's distribution with Welch's degrees of freedom; 0
    where an arm has fewer than two outcomes, or the outcomes of both arms are constant. There it has no interval.

    >>> from primum.trials import Design, TrialData
    >>> import numpy as np
    >>> test = WelchT(sided="greater")
    >>> design = Design(arms=["control", "new"], patients=7, policy="uniform-random", analysis=test)
    >>> data = TrialData(design, np.array([[3, 4]]), np.array([[1.2, 2.6]]), np.array([[0.07, 0.03]]))
    >>> test.statistic(data).round(4).tolist(), test.p_values(data).round(4).tolist()
    ([[1.4237]], [[0.1213]])
    """

    name = "welch-t"
    title = "Welch t"
    warning = NAIVE
    interval = "t interval"

    def statistic(self, data: TrialData) -> Floats:
        return ratio(data.means[:, 1:] - data.means[:, :1], errors(data)[0])

    def p_values(self, data: TrialData) -> Floats:
        from scipy.special import stdtr

        error, freedom = errors(data)
        tail: Floats = stdtr(freedom, -self.evidence(data))
        return np.where(error > 0, 2 * tail if self.sided == "two-sided" else tail, 1.0)

    def interval_ends(self, data: TrialData, level: float) -> tuple[Floats, Floats]:
        from scipy.special import stdtrit

        error, freedom = errors(data)
        half = error * (self.critical or stdtrit(freedom, (1 + level) / 2))
        middle = data.means[:, 1:] - data.means[:, :1]
        return middle - half, middle + half


def errors(data: TrialData) -> tuple[Floats, Floats]:
    """The standard error of each difference, NaN where it is no larger than rounding, and the degrees of freedom."""
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = data.variances / data.counts
        squared = parts[:, 1:] + parts[:, :1]
        # outcomes 0.1, 0.1, 0.1 have a variance of about 1e-34, from their rounded mean
        largest = np.maximum(np.abs(data.means[:, 1:]), np.abs(data.means[:, :1]))
        squared[squared <= (4 * np.finfo(np.float64).eps * largest) ** 2] = np.nan
        each = parts * parts / (data.counts - 1)
        freedom = squared * squared / (each[:, 1:] + each[:, :1])
    return np.sqrt(squared), freedom
