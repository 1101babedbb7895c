"""The Mantel-Haenszel test, by periods of enrolment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from primum.plugins.parameters import parameter
from primum.trials.analyses.analysis import NAIVE
from primum.trials.analyses.z_analysis import ZAnalysis, ratio
from primum.trials.data import Floats, TrialData


@dataclass(frozen=True)
class MantelHaenszel(ZAnalysis):
    """Compares the arms within periods of enrolment, so that a drift from one period to the next does no harm.

    The patients are cut in the order of enrolment into `periods` of equal size, or into blocks of `block` patients, the
    last one smaller. In each, the successes of the arm are compared with their expectation given all successes of the
    arm and the control there and both sizes, and the differences are added up: Z is their sum over the square root of
    the sum of the hypergeometric variances, without continuity correction. Periods in which one of the two has no
    patients, or all outcomes are equal, teach nothing. What drifts within a period is not accounted for, nor that the
    allocation adapts to outcomes within it.

    Reference: Mantel, Haenszel, Journal of the National Cancer Institute 22, 1959.

    >>> from primum import policies, rewards, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=148, policy=policies.BesaPlus(floor=2), coin=0.4,
    ...     analysis=MantelHaenszel(sided="greater", periods=4),
    ... )
    >>> trial = trials.simulate_one(design, [rewards.Bernoulli(0.2), rewards.Bernoulli(0.7)], seed=1)
    >>> bool(trial.analyse()["p_value"].item() < 0.05)
    True
    """

    name = "mantel-haenszel"
    title = "Mantel-Haenszel"
    binary = True
    warning = NAIVE

    periods: int = parameter(4, "periods of equal size", low=1, integer=True)
    block: int = parameter(0, "patients in a period; 0: as many as give the number of periods", low=0, integer=True)

    def statistic(self, data: TrialData) -> Floats:
        arm, outcome = data.one_by_one(self.title)
        planned, comparisons = data.design.patients, data.counts.shape[1] - 1
        size = self.block or -(-planned // self.periods)
        surplus, variance = np.zeros((2, len(data), comparisons))
        known = (arm >= 0) & np.isfinite(outcome)
        for first in range(0, arm.shape[1], size):
            period = slice(first, first + size)
            sizes, successes = (
                np.stack([(each & (arm[:, period] == k)).sum(axis=1) for k in range(comparisons + 1)], axis=1)
                for each in (known[:, period], known[:, period] & (outcome[:, period] == 1))
            )
            both, won = sizes[:, 1:] + sizes[:, :1], successes[:, 1:] + successes[:, :1]
            product = sizes[:, 1:] * sizes[:, :1]
            surplus += np.divide(
                successes[:, 1:] * both - sizes[:, 1:] * won, both, out=np.zeros(both.shape), where=both > 0
            )
            spread = product * (won * (both - won)).astype(np.float64)
            variance += np.divide(spread, both**2 * (both - 1.0), out=np.zeros(both.shape), where=both > 1)
        return ratio(surplus, np.sqrt(variance))
