"""A quantile of the rewards, such as the median."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.plugins.parameters import parameter
from primum.values.safety_value import TailValue


@dataclass(frozen=True)
class Quantile(TailValue):
    """The smallest reward that a fraction `level` of rewards does not exceed; also called value at risk.

    v = min {x : P(X <= x) >= level}, estimated by the ceil(level n)-th lowest of n.

    Reference: Szorenyi, Busa-Fekete, Weng, Huellermeier, Qualitative multi-armed bandits: a quantile-based approach,
    ICML 2015.

    >>> import numpy as np
    >>> Quantile(level=0.5).of(np.array([3.0, 0.0, 1.0, 2.0]))
    1.0
    """

    title = "Quantile"
    group = "Emphasis on bad outcomes"
    equivariant = True
    monotone = True

    level: float = parameter(
        0.5, "fraction of rewards at or below the quantile", low=0.0, high=1.0, open_low=True, open_high=True
    )

    why_unbounded = "one observation can move it by 1, however many there are"
    why_biased = "no unbiased estimator exists"

    @property
    def display_name(self) -> str:
        return "median" if self.level == 0.5 else f"{100 * self.level:.4g} % quantile"

    @property
    def tail_share(self) -> float:
        return self.level

    @staticmethod
    def tail_size(n: int, level: float) -> int:
        return max(1, math.ceil(level * n - 1e-9))  # 0.07 * 100 is a little more than 7

    @staticmethod
    def from_tail(tail: Any, n: int, level: float) -> Any:
        return tail[-1]

    @staticmethod
    def weighted(sample: Any, weights: Any, level: float) -> Any:
        reached = 0.0
        for i in range(sample.size):
            reached += weights[i]
            if reached >= level - 1e-12:  # seven times 0.1 is a little less than 0.7
                return sample[i]
        return sample[-1]

    def true_value(self, distribution: Any) -> float:
        # from the left, where an atom's share, or a sum of shares, is the level up to rounding
        return float(distribution.quantile(np.array([self.level * (1 - 1e-12)]))[0])
