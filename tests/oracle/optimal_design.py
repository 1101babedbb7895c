"""Optimal designs of small trials: dynamic programming state by state, and linear programming over all designs.

A state is (n0, s0, n1, s1). Pairs (p0, p1) of a prior are in the direction that a one-sided test tests.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

State = tuple[int, int, int, int]
Pairs = Sequence[tuple[float, float]]


def states(patients: int) -> list[State]:
    """All states after so many patients."""
    return [
        (patients - n1, s0, n1, s1)
        for n1 in range(patients + 1)
        for s0 in range(patients - n1 + 1)
        for s1 in range(n1 + 1)
    ]


def successors(state: State, arm: int) -> list[State]:
    """After a failure and after a success on an arm."""
    n0, s0, n1, s1 = state
    return [(n0 + 1, s0 + y, n1, s1) if arm == 0 else (n0, s0, n1 + 1, s1 + y) for y in (0, 1)]


def likelihood_ratio(state: State, p0: float, p1: float) -> float:
    """The likelihood of the outcomes over that with both p at 1/2."""
    n0, s0, n1, s1 = state
    return math.prod([(2 * p0) ** s0, (2 - 2 * p0) ** (n0 - s0), (2 * p1) ** s1, (2 - 2 * p1) ** (n1 - s1)])


def share(state: State, prior: Pairs) -> float:
    """The share of patients on the better arm, times likelihood ratios, averaged over pairs and mirror images."""
    n0, _, n1, _ = state
    both = [*prior, *[(p1, p0) for p0, p1 in prior]]
    return sum((n1 if p1 > p0 else n0) * likelihood_ratio(state, p0, p1) for p0, p1 in both) / (n0 + n1) / len(both)


def effects(state: State, prior: Pairs, sided: str) -> list[float]:
    """What it adds to the power to declare a difference in each direction that is tested."""
    means = [
        sum(likelihood_ratio(state, *pair) for pair in pairs) / len(prior)
        for pairs in (prior, [(p1, p0) for p0, p1 in prior])
    ]
    return [mean / 2 for mean in means] if sided == "two-sided" else means[:1]


def solved(
    patients: int,
    prior: Pairs,
    sided: str,
    coin: float,
    weights: tuple[float, float],
    null: Sequence[tuple[float, float]],
) -> tuple[float, dict[State, tuple[float, float]]]:
    """The value before the first patient, and in each state the values of giving each arm to the next patient.

    The weights are those of share and power; `null` has values of p with what a type I error costs there.
    """
    values = {}
    for state in states(patients):
        cost = sum(weight * likelihood_ratio(state, p, p) for p, weight in null)
        gain = max(weights[1] * effect - cost for effect in effects(state, prior, sided))
        values[state] = weights[0] * share(state, prior) + max(0.0, gain)
    of_arms = {}
    for t in range(patients - 1, -1, -1):
        for state in states(t):
            arms = [sum(values[after] for after in successors(state, arm)) / 2 for arm in (0, 1)]
            of_arms[state] = arms[0], arms[1]
            values[state] = (1 - coin / 2) * max(arms) + coin / 2 * min(arms)
    return values[0, 0, 0, 0], of_arms


def linear_programme(
    patients: int, prior: Pairs, sided: str, coin: float, alpha: float, power: float | None, grid: Sequence[float]
) -> float:
    """The largest share of any randomised rule and test with a power and a level on a grid; or the largest power.

    The variables are probabilities at 1/2: of each state with each arm for the next patient, and of each end with each
    difference that is declared. None is returned as nan if no design has the power.
    """
    inner, last = [state for t in range(patients) for state in states(t)], states(patients)
    directions = 2 if sided == "two-sided" else 1
    arm = {key: i for i, key in enumerate(itertools.product(inner, (0, 1)))}
    declared = {key: len(arm) + i for i, key in enumerate(itertools.product(last, range(directions)))}
    count = len(arm) + len(declared)
    arriving: dict[State, list[int]] = {state: [] for state in inner + last}
    for (state, a), i in arm.items():
        for after in successors(state, a):
            arriving[after].append(i)
    flow, began = lil_matrix((len(inner), count)), np.zeros(len(inner))
    for row, state in enumerate(inner):
        flow[row, [arm[state, 0], arm[state, 1]]] = 1.0
        for i in arriving[state]:
            flow[row, i] = -0.5
        began[row] = sum(state) == 0
    rows, limits = [], []

    def at_most(limit: float, entries: dict[int, float]) -> None:
        rows.append(entries)
        limits.append(limit)

    for state in inner:
        for a in (0, 1):  # at least the coin's half
            at_most(0.0, {arm[state, a]: coin / 2 - 1.0, arm[state, 1 - a]: coin / 2})
    worth, gained = np.zeros(count), np.zeros(count)
    for state in last:
        at_most(0.0, {declared[state, d]: 1.0 for d in range(directions)} | dict.fromkeys(arriving[state], -0.5))
        worth[arriving[state]] += 0.5 * share(state, prior)
        for d, effect in enumerate(effects(state, prior, sided)):
            gained[declared[state, d]] = effect
    for p in grid:
        at_most(alpha, {i: likelihood_ratio(state, p, p) for (state, _), i in declared.items()})
    if power is not None:
        at_most(-power, {i: -gain for i, gain in enumerate(gained) if gain})
    matrix = lil_matrix((len(rows), count))
    for row, entries in enumerate(rows):
        matrix[row, list(entries)] = list(entries.values())
    goal = gained if power is None else worth
    found = linprog(-goal, matrix.tocsr(), limits, flow.tocsr(), began, method="highs")
    return math.nan if found.fun is None else -float(found.fun)
