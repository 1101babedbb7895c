"""BESA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import opening, tournament
from primum.policies.counts import Array, Counts, forced
from primum.policies.hypergeometric import duel_chances
from primum.policies.policy import Policy


@dataclass(frozen=True)
class Besa(Policy):
    """Best empirical sampled average: sub-sampling duels on the mean.

    Each arm once, then a knock-out tournament in fresh random order; two arms meet on uniform sub-samples of equal
    size, the larger mean wins, ties go to the less pulled.

    Reference: Baransi, Maillard, Mannor, "Sub-sampling for multi-armed bandits", ECML-PKDD 2014, Algorithm 1.

    >>> Besa().own_value
    {'name': 'mean'}
    """

    title = "BESA"

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "mean"}

    decides_by = "a tournament of sub-sampling duels"

    @staticmethod
    def choose(history: Any) -> int:
        arm = opening(history, 1.0)
        return arm if arm >= 0 else tournament(history)

    def chances(self, counts: Counts) -> Array:
        opening = forced(counts, 1.0)
        return duel_chances(counts) if opening is None else opening
