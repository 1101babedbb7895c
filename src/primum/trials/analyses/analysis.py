"""The base class of analyses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.plugins.registry import Plugin
from primum.trials.data import Floats, TrialData
from primum.trials.estimates import Estimate, naive_difference

if TYPE_CHECKING:
    from primum.trials.design import Design

DEFAULT_LEVEL = 0.95  # of an interval beside a test that has none
LEAST = np.finfo(np.float64).tiny  # the smallest end that is not 0
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
    needs_chances: ClassVar[bool] = False  # it uses `data.chances`, the allocation probabilities
    # why its error rates are not those promised when allocation is adaptive; empty: they are
    warning: ClassVar[str] = ""
    compares_means: ClassVar[bool] = True  # its null hypothesis is that means are equal
    # the parameter that the statistic is compared with, which `calibrate` finds; empty: there is none
    limit: ClassVar[str] = ""
    # the kind of interval that belongs to the test, which `interval_ends` gives; empty: a Wald interval takes its place
    interval: ClassVar[str] = ""
    interval_is_slow: ClassVar[bool] = False  # a single trial has it, but not each of many simulated ones

    alpha: float = parameter(0.05, "level of the test", low=0.0, high=1.0, open_low=True, open_high=True)
    sided: str = parameter(
        "two-sided", "the alternative: another arm is better than the control, worse, or different",
        choices=("greater", "less", "two-sided"),
    )  # fmt: skip
    adjustment: str = parameter(
        "holm", "how several comparisons share the level", choices=("none", "bonferroni", "holm")
    )

    def check_design(self, design: Design) -> None:
        """Refuse a design that the analysis can never give p-values for."""

    def p_values(self, data: TrialData) -> Floats:
        """The p-value of each comparison with the control: trial x comparison."""
        raise ParameterError(f"{type(self).__name__} has no `p_values(data)`: an analysis needs one")

    def with_warnings(self, data: TrialData) -> tuple[Floats, list[str]]:
        """The p-values of a single trial, and what to warn of in each comparison; empty: of nothing."""
        return self.p_values(data), [self.warning_of(data.design)] * (data.counts.shape[1] - 1)

    def warning_of(self, design: Design) -> str:
        """The warning, in a design."""
        return self.warning

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
        return np.where(rejected, 1.0 if self.sided == "greater" else -1.0, 0.0)

    def level(self, design: Design) -> float:
        """The level of the interval: 1 - 2 alpha if the test is one-sided, so that alpha is left at each end."""
        level = self.test_level(design)
        return level if 0 < level < 1 else DEFAULT_LEVEL

    def test_level(self, design: Design) -> float:
        """The level of the interval that belongs to the test; not in (0, 1) if there is none."""
        return level_of(self)

    def interval_ends(self, data: TrialData, level: float) -> tuple[Floats, Floats]:
        """Both ends of the interval that belongs to the test: trial x comparison."""
        raise ParameterError(f"{self.display_name} has no interval of its own")

    def difference(self, data: TrialData) -> Estimate:
        """The difference of means between each arm and the control, with the interval that belongs to the test.

        The lower end exceeds 0 exactly where the test finds the arm better, and the upper end is below 0 exactly where
        it finds the arm worse, each comparison for itself. An analysis without an `interval` has a Wald interval, see
        `naive_difference`, which may disagree with it. `interval_title` says which of the two it is.
        """
        level = self.level(data.design)
        found = naive_difference(data, level)
        if not self._has_interval(data.design):
            return found
        low, high = self.interval_ends(data, level)
        at_each_end = self.alpha / 2 if self.sided == "two-sided" else self.alpha
        better, worse = (
            replace(self, sided=sided, alpha=at_each_end, adjustment="none").rejections(data)
            for sided in ("greater", "less")
        )  # so that rounding does not matter where an end is 0
        return replace(
            found,
            low=np.where(better, np.maximum(low, LEAST), np.minimum(low, 0.0)),
            high=np.where(worse, np.minimum(high, -LEAST), np.maximum(high, 0.0)),
        )

    def median_unbiased(self, data: TrialData) -> Floats:
        """An estimate of each difference that is too large as often as too small; NaN for an analysis without one."""
        return np.full((len(data), data.counts.shape[1] - 1), np.nan)

    def interval_title(self, design: Design) -> str:
        """What the interval of a design's estimate is, with its level, for people."""
        several = ", per comparison" if len(design.arms) > 2 else ""
        level = self.level(design)
        if design.estimator == "naive" and self._has_interval(design):
            return f"{self._interval_with(level)}{several}"
        return f"{percentage(level)} Wald interval{several}, not of this test"

    def _has_interval(self, design: Design) -> bool:
        return bool(self.interval) and 0 < self.test_level(design) < 1

    def _interval_with(self, level: float) -> str:
        return f"{percentage(level)} {self.interval}"

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


def level_of(test: Any) -> float:
    """The level of the interval beside a test: an analysis or a stopping rule."""
    alpha = getattr(test, "alpha", None)
    if alpha is None:
        return DEFAULT_LEVEL
    return float(1 - alpha * (1 if getattr(test, "sided", "two-sided") == "two-sided" else 2))


def percentage(level: float) -> str:
    """A level for people.

    >>> percentage(1 - 2 * 0.05)
    '90 %'
    """
    return f"{100 * level:.4g} %"
