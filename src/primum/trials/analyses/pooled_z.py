"""The pooled Z test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from primum.trials.analyses.analysis import NAIVE
from primum.trials.analyses.z_analysis import ZAnalysis, ratio
from primum.trials.data import Floats, TrialData
from primum.trials.score_interval import score_interval


@dataclass(frozen=True)
class PooledZ(ZAnalysis):
    """Difference of proportions over its standard error with the pooled proportion.

    Z = (p_k - p_0) / sqrt(p (1 - p) (1/n_k + 1/n_0)), p the proportion of both arms together; 0 where it is not
    defined. Its interval is the score interval without correction (Mee, Biometrics 40, 1984).

    >>> from primum.trials import Design, TrialData
    >>> test = PooledZ(alpha=0.05, sided="greater")
    >>> design = Design(arms=["control", "new"], patients=40, policy="uniform-random", analysis=test)
    >>> data = TrialData.from_successes(design, counts=[[20, 20]], successes=[[6, 12]])
    >>> test.statistic(data).round(4).tolist(), test.p_values(data).round(4).tolist()
    ([[1.9069]], [[0.0283]])
    """

    name = "pooled-z"
    title = "Pooled Z"
    binary = True
    warning = NAIVE
    interval = "score interval"

    def statistic(self, data: TrialData) -> Floats:
        n, s = data.counts, data.sums
        with np.errstate(invalid="ignore", divide="ignore"):
            pooled = (s[:, 1:] + s[:, :1]) / (n[:, 1:] + n[:, :1])
            error = np.sqrt(pooled * (1 - pooled) * (1 / n[:, 1:] + 1 / n[:, :1]))
        return ratio(data.means[:, 1:] - data.means[:, :1], error)

    def interval_ends(self, data: TrialData, level: float) -> tuple[Floats, Floats]:
        compared = data.counts[:, 1:].shape
        pairs = [
            np.stack([np.broadcast_to(each[:, :1], compared), each[:, 1:]], axis=-1).reshape(-1, 2)
            for each in (data.counts, data.sums)
        ]
        low, high = score_interval(pairs[0], pairs[1], self.quantile(level))
        return low.reshape(compared), high.reshape(compared)
