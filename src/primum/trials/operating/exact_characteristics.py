"""Operating characteristics without Monte Carlo error, where a design and a scenario admit them."""

from __future__ import annotations

from typing import Any

import numpy as np

from primum.errors import ParameterError, PrimumError
from primum.runs.progress import Progress
from primum.trials.design import Design
from primum.trials.exact_law import Law, exact
from primum.trials.exact_law.feasible import check, states
from primum.trials.operating.characteristics import Found, Truth
from primum.trials.scenario import Scenario
from primum.values import Mean

ROUNDING = 1e-12
MOST_STATES = 80_000_000  # over the whole recursion: some seconds, as for 200 patients
MOST_LOOKED_AT = 1_000_000  # if a stopping rule decides on them, which takes longer


def exact_characteristics(
    design: Design, scenario: Scenario, *, progress: bool | Progress = True
) -> list[Found] | None:
    """The characteristics that can be computed exactly; None if none can."""
    if not scenario.is_binary or scenario.drift is not None:
        return None
    law = quick_law(design, progress=progress)
    return None if law is None else _found(law, design, Truth.of(design, scenario), *map(float, scenario.probabilities))


def is_feasible(design: Design) -> bool:
    """Whether the recursion covers a design."""
    try:
        check(design)
    except ParameterError:
        return False
    return True


def quick_law(design: Design, *, progress: bool | Progress = True) -> Law | None:
    """The law of a design; None if there is none, or it takes long."""
    if not is_feasible(design) or sum(states(design)) > (MOST_LOOKED_AT if design.looks else MOST_STATES):
        return None
    return law_of(design, progress=progress)


def law_of(design: Design, *, progress: bool | Progress = True) -> Law | None:
    """The law of a design; None if the recursion does not cover it, or its analysis needs patients one by one."""
    if not is_feasible(design):
        return None
    law = exact(design, progress=progress)
    try:
        law.rejected  # noqa: B018
    except PrimumError:
        return None
    return law


def _found(law: Law, design: Design, truth: Truth, p0: float, p1: float) -> list[Found]:
    size, patients, successes = law.size(p0, p1), law.patients(p0, p1), law.successes(p0, p1)
    numbers: dict[str, Any] = {
        "reject": law.reject(p0, p1),
        "claim": law.declared(p0, p1),
        "patients": patients,
        "patients_sd": law.patients_sd(p0, p1),
        "outcome": successes,
        "outcome_sd": law.successes_sd(p0, p1),
        "gain": successes - size * (p0 + p1) / 2,
        "regret": patients @ truth.gaps,
        "size": size,
    }
    if not design.looks:
        numbers["share"] = patients / design.patients
        if isinstance(design.value, Mean) and p0 != p1:
            numbers["best"] = law.highest(p0, p1)[int(p1 > p0)]
    if truth.better[1]:
        numbers["power_any"] = numbers["power_all"] = numbers["claim"][1]
    is_ordered = (p1 - p0) * (truth.values[1] - truth.values[0]) > 0  # a larger probability may have a lower value
    if p0 == p1 or is_ordered:
        numbers["wrong"] = law.wrong(p0, p1) if p0 != p1 else 0.0
    if is_ordered:
        numbers |= {"worse_majority": law.worse_majority(p0, p1), "worse_tenth": law.worse_imbalance(p0, p1)}
    if design.estimator == "naive":
        numbers |= {"bias": np.append(np.nan, law.bias(p0, p1)), "rmse": np.append(np.nan, law.rmse(p0, p1))}
        if design.analysis.interval_is_slow:
            numbers["coverage"] = np.append(np.nan, law.coverage(p0, p1))
    return [
        Found(name, np.where(np.abs(number) < ROUNDING, 0.0, number), np.zeros(np.shape(number)), exact=True)
        for name, number in numbers.items()
    ]
