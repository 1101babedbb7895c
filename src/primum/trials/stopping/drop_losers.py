"""Arms that do worse than the control are dropped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.trials.analyses import Analysis, PosteriorSuperiority
from primum.trials.data import TrialData
from primum.trials.monitoring import Look, Verdict
from primum.trials.stopping.stopping_rule import StoppingRule

SUPERIORITY = PosteriorSuperiority(sided="greater")


@dataclass(frozen=True)
class DropLosers(StoppingRule):
    """Drops arms whose statistic against the control is below a limit; the trial stops when only the control is left.

    The statistic is that of a one-sided analysis: by default the posterior probability that the arm is better than the
    control, or for example the Z of ``pooled-z(sided='greater')``. An arm is not dropped before both it and the control
    have data, and the control never.

    >>> from primum.trials import Design, Look, TrialData
    >>> rule = DropLosers(below=0.1)
    >>> design = Design(
    ...     arms=["control", "b", "c"], patients=90, policy="uniform-random", analysis="pooled-z",
    ...     looks=[60], stopping=rule,
    ... )
    >>> data = TrialData.from_successes(design, counts=[[20, 20, 20]], successes=[[9, 4, 8]])
    >>> rule.look(data, Look(known=(60,), patients=90)).dropped.tolist()
    [[False, True, False]]
    """

    title = "Drop losers"
    reasons = ("only the control is left",)

    below: float = parameter(0.05, "limit of the statistic")
    statistic: Analysis = parameter(SUPERIORITY, "one-sided analysis with the statistic", family="analyses")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.statistic.sided == "two-sided":
            raise ParameterError(
                f"{self.name}: statistic must be of a one-sided analysis, got {self.statistic.label}; "
                f"write {self.statistic.name}(sided='greater')",
                ("statistic",),
            )

    @property
    def binary(self) -> bool:
        return self.statistic.binary

    def look(self, data: TrialData, look: Look) -> Verdict:
        known = (data.counts[:, 1:] > 0) & (data.counts[:, :1] > 0)
        dropped = np.zeros(data.counts.shape, np.bool_)
        dropped[:, 1:] = data.active[:, 1:] & known & (self.statistic.evidence(data) < self.below)
        left = (data.active & ~dropped)[:, 1:].any(axis=1)
        return Verdict(np.zeros_like(dropped), dropped, np.where(left, -1, 0).astype(np.int8))
