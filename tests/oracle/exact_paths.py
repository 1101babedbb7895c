"""Trials with two arms and outcomes 0 and 1: all allocations and outcomes, path by path, on lists.

A rule is a function of the patients assigned to each arm, and the numbers of known outcomes and successes of each; it
returns the probability of arm 1. A look is a function of the known counts and successes; it returns which arms are
claimed, which are dropped, and whether the trial stops.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.oracle import blocks

Rule = Callable[[list[int], list[int], list[int], int], float]


@dataclass
class Trial:
    """One path: the arms and outcomes of the patients so far, and its probability."""

    arms: list[int]
    outcomes: list[int]
    chance: float
    dropped: tuple[bool, bool] = (False, False)
    claimed: tuple[bool, bool] = (False, False)
    stopped: bool = False

    def counts(self, first: int) -> tuple[list[int], list[int]]:
        """Outcomes and successes of each arm among the first patients."""
        seen = list(zip(self.arms, self.outcomes))[:first]
        return (
            [sum(arm == k for arm, _ in seen) for k in (0, 1)],
            [sum(arm == k and bool(outcome) for arm, outcome in seen) for k in (0, 1)],
        )


def paths(
    rule: Rule,
    patients: int,
    p: Sequence[float],
    burn_in: int = 0,
    updates: Sequence[int] | None = None,
    delay: int = 0,
    looks: dict[int, Callable[..., Any]] | None = None,
    final: Callable[..., Any] | None = None,
    coin: Callable[[int], float] = lambda t: 0.0,
) -> Iterator[Trial]:
    """All trials with their probabilities.

    `updates` are the numbers of patients after which the rule sees data; the `final` look waits for all outcomes. The
    patient after t others is allocated with probability `coin(t)` by a fair coin, unless in the burn-in.
    """
    trials = [Trial([], [], 1.0)]
    seen = 0
    for t in range(patients + 1):
        if updates is None or t in updates:
            seen = max(t - delay, 0)
        if looks and t in looks:
            trials = [_looked(trial, looks[t], max(t - delay, 0)) for trial in trials]
            yield from (trial for trial in trials if trial.stopped)
            trials = [trial for trial in trials if not trial.stopped]
        if t < patients:
            trials = [after for trial in trials for after in _after(trial, rule, p, burn_in, patients, seen, coin)]
    yield from (trial if final is None else _looked(trial, final, patients) for trial in trials)


def _after(
    trial: Trial,
    rule: Rule,
    p: Sequence[float],
    burn_in: int,
    patients: int,
    seen: int,
    coin: Callable[[int], float],
) -> Iterator[Trial]:
    t = len(trial.arms)
    if any(trial.dropped):
        first = 1.0 if trial.dropped[0] else 0.0
    elif t < 2 * burn_in:
        first = _in_burn_in(tuple(trial.arms), burn_in, patients)
    else:
        ruled = rule([t - sum(trial.arms), sum(trial.arms)], *trial.counts(seen), t)
        first = 0.5 * coin(t) + ruled * (1 - coin(t))
    for arm, chosen in ((0, 1.0 - first), (1, first)):
        for outcome, drawn in ((0, 1.0 - p[arm]), (1, p[arm])):
            if chosen * drawn > 0:
                yield Trial(
                    [*trial.arms, arm],
                    [*trial.outcomes, outcome],
                    trial.chance * chosen * drawn,
                    trial.dropped,
                    trial.claimed,
                )


@functools.cache
def _in_burn_in(arms: tuple[int, ...], burn_in: int, patients: int) -> float:
    return float(blocks.chances([1, 1], arms, rounds=min(burn_in, -(-patients // 2)))[1])


def _looked(trial: Trial, look: Callable[..., Any], known: int) -> Trial:
    claimed, dropped, stop = look(*trial.counts(known))
    claimed = tuple(a or b for a, b in zip(claimed, trial.claimed))
    dropped = tuple(a or b for a, b in zip(dropped, trial.dropped))
    return Trial(trial.arms, trial.outcomes, trial.chance, dropped, claimed, stop or all(dropped))


def ends(trials: Iterator[Trial]) -> dict[Any, float]:
    """The probability of each end: patients and successes of each arm, and arms claimed."""
    found: dict[Any, float] = defaultdict(float)
    for trial in trials:
        counts, successes = trial.counts(len(trial.arms))
        found[(*counts, *successes, trial.claimed)] += trial.chance
    return dict(found)


def pooled_z(n0: int, n1: int, s0: int, s1: int) -> float:
    """The pooled Z statistic, 0 where it is not defined."""
    if n0 == 0 or n1 == 0 or s0 + s1 in (0, n0 + n1):
        return 0.0
    pooled = (s0 + s1) / (n0 + n1)
    return float((s1 / n1 - s0 / n0) / (pooled * (1 - pooled) * (1 / n0 + 1 / n1)) ** 0.5)
