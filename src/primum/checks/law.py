"""A distribution on a few rewards, to try things on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from primum.parameters import parameter
from primum.rewards import DiscreteDistribution


@dataclass(frozen=True)
class Law(DiscreteDistribution):
    """Some rewards and their probabilities."""

    abstract: ClassVar[bool] = True  # without a name of its own among reward distributions

    points: Sequence[float] = parameter(text="rewards, ascending", many=True)
    chances: Sequence[float] = parameter(text="their probabilities", many=True)

    @property
    def atoms(self) -> Any:
        return np.array(self.points), np.array(self.chances)
