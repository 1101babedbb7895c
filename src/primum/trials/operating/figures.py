"""Figures of operating characteristics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from primum.errors import PrimumError, UnknownNameError
from primum.figures import Bars, Cloud, Curves, Dots, Forest, Line, Row
from primum.trials.data import Floats
from primum.trials.operating.operating_characteristics import Figure, OperatingCharacteristics
from primum.trials.operating.without_difference import DRIFTS, null_probabilities

if TYPE_CHECKING:
    from xarray import DataArray

NORMAL_95 = 1.959964
MOST_NAMED = 8  # points with their names beside them
INTERVAL = "95 % Monte Carlo interval"


def draw(oc: OperatingCharacteristics, kind: str) -> Any:
    """A figure by its name; those of the type I error need characteristics `without_difference`."""
    if kind not in get_args(Figure):
        raise UnknownNameError("figure", kind, get_args(Figure))
    return {
        "power": _power,
        "allocation": _allocation,
        "type-1": _type_1,
        "trade-off": _trade_off,
        "size": _size,
        "estimates": _estimates,
        "drift": _drift,
    }[kind](oc)


def _trials(oc: OperatingCharacteristics) -> str:
    return f"{oc.replications:,} trials each; seed {oc.seed}"


def _precision(oc: OperatingCharacteristics, name: str) -> str:
    """What the interval of a characteristic is, and how many trials are behind it, unless all its numbers are exact."""
    exact = oc.data["exact"].sel(characteristic=name).values
    return "exact" if exact.all() else f"{INTERVAL}{', or exact' if exact.any() else ''}; {_trials(oc)}"


def _band(value: DataArray, error: DataArray, low: float = 0.0, high: float = 1.0) -> tuple[Floats, Floats, Floats]:
    middle, half = value.values, NORMAL_95 * error.values
    return middle, np.clip(middle - half, low, high), np.clip(middle + half, low, high)


def _bars(oc: OperatingCharacteristics, name: str, title: str, label: str, high: float) -> Bars:
    series = []
    for design in oc.designs:
        at = {"design": design}
        series.append(Line(design, *_band(oc.data[name].sel(at), oc.data[f"{name}_error"].sel(at), 0.0, high)))
    return Bars(title, _precision(oc, name), "Scenario", label, tuple(oc.scenarios), tuple(series))


def _power(oc: OperatingCharacteristics) -> Bars:
    title = "How often a difference is declared, true or false: type I error where there is none"
    return _bars(oc, "reject", title, "Probability to reject", 1.0)


def _size(oc: OperatingCharacteristics) -> Bars:
    most = max(design.patients for design in oc.designs.values())
    return _bars(oc, "size", "Patients enrolled", "Mean number of patients", float(most))


def _allocation(oc: OperatingCharacteristics) -> Bars:
    categories = [f"{scenario}: {arm}" for scenario in oc.scenarios for arm in oc.data["arm"].values]
    series = []
    for design in oc.designs:
        patients, spread = (oc.data[name].sel(design=design).values.ravel() for name in ("patients", "patients_sd"))
        series.append(Line(design, patients, np.maximum(0.0, patients - spread), patients + spread))
    subtitle = f"whiskers: one standard deviation between trials; {_trials(oc)}"
    return Bars("Patients on each arm", subtitle, "", "Patients", tuple(categories), tuple(series))


def better_share(oc: OperatingCharacteristics, scenario: str) -> tuple[Floats, Floats]:
    """The share of patients on the best arms in a scenario, and its standard error, by design."""
    best = _best(oc, scenario)
    share = oc.data["share"].sel(scenario=scenario).values[:, best].sum(axis=1)
    return share, oc.data["share_error"].sel(scenario=scenario).values[:, best].max(axis=1)


def _best(oc: OperatingCharacteristics, scenario: str) -> NDArray[np.intp]:
    """The arms with the highest true value in a scenario."""
    truth = oc.scenarios[scenario].ordered(oc.data["arm"].values.tolist())
    design = next(iter(oc.designs.values()))
    values = truth.true_values(design.value, design.patients)
    return np.flatnonzero(values == values.max())


def differs(oc: OperatingCharacteristics, scenario: str) -> bool:
    """Whether the arms differ in a scenario."""
    design = next(iter(oc.designs.values()))
    values = oc.scenarios[scenario].ordered(design.arms).true_values(design.value, design.patients)
    return bool(np.ptp(values) > 1e-9)


def _trade_off(oc: OperatingCharacteristics) -> Dots:
    differing = [name for name in oc.scenarios if differs(oc, name)]
    if not differing:
        raise PrimumError("the trade-off needs a scenario in which the arms differ")
    clouds = []
    for i, design in enumerate(oc.designs):
        found = oc.data["claim"].sel(design=design)
        power = [float(found.sel(scenario=name)[_best(oc, name)].mean()) for name in differing]
        share = [float(better_share(oc, name)[0][i]) for name in differing]
        clouds.append(Cloud(design, np.array(share), np.array(power)))
    which = differing[0] if len(differing) == 1 else f"a point for each of {', '.join(differing)}"
    return Dots(
        "What a design gives its patients, and what it costs",
        f"{which}; {_trials(oc)}",
        "Share of patients on the best arm",
        "Power" if oc.data.sizes["arm"] == 2 else "Power for the best arm",
        tuple(clouds),
        diagonal=False,
        framed=True,
        named=len(differing) == 1 and len(clouds) <= MOST_NAMED,
    )


def _estimates(oc: OperatingCharacteristics) -> Forest:
    rows = []
    for scenario in oc.scenarios:
        for design in oc.designs:
            for arm in oc.data["arm"].values[1:]:
                at = {"design": design, "scenario": scenario, "arm": arm}
                bias, error = float(oc.data["bias"].sel(at)), NORMAL_95 * float(oc.data["bias_error"].sel(at))
                label = scenario if oc.data.sizes["arm"] == 2 else f"{scenario}: {arm}"
                rows.append(Row(label, bias, bias - error, bias + error, design))
    subtitle = f"estimated difference to the control minus the truth; {_precision(oc, 'bias')}"
    return Forest("Bias of the estimates", subtitle, "Bias of the difference", tuple(rows), reference=0.0)


def _lines(oc: OperatingCharacteristics) -> tuple[Line, ...]:
    return tuple(
        Line(name, *_band(oc.data["reject"].sel(design=name), oc.data["reject_error"].sel(design=name)))
        for name in oc.designs
    )


def _top(lines: Sequence[Line]) -> float:
    highest = max(float(np.nanmax(line.high)) for line in lines)
    return min(1.0, max(0.1, 1.15 * highest))


def _type_1(oc: OperatingCharacteristics) -> Curves:
    x = null_probabilities(oc.designs)
    return _without_difference(
        oc,
        x,
        "Type I error by the probability of success that all arms share",
        f"{len(x)} probabilities from {x[0]:g} to {x[-1]:g}, no drift",
        "Probability of success of all arms",
    )


def _drift(oc: OperatingCharacteristics) -> Curves:
    return _without_difference(
        oc,
        DRIFTS,
        "Type I error when patients change over time",
        "all arms have the same probability of success, from 0.3 to 0.3 + drift",
        "Drift over the trial",
    )


def _without_difference(oc: OperatingCharacteristics, x: Floats, title: str, text: str, x_label: str) -> Curves:
    """The type I error of the designs in scenarios without a difference, which are those of `oc`."""
    lines = _lines(oc)
    return Curves(
        title,
        f"{text}; {_precision(oc, 'reject')}",
        "Type I error",
        x,
        lines,
        share=True,
        x_label=x_label,
        legend="Design",
        top=_top(lines),
    )
