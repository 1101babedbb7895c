"""Arms that cannot be looked at while one types."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from primum.errors import ParameterError
from primum.registry import parse

PATIENCE = 5.0  # processor seconds; a hundred arms of most kinds
MOST_NUMBERS = 50_000  # in the lists of all arms, which take a fifth of a second

# SciPy looks for the quantiles of these one by one, in milliseconds each, or their moments: a single arm takes
# from 1 to 20 s.
SLOW = {
    "argus",
    "dpareto_lognorm",
    "exponnorm",
    "foldcauchy",
    "foldnorm",
    "gausshyper",
    "genhyperbolic",
    "geninvgauss",
    "irwinhall",
    "kappa4",
    "ksone",
    "kstwo",
    "levy_stable",
    "nchypergeom_fisher",
    "nchypergeom_wallenius",
    "norminvgauss",
    "recipinvgauss",
    "rel_breitwigner",
    "studentized_range",
    "vonmises",
    "vonmises_line",
}


class Patience:
    """What is left of the time that an appraisal may take, measured in the processor's seconds of its thread."""

    sentence = f"not looked at yet, because what comes before took {PATIENCE:g} s; change something to go on"

    def __init__(self) -> None:
        self._end = time.thread_time() + PATIENCE

    @property
    def over(self) -> bool:
        """Whether nothing more should be begun."""
        return time.thread_time() > self._end


def refuse_slow(given: Any) -> None:
    """Raise a ParameterError if a reward distribution, or one in it, takes seconds."""
    if isinstance(given, str) and "scipy(" in given:
        given = parse(given)
    if isinstance(given, Mapping):
        name = given.get("distribution")
        if given.get("name") == "scipy" and isinstance(name, str) and name in SLOW:
            raise ParameterError(f"scipy: distribution: {name!r} is too slow here, up to seconds for each arm")
        for inner in given.values():
            refuse_slow(inner)
    elif isinstance(given, list):
        for inner in given:
            refuse_slow(inner)


def refuse_long(arms: Any) -> None:
    """Raise a ParameterError if the lists in a list of arms have too many numbers."""
    numbers = sum(map(_count, arms)) if isinstance(arms, list) else 0
    if numbers > MOST_NUMBERS:
        raise ParameterError(f"the lists of all arms can have {MOST_NUMBERS} numbers at most, got {numbers}")


def _count(given: Any) -> int:
    """How many items all lists in it have."""
    if isinstance(given, Mapping):
        return sum(_count(inner) for inner in given.values())
    if isinstance(given, list):
        return len(given) + sum(_count(inner) for inner in given if isinstance(inner, (list, Mapping)))
    return 0
