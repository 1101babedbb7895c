"""Fisher's exact test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.trials.analyses.analysis import NAIVE, Analysis
from primum.trials.data import Floats, TrialData

AS_LIKELY = 1e-7  # two tables are as likely as each other if their probabilities differ by less, relatively; as in R
MOST_CELLS = 1 << 20  # probabilities of tables in memory at a time


@dataclass(frozen=True)
class Fisher(Analysis):
    """Fisher's exact test: the successes of an arm given the sizes of both arms and all successes.

    One-sided, the p-value is the hypergeometric probability of at least (at most) as many successes; two-sided, of all
    tables that are no more likely than the one observed.

    >>> from primum.trials import Design, TrialData
    >>> test = Fisher()
    >>> design = Design(arms=["control", "new"], patients=20, policy="uniform-random", analysis=test)
    >>> data = TrialData.from_successes(design, counts=[[10, 10]], successes=[[2, 8]])
    >>> test.p_values(data).round(4).tolist()
    [[0.023]]
    """

    title = "Fisher's exact test"
    binary = True
    warning = NAIVE

    def p_values(self, data: TrialData) -> Floats:
        counts, sums = data.counts, np.rint(data.sums).astype(np.int64)
        control = counts[:, 0], sums[:, 0]
        columns = [
            _fisher(np.stack([*control, counts[:, k], sums[:, k]]), self.sided) for k in range(1, counts.shape[1])
        ]
        return np.stack(columns, axis=1)


def _fisher(tables: NDArray[np.int64], sided: str) -> Floats:
    """The p-values of trials with these sizes and successes of the control and of the arm; equal tables share one."""
    size = int(tables.max()) + 1
    arms, codes = np.unique(tables[::2] * size + tables[1::2], return_inverse=True)  # sizes with successes
    pairs, place = np.unique(codes[0] * len(arms) + codes[1], return_inverse=True)
    control, arm = arms[pairs // len(arms)], arms[pairs % len(arms)]
    distinct = np.stack([control // size, control % size, arm // size, arm % size])
    rows = MOST_CELLS // (int(distinct[2].max()) + 1) + 1
    parts = [_of_tables(distinct[:, i : i + rows], sided) for i in range(0, distinct.shape[1], rows)]
    p: Floats = np.concatenate(parts)[place]
    return p


def _of_tables(tables: NDArray[np.int64], sided: str) -> Floats:
    from scipy.special import gammaln

    n0, s0, n1, s1 = tables
    successes = s0 + s1
    log_factorials = gammaln(np.arange(1, (n0 + n1).max() + 2, dtype=np.float64))
    low, high = np.maximum(0, successes - n0), np.minimum(n1, successes)
    own = low[:, None] + np.arange((high - low).max() + 1)  # successes of the arm: one row for each table
    inside = own <= high[:, None]
    own = np.minimum(own, high[:, None])
    other = successes[:, None] - own
    logs = -(
        log_factorials[own]
        + log_factorials[n1[:, None] - own]
        + log_factorials[other]
        + log_factorials[n0[:, None] - other]
    )
    observed = np.take_along_axis(logs, (s1 - low)[:, None], axis=1)
    weights = np.where(inside, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    if sided == "two-sided":
        extreme = logs <= observed + AS_LIKELY
    else:
        extreme = own >= s1[:, None] if sided == "greater" else own <= s1[:, None]
    p: Floats = (weights * extreme).sum(axis=1) / weights.sum(axis=1)
    return p
