"""Uniformly random choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.kernels.choosing import random_arm
from primum.policies.counts import Array, Counts
from primum.policies.policy import Policy


@dataclass(frozen=True)
class UniformRandom(Policy):
    """Every arm with the same probability at each step, as in a trial with equal randomisation.

    >>> UniformRandom().label
    'uniform-random'
    """

    title = "Uniform random"
    decides_by = "chance"

    @staticmethod
    def choose(history: Any) -> int:
        return random_arm(history, 1.0)

    def chances(self, counts: Counts) -> Array:
        return np.full((1, 1), 0.5)
