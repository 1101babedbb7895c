"""The test by a weighted likelihood ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.policies.optimal_allocation import check_prior, check_weights
from primum.policies.optimal_sweep import powers_of
from primum.trials.analyses.analysis import Analysis
from primum.trials.analyses.unconditional_exact import UnconditionalExact
from primum.trials.data import Floats, TrialData
from primum.trials.exact_law import feasible

if TYPE_CHECKING:
    from primum.trials.design import Design


@dataclass(frozen=True)
class WeightedLikelihoodRatio(Analysis):
    """Exact test by the likelihood of a difference over that of none, for two arms with outcomes 0 and 1.

    The ratio R has above the mean likelihood of the data over the pairs of `lower` and `higher` success probabilities,
    and below that over the common success probabilities in `null`, weighted by `null_weights`. One-sided, the arm that
    is tested to be better has the higher one of each pair; two-sided, R is that of the direction where it is larger,
    which is the one that is declared. The test rejects for large R: beyond the smallest critical value whose type I
    error under the design is at most alpha for every common success probability, as `UnconditionalExact` does.

    Among all tests of a level the most powerful one on average over the pairs has this form, with weights on the least
    favourable success probabilities; `primum.trials.optimal` finds them together with the allocation rule.

    The statistic is log(1 + R), with the sign of the direction.

    Reference: Lehmann, Romano, "Testing statistical hypotheses", Springer 2005, Theorem 3.8.1.

    >>> test = WeightedLikelihoodRatio(
    ...     sided="greater", lower=[0.3], higher=[0.6], null=[0.35, 0.55], null_weights=[0.5, 0.5]
    ... )
    >>> from primum.trials import Design, TrialData
    >>> design = Design(arms=["control", "new"], patients=40, policy="uniform-random", analysis=test)
    >>> data = TrialData.from_successes(design, counts=[[20, 20]], successes=[[6, 12]])
    >>> test.statistic(data).round(4).tolist(), test.p_values(data).round(4).tolist()
    ([[2.7401]], [[0.0175]])
    """

    title = "Weighted likelihood ratio"
    binary = True

    lower: tuple[float, ...] = parameter((0.3,), "lower success probability of each pair", low=0.0, high=1.0, many=True)
    higher: tuple[float, ...] = parameter(
        (0.5,), "higher success probability of each pair", low=0.0, high=1.0, many=True
    )
    null: tuple[float, ...] = parameter(
        (0.4,), "success probabilities without a difference", low=0.0, high=1.0, many=True
    )
    null_weights: tuple[float, ...] = parameter((1.0,), "weight of each of them", low=0.0, many=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prior(self.name, self.lower, self.higher)
        check_weights(self.name, self.null, self.null_weights)
        if not sum(self.null_weights) > 0:
            raise ParameterError(f"{self.name}: null_weights must not all be 0", ("null_weights",))

    @property
    def display_name(self) -> str:
        return f"{self.title} (alpha {self.alpha:g}, {self.sided})"

    def check_design(self, design: Design) -> None:
        feasible.check(design)

    def statistic(self, data: TrialData) -> Floats:
        better, worse = self._ratios(data)
        if self.sided == "two-sided":
            signed = np.where(better >= worse, 1.0, -1.0) * np.log1p(np.maximum(better, worse))
        else:
            signed = -np.log1p(worse) if self.sided == "less" else np.log1p(better)
        return np.asarray(signed)[:, None]

    def direction(self, data: TrialData) -> Floats:
        better, worse = self._ratios(data)
        return np.where(better >= worse, 1.0, -1.0)[:, None]

    def p_values(self, data: TrialData) -> Floats:
        return self._exact.p_values(data)

    def rejections(self, data: TrialData) -> NDArray[np.bool_]:
        return self._exact.rejections(data)

    @property
    def _exact(self) -> UnconditionalExact:
        return UnconditionalExact(alpha=self.alpha, sided=self.sided, order=self)

    def _ratios(self, data: TrialData) -> tuple[Floats, Floats]:
        """The ratio if arm 1 is the better one, and if it is the worse one."""
        if not data.is_binary:
            raise ParameterError(f"{self.display_name} needs outcomes 0 and 1, got others")
        successes = np.rint(data.sums).astype(np.int64)
        failures, most = data.counts - successes, int(data.counts.sum(axis=1).max(initial=0))
        low, high = (np.stack([powers_of(2 * np.array(p), most), powers_of(2 - 2 * np.array(p), most)])
                     for p in (self.lower, self.higher))  # fmt: skip

        def likelihood(first: Floats, second: Floats) -> Floats:
            total = np.zeros(len(data))
            for i in range(len(self.lower)):
                control = first[0, i][successes[:, 0]] * first[1, i][failures[:, 0]]
                total += control * (second[0, i][successes[:, 1]] * second[1, i][failures[:, 1]])
            return total / len(self.lower)

        null = np.zeros(len(data))
        totals, rest = successes.sum(axis=1), failures.sum(axis=1)
        for p, weight in zip(self.null, self.null_weights, strict=True):
            null += (
                weight / sum(self.null_weights) * (powers_of(2 * p, most)[totals] * powers_of(2 - 2 * p, most)[rest])
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            return likelihood(low, high) / null, likelihood(high, low) / null
