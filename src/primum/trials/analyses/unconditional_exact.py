"""The unconditional exact test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.trials.analyses.exact_test import ExactTest
from primum.trials.data import Floats
from primum.trials.exact_law.ordering import Ordering


@dataclass(frozen=True)
class UnconditionalExact(ExactTest):
    """Exact test by the worst common success probability, for two arms with outcomes 0 and 1.

    The p-value is the largest probability, over all success probabilities p that the arms may have in common, of a
    statistic at least as large as the one observed. The test rejects beyond the smallest critical value whose type I
    error is at most alpha for all p. The largest probability is found on a grid of 4,001 values of p, at most 0.0004
    apart, and by a search around its maxima. For numbers of patients fixed in advance it is Barnard's test with the
    statistic of `order`.

    Reference: Baas, Jacko, Villar, "Exact statistical analysis for response-adaptive clinical trials: a general and
    computationally tractable approach", arXiv:2407.01055.

    >>> UnconditionalExact(sided="less").label
    "unconditional-exact(sided='less')"
    """

    title = "Unconditional exact"

    def p_values_of(
        self, ends: Ordering, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> Floats:
        return ends.unconditional_p_values(evidence)

    def rejections_of(
        self, ends: Ordering, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        return np.asarray(evidence > ends.unconditional_critical(self.alpha))
