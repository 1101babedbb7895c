"""Limits for the posterior probability of being best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.plugins.parameters import parameter
from primum.trials.data import TrialData
from primum.trials.monitoring import Look, Verdict
from primum.trials.posteriors import best, within
from primum.trials.stopping.stopping_rule import StoppingRule


@dataclass(frozen=True)
class PosteriorLimits(StoppingRule):
    """Drops arms that are hardly the best, and stops when one surely is, or when all are about the same.

    For outcomes 0 and 1 with independent Beta priors; all arms are alike, without a control. At a look, also at the
    final one, arms with
    P(best) < `inferiority` are dropped until there is none, with P(best) computed again among the rest. Then, if
    P(best) > `superiority` for an arm, or it is the only one left, it is claimed and the trial stops; otherwise the
    trial stops if the probability that all rates are less than `within` apart exceeds `equivalence`. The arm with the
    largest P(best) is never dropped. Where people have dropped all other arms, nothing is decided.

    Reference: Granholm, Jensen, Lange, Kaas-Hansen, Journal of Open Source Software 7(72), 2022 (adaptr).

    >>> from primum.trials import Design, Look, TrialData
    >>> rule = PosteriorLimits(superiority=0.99, inferiority=0.01, best="lowest")
    >>> design = Design(
    ...     arms=["a", "b", "c"], patients=300, policy="uniform-random", looks=[150], stopping=rule,
    ... )
    >>> data = TrialData.from_successes(design, counts=[[50, 50, 50]], successes=[[5, 20, 9]])
    >>> verdict = rule.look(data, Look(known=(150,), patients=300))
    >>> verdict.dropped.tolist(), verdict.claimed.any(), verdict.reason.tolist()
    ([[False, True, False]], np.False_, [-1])
    """

    title = "Posterior limits"
    reasons = ("superiority", "equivalence")
    claims = True
    needs_patients = False

    superiority: float = parameter(0.99, "P(best) above which an arm is claimed", low=0.0, high=1.0)
    inferiority: float = parameter(0.01, "P(best) below which an arm is dropped; 0: never", low=0.0, high=1.0)
    equivalence: float = parameter(1.0, "probability of equivalence that stops the trial; 1: never", low=0.0, high=1.0)
    within: float = parameter(
        0.05, "rates that differ by less are equivalent", low=0.0, high=1.0, open_low=True, open_high=True
    )
    best: str = parameter("highest", "which success rate is best", choices=("highest", "lowest"))
    prior_successes: float = parameter(1.0, "first parameter of the Beta prior", low=0.0, open_low=True)
    prior_failures: float = parameter(1.0, "second parameter of the Beta prior", low=0.0, open_low=True)

    @property
    def binary(self) -> bool:
        return True

    def look(self, data: TrialData, look: Look) -> Verdict:
        a, b = data.sums + self.prior_successes, data.counts - data.sums + self.prior_failures
        if self.best == "lowest":
            a, b = b, a
        active = data.active.copy()
        chance = best(a, b, active)
        rows = np.arange(len(data))  # trials in which an arm may have to be dropped
        while rows.size:
            leading = np.arange(active.shape[1]) == chance[rows].argmax(axis=1)[:, None]
            low = active[rows] & (chance[rows] < self.inferiority) & ~leading
            active[rows] &= ~low
            rows = rows[low.any(axis=1)]
            chance[rows] = best(a[rows], b[rows], active[rows])
        only = active & (active.sum(axis=1) == 1)[:, None]
        claimed = ((chance > self.superiority) & (chance == chance.max(axis=1, keepdims=True))) | only
        several = data.active.sum(axis=1) > 1  # else people dropped the others, and there is nothing to compare
        claimed &= several[:, None]
        reason = np.where(claimed.any(axis=1), 0, -1).astype(np.int8)
        if self.equivalence < 1:
            reason[self._equivalent(a, b, active, np.flatnonzero((reason < 0) & several))] = 1
        return Verdict(claimed, data.active & ~active, reason)

    def _equivalent(
        self, a: NDArray[np.float64], b: NDArray[np.float64], active: NDArray[np.bool_], rows: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Those of the trials in which all arms are about the same."""
        return rows[within(a[rows], b[rows], self.within, active[rows]) > self.equivalence]
