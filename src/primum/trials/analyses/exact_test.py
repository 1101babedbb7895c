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
from primum.trials.exact_law.ordering import Ordering, ordering

if TYPE_CHECKING:
    from primum.trials.design import Design


@dataclass(frozen=True)
class ExactTest(Analysis):
    """A test for two arms with outcomes 0 and 1 by the exact distribution of the data under the design.

    The distribution is computed once for each design. The design must have exact operating characteristics.
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
