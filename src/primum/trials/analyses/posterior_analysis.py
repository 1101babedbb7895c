"""The base class of analyses by the posterior probability that an arm is better than the control."""

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
class PosteriorAnalysis(Analysis):
    """Compares the posterior probability that an arm is better than the control with a threshold.

    An author writes `statistic(data)`, that probability. The p-value is the posterior probability of the opposite,
    twice the smaller one if two-sided. A comparison is significant where the probability exceeds `threshold`, if that
    is given, and else by its p-value.
    """

    abstract: ClassVar[bool] = True
    limit: ClassVar[str] = "threshold"
    warning: ClassVar[str] = (
        "It is a statement about a posterior distribution, not a test: its error rates are what operating "
        "characteristics show, not alpha."
    )

    threshold: float = parameter(0.0, "posterior probability that is enough; 0: from alpha", low=0.0, high=1.0)

    def towards(self, z: Floats) -> Floats:
        return z if self.sided == "greater" else 1 - z if self.sided == "less" else np.maximum(z, 1 - z)

    def direction(self, data: TrialData) -> Floats:
        return np.sign(np.nan_to_num(self.statistic(data) - 0.5))

    def p_values(self, data: TrialData) -> Floats:
        p = 1 - self.evidence(data)
        return 2 * p if self.sided == "two-sided" else p

    def test_level(self, design: Design) -> float:
        """The level of the interval; with a threshold t it is 2 t - 1, which leaves 1 - t beyond each end."""
        return 2 * self.threshold - 1 if self.threshold else super().test_level(design)

    def rejections(self, data: TrialData) -> NDArray[np.bool_]:
        return np.asarray(self.evidence(data) > self.threshold) if self.threshold else super().rejections(data)
