"""The patients of the clinical trial: their survival in categories, its moments, and the uncertainty of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from primum.figures import Mark
from primum.results.intervals import Array
from primum.rewards.veterans_lung_cancer import recorded_patients
from reproduction.claims import LONG_SURVIVAL

Statistic = Callable[[Array], Array]  # of the last axis

RESAMPLES = 10_000
SEED = 1980


@dataclass(frozen=True)
class Patients:
    """The patients on one treatment, in ascending order of survival."""

    days: Array
    died: Array

    @property
    def short(self) -> Array:
        """Days of all but the few who survived very long."""
        return self.days[self.days < LONG_SURVIVAL]

    def dead_within(self, days: int) -> float:
        """The probability of death within so many days (Kaplan and Meier, J. Am. Statist. Ass. 53, 1958)."""
        from scipy.stats import CensoredData, ecdf

        censored = CensoredData.right_censored(self.days, ~self.died)
        return 1 - float(ecdf(censored).sf.evaluate(np.array(days)))


@cache
def patients() -> tuple[Patients, Patients]:
    """Those on treatment 1, the standard one, and those on treatment 2, the test."""
    one, two = (
        Patients(*(np.array(column) for column in zip(*sorted(arm), strict=True)))
        for arm in recorded_patients().values()
    )
    return one, two


def each(cut: Statistic) -> tuple[Array, Array]:
    """The survival of those on each treatment, cut into categories or made into rewards."""
    one, two = patients()
    return cut(one.days), cut(two.days)


def resampled(statistic: Callable[..., Array], *samples: Array) -> tuple[Array, Array]:
    """The ends of the 95 % percentile interval of a statistic of these samples, and its bootstrap distribution."""
    from scipy.stats import bootstrap

    found = bootstrap(
        samples,
        lambda *drawn, axis=-1: statistic(*drawn),
        n_resamples=RESAMPLES,
        vectorized=True,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    return np.array(found.confidence_interval), np.asarray(found.bootstrap_distribution)


def of_width(width: int) -> Callable[[Array], Array]:
    """Ten categories of so many days; the last has no upper end."""
    return lambda days: np.minimum(days // width + 1, 10)


def equal_width(days: Array) -> Array:
    """Ten categories of equal width from the shortest to the longest survival, closed on the right."""
    return _up_to(np.linspace(*_range(), 11), days)


def equal_ratio(days: Array) -> Array:
    """The same on a logarithmic scale."""
    return _up_to(np.geomspace(*_range(), 11), days)


def deciles(days: Array) -> Array:
    """Ten categories with equally many patients of both treatments together."""
    return _up_to(np.quantile(_everyone(), np.linspace(0, 1, 11)), days)


def _up_to(edges: Array, days: Array) -> Array:
    return np.searchsorted(edges[1:-1], days) + 1


def _everyone() -> Array:
    return np.concatenate([arm.days for arm in patients()])


def _range() -> tuple[float, float]:
    return float(_everyone().min()), float(_everyone().max())


BY_HUNDRED = "100 days"
CATEGORISATIONS: dict[str, Callable[[Array], Array]] = {
    BY_HUNDRED: of_width(100),
    "75 days, the last open": of_width(75),
    "60 days, the last open": of_width(60),
    "50 days, the last open": of_width(50),
    "equal width, shortest to longest": equal_width,
    "equal width in log days": equal_ratio,
    "deciles of all patients": deciles,
}
SCALES: dict[str, Callable[[Array], Array]] = {  # of categories
    "category rescaled to [0, 1]": lambda category: (category - 1) / 9,
    "category in tenths": lambda category: category / 10,
    "category from 1 to 10": lambda category: category,
}
category = CATEGORISATIONS[BY_HUNDRED]


def unit(days: Array) -> Array:
    """Rewards as in the main simulation: categories of 100 days, rescaled to [0, 1]."""
    return (category(days) - 1) / 9


def in_days(days: Array) -> Array:
    """Rewards without categories."""
    return days / 1000


def mean_variance(rewards: Array, rho: float = 1.0) -> Array:
    """The mean minus rho times the variance of the recorded patients."""
    return np.asarray(rewards.mean(axis=-1) - rho * rewards.var(axis=-1))


def mean_difference(rewards: Array) -> Array:
    """The mean absolute difference between two patients, a measure of spread that does not square."""
    n = rewards.shape[-1]
    return np.asarray(np.sort(rewards) @ (2 * np.arange(n) - n + 1) * 2 / (n * (n - 1)))


def worst_tenth(days: Array) -> Array:
    """The mean of the lowest tenth, CVaR; the patient at the edge has a fractional weight."""
    count = days.shape[-1] / 10
    return np.asarray(np.sort(days) @ np.clip(count - np.arange(days.shape[-1]), 0, 1) / count)


def critical_rho(one: Array, two: Array) -> float:
    """The rho at which two samples have equal mean minus rho times variance."""
    return float((two.mean() - one.mean()) / (two.var() - one.var()))


def equal_at(rho: float) -> Mark:
    """The mark at this rho in a figure."""
    return Mark(rho, f"equal at {rho:.3f}")
