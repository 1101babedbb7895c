"""Exact calibration: critical values and sizes of trials."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from primum.errors import ParameterError, PrimumError
from primum.progress import Bar
from primum.trials.exact_law import feasible
from primum.trials.exact_law.law import Law, exact
from primum.trials.exact_law.ordering import ordering

if TYPE_CHECKING:
    from primum.trials.design import Design

NEIGHBOURHOOD = 10  # numbers of patients below the one found that are tried as well


class ExactSize(NamedTuple):
    """A number of patients with its power; none of those from `checked_from` to one less reaches the target."""

    patients: int
    power: float
    checked_from: int


def critical_value(law: Law, alpha: float) -> float:
    """The smallest critical value of the analysis' statistic with type I error at most alpha for every common p.

    >>> from primum import policies, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=40, policy=policies.Thompson(), analysis=trials.PooledZ(sided="greater"),
    ... )
    >>> round(critical_value(exact(design), 0.05), 4)
    2.5131
    """
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must be in (0, 1), got {alpha:g}")
    analysis = law.design.analysis
    return ordering(law.design, analysis, analysis.sided).unconditional_critical(alpha)


def smallest_size(
    design: Design, p0: float, p1: float, power: float, most: int = feasible.MOST_PATIENTS, progress: bool = True
) -> ExactSize:
    """The smallest number of patients with at least this power, by bisection.

    Power is not quite monotone in the number of patients, as outcomes are discrete. So once bisection has found a
    number that reaches the target while the one before does not, the numbers below it are tried one by one until the
    last `NEIGHBOURHOOD` of them all miss the target; the smallest that reaches it is returned. A number still further
    below is not excluded.

    >>> from primum import policies, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=1, policy=policies.UniformRandom(),
    ...     analysis=trials.ConditionalExact(sided="greater"),
    ... )
    >>> found = smallest_size(design, 0.2, 0.8, power=0.8)
    >>> found.patients, round(found.power, 4), found.checked_from
    (18, 0.8549, 8)
    """
    if not 0 < power < 1:
        raise ParameterError(f"power must be in (0, 1), got {power:g}")
    least = max([1, *design.looks])
    powers: dict[int, float] = {}
    with Bar(most, progress) as bar:
        bar.say("searching for the number of patients")

        def reaches(patients: int) -> bool:
            if patients not in powers:
                powers[patients] = float(exact(design.replace(patients=patients), progress=False).reject(p0, p1))
                bar.update(len(powers))
            return powers[patients] >= power

        low, high = least - 1, least
        while not reaches(high):
            if high >= most:
                raise PrimumError(
                    f"power {power:g} is not reached with {most} patients, which give {powers[high]:.4f}; "
                    "allow more or ask for less"
                )
            low, high = high, min(max(2 * high, 16), most)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reaches(middle) else (middle, high)
        found = below = high
        while below > max(least, found - NEIGHBOURHOOD):
            below -= 1
            if reaches(below):
                found = below
    return ExactSize(found, powers[found], below)
