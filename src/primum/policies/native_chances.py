"""Exact allocation probabilities in forms that native code computes (`trials/exact_law/allocating.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from primum.policies.counts import Array

if TYPE_CHECKING:
    from primum.policies.policy import Policy

CONSTANT, LARGER, DUEL, POSTERIOR, TEMPERED = range(5)
NO_OPENING = -math.inf


class Step(NamedTuple):
    """A decision, the number `step` from 1, whatever the counts; `value` is the one that the policy uses."""

    step: int
    horizon: int
    value: Any


class NativeChances(NamedTuple):
    """What `Policy.chances` gives at one step, whatever the counts.

    - ``CONSTANT``: arm 1 has the probability `share`.
    - ``LARGER``: the arm with the larger score, ties at random; with the probability `share` any arm.
    - ``DUEL``: `kernels.choosing.duel`, where the scores are the values.
    - ``POSTERIOR``: the probability that the arm has the larger mean, as in `larger_posterior`.
    - ``TEMPERED``: the same, but at least `smallest`, to the power of `exponent`, in proportion, from `least` to
      1 - `least`; of the smaller mean if it is `reversed`.

    The least assigned arm comes first as long as `forced` says so with this `floor`.
    """

    kind: int
    floor: float = NO_OPENING
    share: float = 0.0
    exponent: float = 1.0
    smallest: float = 0.0
    least: float = 0.0
    reversed: bool = False
    scores: Callable[[int], Array] | None = None  # of an arm with so many outcomes, by the number of successes
    scores_vary: bool = False  # from step to step


def native_chances(policy: Policy, at: Step) -> NativeChances | None:
    """Those of a policy; None if it has none, or a derived class has other `chances`."""
    for cls in type(policy).__mro__:
        if "native_chances" in vars(cls):
            return policy.native_chances(at)
        if "chances" in vars(cls):
            break
    return None
