"""The unconditional exact test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.plugins.parameters import parameter
from primum.trials.analyses.analysis import Analysis
from primum.trials.analyses.conditional_exact import ConditionalExact
from primum.trials.analyses.exact_test import ExactTest
from primum.trials.data import Floats
from primum.trials.exact_law.ordering import Ordering


@dataclass(frozen=True)
class UnconditionalExact(ExactTest):
    """Exact test by the worst common success probability, for two arms with outcomes 0 and 1.

    The p-value is the largest probability, over all success probabilities p that the arms may have in common, of data
    at least as extreme as those observed. What is more extreme is a matter of `order`: by default the p-value of the
    conditional exact test, else the statistic of an analysis. The test rejects beyond the smallest critical value whose
    type I error is at most alpha for all p. The largest probability is found on a grid of 4,001 values of p, at most
    0.0004 apart, and by a search around its maxima. So the type I error is at most alpha for every common success
    probability, whatever the allocation rule.

    A statistic whose distribution under the null hypothesis depends on p orders the data badly: its critical value is
    that of the worst p. Conditional p-values have about the same distribution for all p, and the test is uniformly at
    least as powerful as the conditional one. For numbers of patients fixed in advance it is Boschloo's test, and
    Barnard's with ``order=PooledZ()``.

    References: Baas, Jacko, Villar, "Exact statistical analysis for response-adaptive clinical trials: a general and
    computationally tractable approach", arXiv:2407.01055; Boschloo, Statistica Neerlandica 24, 1970.

    >>> UnconditionalExact(sided="less").label
    "unconditional-exact(sided='less')"
    """

    title = "Unconditional exact"

    order: Analysis = parameter(ConditionalExact(), "analysis that orders the data", family="analyses")

    def rejected(self, ends: Ordering) -> list[NDArray[np.bool_]]:
        critical = ends.unconditional_critical(self.alpha)
        return [evidence > critical for evidence in ends.evidence]

    def reordered(self, ends: Ordering) -> Ordering:
        return ends  # its p-values fall as their statistic rises

    def p_values_of(
        self, ends: Ordering, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> Floats:
        return ends.unconditional_p_values(evidence)

    def rejections_of(
        self, ends: Ordering, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        return np.asarray(evidence > ends.unconditional_critical(self.alpha))
