"""What a design gives its patients and what it finds out: the share on the best arm, and the power of a valid test.

A trial that stops early leaves patients who are not enrolled. They are counted as treated with the arm that was
declared better, or with the control if none was: designs of different lengths are compared over the same patients.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.plugins.registry import classes
from primum.store import Store, fingerprints
from primum.trials.calibration import measured
from primum.trials.design import Design
from primum.trials.exact_law import exact
from primum.trials.exact_law.averages import averages
from primum.trials.frontiers.candidates import has_exact_law, side_of, with_valid_test
from primum.trials.scenario import Scenario

FORMAT = "primum-frontier-1"
Pairs = Sequence[tuple[float, float]]  # the lower and the higher success probability


@dataclass(frozen=True)
class Point:
    """A design with a valid test, and what it does in a scenario.

    `share` is that of the patients on the best arm, `power` the probability to declare a best arm better than the
    control, and `type_1` the largest type I error over all common probabilities of success, NaN unless it is exact.
    Errors are standard errors, 0 if exact. Exact shares are averages over each pair of success probabilities and its
    mirror image, in which the arms are exchanged, and so is the power of a two-sided test.
    """

    design: Design
    share: float
    share_error: float
    power: float
    power_error: float
    type_1: float

    @property
    def is_exact(self) -> bool:
        """Whether nothing was simulated."""
        return self.share_error == 0

    @property
    def name(self) -> str:
        """The design in words: the policy, the coin, the burn-in and the looks."""
        looks = self.design.looks
        if not looks:
            return self.design.display_name
        return f"{self.design.display_name}, looks at {', '.join(_part(look) for look in looks)}, then the winner"


def _part(look: float) -> str:
    return f"{look}" if isinstance(look, int) else f"{look:.0%}"


def best_arms(design: Design, scenario: Scenario) -> list[int]:
    """The arms with the highest true value; none of them may be the control."""
    values = scenario.true_values(design.value, design.patients)
    best = np.flatnonzero(values == values.max()).tolist()
    if 0 in best:
        raise ParameterError(
            f"a frontier needs a scenario in which another arm is better than the control, got {scenario.display_name}",
            ("scenario",),
        )
    if side_of(design) == "less":
        raise ParameterError(
            "the test looks for arms that are worse than the control, and a frontier shows the power to find a better "
            "one; use sided='greater' or 'two-sided'",
            ("design", "analysis"),
        )
    return best


def point(design: Design, scenario: Scenario, prior: Pairs, replications: int, seed: int, store: Store | None) -> Point:
    """The point of a candidate, exact over the pairs of a prior or simulated; from the store if it is there."""
    if has_exact_law(design, scenario):
        key = {
            "what": FORMAT,
            "design": design.spec(),
            "prior": prior,
            "fingerprint": fingerprints.results(set(classes(design.plugins)), fingerprints.TRIAL_PATHS),
        }
        kept = store.get(key) if store is not None else None
        if kept is not None:
            spec, *numbers = json.loads(kept)
            return Point(Design.from_spec(spec), *numbers)
        found = _exactly(with_valid_test(design, is_exact=True), prior)
        if store is not None:
            numbers = [found.share, found.share_error, found.power, found.power_error, found.type_1]
            store.put(key, json.dumps([found.design.spec(), *numbers]).encode())
        return found
    return _simulated(with_valid_test(design, is_exact=False), scenario, replications, seed, store)


def _exactly(design: Design, prior: Pairs) -> Point:
    law = exact(design, progress=False)
    share, power = averages(law, prior, side_of(design))
    return Point(design, share, 0.0, power, 0.0, law.largest_type_1().value)


def _simulated(design: Design, scenario: Scenario, replications: int, seed: int, store: Any) -> Point:
    (found,) = measured(design, {"": scenario}, replications, seed, store, progress=False).values()
    best = best_arms(design, scenario)
    claimed = np.column_stack([found["claimed"][:, :1] > 0, (found["concluded"] > 0) | (found["claimed"][:, 1:] > 0)])
    means = np.where(claimed, found["sums"] / np.maximum(found["counts"], 1), -np.inf)
    winner = np.where(claimed.any(axis=1), means.argmax(axis=1), 0)
    rest = design.patients - found["size"]
    share = (found["counts"][:, best].sum(axis=1) + rest * np.isin(winner, best)) / design.patients
    power = claimed[:, best].any(axis=1)
    return Point(design, *_mean(share), *_mean(np.asarray(power)), math.nan)


def _mean(each: NDArray[Any]) -> tuple[float, float]:
    """The mean, and its standard error, which is not 0 where all are equal."""
    count = len(each)
    error = float(np.std(each, ddof=1)) / math.sqrt(count)
    return float(np.mean(each)), max(error, 1 / count) if each.dtype == np.bool_ else max(error, 1e-9)
