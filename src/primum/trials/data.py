"""The data of trials, as an analysis sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError

if TYPE_CHECKING:
    from primum.trials.design import Design

Floats = NDArray[np.float64]
ROUNDING = 1e-9  # of variances, relative


@dataclass(frozen=True)
class TrialData:
    """Many trials of one design, a row each; the first arm is the control.

    `counts` are the known outcomes of each arm, `sums` their sums and `variances` their unbiased variances, NaN for
    fewer than two: trial x arm. Where patients are known one by one, `arm` has the arm of each, -1 beyond those
    enrolled, and `outcome` the outcome, NaN where it is not known yet: trial x patient, in the order of enrolment. Data
    made from counts alone have None there.
    `active` are the arms that have not been dropped at a look: trial x arm, all by default. `pending` are the patients
    whose outcome is not known yet and will be: trial x patient, none by default.
    """

    design: Design
    counts: NDArray[np.int64]
    sums: Floats
    variances: Floats
    arm: NDArray[np.int16] | None = None
    outcome: Floats | None = None
    active: NDArray[np.bool_] = field(default=None, repr=False)  # type: ignore[arg-type]  # set below
    pending: NDArray[np.bool_] | None = field(default=None, repr=False)
    # gives `chances`, where the trials were run here
    allocation: Callable[[], Floats] | None = field(default=None, repr=False, compare=False)
    # the trials that the data are of, where they were run here: what a re-run needs (see running.py)
    course: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.active is None:
            object.__setattr__(self, "active", np.ones(self.counts.shape, np.bool_))

    @classmethod
    def from_successes(cls, design: Design, counts: Any, successes: Any) -> TrialData:
        """Trials with outcomes 0 and 1, of which only counts are known."""
        n, sums = np.asarray(counts, np.int64), np.asarray(successes, np.float64)
        return cls(design, n, sums, _binary_variances(n, sums))

    def one_by_one(self, who: str) -> tuple[NDArray[np.int16], Floats]:
        """Arm and outcome of each patient; a ParameterError for data made from counts alone, which `who` cannot use."""
        if self.arm is None or self.outcome is None:
            raise ParameterError(f"{who} needs patients one by one, got counts alone")
        return self.arm, self.outcome

    def rows(self, chosen: NDArray[np.intp]) -> TrialData:
        """The data of some of the trials."""
        return replace(
            self,
            counts=self.counts[chosen],
            sums=self.sums[chosen],
            variances=self.variances[chosen],
            arm=None if self.arm is None else self.arm[chosen],
            outcome=None if self.outcome is None else self.outcome[chosen],
            active=self.active[chosen],
            pending=None if self.pending is None else self.pending[chosen],
            allocation=None if self.allocation is None else lambda: self.chances[chosen],
            course=None,
        )

    @cached_property
    def chances(self) -> Floats:
        """The probability with which each patient was allocated to each arm, given all before: trial x patient x arm.

        It is computed when it is first asked for. Where decisions were repeated to find it, it has the decision itself
        as one more of them, as bets on labels need it (see `evidence.betting`).
        """
        if self.allocation is None:
            raise ParameterError("allocation probabilities need trials that were run here, got data alone")
        return self.allocation()

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def means(self) -> Floats:
        """The mean outcome of each arm; NaN where none is known."""
        with np.errstate(invalid="ignore"):
            means: Floats = self.sums / self.counts
        return means

    @property
    def two_valued(self) -> NDArray[np.bool_]:
        """Whether all outcomes of an arm are 0 or 1, for counts alone up to rounding: trial x arm."""
        if self.arm is not None and self.outcome is not None:
            other = np.isfinite(self.outcome) & (self.outcome != 0) & (self.outcome != 1)
            rows, patients = np.nonzero(other)
            found = np.ones(self.counts.shape, np.bool_)
            found[rows, self.arm[rows, patients]] = False
            return found
        whole = (self.sums >= 0) & (self.sums <= self.counts) & (self.sums == np.floor(self.sums))
        expected = _binary_variances(self.counts, self.sums)
        return np.asarray(whole & ((self.counts < 2) | (np.abs(self.variances - expected) <= ROUNDING * expected)))

    @property
    def is_binary(self) -> bool:
        """Whether all outcomes are 0 or 1."""
        return bool(self.two_valued.all())


def _binary_variances(counts: NDArray[np.int64], sums: Floats) -> Floats:
    """The unbiased variances of outcomes 0 and 1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 1, sums * (counts - sums) / counts / (counts - 1), np.nan)
