"""The patients of the clinical trial: their survival in categories, its moments, and how sure one can be of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from primum.rewards.veterans_lung_cancer import recorded_patients

Array = np.ndarray[Any, Any]

RESAMPLES = 10_000
SEED = 1980
LONG = 900  # days; whoever survived as long is in the tenth category of a hundred days


@dataclass(frozen=True)
class Patients:
    """Those who got one treatment, by survival in ascending order."""

    treatment: int
    days: Array
    died: Array

    @cached_property
    def resampled(self) -> Array:
        """Days of as many patients drawn again with replacement, in ascending order, `RESAMPLES` times over."""
        rng = np.random.default_rng([SEED, self.treatment])
        drawn: Array = np.sort(rng.integers(len(self.days), size=(RESAMPLES, len(self.days))))
        return self.days[drawn]

    @property
    def short(self) -> Array:
        """Days of all but the few who survived very long."""
        return self.days[self.days < LONG]

    def dead_within(self, days: int) -> float:
        """The probability of death within so many days after Kaplan and Meier (J. Am. Statist. Ass. 53, 1958)."""
        alive = 1.0
        for day in np.unique(self.days[self.died & (self.days <= days)]):
            alive *= 1 - np.sum(self.died & (self.days == day)) / np.sum(self.days >= day)
        return 1 - alive


def patients() -> tuple[Patients, Patients]:
    """Those who got treatment 1, the standard one, and those who got treatment 2, the test."""
    one, two = (
        Patients(treatment, *(np.array(column) for column in zip(*sorted(arm), strict=True)))
        for treatment, arm in enumerate(recorded_patients().values(), 1)
    )
    return one, two


def of_width(width: int) -> Callable[[Array], Array]:
    """Ten categories of so many days; the last has no end."""
    return lambda days: np.minimum(days // width + 1, 10)


def equal_width(days: Array) -> Array:
    """Ten categories of equal width from the shortest to the longest survival; an edge belongs to what it ends."""
    return _up_to(np.linspace(*_ends(), 11), days)


def equal_ratio(days: Array) -> Array:
    """The same in the logarithm of the days."""
    return _up_to(np.geomspace(*_ends(), 11), days)


def tenths(days: Array) -> Array:
    """Categories of equally many patients, of both treatments together."""
    return _up_to(np.quantile(_everyone(), np.linspace(0, 1, 11)), days)


def _up_to(edges: Array, days: Array) -> Array:
    return np.searchsorted(edges[1:-1], days) + 1


@cache
def _everyone() -> Array:
    return np.concatenate([arm.days for arm in patients()])


def _ends() -> tuple[float, float]:
    return float(_everyone().min()), float(_everyone().max())


BY_HUNDRED = "100 days"
CATEGORISATIONS: dict[str, Callable[[Array], Array]] = {
    BY_HUNDRED: of_width(100),
    "75 days, the last open": of_width(75),
    "60 days, the last open": of_width(60),
    "50 days, the last open": of_width(50),
    "equal width, shortest to longest": equal_width,
    "equal width in log days": equal_ratio,
    "tenths of all patients": tenths,
}
SCALES: dict[str, Callable[[Array], Array]] = {  # of categories
    "unit": lambda category: (category - 1) / 9,
    "tenths": lambda category: category / 10,
    "categories": lambda category: category,
}


def unit(days: Array) -> Array:
    """Rewards as in the main run: categories of a hundred days, from 0 to 1."""
    return SCALES["unit"](CATEGORISATIONS[BY_HUNDRED](days))


# Statistics of the last axis, so that one call does all resamples; days are in ascending order.


def mean_variance(rewards: Array, rho: float = 1.0) -> Array:
    """The mean less rho times the variance, the variance being that of the patients themselves."""
    return np.asarray(rewards.mean(axis=-1) - rho * rewards.var(axis=-1))


def mean_difference(rewards: Array) -> Array:
    """The mean absolute difference between two patients, a measure of spread that does not square."""
    n = rewards.shape[-1]
    return np.asarray(np.sort(rewards) @ (2 * np.arange(n) - n + 1) * 2 / (n * (n - 1)))


def worst_tenth(days: Array) -> Array:
    """The mean of the lowest tenth, CVaR; the patient at the edge counts in part."""
    count = days.shape[-1] / 10
    return np.asarray(days @ np.clip(count - np.arange(days.shape[-1]), 0, 1) / count)


def interval(resampled: Array) -> tuple[float, float]:
    """The 95 % interval of a statistic from its resamples, by their quantiles."""
    low, high = np.quantile(resampled, (0.025, 0.975))
    return float(low), float(high)


def critical_rho(one: Array, two: Array) -> float:
    """The rho at which two samples are equally good by mean less rho times variance."""
    return float((two.mean() - one.mean()) / (two.var() - one.var()))
