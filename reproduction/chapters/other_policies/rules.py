"""Comparisons over many problems: the parts that decide the claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from primum.errors import PrimumError
from reproduction.claims import FEWEST_PROBLEMS
from reproduction.judgement import Part, Parts


def better_than_ucb1(problems: Mapping[str, Mapping[str, Any]]) -> Parts:
    """Claim 2; `problems[problem][policy]` is the regret of a policy minus that of UCB1, with its interval."""
    parts = []
    for policy in next(iter(problems.values())):
        better, worse = _clear(differences[policy] for differences in problems.values())
        statement = f"problems, of {len(problems)}, on which {policy} has clearly lower regret than UCB1"
        # what is not clear may turn out either way
        parts.append(Part(statement, better, better, len(problems) - worse, at_least=FEWEST_PROBLEMS))
    return tuple(parts)


def mostly_better(differences: Mapping[Any, Any]) -> Parts:
    """Claim 26; `differences[comparison]` is the regret of BESA+ minus the other's, with its interval."""
    better, worse = _clear(differences.values())
    count = len(differences)
    statement = f"comparisons, of {count}, in which BESA+ has clearly lower regret ({worse} clearly higher)"
    return (Part(statement, better, better, count - worse, at_least=count // 2 + 1),)


def _clear(differences: Iterable[Any]) -> tuple[int, int]:
    """How many are clearly below 0 and how many clearly above."""
    bands = np.array(list(differences))
    if np.isnan(bands).any():
        raise PrimumError(f"a paired difference must be a number with an interval, got {bands.tolist()}")
    return int((bands[:, 2] < 0).sum()), int((bands[:, 1] > 0).sum())
