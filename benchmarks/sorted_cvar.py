"""BESA+ for CVaR compiled as one piece, shuffling and sorting each sub-sample: the obvious first version with Numba.

Policy, value and rewards are one function here, so nothing crosses a pointer; what it lacks is an ordered record.
"""

from __future__ import annotations

import math

import numba
import numpy as np

TIE = 1e-12


@numba.njit(cache=True)
def mixture(locations, deviations):  # type: ignore[no-untyped-def]
    """Normals of equal weight, the mixture truncated to [0, 1]."""
    while True:
        i = np.random.randint(locations.size)
        x = np.random.normal(locations[i], deviations[i])
        if 0.0 <= x <= 1.0:
            return x


@numba.njit(cache=True)
def cvar_of_subsample(record, size, n, alpha):  # type: ignore[no-untyped-def]
    """Shuffle n entries to the front (the order of a record carries no information), copy and sort them."""
    if n < size:
        for i in range(n):
            j = np.random.randint(i, size)
            record[i], record[j] = record[j], record[i]
    ordered = np.sort(record[:n])
    wanted = alpha * n
    whole = max(1, math.ceil(wanted - 1e-9))
    return (ordered[:whole].sum() - ordered[whole - 1] * (whole - wanted)) / wanted


@numba.njit(cache=True)
def duel(records, pulls, a, b, alpha):  # type: ignore[no-untyped-def]
    n = min(pulls[a], pulls[b])
    va = cvar_of_subsample(records[a], pulls[a], n, alpha)
    vb = cvar_of_subsample(records[b], pulls[b], n, alpha)
    if abs(va - vb) > TIE:
        return a if va > vb else b
    if pulls[a] != pulls[b]:
        return a if pulls[a] < pulls[b] else b
    return a if np.random.random() < 0.5 else b


@numba.njit(cache=True)
def tournament(records, pulls, alpha):  # type: ignore[no-untyped-def]
    order = np.random.permutation(pulls.size)
    left = 1
    while 2 * left <= pulls.size:
        left *= 2
    for i in range(left):
        first, last = i * pulls.size // left, (i + 1) * pulls.size // left
        order[i] = order[first] if last - first == 1 else duel(records, pulls, order[first], order[first + 1], alpha)
    while left > 1:
        left //= 2
        for i in range(left):
            order[i] = duel(records, pulls, order[2 * i], order[2 * i + 1], alpha)
    return order[0]


@numba.njit(cache=True)
def play(locations, deviations, alpha, horizon, replications, seed):  # type: ignore[no-untyped-def]
    """Final pulls (replications, arms) of games on mixtures with locations and deviations (arms, components)."""
    np.random.seed(seed)
    arms = locations.shape[0]
    out = np.zeros((replications, arms), np.int64)
    records = np.empty((arms, horizon))
    for r in range(replications):
        pulls = out[r]
        for step in range(1, horizon + 1):
            arm = pulls.argmin()
            if pulls[arm] > 0 and pulls[arm] >= math.log(step):
                arm = tournament(records, pulls, alpha)
            records[arm, pulls[arm]] = mixture(locations[arm], deviations[arm])
            pulls[arm] += 1
    return out
