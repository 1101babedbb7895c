"""What exact tests share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.trials.analyses.analysis import Analysis
from primum.trials.analyses.pooled_z import PooledZ
from primum.trials.data import Floats, TrialData
from primum.trials.exact_law.ordering import Ordering, evidence_of, ordering


@dataclass(frozen=True)
class ExactTest(Analysis):
    """A test for two arms with outcomes 0 and 1 by the exact distribution of the data under the design.

    The distribution is computed once for each design. The design must have exact operating characteristics.
    """

    abstract: ClassVar[bool] = True
    binary = True

    order: Analysis = parameter(PooledZ(), "analysis whose statistic orders the data", family="analyses")

    def statistic(self, data: TrialData) -> Floats:
        return self.order.statistic(data)

    def direction(self, data: TrialData) -> Floats:
        return self.order.direction(data)

    def p_values(self, data: TrialData) -> Floats:
        return self.p_values_of(self.ends(data), *self.reduced(data))[:, None]

    def rejections(self, data: TrialData) -> NDArray[np.bool_]:
        return self.rejections_of(self.ends(data), *self.reduced(data))[:, None]

    def ends(self, data: TrialData) -> Ordering:
        """All ends that the trials could have had, in order."""
        if not data.is_binary:
            raise ParameterError(f"{self.display_name} needs outcomes 0 and 1, got others")
        ends = ordering(data.design, self.order, self.sided)
        ends.check_sizes(data.counts.sum(axis=1))
        return ends

    def reduced(self, data: TrialData) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
        """The statistic, the size and the total of successes of each trial."""
        totals = data.sums.sum(axis=1).astype(np.int64)
        return evidence_of(self.order, self.sided, data), data.counts.sum(axis=1), totals

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
