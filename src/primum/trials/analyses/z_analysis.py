"""The base class of analyses whose statistic is about standard normal without a difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from primum.plugins.parameters import parameter
from primum.trials.analyses.analysis import Analysis
from primum.trials.data import Floats, TrialData

if TYPE_CHECKING:
    from primum.trials.design import Design


@dataclass(frozen=True)
class ZAnalysis(Analysis):
    """Compares a statistic with the standard normal distribution, or with a critical value.

    An author writes `statistic(data)`, which is 0 where there is no evidence. A comparison is significant where the
    statistic, in the direction of the alternative, exceeds `critical`, if that is given, and else by its p-value.
    """

    abstract: ClassVar[bool] = True
    limit: ClassVar[str] = "critical"

    critical: float = parameter(0.0, "critical value, the same for all comparisons; 0: from alpha", low=0.0)

    def p_values(self, data: TrialData) -> Floats:
        from scipy.special import ndtr

        tail: Floats = ndtr(-self.evidence(data))
        return 2 * tail if self.sided == "two-sided" else tail

    def test_level(self, design: Design) -> float:
        """The level of the interval; with a critical value, what it would be if Z were normal without adaptation."""
        from scipy.special import ndtr

        return float(1 - 2 * ndtr(-self.critical)) if self.critical else super().test_level(design)

    def quantile(self, level: float) -> float:
        """How many standard errors there are from the estimate to an end, if Z is normal."""
        from scipy.special import ndtri

        return self.critical or float(ndtri((1 + level) / 2))

    def _interval_with(self, level: float) -> str:
        if self.critical:
            return f"{self.interval} with critical value {self.critical:.4g}"
        return super()._interval_with(level)

    def rejections(self, data: TrialData) -> NDArray[np.bool_]:
        return np.asarray(self.evidence(data) > self.critical) if self.critical else super().rejections(data)


def ratio(difference: Floats, error: Floats) -> Floats:
    """A difference over its standard error; 0, no evidence, where either is not defined or the error is 0."""
    defined = np.isfinite(difference) & (error > 0)
    return np.divide(difference, error, out=np.zeros(difference.shape), where=defined)
