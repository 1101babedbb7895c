"""The largest share of patients on the better arm that any design can have, as a curve over power."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from primum.errors import ParameterError, quoted
from primum.runs.progress import Bar, Progress
from primum.trials.data import Floats
from primum.trials.optimum.cutting_planes import CuttingPlanes, NotReachedError
from primum.trials.optimum.lagrangian import Lagrangian
from primum.trials.optimum.question import INSIDE, Question

TOLERANCE = 5e-4  # of the bound, in the unit of the share or of the power


@dataclass(frozen=True)
class Ceiling:
    """An upper bound of the share of every design for each power; NaN for a power that no design has.

    `largest_power` is an upper bound of the power that any design can have at the level. `lines` are bounds for all
    powers: the share is at most the first column, less power times the second one.
    """

    power: Floats
    bound: Floats
    largest_power: float
    lines: Floats = field(repr=False)

    def at(self, power: Any) -> Any:
        """An upper bound of the share for any other power, or for an array of them."""
        found = (self.lines[:, 0] - np.multiply.outer(power, self.lines[:, 1])).min(axis=-1)
        return np.minimum(found, 1.0)[()]


def ceiling(
    *,
    patients: int,
    alpha: float,
    power: Any,
    prior: Any,
    coin: float = 0.0,
    sided: str = "greater",
    progress: bool | Progress = True,
) -> Ceiling:
    """The largest share of patients on the better arm that any design can have, for each power in a list.

    Share, power, level and `prior` are those of `optimal`. The curve is that of its `bound`: no allocation rule and no
    test lie above it, and mixtures of designs come within 0.0005 of it.

    >>> from primum import trials
    >>> curve = ceiling(
    ...     patients=40, alpha=0.05, power=[0.2, 0.5, 0.9], prior=[(0.1, 0.4), (0.3, 0.6), (0.6, 0.9)], progress=False
    ... )
    >>> curve.bound.round(2).tolist(), round(curve.largest_power, 2)
    ([0.87, 0.85, nan], 0.71)
    """
    question = Question.checked(patients, alpha, prior, coin, sided)
    if isinstance(power, str) or not hasattr(power, "__len__") or not len(power):
        raise ParameterError(f"power must be a list of numbers in (0, 1), got {quoted(power)}", ("power",))
    powers = np.array([INSIDE.check(f"power[{i}]", each) for i, each in enumerate(power)])
    bounds = np.full(len(powers), np.nan)
    with Bar(len(powers) + 1, progress) if isinstance(progress, bool) else progress as bar:
        bar.say("compiling")
        planes = CuttingPlanes(Lagrangian(question))
        bar.say("bounding the share of any design")
        largest = planes.largest_power(question.alpha, TOLERANCE, lambda gap: bar.update(0))
        for done, i in enumerate(np.argsort(powers), start=1):

            def told(gap: float, done: int = done) -> None:
                bar.update(done)

            try:
                bounds[i] = planes.largest_share(question.alpha, float(powers[i]), TOLERANCE, told).upper
            except NotReachedError:
                break
    return Ceiling(powers, bounds, largest.upper, np.array(planes.lines).reshape(-1, 2))
