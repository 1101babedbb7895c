"""The Wald test of the log odds ratio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from primum.trials.analyses.analysis import NAIVE
from primum.trials.analyses.z_analysis import ZAnalysis, ratio
from primum.trials.data import Floats, TrialData
from primum.trials.estimates import Estimate, wald


@dataclass(frozen=True)
class LogOdds(ZAnalysis):
    """Log odds ratio over its standard error, with the Haldane-Anscombe correction.

    One half is added to the successes and failures of both arms, so that the ratio and its standard error, the square
    root of the sum of reciprocals, are finite; 0 where an arm has no data.

    >>> from primum.trials import Design, TrialData
    >>> test = LogOdds()
    >>> design = Design(arms=["control", "new"], patients=20, policy="uniform-random", analysis=test)
    >>> data = TrialData.from_successes(design, counts=[[10, 10]], successes=[[2, 8]])
    >>> test.statistic(data).round(4).tolist(), test.p_values(data).round(4).tolist()
    ([[2.4055]], [[0.0162]])
    >>> interval = test.estimate(data)
    >>> interval.low.round(4).tolist(), interval.high.round(4).tolist()
    ([[0.4533]], [[4.4418]])
    """

    name = "log-odds"
    title = "Log odds ratio"
    binary = True
    warning = NAIVE

    def statistic(self, data: TrialData) -> Floats:
        found = self.estimate(data)
        return ratio(found.estimate, found.error)

    def estimate(self, data: TrialData, level: float = 0.95) -> Estimate:
        """The log odds ratio of each arm against the control, with its Wald interval."""
        successes, failures = data.sums + 0.5, data.counts - data.sums + 0.5
        odds = np.where(data.counts > 0, np.log(successes / failures), np.nan)
        squared = 1 / successes + 1 / failures
        return wald(odds[:, 1:] - odds[:, :1], np.sqrt(squared[:, 1:] + squared[:, :1]), level)
