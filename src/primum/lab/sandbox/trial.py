"""A trial of a reward distribution: everything that previews and runs evaluate, once."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from primum.errors import PrimumError
from primum.plugins import registry
from primum.rewards import RewardDistribution
from primum.rewards.discrete_distribution import DiscreteDistribution
from primum.rewards.scipy import Scipy

MOST_PARTS_UNTRIED = 10  # numbers and distributions in the lists of an arm that takes a second or two at most


def needs_trial(arm: RewardDistribution) -> bool:
    """Whether it has so many parts that tables of its quantiles may take minutes."""
    return not isinstance(arm, (DiscreteDistribution, Scipy)) and _parts(arm.spec()) > MOST_PARTS_UNTRIED


def _parts(given: Any) -> int:
    if isinstance(given, Mapping):
        return sum(map(_parts, given.values()))
    return len(given) + sum(map(_parts, given)) if isinstance(given, list) else 0


def try_out(spec: Mapping[str, Any]) -> None:
    """Evaluate a distribution; its errors are reported elsewhere."""
    with suppress(PrimumError):
        arm: RewardDistribution = registry.build("rewards", spec)
        x = arm.quantile(np.linspace(1e-6, 1 - 1e-6, 65))
        arm.cdf(x)
        arm.smooth_density(x)
        arm.lower_integral(0.1)
        arm.variance  # noqa: B018
