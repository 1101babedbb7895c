"""The number of patients for a power."""

from __future__ import annotations

import math
import os
from typing import Any

from primum.errors import PrimumError
from primum.plugins.parameters import Parameter
from primum.store import Store
from primum.text import counted, listed
from primum.trials.calibration import measured
from primum.trials.design import MOST_PATIENTS, Design
from primum.trials.exact_law.calibration import bisected, least_size, lowest_nearby
from primum.trials.exact_law.feasible import states
from primum.trials.operating.exact_characteristics import MOST_ASKED, is_feasible, law_of
from primum.trials.scenario import Scenario


class SampleSize(int):
    """A number of patients, with the power that it gives and the Monte Carlo error of that, 0 if exact.

    `design` is the design with so many patients.
    """

    power: float
    power_error: float
    design: Design

    @classmethod
    def of(cls, design: Design, power: float, power_error: float) -> SampleSize:
        """The number of patients of a design, with its power."""
        made = cls(design.patients)
        made.__dict__.update(design=design, power=power, power_error=power_error)
        return made

    def __repr__(self) -> str:
        how = "exact" if self.power_error == 0 else f"standard error {self.power_error:.2g}"
        looks = listed([f"{number:,}" for number in self.design.monitoring.interim])
        what = f"; looks at {looks} {self.design.looks_count}" if looks else ""
        return f"{int(self)} (power {self.power:.4f}, {how}{what})"


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

    At most `most`; a PrimumError if that is not enough. Looks stay at the same fractions of the patients: a look at 74
    of 148 patients is at 50 of 100, as a look at the fraction 0.5 is. There are so many patients at least that no two
    looks fall together.

    Exact where `exact` admits the design and the scenario, if there are looks up to about 150 patients; otherwise from
    simulated trials of the same patients, so that the error of the power is the one that the result states. Power is
    not quite monotone in the number of patients: none of the ten before an exact result reaches it, and still smaller
    numbers that do are not excluded.

    >>> from primum import rewards, trials
    >>> rule = trials.GroupSequential(alpha=0.05, sided="greater")
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=60, policy="uniform-random", looks=[0.5, 1.0], stopping=rule
    ... )
    >>> size(design, 0.8, [rewards.Bernoulli(0.2), rewards.Bernoulli(0.7)], progress=False)
    22 (power 0.8148, exact; looks at 11 patients)
    """
    Parameter("", 0.0, 1.0, open_low=True, open_high=True).check("power", power)
    truth = Scenario.of(scenario).ordered(design.arms)
    least = max(len(design.arms), least_size(design))
    most = Parameter("", least, MOST_PATIENTS, integer=True).check("most", most)
    search = _Search(design, truth, replications, seed, store, progress)

    def reaches(patients: int) -> bool:
        return search.power(patients)[0] >= power

    found = bisected(reaches, least, most)
    if found is None:
        raise PrimumError(
            f"a power of {power:g} is not reached with {counted(most, 'patient')}: {search.power(most)[0]:.4f}"
        )
    if search.power(found)[1] == 0:
        found, _ = lowest_nearby(reaches, found, least)
    return SampleSize.of(design.resized(found), *search.power(found))


class _Search:
    """The power with different numbers of patients, and its Monte Carlo error."""

    def __init__(
        self, design: Design, truth: Scenario, replications: int, seed: int, store: Any, progress: bool
    ) -> None:
        self.design, self.truth, self.progress = design, truth, progress
        self.simulating: Any = (replications, seed, store, progress)
        self.is_exact = truth.is_binary and truth.drift is None
        self.powers: dict[int, tuple[float, float]] = {}

    def power(self, patients: int) -> tuple[float, float]:
        """The power with so many patients, and its error."""
        if patients not in self.powers:
            design = self.design.resized(patients)
            exact = self._exactly(design)
            self.powers[patients] = (exact, 0.0) if exact is not None else self._simulated(design)
        return self.powers[patients]

    def _exactly(self, design: Design) -> float | None:
        if not self.is_exact or not is_feasible(design) or (design.looks and sum(states(design)) > MOST_ASKED):
            return None
        law = law_of(design, progress=self.progress)
        if law is None:  # the analysis needs patients one by one, whatever their number
            self.is_exact = False
            return None
        return float(law.reject(*self.truth.probabilities.tolist()))

    def _simulated(self, design: Design) -> tuple[float, float]:
        replications = self.simulating[0]
        (measures,) = measured(design, {"": self.truth}, *self.simulating).values()
        rate = float(((measures["concluded"] != 0).any(axis=1) | (measures["claimed"] > 0).any(axis=1)).mean())
        return rate, max(math.sqrt(rate * (1 - rate) / replications), 1 / replications)
