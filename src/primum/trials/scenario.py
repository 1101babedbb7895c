"""A scenario: one truth about the arms, with a drift over the trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from primum.errors import ParameterError, quoted, within
from primum.plugins import registry
from primum.plugins.parameters import parameter
from primum.plugins.registry import Plugin
from primum.problem import LARGEST, SIZE, check_size, rewards_at, true_value
from primum.rewards import Bernoulli, Clipped, Mixture, RewardDistribution
from primum.rewards.transformed import Transformed
from primum.trials.data import Floats
from primum.values import SafetyValue

DRIFT_POINTS = 65  # of the trial's time, at which a distribution that drifts is averaged


@dataclass(frozen=True)
class Drift(Plugin):
    """How outcomes change over the trial: `shifts(patients)`, one for each patient, the same for all arms.

    It is added to the probability of a Bernoulli arm, and to the outcome of any other, clipped to the support.
    """

    family: ClassVar[str] = "drifts"
    abstract: ClassVar[bool] = True

    def shifts(self, patients: int) -> Floats:
        """What is added for each patient."""
        raise ParameterError(f"{type(self).__name__} has no `shifts(patients)`: a drift needs one")


@dataclass(frozen=True)
class Linear(Drift):
    """The shift grows evenly from 0 for the first patient to `by` for the last.

    >>> Linear(by=0.3).shifts(4).round(9).tolist()
    [0.0, 0.1, 0.2, 0.3]
    """

    title = "Linear drift"

    by: float = parameter(text="shift of the last patient")

    def shifts(self, patients: int) -> Floats:
        return np.linspace(0.0, self.by, patients) if patients > 1 else np.zeros(1)


@dataclass(frozen=True)
class Step(Drift):
    """From the patient after `after` on, all outcomes are shifted.

    >>> Step(by=-0.2, after=2).shifts(4).tolist()
    [0.0, 0.0, -0.2, -0.2]
    """

    title = "Step change"

    by: float = parameter(text="shift of the patients after the step")
    after: int = parameter(text="patients before the step", low=0, integer=True)

    def shifts(self, patients: int) -> Floats:
        return np.where(np.arange(patients) < self.after, 0.0, self.by)


@dataclass(frozen=True)
class Shifted(Transformed):
    """Another distribution, shifted by a constant."""

    abstract: ClassVar[bool] = True

    by: float = parameter(text="shift")

    def transform(self, x: Any) -> Any:
        return np.asarray(x, np.float64) + self.by

    def cdf(self, x: Any) -> Any:
        return self.distribution.cdf(np.asarray(x, np.float64) - self.by)


class Scenario:
    """One truth: the outcome distribution of each arm, and how it drifts.

    `arms` are reward distributions, in the order of the design's arms or by their names. `drift` is a Drift, or a
    number: a linear drift by so much over the trial.

    >>> scenario = Scenario(["bernoulli(probability=0.3)", "bernoulli(probability=0.5)"], drift=0.3)
    >>> print(scenario.average(0, patients=101).display_name)
    Bernoulli(0.45)
    """

    def __init__(
        self,
        arms: Sequence[RewardDistribution | str] | Mapping[str, RewardDistribution | str],
        drift: Drift | str | Mapping[str, Any] | float | None = None,
    ) -> None:
        named = arms if isinstance(arms, Mapping) else dict(enumerate(arms)) if _is_list(arms) else None
        if not named:
            raise ParameterError(
                f"arms must be a non-empty list or table of outcome distributions, got {quoted(arms)}", ("arms",)
            )
        self.names: tuple[str, ...] | None = tuple(map(str, arms)) if isinstance(arms, Mapping) else None
        self.arms: tuple[RewardDistribution, ...] = tuple(
            _made("rewards", arm, "arms", at) for at, arm in named.items()
        )
        for at, arm in zip(self._places, self.arms, strict=True):
            with within("arms", at):
                check_size(arm.display_name, *arm.support)
        if isinstance(drift, int | float) and not isinstance(drift, bool):
            drift = Linear(float(drift)) if drift else None
        self.drift: Drift | None = None if drift is None else _made("drifts", drift, "drift")

    @classmethod
    def of(cls, given: Any) -> Scenario:
        """A scenario from what stands for one: itself, its arms, or a table with `arms` and `drift`."""
        if isinstance(given, cls):
            return given
        if isinstance(given, Mapping) and "arms" in given:
            unknown = [key for key in given if key not in ("arms", "drift")]
            if unknown:
                raise ParameterError(f"a scenario has arms and drift, got {quoted(unknown[0])}", (str(unknown[0]),))
            return cls(given["arms"], given.get("drift"))
        return cls(given)

    def ordered(self, names: Sequence[str]) -> Scenario:
        """The scenario with its arms in the order of a design's; a ParameterError if they are not the same."""
        if self.names is None:
            if len(self.arms) != len(names):
                raise ParameterError(
                    f"the scenario must have an outcome distribution for each of the {len(names)} arms, "
                    f"got {len(self.arms)}"
                )
            return self
        if sorted(self.names) != sorted(names):
            raise ParameterError(
                f"the scenario must name the arms {', '.join(map(repr, names))}, got {', '.join(map(repr, self.names))}"
            )
        named = dict(zip(self.names, self.arms, strict=True))
        return Scenario({name: named[name] for name in names}, self.drift)

    @property
    def _places(self) -> Sequence[str | int]:
        """The names of the arms, or their numbers if they have none."""
        return self.names or range(len(self.arms))

    @property
    def is_binary(self) -> bool:
        """Whether all outcomes are 0 or 1."""
        return all(isinstance(arm, Bernoulli) for arm in self.arms)

    @property
    def probabilities(self) -> Floats:
        """The probability of success of each Bernoulli arm, without drift."""
        return np.array([arm.probability for arm in self.arms if isinstance(arm, Bernoulli)])

    def outcomes(self, uniforms: Floats, arm: int) -> Floats:
        """The potential outcomes of an arm: trial x patient, from one uniform number for each patient."""
        distribution = self.arms[arm]
        who = f"arm {arm + 1}: {distribution.display_name}"
        if self.drift is None:
            return rewards_at(uniforms, who, distribution)
        shifts = self._shifts(uniforms.shape[1])
        if isinstance(distribution, Bernoulli):
            return (uniforms > 1 - np.clip(distribution.probability + shifts, 0.0, 1.0)).astype(np.float64)
        return np.clip(rewards_at(uniforms, who, distribution) + shifts, *distribution.support)

    def _shifts(self, patients: int) -> Floats:
        shifts = np.asarray(self.drift.shifts(patients), np.float64)  # type: ignore[union-attr]
        if shifts.shape != (patients,) or not (np.abs(shifts) <= LARGEST).all():
            raise ParameterError(
                f"{self.drift}: shifts(patients) must give a number in {SIZE.interval} for each patient"
            )
        return shifts

    def average(self, arm: int, patients: int) -> RewardDistribution:
        """The outcome distribution of an arm, averaged over all patients."""
        distribution = self.arms[arm]
        if self.drift is None:
            return distribution
        shifts = self._shifts(patients)
        if isinstance(distribution, Bernoulli):
            return Bernoulli(float(np.clip(distribution.probability + shifts, 0.0, 1.0).mean()))
        points, counts = np.unique(shifts, return_counts=True)
        weights = counts / patients
        if points.size > DRIFT_POINTS:  # evenly spaced over the patients
            points = np.sort(shifts)[((np.arange(DRIFT_POINTS) + 0.5) / DRIFT_POINTS * patients).astype(int)]
            weights = np.full(DRIFT_POINTS, 1 / DRIFT_POINTS)
        low, high = distribution.support
        parts = [Shifted(distribution, by=float(by)) if by else distribution for by in points]
        bounded = [Clipped(part, low=low, high=high) for part in parts] if np.isfinite(high - low) else parts
        return Mixture(tuple(bounded), tuple(weights.tolist()))

    def true_values(self, value: SafetyValue, patients: int) -> Floats:
        """The true safety value of each arm, over all patients."""
        found = []
        for arm, at in enumerate(self._places):
            with within("arms", at):
                found.append(true_value(value, self.average(arm, patients)))
        return np.array(found)

    def spec(self) -> dict[str, Any]:
        """Plain data from which `of` makes an equal scenario."""
        arms = [arm.spec() for arm in self.arms]
        return {"arms": arms} | ({} if self.drift is None else {"drift": self.drift.spec()})

    def replace(self, **changes: Any) -> Scenario:
        """A copy with another drift or other arms."""
        return Scenario(**{"arms": list(self.arms), "drift": self.drift} | changes)

    @cached_property
    def display_name(self) -> str:
        """The arms and the drift, for people."""
        arms = ", ".join(arm.display_name for arm in self.arms)
        return arms if self.drift is None else f"{arms}; {self.drift.display_name}"

    def __repr__(self) -> str:
        return f"<Scenario: {self.display_name}>"


def _is_list(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str)


def _made(family: str, given: Any, *path: str | int) -> Any:
    with within(*path):
        return registry.build(family, given)
