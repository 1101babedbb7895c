"""BESA+."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from primum.kernels.choosing import opening, tournament
from primum.kernels.elementary import log
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts, forced, values_of_counts
from primum.policies.hypergeometric import duel_chances
from primum.policies.native_chances import DUEL, NativeChances, Step
from primum.policies.policy import Policy


@dataclass(frozen=True)
class BesaPlus(Policy):
    """Sub-sampling duels under any safety value, with an exploration floor.

    An arm assigned fewer than floor * log(t) times is played first, the least assigned one of them. Otherwise a
    knock-out tournament in fresh random order: two arms meet on uniform sub-samples of equal size, the larger value
    wins, ties go to the less pulled.

    Reference: Aboutalebi, Precup, Schuster, "Learning modular safe policies in the bandit setting with application to
    adaptive clinical trials", 2019 (arXiv:1903.01026), Algorithm 1.

    >>> BesaPlus(floor=2).label
    'besa-plus(floor=2)'
    """

    title = "BESA+"
    step_cost = (0.2, 2.0)

    floor: float = parameter(1.0, "every arm gets at least floor x ln(t) pulls by step t", low=0.0)

    decides_by = "a tournament of sub-sampling duels"

    @property
    def floor_rule(self) -> str:  # type: ignore[override]
        return f"{self.floor:g} x ln(t)"

    @staticmethod
    def choose(history: Any, floor: float) -> int:
        arm = opening(history, floor * log(history.step))
        return arm if arm >= 0 else tournament(history)

    def chances(self, counts: Counts) -> Array:
        opening = forced(counts, self.floor * log(counts.step))
        return duel_chances(counts) if opening is None else opening

    def native_chances(self, at: Step) -> NativeChances:
        floor = self.floor * log(at.step)
        return NativeChances(DUEL, floor=floor, scores=partial(values_of_counts, at.value))
