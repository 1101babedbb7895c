"""Monitoring: when a trial is looked at, what is known then, and what the stopping rule makes of it.

Simulated trials, the exact law and live trials share it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from primum.errors import PrimumError
from primum.trials.data import TrialData
from primum.trials.rows import different_rows

if TYPE_CHECKING:
    from primum.trials.design import Design

NO_ARM_LEFT = "no arm left"
GOES_ON = -1  # in place of a reason to stop
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Look:
    """A look: `known` are the numbers of outcomes known at each look so far, the last of them at this one.

    `patients` are those that the design plans. At the final look (`is_final`) the trial is over, and no level can be
    spent later.

    >>> look = Look(known=(40, 90), patients=200)
    >>> look.number, look.fraction, look.fractions
    (1, 0.45, (0.2, 0.45))
    """

    known: tuple[int, ...]
    patients: int
    is_final: bool = False

    @property
    def number(self) -> int:
        """The looks before this one."""
        return len(self.known) - 1

    @property
    def fraction(self) -> float:
        """The part of all planned outcomes that is known."""
        return self.known[-1] / self.patients

    @property
    def fractions(self) -> tuple[float, ...]:
        """That part at each look so far."""
        return tuple(known / self.patients for known in self.known)


@dataclass(frozen=True)
class Verdict:
    """What is decided at a look, a row for each trial.

    `claimed` are the arms that are declared better (trial x arm), `dropped` those that get no further patients (trial x
    arm), and `reason` says why a trial ends: a position in the rule's `reasons`, or -1 if it goes on.
    """

    claimed: Flags
    dropped: Flags
    reason: NDArray[np.int8]


def numbers_of(looks: Sequence[float], patients: int) -> tuple[int, ...]:
    """The numbers of patients, or outcomes, at which a design looks; fractions are rounded to the nearest, halves up.

    >>> numbers_of((40, 90), 149), numbers_of((0.5, 1.0), 149)
    ((40, 90), (75, 149))
    """
    return tuple(look if isinstance(look, int) else math.floor(look * patients + 0.5) for look in looks)


class Monitoring:
    """The looks of a design: interim ones while it runs, and a final one when it is over.

    A look at the last planned patient, or outcome, is the final one: it waits for all outcomes. A rule that declares
    differences always has a final look, with what is known when the trial ends and with the level that is left.
    """

    def __init__(self, design: Design) -> None:
        self.rule, self.patients = design.stopping, design.patients
        self.counts_outcomes = design.looks_count == "outcomes"
        self.interim = tuple(look for look in numbers_of(design.looks, design.patients) if look < design.patients)
        self.has_final = self.rule is not None and (self.rule.claims or len(self.interim) < len(design.looks))

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why a trial may end."""
        return () if self.rule is None else (*self.rule.reasons, NO_ARM_LEFT)

    @property
    def planned(self) -> int:
        """How many looks there are, with the final one."""
        return len(self.interim) + self.has_final

    def is_due(self, number: int, enrolled: int, known: int) -> bool:
        """Whether an interim look, counted from 0, is due with these numbers of patients and of known outcomes."""
        if number >= len(self.interim):
            return False
        return known >= self.interim[number] if self.counts_outcomes else enrolled >= self.interim[number]

    def known_at(self, number: int, known: int) -> int:
        """How many outcomes an interim look uses when so many are known."""
        return self.interim[number] if self.counts_outcomes else known

    def judge(self, data: TrialData, known: NDArray[np.int64], *, is_final: bool = False) -> Verdict:
        """What the rule decides in trials that go on.

        `known` are the outcomes known at each look so far: trial x look, the last column for this one.
        """
        assert self.rule is not None
        shape = data.counts.shape
        verdict = Verdict(np.zeros(shape, np.bool_), np.zeros(shape, np.bool_), np.full(len(data), GOES_ON, np.int8))
        histories, group = different_rows(known)
        for number, history in enumerate(histories.tolist()):  # a rule is told a single history
            rows = np.flatnonzero(group == number)
            some = data if len(histories) == 1 else data.rows(rows)
            found = self.rule.look(some, Look(tuple(history), self.patients, is_final))
            verdict.claimed[rows], verdict.dropped[rows] = found.claimed, found.dropped
            verdict.reason[rows] = found.reason
        if verdict.claimed.any() and not self.rule.claims:
            raise PrimumError(
                f"{self.rule.display_name} declares an arm better, and its class does not say so: write "
                "`claims = True` in it, so that the design has no other test that declares a difference"
            )
        verdict.dropped[:] &= data.active
        none_left = (verdict.reason == GOES_ON) & ~(data.active & ~verdict.dropped).any(axis=1)
        verdict.reason[none_left] = len(self.reasons) - 1
        return verdict
