"""The conditional exact test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.trials.analyses.exact_test import ExactTest
from primum.trials.data import Floats
from primum.trials.exact_law.ordering import Ordering


@dataclass(frozen=True)
class ConditionalExact(ExactTest):
    """Exact test given the total of successes, for two arms with outcomes 0 and 1.

    Under the null hypothesis, the distribution of the data given the total of successes (and given the size of the
    trial, if it can stop early) depends on the design alone. The p-value is the conditional probability of a statistic
    at least as large as the one observed. So the type I error is at most alpha for every common success probability,
    whatever the allocation rule. For numbers of patients fixed in advance it is Fisher's exact test.

    Reference: Baas, Jacko, Villar, "Exact statistical analysis for response-adaptive clinical trials: a general and
    computationally tractable approach", arXiv:2407.01055.

    >>> ConditionalExact(alpha=0.05, sided="greater").label
    "conditional-exact(sided='greater')"
    """

    title = "Conditional exact"

    def rejected(self, ends: Ordering) -> list[NDArray[np.bool_]]:
        critical, found = ends.conditional_critical(self.alpha), []
        for end, evidence in zip(ends.ends, ends.evidence, strict=True):
            first, second = end.successes
            found.append(evidence > critical[end.patients][(first + second).astype(np.int64)])
        return found

    def reordered(self, ends: Ordering) -> Ordering:
        return ends.by_conditional_p_values()

    def p_values_of(
        self, ends: Ordering, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> Floats:
        return ends.conditional_p_values(evidence, sizes, totals)

    def rejections_of(
        self, ends: Ordering, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        return ends.conditional_rejections(evidence, sizes, totals, self.alpha)
