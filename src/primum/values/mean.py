"""The mean: what ordinary bandits maximise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.values.safety_value import MomentValue


@dataclass(frozen=True)
class Mean(MomentValue):
    """The expected reward.

    v = E X.

    >>> import numpy as np
    >>> Mean().of(np.array([0.0, 0.5, 1.0]))
    0.5
    """

    unbiased = True
    inherits = True

    @property
    def gamma(self) -> float | None:
        return 1.0

    @staticmethod
    def from_moments(n: int, s1: float, s2: float) -> float:
        return s1 / n

    def true_value(self, distribution: Any) -> float:
        return float(distribution.mean)
