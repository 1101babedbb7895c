"""Complete randomisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.kernels.choosing import drawn_arm, random_arm
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts
from primum.policies.native_chances import CONSTANT, NativeChances, Step
from primum.policies.policy import Policy


@dataclass(frozen=True)
class UniformRandom(Policy):
    """Complete randomisation: every arm with the same probability at each step, or with unequal fixed ones.

    With `weights` 2, 1 the first arm gets two patients for each one of the second, on average. Arms that are not listed
    have weight 1, so ``weights=[2]`` doubles the first arm, whatever the number of others.

    >>> UniformRandom().label
    'uniform-random'
    >>> UniformRandom(weights=[2, 1]).display_name
    'Uniform random (weights 2, 1)'
    """

    title = "Uniform random"
    group = "Baselines"
    decides_by = "chance"
    states_probabilities = True

    weights: tuple[float, ...] = parameter(
        (), "allocation ratio, a number for each arm; empty: equal", low=0.0, open_low=True, many=True
    )

    def check_arms(self, arms: int) -> None:
        check_ratio(self, "weights", arms)

    def packed(self) -> tuple[Any, ...]:
        return (np.array(self.weights, np.float64),)

    @staticmethod
    def choose(history: Any, weights: Any) -> int:
        if weights.size == 0:
            for k in range(history.arms):
                history.scores[k] = 1.0 / history.arms
            return random_arm(history, 1.0)
        if weights.size > history.arms:
            return -1
        for k in range(history.arms):
            history.scores[k] = weights[k] if k < weights.size else 1.0
        return drawn_arm(history)

    def chances(self, counts: Counts) -> Array:
        first, second = (*self.weights, 1.0, 1.0)[:2]
        return np.full((1, 1), second / (first + second))

    def native_chances(self, at: Step) -> NativeChances:
        first, second = (*self.weights, 1.0, 1.0)[:2]
        return NativeChances(CONSTANT, share=second / (first + second))


def check_ratio(policy: Policy, name: str, arms: int) -> None:
    """Refuse an allocation ratio with more numbers than there are arms."""
    count = len(getattr(policy, name))
    if count > arms:
        raise ParameterError(f"{policy.name}: {name} has {count} numbers, one for each arm, and there are {arms} arms")
