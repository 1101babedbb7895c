"""The pooled Z test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from primum.plugins.parameters import parameter
from primum.trials.analyses.analysis import NAIVE, Analysis, normal_p_values
from primum.trials.data import Floats, TrialData


@dataclass(frozen=True)
class PooledZ(Analysis):
    """Difference of proportions over its standard error with the pooled proportion.

    Z = (p_k - p_0) / sqrt(p (1 - p) (1/n_k + 1/n_0)), p the proportion of both arms together; 0 where it is not
    defined. Significant where Z exceeds `critical`, if that is given, and else by the normal distribution.
    """

    name = "pooled-z"
    title = "Pooled Z"
    binary = True
    warning = NAIVE

    critical: float = parameter(0.0, "critical value, the same for all comparisons; 0: from alpha", low=0.0)

    def statistic(self, data: TrialData) -> Floats:
        n, s = data.counts.astype(np.float64), data.sums
        with np.errstate(invalid="ignore", divide="ignore"):
            pooled = (s[:, 1:] + s[:, :1]) / (n[:, 1:] + n[:, :1])
            variance = pooled * (1 - pooled) * (1 / n[:, 1:] + 1 / n[:, :1])
            z = (s[:, 1:] / n[:, 1:] - s[:, :1] / n[:, :1]) / np.sqrt(variance)
        return np.where(np.isfinite(z), z, 0.0)

    def p_values(self, data: TrialData) -> Floats:
        return normal_p_values(self.statistic(data), self.sided)
