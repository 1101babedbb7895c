"""The stopping rule's own final test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.trials.analyses.analysis import Analysis, level_of
from primum.trials.data import Floats, TrialData

if TYPE_CHECKING:
    from primum.trials.design import Design


@dataclass(frozen=True)
class Boundary(Analysis):
    """The stopping rule's own final test: a difference is declared where the rule declares it, at a look or at the end.

    The level and the alternative are those of the rule, so that the level is spent once over all looks. It is the
    analysis of every design whose stopping rule declares differences, and gives no p-values.

    >>> from primum import trials
    >>> rule = trials.GroupSequential(alpha=0.05, sided="greater")
    >>> trials.Design(
    ...     arms=["control", "new"], patients=200, policy="uniform-random", looks=[100], stopping=rule
    ... ).analysis
    Boundary()
    """

    title = "Boundary of the stopping rule"
    alpha: ClassVar[float]  # type: ignore[misc]  # no parameters: they are the rule's
    sided: ClassVar[str]  # type: ignore[misc]
    adjustment: ClassVar[str]  # type: ignore[misc]

    def p_values(self, data: TrialData) -> Floats:
        return np.full((len(data), data.counts.shape[1] - 1), np.nan)

    def warning_of(self, design: Design) -> str:
        return "" if design.stopping is None else design.stopping.warning

    def test_level(self, design: Design) -> float:
        """The level of the interval: by the alpha of the rule; 95 % if it has none."""
        return level_of(design.test)

    def rejections(self, data: TrialData) -> NDArray[np.bool_]:
        return np.asarray(self.direction(data) != 0)

    def direction(self, data: TrialData) -> Floats:
        """1 for an arm declared better than the control, -1 for each arm where the control is declared better."""
        if data.course is None:
            raise ParameterError(f"{self.title} needs the looks of a trial, got data without them")
        claimed = data.course.claimed
        return np.where(claimed[:, 1:], 1.0, np.where(claimed[:, :1], -1.0, 0.0))
