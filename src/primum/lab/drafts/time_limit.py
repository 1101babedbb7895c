"""Arms that cannot be looked at while one types."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Iterator, Mapping
from typing import Any

from primum.errors import ParameterError
from primum.plugins.spec_text import DEEPEST, TOO_DEEP, parse

LONGEST_TEXT = 10_000  # characters of an arm that is written as text
MOST_TABLES = 250  # arms and the distributions that they are made of; each takes a millisecond or so
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
    for spec in _specs(given):
        name = spec.get("distribution")
        if spec.get("name") == "scipy" and isinstance(name, str) and name in SLOW:
            raise ParameterError(f"scipy: distribution: {name!r} is too slow here, up to seconds for each arm")


def refuse_long(arms: Any) -> None:
    """Raise a ParameterError if a list of arms has too many numbers, or distributions in distributions."""
    specs: list[Mapping[str, Any]] = []
    for arm in arms if isinstance(arms, list) else []:
        with contextlib.suppress(ParameterError):  # `refuse_slow` says what is wrong with one arm
            specs += itertools.islice(_specs(arm), MOST_TABLES + 1)
    if len(specs) > MOST_TABLES:
        raise ParameterError(f"all arms can be made of {MOST_TABLES} distributions at most, got more")
    numbers = sum(len(part) for spec in specs for part in spec.values() if isinstance(part, list))
    if numbers > MOST_NUMBERS:
        raise ParameterError(f"the lists of all arms can have {MOST_NUMBERS} numbers at most, got {numbers}")


def _specs(given: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """All tables in it, also those that are written as text."""
    if depth > 2 * DEEPEST:
        raise ParameterError(TOO_DEEP)
    if isinstance(given, str):
        given = _read(given)
    if isinstance(given, Mapping):
        yield given
        given = [part for key, part in given.items() if key != "name"]
    if isinstance(given, list):
        for inner in given:
            if isinstance(inner, (str, Mapping, list)):
                yield from _specs(inner, depth + 1)


def _read(text: str) -> Any:
    """The spec that a text writes; nothing if it writes none."""
    if len(text) > LONGEST_TEXT:
        raise ParameterError(f"a distribution as text can have {LONGEST_TEXT} characters, got {len(text)}; give a spec")
    try:
        return parse(text)
    except ParameterError:  # it is said where it is built
        return None
