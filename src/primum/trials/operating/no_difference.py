"""Scenarios without a difference between arms, and what designs do in them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from primum.errors import PrimumError
from primum.rewards import Bernoulli
from primum.trials.data import Floats
from primum.trials.design import Design
from primum.trials.exact_law import LargestError
from primum.trials.operating.exact_characteristics import quick_law
from primum.trials.operating.operate import operate
from primum.trials.operating.operating_characteristics import OperatingCharacteristics
from primum.trials.scenario import Scenario

NULL_PROBABILITIES = np.array([0.01, 0.02, *np.round(np.arange(0.05, 0.951, 0.05), 2), 0.98, 0.99])
DRIFTS = np.round(np.arange(0.0, 0.51, 0.1), 2)


def without_difference(oc: OperatingCharacteristics, *, drift: bool) -> OperatingCharacteristics:
    """The same designs without a difference between arms, by the probability of success or by the drift.

    Seed and store are the same, so that what has been simulated is not simulated again.
    """
    for name, design in oc.designs.items():
        low, high = design.policy.reward_bounds
        if low > 0 or high < 1:
            raise PrimumError(f"this figure has outcomes 0 and 1, which the policy of {name!r} is not made for")
    scenarios = drifts(oc.data.sizes["arm"]) if drift else nulls(oc.designs)
    return operate(oc.designs, scenarios, replications=oc.replications, seed=oc.seed, store=oc.store, progress=True)


def largest_errors(designs: Mapping[str, Design]) -> dict[str, LargestError]:
    """The largest type I error over every common probability of success, for designs where it is exact."""
    laws = {name: quick_law(design) for name, design in designs.items()}
    return {name: law.largest_type_1() for name, law in laws.items() if law is not None}


def null_probabilities(designs: Mapping[str, Design]) -> Floats:
    """Common probabilities of success from close to 0 to close to 1, with those of the largest exact type I errors."""
    worst = np.round([largest.p for largest in largest_errors(designs).values()], 4)
    return np.unique([*NULL_PROBABILITIES, *worst[(worst > 0) & (worst < 1)]])


def nulls(designs: Mapping[str, Design]) -> dict[str, Scenario]:
    """Scenarios without a difference between arms, for outcomes 0 and 1."""
    arms = len(next(iter(designs.values())).arms)
    return {f"{p:g}": Scenario([Bernoulli(float(p))] * arms) for p in null_probabilities(designs)}


def drifts(arms: int) -> dict[str, Scenario]:
    """Scenarios without a difference between arms, in which patients change over time."""
    return {f"{by:g}": Scenario([Bernoulli(0.3)] * arms, drift=float(by)) for by in DRIFTS}
