"""Finitely many rewards with given probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.rewards.discrete_distribution import DiscreteDistribution, merge
from primum.rewards.quadrature import Array


@dataclass(frozen=True)
class Discrete(DiscreteDistribution):
    """A finite set of rewards with given probabilities.

    P(X = values[i]) = probabilities[i]. They are stored in ascending order, each reward once, without those of
    probability 0; the order in which they are given makes no difference.

    >>> Discrete(values=[1, 0, 0.5], probabilities=[0.25, 0.5, 0.25]).mean
    0.375
    """

    title = "Discrete"

    values: tuple[float, ...] = parameter(text="the rewards", many=True)
    probabilities: tuple[float, ...] = parameter(text="their probabilities", low=0.0, high=1.0, many=True)

    @property
    def display_name(self) -> str:
        return f"discrete ({len(self.values)} {'reward' if len(self.values) == 1 else 'rewards'})"

    def __post_init__(self) -> None:
        super().__post_init__()
        count, total = len(self.values), math.fsum(self.probabilities)
        if not count:
            raise ParameterError(f"{self.name}: values must have at least one number, got none", ("values",))
        if len(self.probabilities) != count:
            raise ParameterError(
                f"{self.name}: probabilities must be as many as values ({count}), got {len(self.probabilities)}",
                ("probabilities",),
            )
        if abs(total - 1) > 1e-9:
            raise ParameterError(f"{self.name}: probabilities must add up to 1, got {total:.12g}", ("probabilities",))
        for name, numbers in zip(("values", "probabilities"), merge(self.values, self.probabilities), strict=True):
            object.__setattr__(self, name, tuple(numbers.tolist()))

    @cached_property
    def atoms(self) -> tuple[Array, Array]:
        values, probabilities = merge(self.values, self.probabilities)
        return values, probabilities / math.fsum(self.probabilities)
