"""BESA."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from primum.kernels.choosing import opening, tournament
from primum.policies.counts import Array, Counts, forced, values_of_counts
from primum.policies.hypergeometric import duel_chances
from primum.policies.native_chances import DUEL, NativeChances, Step
from primum.policies.policy import MEAN, Policy


@dataclass(frozen=True)
class Besa(Policy):
    """Best empirical sampled average: sub-sampling duels on the mean.

    Each arm once, then a knock-out tournament in fresh random order; two arms meet on uniform sub-samples of equal
    size, the larger mean wins, ties go to the less pulled.

    The tables of Baudry, Kaufmann, Maillard, NeurIPS 2020, were made with ties at random, which matters where ties are
    likely: on Bernoulli arms .9, .85 x 7 they have a mean regret of 147.5 after 20,000 steps; we found 145.8 with their
    ties (2,000 replications), and 127.4 with ours.

    Reference: Baransi, Maillard, Mannor, "Sub-sampling for multi-armed bandits", ECML-PKDD 2014, Algorithm 1.

    >>> Besa().own_value
    {'name': 'mean'}
    """

    title = "BESA"
    step_cost = (0.4, 2.0)
    own_value = MEAN
    decides_by = "a tournament of sub-sampling duels"

    @staticmethod
    def choose(history: Any) -> int:
        arm = opening(history, 1.0)
        return arm if arm >= 0 else tournament(history)

    def chances(self, counts: Counts) -> Array:
        opening = forced(counts, 1.0)
        return duel_chances(counts) if opening is None else opening

    def native_chances(self, at: Step) -> NativeChances:
        return NativeChances(DUEL, floor=1.0, scores=partial(values_of_counts, at.value))
