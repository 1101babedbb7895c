"""The base class of stopping rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.plugins.registry import Plugin
from primum.trials.data import TrialData

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Verdict:
    """What is decided at a look, a row for each trial.

    `claimed` are the arms that are declared better (trial x arm), `dropped` those that get no further patients (trial x
    arm), and `reason` says why a trial stops: a position in the rule's `reasons`, or -1 if it goes on.
    """

    claimed: Flags
    dropped: Flags
    reason: NDArray[np.int8]


@dataclass(frozen=True)
class StoppingRule(Plugin):
    """Decides at a look whether arms are dropped or the trial stops.

    An author writes `look(data, number, fraction)`, vectorised over trials, where `number` counts the looks from 0 and
    `fraction` is the part of all patients whose outcomes are known.
    """

    family: ClassVar[str] = "stopping"
    abstract: ClassVar[bool] = True
    reasons: ClassVar[tuple[str, ...]] = ()
    needs_patients: ClassVar[bool] = True  # else its data have counts, sums and squares only, which is faster

    def look(self, data: TrialData, number: int, fraction: float) -> Verdict:
        """What is decided at a look."""
        raise ParameterError(f"{type(self).__name__} has no `look(data, number, fraction)`: a stopping rule needs one")
