"""When patients arrive, and when their outcomes are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.plugins.registry import Plugin
from primum.problem import rewards_at
from primum.rewards import RewardDistribution
from primum.trials.data import Floats


@dataclass(frozen=True)
class Accrual(Plugin):
    """When patients arrive. An author writes `times(uniforms)`: trial x patient, ascending, from random numbers."""

    family: ClassVar[str] = "accruals"
    abstract: ClassVar[bool] = True

    def times(self, uniforms: Floats) -> Floats:
        """The time at which each patient arrives, from one uniform number for each."""
        raise ParameterError(f"{type(self).__name__} has no `times(uniforms)`: an accrual needs one")


@dataclass(frozen=True)
class Regular(Accrual):
    """One patient per unit of time."""

    title = "Regular"

    def times(self, uniforms: Floats) -> Floats:
        return np.broadcast_to(np.arange(uniforms.shape[1], dtype=np.float64), uniforms.shape)


@dataclass(frozen=True)
class Poisson(Accrual):
    """Patients arrive independently of each other, `rate` of them per unit of time on average.

    >>> Poisson(rate=2.0).times(np.full((1, 3), 0.5)).round(3).tolist()
    [[0.347, 0.693, 1.04]]
    """

    title = "Poisson"

    rate: float = parameter(1.0, "patients per unit of time", low=0.0, open_low=True)

    def times(self, uniforms: Floats) -> Floats:
        times: Floats = np.cumsum(-np.log(uniforms) / self.rate, axis=1)
        return times


@dataclass(frozen=True)
class Given(Accrual):
    """Patients arrive at given times, in ascending order."""

    title = "Given times"

    at: tuple[float, ...] = parameter(text="time of each patient", many=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.at or (np.diff(self.at) < 0).any():
            raise ParameterError(f"{self.name}: at must be a non-empty list in ascending order", ("at",))

    def times(self, uniforms: Floats) -> Floats:
        if len(self.at) < uniforms.shape[1]:
            raise ParameterError(
                f"{self.name}: at must have a time for each of the {uniforms.shape[1]} patients, got {len(self.at)}"
            )
        return np.broadcast_to(np.array(self.at[: uniforms.shape[1]]), uniforms.shape)


@dataclass(frozen=True)
class Delay(Plugin):
    """When the outcome of a patient is known.

    A delay counted in patients has `patients`. For one in time an author writes `durations(uniforms)`, trial x patient.
    """

    family: ClassVar[str] = "delays"
    abstract: ClassVar[bool] = True
    patients: ClassVar[int] = -1  # further patients after whom an outcome is known; -1: it depends on time

    def durations(self, uniforms: Floats) -> Floats:
        """The time from enrolment to outcome, from one uniform number for each patient."""
        raise ParameterError(f"{type(self).__name__} has no `durations(uniforms)`: a delay needs one")


@dataclass(frozen=True)
class AfterPatients(Delay):
    """The outcome of patient s is known when patient s + patients + 1 is allocated."""

    title = "After patients"

    patients: int = parameter(  # type: ignore[misc]
        0, "further patients allocated before an outcome is known", low=0, integer=True
    )


@dataclass(frozen=True)
class AfterTime(Delay):
    """The time from enrolment to outcome has a distribution: any of `primum.rewards` that is not negative.

    >>> AfterTime("constant(value=3)").durations(np.full((1, 2), 0.5)).tolist()
    [[3.0, 3.0]]
    """

    title = "After time"

    distribution: RewardDistribution = parameter(text="time from enrolment to outcome", family="rewards")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.distribution.support[0] < 0:
            raise ParameterError(
                f"{self.name}: distribution must not be negative, got {self.distribution} from "
                f"{self.distribution.support[0]:g} on",
                ("distribution",),
            )

    def durations(self, uniforms: Floats) -> Floats:
        return rewards_at(uniforms, f"the delay {self.distribution.display_name}", self.distribution)


def after_patients(patients: int) -> Delay:
    """The outcome of patient s is known when patient s + patients + 1 is allocated."""
    return AfterPatients(patients)


def after_time(distribution: RewardDistribution | str | float) -> Delay:
    """The outcome is known after a time that has this distribution, or is this number."""
    if isinstance(distribution, int | float):
        distribution = f"constant(value={distribution})"
    return AfterTime(distribution)  # type: ignore[arg-type]  # a spec is built
