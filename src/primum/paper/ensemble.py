"""Many environments: the same policies in each, and statistics in which an environment is one observation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.figures import Line
from primum.results import Results
from primum.results.intervals import mean_band

Array = np.ndarray[Any, Any]
Measure = Callable[[Results], Array]  # what is looked at: policy x replication x step

SPREADS = ("within", "typical", "total")
SHARES = ("best-arm", "favourite")  # their intervals are cut at 0 and 1
ROUNDING = 1e-12  # runs that differ by less, measured by their size, are the same


def regret(results: Results) -> Array:
    """Accumulated regret."""
    return np.asarray(results.regret)


def best_arm(results: Results) -> Array:
    """The share of pulls of a best arm so far."""
    return np.asarray(results.best_arm_share)


def favourite(results: Results) -> Array:
    """The share of pulls of the arm that was pulled most, best or not."""
    return np.asarray(results.pulls.max("arm")) / results.steps


MEASURES: Mapping[str, Measure] = {"regret": regret, "best-arm": best_arm, "favourite": favourite}


@dataclass(frozen=True)
class Ensemble:
    """`samples[measure][policy]` is environment x replication x step.

    Runs in one environment are alike, so an interval is one over environments, of their means over replications. Of a
    single environment it is one over replications. Without a `step` the last one is meant.

    >>> made_up = np.arange(12.0).reshape(2, 3, 2)
    >>> ensemble = Ensemble(np.array([10, 20]), {"regret": {"a": made_up, "b": made_up + 1}})
    >>> ensemble.means("a").tolist()
    [3.0, 9.0]
    >>> ensemble.paired("a", "b").tolist()
    [-1.0, -1.0, -1.0]
    """

    steps: Array
    samples: Mapping[str, Mapping[str, Array]]

    @classmethod
    def of(cls, results: Sequence[Results], measures: Mapping[str, Measure] = MEASURES) -> Ensemble:
        """Results of one environment each, stacked; policies, steps and replications must be the same in all."""
        if not results:
            raise ParameterError("an ensemble needs the results of one environment at least, got none")
        shapes = {(tuple(one.labels), tuple(one.steps.tolist()), len(one.replications)) for one in results}
        if len(shapes) > 1:
            raise PrimumError("environments can be stacked if policies, steps and replications are the same in all")
        stacked = {name: np.stack([measure(one) for one in results], axis=1) for name, measure in measures.items()}
        labels = results[0].labels
        return cls(results[0].steps, {name: dict(zip(labels, all_, strict=True)) for name, all_ in stacked.items()})

    @classmethod
    def named(cls, results: Mapping[str, Results], name: str, measures: Mapping[str, Measure] = MEASURES) -> Ensemble:
        """Stack all results that are called ``name/...``."""
        found = [results[key] for key in sorted(results) if key.startswith(f"{name}/")]
        if not found:
            raise UnknownNameError("group of environments", name, sorted({key.partition("/")[0] for key in results}))
        return cls.of(found, measures)

    @property
    def policies(self) -> list[str]:
        """The labels of the policies, in order."""
        return list(next(iter(self.samples.values())))

    @property
    def environments(self) -> int:
        """How many there are."""
        return len(self._all(self.policies[0], next(iter(self.samples))))

    @property
    def replications(self) -> int:
        """How many there are in each environment."""
        return int(self._all(self.policies[0], next(iter(self.samples))).shape[1])

    def halves(self) -> tuple[Ensemble, Ensemble]:
        """Every second environment, or replication of a single one, and the others: to choose here, to judge there."""
        axis = 0 if self.environments > 1 else 1
        first, second = (
            {
                measure: {name: np.take(all_, range(i, all_.shape[axis], 2), axis) for name, all_ in samples.items()}
                for measure, samples in self.samples.items()
            }
            for i in range(2)
        )
        return Ensemble(self.steps, first), Ensemble(self.steps, second)

    def at(self, policy: str, measure: str = "regret", step: int | None = None) -> Array:
        """Environment x replication, at a recorded step."""
        where = np.flatnonzero(self.steps == (self.steps[-1] if step is None else step))
        if not where.size:
            raise ParameterError(f"step {step} was not recorded; recorded are {self.steps.tolist()}")
        return np.asarray(self._all(policy, measure)[..., where[0]])

    def means(self, policy: str, measure: str = "regret", step: int | None = None) -> Array:
        """The mean over replications, in each environment."""
        return np.asarray(self.at(policy, measure, step).mean(axis=1))

    def mean(self, policy: str, measure: str = "regret", step: int | None = None) -> Array:
        """The mean with its interval."""
        return _cut(mean_band(_units(self.at(policy, measure, step))), measure)

    def line(self, policy: str, measure: str = "regret", label: str | None = None) -> Line:
        """The mean with its interval over all steps, to be drawn."""
        return Line(label or policy, *_cut(mean_band(_units(self._all(policy, measure))), measure))

    def paired(self, a: str, b: str, measure: str = "regret", step: int | None = None) -> Array:
        """The mean difference, a less b, with its interval: both policies met the same rewards of each arm."""
        return mean_band(_units(self.at(a, measure, step) - self.at(b, measure, step)))

    def ratio(self, a: str, b: str, measure: str = "regret", step: int | None = None) -> Array:
        """The mean of a over the mean of b, with its interval."""
        return ratio_band(_units(self.at(a, measure, step)), _units(self.at(b, measure, step)))

    def deviation(self, policy: str, measure: str = "regret", step: int | None = None) -> float:
        """The standard deviation over replications within an environment: the root of the mean variance."""
        return float(np.sqrt(_variances(self.at(policy, measure, step)).mean()))

    def spread_ratio(
        self, a: str, b: str, measure: str = "regret", step: int | None = None, spread: str = "within"
    ) -> Array:
        """The standard deviation of a over that of b, with its interval.

        - ``within``: over replications of the same environment. Variances are averaged over environments before they
          are divided, so that the estimate does not depend on the number of replications.
        - ``typical``: the same ratio in each environment, and the geometric mean of these. It needs many replications:
          of something that happens in one run of ten, ten runs often show no spread at all. An environment in which
          all runs of both policies are the same has no ratio; if only those of one are, there is no mean.
        - ``total``: over all runs, as if each had been played in an environment of its own.

        The interval of a single environment is that of normal samples (F).
        """
        first, second = self.at(a, measure, step), self.at(b, measure, step)
        if spread not in SPREADS:
            raise UnknownNameError("spread", spread, SPREADS)
        if spread == "total":
            return np.sqrt(ratio_band(*(((one - one.mean()) ** 2).mean(axis=1) for one in (first, second))))
        above, below = _variances(first), _variances(second)
        if len(first) == 1:
            return np.sqrt(variance_ratio_band(float(above[0]), float(below[0]), self.replications))
        if spread == "within":
            return np.sqrt(ratio_band(above, below))
        known = (above > 0) | (below > 0)
        if not (above[known] * below[known] > 0).all():
            return np.full(3, np.nan)
        return np.asarray(np.exp(mean_band(np.log(above[known] / below[known]) / 2)))

    def looks_steadier(self, a: str, b: str, measures: Sequence[str], size: int = 10, step: int | None = None) -> float:
        """How often a would show the smaller standard deviation in all measures to one who repeats `size` times.

        Replications of an environment are divided into groups of that size.
        """
        groups = self.replications // size
        if not groups:
            return float("nan")
        wins = np.ones((self.environments, groups), np.bool_)
        for measure in measures:
            first, second = (
                self.at(policy, measure, step)[:, : groups * size].reshape(-1, groups, size).std(axis=-1)
                for policy in (a, b)
            )
            wins &= first < second
        return float(wins.mean())

    def _all(self, policy: str, measure: str) -> Array:
        if measure not in self.samples:
            raise UnknownNameError("measure", measure, self.samples)
        if policy not in self.samples[measure]:
            raise UnknownNameError("policy in these environments", policy, self.samples[measure])
        return self.samples[measure][policy]


def ratio_band(above: Array, below: Array) -> Array:
    """The ratio of two means of paired observations, and its interval: Student t for the logarithm, linearised.

    >>> ratio_band(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])).tolist()
    [0.5, 0.5, 0.5]
    """
    top, bottom = float(above.mean()), float(below.mean())
    if not (top > 0 and bottom > 0):
        return np.array([top / bottom if bottom > 0 else np.nan, np.nan, np.nan])
    return np.asarray(top / bottom * np.exp(mean_band(above / top - below / bottom)))


def variance_ratio_band(above: float, below: float, size: int) -> Array:
    """The ratio of two samples' variances and its interval by the F distribution, for independent normal samples.

    >>> variance_ratio_band(4.0, 1.0, size=10).round(3).tolist()
    [4.0, 0.994, 16.104]
    """
    if size < 2 or not below > 0:
        return np.full(3, np.nan)
    from scipy.special import fdtri

    ends = (fdtri(size - 1, size - 1, share) for share in (0.975, 0.025))
    return np.array([above / below, *(above / below / end for end in ends)])


def _units(samples: Array) -> Array:
    """The observations: means of environments, or the replications of a single one."""
    return np.asarray(samples[0] if len(samples) == 1 else samples.mean(axis=1))


def _cut(band: Array, measure: str) -> Array:
    return np.clip(band, 0, 1) if measure in SHARES else band


def _variances(samples: Array) -> Array:
    """The variance over replications in each environment; a single replication has none."""
    if samples.shape[1] < 2:
        return np.full(len(samples), np.nan)
    same = np.ptp(samples, axis=1) <= ROUNDING * np.abs(samples).max(axis=1)
    return np.where(same, 0.0, samples.var(axis=1, ddof=1))
