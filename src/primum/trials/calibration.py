"""Calibration: the critical value for a type I error, and the number of patients for a power."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from primum.errors import ParameterError, PrimumError
from primum.experiments.pieces import run_pieces
from primum.plugins.parameters import Parameter
from primum.rewards import Bernoulli
from primum.store import Store
from primum.trials import pieces
from primum.trials.design import MOST_PATIENTS, Design
from primum.trials.exact_characteristics import law_of
from primum.trials.exact_law import exact
from primum.trials.exact_law.calibration import critical_value, smallest_size
from primum.trials.measures import Measures
from primum.trials.operating import check_scenarios
from primum.trials.pieces import TrialPieces
from primum.trials.scenario import Scenario

NULL_PROBABILITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class CriticalValue(float):
    """A critical value, with the type I error that it gives and the Monte Carlo error of that, 0 if exact."""

    type_1: float
    type_1_error: float

    def __new__(cls, critical: float, type_1: float, type_1_error: float) -> CriticalValue:
        made = super().__new__(cls, critical)
        made.type_1, made.type_1_error = type_1, type_1_error
        return made

    def __repr__(self) -> str:
        how = "exact" if self.type_1_error == 0 else f"standard error {self.type_1_error:.2g}"
        return f"{float(self):.5g} (type I error {self.type_1:.4f}, {how})"


class SampleSize(int):
    """A number of patients, with the power that it gives and the Monte Carlo error of that, 0 if exact."""

    power: float
    power_error: float

    def __new__(cls, patients: int, power: float, power_error: float) -> SampleSize:
        made = super().__new__(cls, patients)
        made.power, made.power_error = power, power_error
        return made

    def __repr__(self) -> str:
        how = "exact" if self.power_error == 0 else f"standard error {self.power_error:.2g}"
        return f"{int(self)} (power {self.power:.4f}, {how})"


def calibrate(
    design: Design,
    alpha: float = 0.05,
    *,
    nulls: Mapping[str, Any] | None = None,
    replications: int = 20_000,
    seed: int = 0,
    store: Store | str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> CriticalValue:
    """The critical value whose type I error is at most alpha over the whole null hypothesis.

    It is compared with the statistic of the design's analysis: `critical` of a Z test, `threshold` of a posterior
    probability.

    For two arms with outcomes 0 and 1 it is exact, over every common probability of success, where `exact` admits the
    design. Otherwise trials are simulated in the scenarios `nulls`, or for common probabilities from 0.1 to 0.9, and
    the largest statistic of the comparisons exceeds the result in at most alpha of the trials of each; the same seed
    gives all designs the same patients.

    >>> from primum import policies, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=40, policy=policies.UniformRandom(),
    ...     analysis=trials.PooledZ(sided="greater"),
    ... )
    >>> calibrate(design, alpha=0.05, progress=False)
    1.6659 (type I error 0.0496, exact)
    """
    Parameter("", 0.0, 1.0, open_low=True, open_high=True).check("alpha", alpha)
    if not design.analysis.limit:
        raise ParameterError(
            f"{design.analysis.display_name} compares no statistic with a critical value, so there is none to find"
        )
    law = None if nulls is not None or design.looks else law_of(design, progress=progress)
    if law is not None:
        critical = critical_value(law, alpha)
        calibrated = design.analysis.spec() | {design.analysis.limit: critical}
        achieved = exact(design.replace(analysis=calibrated), progress=False).largest_type_1()
        return CriticalValue(critical, achieved.value, 0.0)
    scenarios = check_scenarios(nulls) if nulls is not None else _null_scenarios(design)
    found = _measured(design, scenarios, replications, seed, store, progress)
    largest = [each["evidence"].max(axis=1) for each in found.values()]
    critical = max(_upper_quantile(each, alpha) for each in largest)
    rates = [float((each > critical).mean()) for each in largest]
    rate = max(rates)
    return CriticalValue(critical, rate, max(math.sqrt(rate * (1 - rate) / replications), 1 / replications))


def size(
    design: Design,
    power: float,
    scenario: Any,
    *,
    most: int = 5_000,
    replications: int = 10_000,
    seed: int = 0,
    store: Store | str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> SampleSize:
    """The smallest number of patients with which the design has this power in a scenario, by bisection.

    Exact where `exact` admits the design and the scenario; otherwise from simulated trials of the same patients, so
    that the error of the power is the one that the result states. Power is not quite monotone in the number of
    patients: smaller numbers that also reach it are not excluded.
    """
    Parameter("", 0.0, 1.0, open_low=True, open_high=True).check("power", power)
    truth = Scenario.of(scenario).ordered(design.arms)
    is_binary = truth.is_binary and truth.drift is None and not design.looks
    if is_binary and law_of(design, progress=progress) is not None:
        p0, p1 = truth.probabilities.tolist()
        found = smallest_size(design, p0, p1, power, progress=progress)
        return SampleSize(found.patients, found.power, 0.0)
    least = max([len(design.arms), *design.looks])
    powers: dict[int, float] = {}

    def reaches(patients: int) -> bool:
        if patients not in powers:
            changed = design.replace(patients=patients)
            (measures,) = _measured(changed, {"": truth}, replications, seed, store, progress).values()
            powers[patients] = float(
                ((measures["concluded"] != 0).any(axis=1) | (measures["claimed"] > 0).any(axis=1)).mean()
            )
        return powers[patients] >= power

    most = min(most, MOST_PATIENTS)
    low, high = least - 1, least
    while not reaches(high):
        if high >= most:
            raise PrimumError(f"a power of {power:g} is not reached with {most} patients: {powers[high]:.4f}")
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    rate = powers[high]
    return SampleSize(high, rate, max(math.sqrt(rate * (1 - rate) / replications), 1 / replications))


def _null_scenarios(design: Design) -> dict[str, Scenario]:
    low, high = design.policy.reward_bounds
    if low > 0 or high < 1:
        raise ParameterError(
            f"{design.policy.display_name} is not made for outcomes 0 and 1: give the scenarios `nulls`"
        )
    return {f"{p:g}": Scenario([Bernoulli(p)] * len(design.arms)) for p in NULL_PROBABILITIES}


def _measured(
    design: Design, scenarios: Mapping[str, Scenario], replications: int, seed: int, store: Any, progress: bool
) -> dict[str, Measures]:
    kept = store if isinstance(store, Store) else Store(store)
    cells = {name: TrialPieces(design, each, seed, replications, kept) for name, each in scenarios.items()}
    if not run_pieces(cells.values(), pieces.compute, progress=progress):
        raise KeyboardInterrupt
    return {name: cell.measures() for name, cell in cells.items()}


def _upper_quantile(evidence: Any, alpha: float) -> float:
    """The smallest number that at most a fraction alpha of the evidence exceeds."""
    ordered = np.sort(evidence)
    return float(ordered[math.ceil((1 - alpha) * len(ordered)) - 1])
