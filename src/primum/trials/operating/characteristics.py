"""Operating characteristics of a design in a scenario, each with its standard error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.problem import ROUNDING_ERROR
from primum.results.measures import STUCK_FRACTION
from primum.trials.data import Floats
from primum.trials.design import Design
from primum.trials.operating.measures import Measures
from primum.trials.scenario import Scenario

QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True)
class Characteristic:
    """What an operating characteristic is called, what it means, and what it has a number for."""

    title: str
    text: str
    dims: tuple[str, ...] = ()
    unit: str = "probability"  # or "patients", "outcome", "time", "difference"


CHARACTERISTICS = {
    "reject": Characteristic(
        "Rejects",
        "any difference is declared, also a false one: type I error if there is none; power if none could be false",
    ),
    "claim": Characteristic(
        "Declared better", "the arm is declared better than the control; the control: than an arm", ("arm",)
    ),
    "power_any": Characteristic(
        "Power, any better arm", "at least one of the arms that are better than the control is declared better"
    ),
    "power_all": Characteristic(
        "Power, all better arms", "each of the arms that are better than the control is declared better"
    ),
    "best": Characteristic(
        "Best arm chosen",
        "a best arm has the highest estimated value in the end, among arms that no look dropped; ties are shared",
    ),
    "wrong": Characteristic("Wrong conclusion", "an arm is declared better though its true value is lower"),
    "patients": Characteristic("Patients", "patients on the arm, mean", ("arm",), "patients"),
    "patients_sd": Characteristic("Patients, SD", "standard deviation between trials", ("arm",), "patients"),
    "share": Characteristic("Share of patients", "share of the trial's patients on the arm", ("arm",)),
    "worse_majority": Characteristic("Worse arm leads", "a worse arm gets more than half of the patients"),
    "worse_tenth": Characteristic(
        "Worse arm ahead by a tenth", "a worse arm gets at least a tenth of all patients more than the best arm"
    ),
    "outcome": Characteristic("Total outcome", "sum of all outcomes, such as successes", (), "outcome"),
    "outcome_sd": Characteristic("Total outcome, SD", "standard deviation between trials", (), "outcome"),
    "gain": Characteristic(
        "Gain over equal randomisation", "total outcome minus that of equal randomisation of the same patients", (),
        "outcome",
    ),
    "regret": Characteristic("Safety-aware regret", "sum over patients of the gap of their arm", (), "outcome"),
    "stuck": Characteristic("Stuck", "the best arms get less than a fifth of the patients of equal randomisation"),
    "size": Characteristic("Patients enrolled", "mean number of patients", (), "patients"),
    "size_quantile": Characteristic("Patients enrolled, quantile", "of the trials", ("quantile",), "patients"),
    "duration": Characteristic("Duration", "time from the first patient to the last outcome", (), "time"),
    "duration_quantile": Characteristic("Duration, quantile", "of the trials", ("quantile",), "time"),
    "stop": Characteristic("Ends for", "the stopping rule ends it at a look, or decides at its end", ("reason",)),
    "bias": Characteristic("Bias", "mean error of the estimated difference to the control", ("arm",), "difference"),
    "rmse": Characteristic("Root mean squared error", "of the estimated difference", ("arm",), "difference"),
    "coverage": Characteristic(
        "Coverage", "the interval of the difference contains the truth, where there is one",
        ("arm",),
    ),
    "estimable": Characteristic("Estimate defined", "there is an estimate of the difference", ("arm",)),
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A characteristic with its standard error; arrays over its dimensions.

    `exact` says that there is no simulation behind it. An error of 0 does not say so.
    """

    name: str
    value: Floats
    error: Floats
    exact: bool = False


@dataclass(frozen=True)
class Truth:
    """What is true in a scenario: safety values and means of the arms over all patients."""

    values: Floats
    means: Floats

    @classmethod
    def of(cls, design: Design, scenario: Scenario) -> Truth:
        """The truth of a scenario for the patients of a design."""
        average = [scenario.average(arm, design.patients) for arm in range(len(scenario.arms))]
        return cls(
            np.array([design.value.true_value(each) for each in average]), np.array([each.mean for each in average])
        )

    @property
    def gaps(self) -> Floats:
        """The best true value minus that of each arm."""
        gaps = self.values.max() - self.values
        return np.where(gaps <= ROUNDING_ERROR * max(1.0, np.abs(self.values).max()), 0.0, gaps)

    @property
    def better(self) -> NDArray[np.bool_]:
        """Which arms are better than the control."""
        return np.asarray(self.gaps[0] - self.gaps > ROUNDING_ERROR * max(1.0, np.abs(self.values).max()))

    @property
    def best(self) -> NDArray[np.bool_]:
        """Which arms are best."""
        return np.asarray(self.gaps == 0)


def characteristics(measures: Measures, design: Design, truth: Truth) -> Iterator[Found]:
    """All operating characteristics of trials, with Monte Carlo errors; NaN where one has no meaning."""
    counts, concluded, claimed = measures["counts"], measures["concluded"], measures["claimed"] > 0
    size, best, gaps = measures["size"], truth.best, truth.gaps
    better = declared(measures)
    yield _rate("reject", better.any(axis=1))
    yield _rate("claim", better)
    powers = better[:, truth.better] if truth.better.any() else np.full((len(measures), 1), np.nan)
    yield _rate("power_any", powers.max(axis=1))
    yield _rate("power_all", powers.min(axis=1))
    yield _rate("best", measures["chosen"][:, best].sum(axis=1) + (np.nan if best.all() else 0.0))
    values = truth.values
    wrong = ((concluded > 0) & (values[1:] < values[0])) | ((concluded < 0) & (values[0] < values[1:]))
    yield _rate("wrong", wrong.any(axis=1) | (claimed & ~best).any(axis=1))
    yield _mean("patients", counts)
    yield _sd("patients_sd", counts)
    yield _mean("share", counts / size[:, None])
    worse = np.where(best, 0, counts).max(axis=1)
    lead = worse - np.where(best, counts, 0).max(axis=1)
    undefined = np.nan if best.all() else 0.0
    yield _rate("worse_majority", (2 * worse > size) + undefined)
    yield _rate("worse_tenth", (lead >= design.patients / 10) + undefined)
    outcome = measures["sums"].sum(axis=1)
    yield _mean("outcome", outcome)
    yield _sd("outcome_sd", outcome)
    yield _mean("gain", outcome - measures["expected"])
    yield _mean("regret", counts @ gaps)
    yield _rate("stuck", counts[:, best].sum(axis=1) < STUCK_FRACTION * best.mean() * size)
    yield _mean("size", size)
    yield _quantiles("size_quantile", size)
    yield _mean("duration", measures["duration"])
    yield _quantiles("duration_quantile", measures["duration"])
    stops = measures["reason"][:, None] == np.arange(len(design.monitoring.reasons))
    yield _rate("stop", stops)
    difference = truth.means[1:] - truth.means[0]
    estimate, low, high = measures["estimate"], measures["low"], measures["high"]
    yield _by_arm(_mean("bias", estimate - difference))
    yield _by_arm(_root_mean_square("rmse", estimate - difference))
    covered = np.where(np.isfinite(low), (low <= difference) & (difference <= high), np.nan)
    yield _by_arm(_rate("coverage", covered))
    yield _by_arm(_rate("estimable", np.isfinite(estimate)))


def declared(measures: Measures) -> NDArray[np.bool_]:
    """Which arms are declared better, at a look or by the analysis: trial x arm."""
    concluded = measures["concluded"]
    by_analysis = np.concatenate([(concluded < 0).any(axis=1, keepdims=True), concluded > 0], axis=1)
    return np.asarray(by_analysis | (measures["claimed"] > 0))


def _by_arm(found: Found) -> Found:
    """With NaN for the control, which is not compared with itself."""
    return Found(found.name, np.append(np.nan, found.value), np.append(np.nan, found.error))


def _mean(name: str, numbers: Any) -> Found:
    """The mean over trials, those without a number left out."""
    each = np.asarray(numbers, np.float64)
    known = np.isfinite(each)
    count = np.maximum(known.sum(axis=0), 1)
    total = np.where(known, each, 0.0)
    mean = np.where(known.any(axis=0), total.sum(axis=0) / count, np.nan)
    spread = (np.where(known, each - mean, 0.0) ** 2).sum(axis=0) / np.maximum(count - 1, 1)
    return Found(name, mean, np.where(known.any(axis=0), np.sqrt(spread / count), np.nan))


def _rate(name: str, happened: Any) -> Found:
    """The fraction of trials in which something happened, of those in which it could have.

    In none or in all of n trials it still has an error: that of Agresti and Coull (The American Statistician 52, 1998),
    who add two trials in which it happened and two in which it did not.
    """
    found = _mean(name, happened)
    count = np.isfinite(np.asarray(happened, np.float64)).sum(axis=0) + 4
    least = np.sqrt(2 / count * (1 - 2 / count) / count)
    is_same = (found.value == 0) | (found.value == 1)
    return Found(name, found.value, np.where(is_same, least, found.error))


def _sd(name: str, each: Floats) -> Found:
    count = len(each)
    if count < 2:
        return Found(name, np.full(each.shape[1:], np.nan), np.full(each.shape[1:], np.nan))
    sd = each.std(axis=0, ddof=1)
    fourth = ((each - each.mean(axis=0)) ** 4).mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(np.maximum(fourth - sd**4, 0.0) / count) / (2 * sd)
    return Found(name, sd, np.where(sd > 0, error, 0.0))


def _root_mean_square(name: str, each: Floats) -> Found:
    squared = _mean(name, each**2)
    root = np.sqrt(squared.value)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Found(name, root, np.where(root > 0, squared.error / (2 * root), squared.error))


def _quantiles(name: str, each: Floats) -> Found:
    """Quantiles over trials, with half the width of the 68 % interval from order statistics as their error."""
    ordered, count = np.sort(each), len(each)
    if not count:
        return Found(name, np.full(len(QUANTILES), np.nan), np.full(len(QUANTILES), np.nan))
    levels = np.array(QUANTILES)
    spread = np.sqrt(levels * (1 - levels) / count)
    low, high = (np.clip((levels + sign * spread) * count, 0, count - 1).astype(int) for sign in (-1, 1))
    return Found(name, np.quantile(ordered, levels, method="inverted_cdf"), (ordered[high] - ordered[low]) / 2)
