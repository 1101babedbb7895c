"""Sentences on the best arm and on the choices of other values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from primum.lab.http.schemas import Alternative
from primum.problem import Problem
from primum.text import listed

MOST_LISTED = 4  # names in a row; of more, the first three and how many others


def verdict(problem: Problem, alternatives: Sequence[Alternative]) -> str:
    """A sentence on the best arms, and one on the choices of other values."""
    return " ".join(filter(None, [_on_the_best(problem), _on_others(alternatives)]))


def _on_the_best(problem: Problem) -> str:
    names, gaps, by = problem.names, problem.gaps, f"by {problem.value.display_name}"
    best = [name for name, is_best in zip(names, problem.best, strict=True) if is_best]
    if len(names) == 1:
        return f"{names[0]!r} is the only arm."
    if len(best) == len(names):
        return f"All {len(names)} arms are equally good {by}: no choice is wrong."
    lead = float(gaps[gaps > 0].min())
    second = names[int(np.flatnonzero(gaps == lead)[0])]
    are = "is best" if len(best) == 1 else "are equally good"
    return f"{_some([repr(name) for name in best])} {are} {by}, {lead:.3g} ahead of {second!r}."


def _on_others(alternatives: Sequence[Alternative]) -> str:
    groups: dict[tuple[str, ...], list[str]] = {}
    for other in alternatives:
        if other.differs:
            groups.setdefault(tuple(other.best), []).append(other.value)
    if groups:
        parts = [
            f"{_some(values)} would choose {_some([repr(name) for name in best], 'or')}"
            for best, values in groups.items()
        ]
        return "; ".join(parts) + "."
    agreeing = [other.value for other in alternatives]
    return f"{_some(agreeing)} {'agree' if len(agreeing) > 1 else 'agrees'}." if agreeing else ""


def _some(words: Sequence[str], join: str = "and") -> str:
    """Words in a row; of many, only the first."""
    shown = list(words)
    if len(shown) > MOST_LISTED:
        shown = [*shown[: MOST_LISTED - 1], f"{len(shown) - MOST_LISTED + 1} others"]
    return listed(shown, join)
