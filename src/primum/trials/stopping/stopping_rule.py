"""The base class of stopping rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from primum.errors import ParameterError
from primum.plugins.registry import Plugin
from primum.trials.data import TrialData
from primum.trials.monitoring import Look, Verdict


@dataclass(frozen=True)
class StoppingRule(Plugin):
    """Decides at a look whether arms are dropped or the trial stops.

    An author writes `look(data, look)`, vectorised over trials; `look` says which look it is and how many outcomes are
    known there and were known before. A rule that declares arms better says `claims = True`. It is then the only rule
    by which the design declares a difference, and it is asked once more at the end, where ``look.is_final``.
    """

    family: ClassVar[str] = "stopping"
    abstract: ClassVar[bool] = True
    reasons: ClassVar[tuple[str, ...]] = ()
    claims: ClassVar[bool] = False
    # the positive parameter by which its boundaries grow, which `calibrate` finds; empty: there is none. With a larger
    # one no look may declare more differences, and trials go on that would have stopped with one
    limit: ClassVar[str] = ""
    needs_patients: ClassVar[bool] = True  # else its data have counts, sums and variances only, which is faster
    # why its error rates are not those promised when allocation is adaptive; empty: they are
    warning: ClassVar[str] = (
        "Its error rates are those of the stopping rule. Boundaries take allocation as fixed in advance; where it "
        "adapts to outcomes, operating characteristics show the error rates, and calibrated boundaries correct them."
    )
    needs_chances: ClassVar[bool] = False  # it uses `data.chances`, and so needs patients

    @property
    def binary(self) -> bool:
        """Whether it needs outcomes 0 and 1."""
        return False

    @property
    def binding(self) -> StoppingRule:
        """The rule without reasons to stop that its level must not rely on, as people may overrule them."""
        return self

    def look(self, data: TrialData, look: Look) -> Verdict:
        """What is decided at a look."""
        raise ParameterError(f"{type(self).__name__} has no `look(data, look)`: a stopping rule needs one")
