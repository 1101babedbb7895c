"""Arms that cannot be looked at while one types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from primum.errors import ParameterError
from primum.registry import parse

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
    "norminvgauss",
    "recipinvgauss",
    "rel_breitwigner",
    "studentized_range",
    "vonmises",
    "vonmises_line",
}


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


def count_numbers(given: Any) -> int:
    """How many items all lists in it have."""
    if isinstance(given, Mapping):
        return sum(count_numbers(inner) for inner in given.values())
    if isinstance(given, list):
        return len(given) + sum(count_numbers(inner) for inner in given if isinstance(inner, (list, Mapping)))
    return 0
