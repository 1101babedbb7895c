"""Exact calibration: critical values, factors of boundaries and sizes of trials."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from primum.errors import ParameterError, PrimumError
from primum.runs.progress import Bar
from primum.trials.data import Floats
from primum.trials.exact_law import feasible
from primum.trials.exact_law.final_counts import computed
from primum.trials.exact_law.law import LargestError, Law, exact
from primum.trials.exact_law.ordering import ordering
from primum.trials.monitoring import numbers_of

if TYPE_CHECKING:
    from primum.trials.design import Design

NEIGHBOURHOOD = 10  # numbers of patients below the one found that are tried as well
STEPS = 1_000  # in a factor of 1
MOST_STEPS = 1_000_000
EVALUATIONS = 10  # of the error, roughly
LEAST_RATE = 1e-9  # of errors in the search


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
    below is not excluded. Looks stay at the same fractions of the patients.

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
    powers: dict[int, float] = {}
    least = max(1, least_size(design))
    with Bar(most, progress) as bar:
        bar.say("searching for the number of patients")

        def reaches(patients: int) -> bool:
            if patients not in powers:
                powers[patients] = float(exact(design.resized(patients), progress=False).reject(p0, p1))
                bar.update(len(powers))
            return powers[patients] >= power

        found = bisected(reaches, least, most)
        if found is None:
            raise PrimumError(
                f"power {power:g} is not reached with {most} patients, which give {powers[most]:.4f}; "
                "allow more or ask for less"
            )
        found, below = lowest_nearby(reaches, found, least)
    return ExactSize(found, powers[found], below)


def least_size(design: Design) -> int:
    """The number of patients from which on looks at these fractions of them are all different."""
    fractions = design.resized(design.patients).looks
    least = math.ceil(1 / min((b - a for a, b in pairwise((0.0, *fractions))), default=1.0))
    while least > 1 and all(a < b for a, b in pairwise((0, *numbers_of(fractions, least - 1)))):
        least -= 1  # rounding may keep apart what is less than a patient apart
    return least


def bisected(reaches: Callable[[int], bool], least: int, most: int) -> int | None:
    """A number that reaches the target while the one before does not, or the least; None if `most` does not."""
    low, high = least - 1, least
    while not reaches(high):
        if high >= most:
            return None
        low, high = high, min(max(2 * high, 16), most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def lowest_nearby(reaches: Callable[[int], bool], found: int, least: int) -> tuple[int, int]:
    """The smallest number that reaches the target, and down to where the numbers below were tried."""
    below = found
    while below > max(least, found - NEIGHBOURHOOD):
        below -= 1
        if reaches(below):
            found = below
    return found, below


def boundary_factor(
    design: Design, alpha: float, p: Floats | None = None, progress: bool = True
) -> tuple[float, LargestError]:
    """The smallest multiple of 1 / `STEPS` for the rule's `limit` with type I error at most alpha, and that error.

    The error is the largest over every common probability of success, or over those in `p`. It falls as the limit
    grows: allocation up to a stop does not depend on it, and of trials with the same patients and outcomes those that
    declare a difference with a larger limit do so with a smaller one.

    >>> from primum import trials
    >>> rule = trials.GroupSequential(alpha=0.05, sided="greater")
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=40, policy="thompson", looks=[0.5, 1.0], stopping=rule
    ... )
    >>> factor, largest = boundary_factor(design, 0.05, progress=False)
    >>> factor, round(largest.value, 4), round(largest.p, 3)
    (1.513, 0.05, 0.931)
    """
    rule: Any = design.stopping
    found: dict[int, LargestError] = {}
    with Bar(EVALUATIONS, progress) as bar:
        bar.say("calibrating the boundaries")

        def error(step: int) -> float:
            moved = design.replace(stopping=rule.spec() | {rule.limit: step / STEPS})
            law = Law(moved, computed(moved))
            if p is None:
                found[step] = law.largest_type_1()
            else:
                errors = law.type_1(p)
                found[step] = LargestError(float(errors.max()), float(p[errors.argmax()]), 0.0)
            bar.update(min(len(found), EVALUATIONS - 1))
            return found[step].value

        step = _smallest_step(error, alpha, max(1, round(STEPS * getattr(rule, rule.limit))))
        if step is None:
            raise PrimumError(f"{rule.display_name}: no {rule.limit} has a type I error as large as {alpha:g}")
    return step / STEPS, found[step]


def _smallest_step(error: Callable[[int], float], alpha: float, first: int) -> int | None:
    """The smallest whole number whose error is at most alpha while that of the one before is not; None if 1 has it.

    The error falls, and each evaluation takes long. As a function of the boundary of a Z it is about a normal tail, so
    its normal quantile is interpolated, and every guess goes a little beyond, so that it soon has the answer between
    two numbers.
    """
    from scipy.special import ndtri

    def quantile(rate: float) -> float:
        return float(-ndtri(min(max(rate, LEAST_RATE), 1 - LEAST_RATE)))

    target, low, high = quantile(alpha), (0, -math.inf), (MOST_STEPS, math.inf)
    step, beyond, held = first, 1, None
    while high[0] - low[0] > 1:
        rate = error(step)
        holds = rate <= alpha
        low, high = (low, (step, quantile(rate))) if holds else ((step, quantile(rate)), high)
        beyond, held = (2 * beyond if held == holds else 1), holds
        if math.isfinite(low[1]) and math.isfinite(high[1]):
            guess = low[0] + (high[0] - low[0]) * (target - low[1]) / max(high[1] - low[1], LEAST_RATE)
        else:
            ratio = target / quantile(rate) if min(target, quantile(rate)) > 0 else 1.0
            guess = step * min(max(ratio, 0.5), 2.0)
        step = min(max(round(guess) + (-beyond if holds else beyond), low[0] + 1), high[0] - 1)
    return high[0] if low[0] else None
