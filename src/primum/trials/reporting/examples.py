"""One trial of each design, patient by patient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primum.text import counted
from primum.trials.design import Design
from primum.trials.one import Trial, simulate_one
from primum.trials.scenario import Scenario

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_DRAWN = 500  # patients
TALLEST, SHORTEST = 10.0, 2.0  # of the bar of a patient: the best outcome and the worst


@dataclass(frozen=True)
class Lane:
    """The patients of one arm: bars at their places in the order of enrolment, as an SVG path."""

    arm: str
    path: str
    text: str


@dataclass(frozen=True)
class Example:
    """A trial as the page shows it."""

    design: str
    drawn: int
    lanes: tuple[Lane, ...]
    sentences: tuple[str, ...]
    patients: DataFrame


def example(name: str, design: Design, scenario: Scenario, seed: int) -> Example:
    """The first simulated trial of a design in a scenario."""
    trial = simulate_one(design, scenario, seed=seed)
    patients = trial.patients
    shown = patients.head(MOST_DRAWN)
    low, high = float(patients["outcome"].min()), float(patients["outcome"].max())
    if scenario.is_binary:
        low, high = 0.0, 1.0
    lanes = []
    for arm in design.arms:
        mine = shown[shown["arm"] == arm]
        heights = SHORTEST + (TALLEST - SHORTEST) * (mine["outcome"] - low) / max(high - low, np.finfo(float).tiny)
        bars = zip(mine["patient"], heights, strict=True)
        path = "".join(f"M{patient - 0.5:g} {TALLEST:g}v-{height:.4g}" for patient, height in bars)
        lanes.append(Lane(arm, path, _text(patients[patients["arm"] == arm], binary=scenario.is_binary)))
    return Example(name, len(shown), tuple(lanes), tuple(_sentences(trial, len(patients))), patients)


def _text(mine: DataFrame, *, binary: bool) -> str:
    count = counted(len(mine), "patient")
    if mine.empty:
        return count
    total = mine["outcome"].sum()
    return f"{count}, {_successes(round(total))}" if binary else f"{count}, mean {mine['outcome'].mean():.3g}"


def _sentences(trial: Trial, size: int) -> list[str]:
    sentences = [f"Stopped after {size:,} patients: {trial.stopped}."] if trial.stopped else []
    for row in trial.analyse().to_dict("records"):
        p, estimate, low, high = (float(row[name]) for name in ("p_value", "estimate", "low", "high"))
        p_value = "undefined" if np.isnan(p) else "below 0.0001" if p < 1e-4 else f"{p:.4f}"
        result = f"significant in favour of {row['favours']}" if row["significant"] else "not significant"
        difference = "no estimate" if np.isnan(estimate) else f"difference {estimate:.3f}"
        median = "" if np.isnan(row["median_unbiased"]) else f", median-unbiased {row['median_unbiased']:.3f}"
        interval = "" if np.isnan(low) else f" [{low:.3f}, {high:.3f}] ({row['interval']})"
        sentences.append(
            f"{row['arm']} against {row['control']}: p-value {p_value}, {result}; {difference}{median}{interval}."
        )
    return sentences


def _successes(count: int) -> str:
    return f"{count:,} success" if count == 1 else f"{count:,} successes"
