"""Group sequential tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.trials.analyses import Analysis, PooledZ, ZAnalysis
from primum.trials.data import Floats, TrialData
from primum.trials.monitoring import Look, Verdict
from primum.trials.stopping.spending import SPENDING, boundary
from primum.trials.stopping.stopping_rule import StoppingRule

POOLED_Z = PooledZ()


@dataclass(frozen=True)
class GroupSequential(StoppingRule):
    """Stops when Z crosses a boundary that spends the level over the looks, by Lan and DeMets.

    Each arm is compared with the control, with the level divided by the number of comparisons (Bonferroni). An arm
    above the upper boundary is claimed and the trial stops; an arm below the lower one is dropped, and if all arms are
    below it, the control is claimed. With `futility`, arms are also dropped whose conditional power, if the trend so
    far goes on, is below it; boundaries do not rely on that (it is not binding).

    The information at a look is the number of known outcomes, and boundaries use what it was at the looks before. The
    final look spends all the level that is left, also in a trial that ends with fewer outcomes than planned; that
    holds the level if the reason to end has nothing to do with the outcomes. Z is the statistic of an analysis.
    Boundaries assume that allocation does not adapt to outcomes; where it does, they grow by a `factor`, which
    `calibrate` finds for two arms with outcomes 0 and 1, where the exact distribution of the trial is known.

    >>> from primum.trials import Design, Look, TrialData
    >>> rule = GroupSequential(alpha=0.05, sided="two-sided")
    >>> design = Design(
    ...     arms=["control", "new"], patients=200, policy="uniform-random", looks=[100], stopping=rule,
    ... )
    >>> data = TrialData.from_successes(design, counts=[[50, 50], [50, 50]], successes=[[15, 26], [10, 30]])
    >>> look = Look(known=(100,), patients=200)
    >>> [round(bound, 3) for bound in rule.bounds(data, look)]
    [2.963, 1.969]
    >>> verdict = rule.look(data, look)
    >>> verdict.claimed.tolist(), verdict.reason.tolist()
    ([[False, False], [False, True]], [-1, 0])
    """

    title = "Group sequential"
    reasons = ("efficacy", "inferiority", "futility")
    claims = True
    limit = "factor"

    spending: str = parameter("obrien-fleming", "how the level is spent", choices=tuple(SPENDING))
    alpha: float = parameter(0.05, "level of the whole test", low=0.0, high=1.0, open_low=True, open_high=True)
    sided: str = parameter(
        "two-sided", "the alternative: another arm is better than the control, worse, or different",
        choices=("greater", "less", "two-sided"),
    )  # fmt: skip
    futility: float = parameter(0.0, "conditional power below which an arm is dropped; 0: never", low=0.0, high=1.0)
    factor: float = parameter(1.0, "by which the boundaries grow", low=0.0, open_low=True)
    statistic: Analysis = parameter(POOLED_Z, "analysis whose Z is compared with the boundary", family="analyses")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.statistic, ZAnalysis):
            raise ParameterError(
                f"{self.name}: statistic must be an analysis with a Z such as pooled-z, got {self.statistic.label}",
                ("statistic",),
            )

    @property
    def binary(self) -> bool:
        return self.statistic.binary

    @property
    def binding(self) -> GroupSequential:
        return replace(self, futility=0.0)

    def bounds(self, data: TrialData, look: Look) -> tuple[float, ...]:
        """The boundary of Z at each look so far and, unless this is the final one, at those to come as planned."""
        two_sided = self.sided == "two-sided"
        level = self.alpha / (data.counts.shape[1] - 1) / (2 if two_sided else 1)
        fractions, count = look.fractions, len(look.known)
        if not look.is_final:
            interim = data.design.monitoring.interim
            ahead = (np.array(interim[count:]) - interim[look.number]) / look.patients
            fractions += (*(min(float(each), 1.0) for each in look.fraction + ahead), 1.0)
        last = len(fractions) - 1
        return tuple(
            self.factor * boundary(fractions[: i + 1], i == last, self.spending, level, two_sided)
            for i in range(last + 1)
        )

    def look(self, data: TrialData, look: Look) -> Verdict:
        z, bounds = self.statistic.statistic(data), self.bounds(data, look)
        active = data.active[:, 1:]
        claimed, dropped = np.zeros(data.counts.shape, np.bool_), np.zeros(data.counts.shape, np.bool_)
        if self.sided != "less":
            claimed[:, 1:] = active & (z > bounds[look.number])
        below = z < -bounds[look.number]
        if self.sided != "greater":
            dropped[:, 1:] = active & below
        efficacy = claimed.any(axis=1)
        worse = ~efficacy & dropped.any(axis=1) & below.all(axis=1)  # also arms dropped before, for whatever reason
        claimed[:, 0] = worse
        if self.futility and not look.is_final:
            dropped[:, 1:] |= active & ~claimed[:, 1:] & (self._power(z, look.fraction, bounds[-1]) < self.futility)
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
