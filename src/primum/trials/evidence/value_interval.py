"""An interval for the safety value of one arm that holds at all times together, whatever the policy.

The outcomes of an arm are a sequence of independent draws from its distribution, of which the policy decides how many
there are. So what holds for all sizes of a sample together holds for the one that a trial has when somebody looks.

- The distribution function lies within a band around the empirical one: by the inequality of Dvoretzky, Kiefer and
  Wolfowitz with Massart's constant for each size up to the largest one that is planned, or else, for all sizes, by
  sup |F_n - F| <= 0.85 ((log log(e n) + 0.8 log(1612 / alpha)) / n)^(1/2) (Howard, Ramdas, Bernoulli 28, 2022).
- A value that does not decrease when outcomes become larger has its ends at the two ends of the band. Any other one
  with a known Lipschitz constant moves by at most that times the width of the band.
- The upper limit of a value in variational form is found by betting (see `primum.theory.divergence`), and for the mean
  so is the lower one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import ParameterError, quoted
from primum.plugins.registry import build
from primum.rewards import Discrete
from primum.theory.divergence import has_divergence, upper_limit
from primum.trials.data import Floats
from primum.values import Mean, MeanVariance, SafetyValue

GRID = 1 / 20_000  # by which the band is wider, because `true_value` may use so many quantiles
BAND, BETTING = "the band of the distribution function", "betting"


@dataclass(frozen=True)
class ValueInterval:
    """An interval for a safety value: both ends, its level, and how it was found."""

    low: float
    high: float
    level: float
    method: str


def value_interval(
    value: Any, sample: Any, *, low: float = 0.0, high: float = 1.0, alpha: float = 0.05, most: int = 0
) -> ValueInterval:
    """An interval for the value, an object or its spec, of the distribution of a sample of outcomes in [low, high].

    It holds at all times together with probability 1 - `alpha`, half of which is left at each end: whatever the policy,
    whenever one looks and stops. It needs outcomes of the arm that are independent with the same distribution, without
    drift, and whose delay does not depend on them. It is narrower where `most` says how many outcomes the sample will
    have at most, such as the patients that a trial plans.

    >>> from primum import values
    >>> found = value_interval(values.CVaR(alpha=0.5), [0.2, 0.4, 0.5, 0.9] * 20, most=148)
    >>> round(found.low, 3), round(found.high, 3), found.method
    (0.114, 0.394, 'low by the band of the distribution function, high by betting')
    """
    value = build("values", value)
    outcomes = _checked(sample, low, high, alpha, most)
    each = alpha / 2
    if isinstance(value, Mean):
        ends = low + high - upper_limit(value, low + high - outcomes, alpha=each, high=high)
        return ValueInterval(ends, upper_limit(value, outcomes, alpha=each, high=high), 1 - alpha, f"by {BETTING}")
    bets = has_divergence(value)
    if value.monotone:
        width = GRID + _band(outcomes.size, each, most, both=not bets)
        bounds = [_value_at(value, outcomes, low, high, width, to=end) for end in (low, high)]
    else:
        steepness = _steepness(value, low, high)
        half = steepness * (GRID + _band(outcomes.size, each / 2 if bets else each, most, both=True))
        middle = _value_at(value, outcomes, low, high, 0.0, to=low)
        bounds = [middle - half, middle + half]
    if not bets:
        return ValueInterval(bounds[0], bounds[1], 1 - alpha, f"by {BAND}")
    upper = upper_limit(value, outcomes, alpha=each, high=high)
    return ValueInterval(bounds[0], upper, 1 - alpha, f"low by {BAND}, high by {BETTING}")


def _checked(sample: Any, low: float, high: float, alpha: float, most: int) -> Floats:
    outcomes = np.asarray(sample, np.float64).ravel()
    if not low < high:
        raise ParameterError(f"high must be larger than low, {low:g}, got {quoted(high)}", ("high",))
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must be in (0, 1), got {quoted(alpha)}", ("alpha",))
    if not outcomes.size:
        raise ParameterError("sample must have at least one outcome, got none", ("sample",))
    if not ((outcomes >= low) & (outcomes <= high)).all():
        beyond = outcomes[~((outcomes >= low) & (outcomes <= high))][0]
        raise ParameterError(f"sample must be in [{low:g}, {high:g}], got {quoted(float(beyond))}", ("sample",))
    if most and outcomes.size > most:
        raise ParameterError(
            f"most must be at least the size of the sample, {outcomes.size:,}, got {most:,}", ("most",)
        )
    return outcomes


def _band(n: int, alpha: float, most: int, *, both: bool) -> float:
    """How far the distribution function may be from the empirical one, above and below with `alpha` each.

    If not `both`, one of the two is of no interest. Which of the two bounds is used depends on `most` alone, not on
    the data.
    """
    whole = 2 * alpha if both else alpha

    def for_all(size: int) -> float:
        return 0.85 * math.sqrt((math.log(1 + math.log(size)) + 0.8 * math.log(1612 / whole)) / size)

    def up_to_most(size: int) -> float:
        return math.sqrt(math.log(most / alpha) / (2 * size))

    return up_to_most(n) if most and up_to_most(most) < for_all(most) else for_all(n)


def _value_at(value: SafetyValue, outcomes: Floats, low: float, high: float, width: float, *, to: float) -> float:
    """The value of the empirical distribution with so much of it moved from its other end to the lowest or highest."""
    x, counts = np.unique(outcomes, return_counts=True)
    if to == high:
        x, counts = x[::-1], counts[::-1]
    kept = np.diff(np.minimum(np.cumsum(counts) / outcomes.size, 1 - min(width, 1.0)), prepend=0.0)
    moved = 1 - kept.sum()
    chances = np.append(kept, moved)
    distribution = Discrete(tuple(np.append(x, to)), tuple(np.maximum(chances, 0) / np.maximum(chances, 0).sum()))
    return float(value.true_value(distribution))


def _steepness(value: SafetyValue, low: float, high: float) -> float:
    """By how much the value moves at most, over the largest difference of two distribution functions on [low, high]."""
    spread = high - low
    if isinstance(value, MeanVariance):
        return spread * (1 + value.rho * spread)
    if value.lipschitz is None:
        raise ParameterError(
            f"{value.display_name} may fall when outcomes become larger, and no bound is known on how far it moves "
            "with the distribution (a Lipschitz constant), so there is no interval for it",
            ("value",),
        )
    if value.equivariant:
        return value.lipschitz * spread
    if low >= 0 and high <= 1:
        return value.lipschitz
    raise ParameterError(
        f"how far {value.display_name} moves with the distribution is known for outcomes in [0, 1] only, so there is "
        f"no interval for it in [{low:g}, {high:g}]",
        ("value",),
    )
