"""The base class of analyses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.plugins.registry import Plugin
from primum.trials.data import Floats, TrialData

NAIVE = (
    "It takes allocation as fixed in advance. When allocation adapts to outcomes, its error rates and estimates are "
    "not those it promises; operating characteristics show by how much."
)


@dataclass(frozen=True)
class Analysis(Plugin):
    """Turns the data of trials into p-values and decisions, each arm against the control, which is the first one.

    An author writes `p_values(data)`, vectorised over trials: an array trial x comparison with the p-value of each arm
    but the control, one-sided as `self.sided` says; NaN where an arm has no data counts as no evidence.
    """

    family: ClassVar[str] = "analyses"
    abstract: ClassVar[bool] = True
    binary: ClassVar[bool] = False  # it needs outcomes 0 and 1
    # why its error rates are not those promised when allocation is adaptive; empty: they are
    warning: ClassVar[str] = ""
    # the parameter that the statistic is compared with, which `calibrate` finds; empty: there is none
    limit: ClassVar[str] = ""

    alpha: float = parameter(0.05, "level of the test", low=0.0, high=1.0, open_low=True, open_high=True)
    sided: str = parameter(
        "two-sided", "the alternative: another arm is better than the control, worse, or different",
        choices=("greater", "less", "two-sided"),
    )  # fmt: skip
    adjustment: str = parameter(
        "holm", "how several comparisons share the level", choices=("none", "bonferroni", "holm")
    )

    def p_values(self, data: TrialData) -> Floats:
        """The p-value of each comparison with the control: trial x comparison."""
        raise ParameterError(f"{type(self).__name__} has no `p_values(data)`: an analysis needs one")

    def with_warnings(self, data: TrialData) -> tuple[Floats, list[str]]:
        """The p-values of a single trial, and what to warn of in each comparison; empty: of nothing."""
        return self.p_values(data), [self.warning] * (data.counts.shape[1] - 1)

    def statistic(self, data: TrialData) -> Floats:
        """The evidence in favour of each arm against the control, larger is more: trial x comparison."""
        raise ParameterError(f"{self.display_name} has no test statistic, only p-values")

    @property
    def has_statistic(self) -> bool:
        """Whether the analysis has a test statistic."""
        return type(self).statistic is not Analysis.statistic

    def evidence(self, data: TrialData) -> Floats:
        """The statistic in the direction of the alternative."""
        return self.towards(self.statistic(data))

    def towards(self, z: Floats) -> Floats:
        """Signed numbers in the direction of the alternative."""
        return z if self.sided == "greater" else -z if self.sided == "less" else np.abs(z)

    def direction(self, data: TrialData) -> Floats:
        """1 where the data speak for the arm, -1 for the control, 0 for neither: trial x comparison.

        It is the sign of the statistic. An analysis that has none is taken to compare means, and gives the sign of
        their difference: one whose p-values are of something else must say here what.
        """
        evidence = self.statistic(data) if self.has_statistic else data.means[:, 1:] - data.means[:, :1]
        return np.sign(np.nan_to_num(evidence))

    def conclusions(self, rejected: NDArray[np.bool_], data: TrialData) -> Floats:
        """What rejections conclude: 1 that the arm is better than the control, -1 that it is worse, 0 nothing."""
        if self.sided == "two-sided":
            return rejected * self.direction(data)
        return rejected * (1.0 if self.sided == "greater" else -1.0)

    def rejections(self, data: TrialData) -> NDArray[np.bool_]:
        """Which comparisons are significant: trial x comparison."""
        return self.significant(self.p_values(data))

    def significant(self, p_values: Floats) -> NDArray[np.bool_]:
        """Which of several comparisons are significant, after adjustment: trial x comparison."""
        p = np.where(np.isnan(p_values), 1.0, p_values)
        count = p.shape[1]
        if self.adjustment == "none" or count == 1:
            return np.asarray(p <= self.alpha)
        if self.adjustment == "bonferroni":
            return np.asarray(p <= self.alpha / count)
        order = np.argsort(p, axis=1, kind="stable")
        levels = self.alpha / np.arange(count, 0, -1)
        passed = np.logical_and.accumulate(np.take_along_axis(p, order, axis=1) <= levels, axis=1)
        found = np.empty(p.shape, np.bool_)
        np.put_along_axis(found, order, passed, axis=1)
        return found
