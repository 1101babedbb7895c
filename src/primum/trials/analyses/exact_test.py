"""What exact tests share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.trials.analyses.analysis import Analysis
from primum.trials.analyses.pooled_z import PooledZ
from primum.trials.data import Floats, TrialData
from primum.trials.exact_law import feasible
from primum.trials.exact_law.intervals import Interval, Inversion
from primum.trials.exact_law.ordering import Ordering, ordering

if TYPE_CHECKING:
    from primum.trials.design import Design


@dataclass(frozen=True)
class ExactTest(Analysis):
    """A test for two arms with outcomes 0 and 1 by the exact distribution of the data under the design.

    The distribution is computed once for each design. The design must have exact operating characteristics. The
    interval is that of `Law.interval`; simulated trials have none, as it takes a moment for each, but its coverage is
    computed exactly.
    """

    abstract: ClassVar[bool] = True
    binary = True

    order: Analysis = parameter(PooledZ(), "analysis that orders the data", family="analyses")

    def statistic(self, data: TrialData) -> Floats:
        return self.order.statistic(data)

    def direction(self, data: TrialData) -> Floats:
        return self.order.direction(data)

    def check_design(self, design: Design) -> None:
        feasible.check(design)

    def p_values(self, data: TrialData) -> Floats:
        ends = self.ends(data)
        return self.p_values_of(ends, *self.reduced(ends, data))[:, None]

    def rejections(self, data: TrialData) -> NDArray[np.bool_]:
        ends = self.ends(data)
        return self.rejections_of(ends, *self.reduced(ends, data))[:, None]

    interval = "exact interval"
    interval_is_slow = True

    def interval_ends(self, data: TrialData, level: float) -> tuple[Floats, Floats]:
        found = self._intervals(data, level)
        return np.array([[each.low] for each in found]), np.array([[each.high] for each in found])

    def median_unbiased(self, data: TrialData) -> Floats:
        return np.array([[each.estimate] for each in self._intervals(data, self.level(data.design))])

    def _interval_with(self, level: float) -> str:
        own = super()._interval_with(level)
        return f"{own} by two one-sided tests" if self.sided == "two-sided" else own

    def _intervals(self, data: TrialData, level: float) -> list[Interval]:
        inversion, successes = Inversion(data.design, self), np.rint(data.sums).astype(np.int64)
        return [
            inversion.interval((first, second), (first_won, second_won), level)
            for (first, second), (first_won, second_won) in zip(data.counts.tolist(), successes.tolist(), strict=True)
        ]

    def ends(self, data: TrialData) -> Ordering:
        """All ends that the trials could have had, in order."""
        if not data.is_binary:
            raise ParameterError(f"{self.display_name} needs outcomes 0 and 1, got others")
        return ordering(data.design, self.order, self.sided)

    @staticmethod
    def reduced(ends: Ordering, data: TrialData) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
        """The statistic, the size and the total of successes of each trial."""
        successes = np.rint(data.sums).astype(np.int64)
        return ends.evidence_of(data.counts, successes), data.counts.sum(axis=1), successes.sum(axis=1)

    @abstractmethod
    def rejected(self, ends: Ordering) -> list[NDArray[np.bool_]]:
        """Whether each p-value is at most alpha, for all ends: successes of arm 0 x successes of arm 1."""

    @abstractmethod
    def reordered(self, ends: Ordering) -> Ordering:
        """The ends in the order of the p-values, from the order that they are computed from."""

    @abstractmethod
    def p_values_of(
        self, ends: Ordering, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> Floats:
        """The p-value of each trial."""

    @abstractmethod
    def rejections_of(
        self, ends: Ordering, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Whether each p-value is at most alpha."""
