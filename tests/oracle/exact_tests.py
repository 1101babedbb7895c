"""Exact tests by their definitions, on the ends of small trials as `exact_paths.ends` gives them.

An end is (patients on arm 0, on arm 1, successes of arm 0, of arm 1, arms claimed); evidence is a function of an end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

Ends = dict[Any, float]
Evidence = Callable[[Any], float]
TIE = 1e-9


def conditional_p_values(ends: Ends, evidence: Evidence) -> dict[Any, float]:
    """The probability of evidence at least as large among the ends with the same size and total of successes."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for end in ends:
        groups[sum(end[:2]), sum(end[2:4])].append(end)
    found = {}
    for group in groups.values():
        whole = sum(ends[end] for end in group)
        for observed in group:
            tail = [end for end in group if evidence(end) >= evidence(observed) - TIE]
            found[observed] = sum(ends[end] for end in tail) / whole
    return found


def unconditional_p_values(half: Ends, evidence: Evidence, grid: Sequence[float]) -> dict[Any, float]:
    """The largest probability over a grid of p of evidence at least as large; `half` are the ends at p = 1/2."""
    found = {}
    for observed in half:
        tail = [end for end in half if evidence(end) >= evidence(observed) - TIE]
        found[observed] = max(sum(_at(end, half[end], p, p) for end in tail) for p in grid)
    return found


def _at(end: Any, chance: float, p0: float, p1: float) -> float:
    """The probability of an end with these success probabilities, from that with 1/2."""
    n0, n1, s0, s1 = end[:4]
    return float(chance * 2 ** (n0 + n1) * p0**s0 * (1 - p0) ** (n0 - s0) * p1**s1 * (1 - p1) ** (n1 - s1))
