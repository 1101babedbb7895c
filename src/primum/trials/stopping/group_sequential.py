"""Group sequential tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.trials.analyses import Analysis, PooledZ, ZAnalysis
from primum.trials.data import Floats, TrialData
from primum.trials.stopping.spending import SPENDING, boundaries
from primum.trials.stopping.stopping_rule import StoppingRule, Verdict

POOLED_Z = PooledZ()


@dataclass(frozen=True)
class GroupSequential(StoppingRule):
    """Stops when Z crosses a boundary that spends the level over the looks, by Lan and DeMets.

    Each arm is compared with the control, with the level divided by the number of comparisons (Bonferroni). An arm
    above the upper boundary is claimed and the trial stops; an arm below the lower one is dropped, and if no other is
    left, the control is claimed. A design that is to use the whole level has its last look at the last patient. With
    `futility`, arms are also dropped whose conditional power, if the trend so far goes on, is below it; boundaries do
    not rely on that (it is not binding).

    The fraction of information at a look is that of known outcomes. Those of the other looks follow from it and from
    the numbers of patients at the design's looks: exactly without a delay, or if as many outcomes are outstanding at
    each look. Z is the statistic of an analysis; boundaries assume that allocation does not adapt to outcomes.

    >>> from primum.trials import Design, TrialData
    >>> rule = GroupSequential(alpha=0.05, sided="two-sided")
    >>> design = Design(
    ...     arms=["control", "new"], patients=200, policy="uniform-random", analysis="pooled-z",
    ...     looks=[100, 200], stopping=rule,
    ... )
    >>> data = TrialData.from_successes(design, counts=[[50, 50], [50, 50]], successes=[[15, 26], [10, 30]])
    >>> [round(bound, 3) for bound in rule.bounds(data, 0, 0.5)]
    [2.963, 1.969]
    >>> verdict = rule.look(data, 0, 0.5)
    >>> verdict.claimed.tolist(), verdict.reason.tolist()
    ([[False, False], [False, True]], [-1, 0])
    """

    title = "Group sequential"
    reasons = ("efficacy", "inferiority", "futility")

    spending: str = parameter("obrien-fleming", "how the level is spent", choices=tuple(SPENDING))
    alpha: float = parameter(0.05, "level of the whole test", low=0.0, high=1.0, open_low=True, open_high=True)
    sided: str = parameter(
        "two-sided", "the alternative: another arm is better than the control, worse, or different",
        choices=("greater", "less", "two-sided"),
    )  # fmt: skip
    futility: float = parameter(0.0, "conditional power below which an arm is dropped; 0: never", low=0.0, high=1.0)
    statistic: Analysis = parameter(POOLED_Z, "analysis whose Z is compared with the boundary", family="analyses")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.statistic, ZAnalysis):
            raise ParameterError(
                f"{self.name}: statistic must be an analysis with a Z such as pooled-z, got {self.statistic.label}",
                ("statistic",),
            )

    def bounds(self, data: TrialData, number: int, fraction: float) -> tuple[float, ...]:
        """The boundary of Z at each look of the design and, if its last one is earlier, at the last patient."""
        two_sided = self.sided == "two-sided"
        level = self.alpha / (data.counts.shape[1] - 1) / (2 if two_sided else 1)
        return boundaries(_fractions(data, number, fraction), self.spending, level, two_sided)

    def look(self, data: TrialData, number: int, fraction: float) -> Verdict:
        z, bounds = self.statistic.statistic(data), self.bounds(data, number, fraction)
        active = data.active[:, 1:]
        claimed, dropped = np.zeros(data.counts.shape, np.bool_), np.zeros(data.counts.shape, np.bool_)
        if self.sided != "less":
            claimed[:, 1:] = active & (z > bounds[number])
        if self.sided != "greater":
            dropped[:, 1:] = active & (z < -bounds[number])
        efficacy = claimed.any(axis=1)
        worse = ~efficacy & dropped.any(axis=1) & ~(active & ~dropped[:, 1:]).any(axis=1)
        claimed[:, 0] = worse
        if self.futility:
            dropped[:, 1:] |= active & ~claimed[:, 1:] & (self._power(z, fraction, bounds[-1]) < self.futility)
        futile = ~efficacy & ~worse & ~(active & ~dropped[:, 1:]).any(axis=1)
        return Verdict(claimed, dropped, np.select([efficacy, worse, futile], [0, 1, 2], -1).astype(np.int8))

    def _power(self, z: Floats, fraction: float, last: float) -> Floats:
        """The probability to cross the last boundary if the trend so far goes on."""
        from scipy.special import ndtr

        if not 0 < fraction < 1:
            return np.ones(z.shape)
        expected = self._towards(z) / np.sqrt(fraction)
        power: Floats = ndtr((expected - last) / np.sqrt(1 - fraction))
        return power

    def _towards(self, z: Floats) -> Floats:
        """Z in the direction of the alternative."""
        return z if self.sided == "greater" else -z if self.sided == "less" else np.abs(z)


def _fractions(data: TrialData, number: int, fraction: float) -> tuple[float, ...]:
    """The fractions of information at all looks, if as many outcomes are outstanding at each as at this one."""
    design = data.design
    ahead = (np.asarray(design.looks) - design.looks[number]) / design.patients
    found = [min(max(float(each), 0.0), 1.0) for each in np.round(fraction + ahead, 12)]
    return tuple(found) if found[-1] >= 1 else (*found, 1.0)
