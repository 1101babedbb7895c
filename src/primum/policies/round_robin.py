"""All arms in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.policies.counts import Array, Counts
from primum.policies.native_chances import CONSTANT, NativeChances, Step
from primum.policies.policy import Policy


@dataclass(frozen=True)
class RoundRobin(Policy):
    """Every arm in turn, whatever the outcomes: equal groups, as in a fixed trial.

    Arm (t - 1) mod K at step t.

    >>> RoundRobin().label
    'round-robin'
    """

    title = "Round robin"
    group = "Baselines"
    decides_by = "taking the arms in turn"

    @staticmethod
    def choose(history: Any) -> int:
        return (history.step - 1) % history.arms

    def chances(self, counts: Counts) -> Array:
        return np.full((1, 1), float((counts.step - 1) % 2))

    def native_chances(self, at: Step) -> NativeChances:
        return NativeChances(CONSTANT, share=float((at.step - 1) % 2))
