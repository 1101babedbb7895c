"""Limits on the time and size of the arms of a draft."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from primum.errors import ParameterError
from primum.plugins.spec_text import DEEPEST_NESTING, TOO_DEEP, parse
from primum.runs.processor_time import processor_seconds

MOST_CHARACTERS = 10_000  # of a distribution written as text
MOST_DISTRIBUTIONS = 250  # arms and the distributions they are made of; each takes a millisecond or so
MOST_NUMBERS = 50_000  # in the lists of all arms, which take a fifth of a second
PREVIEW_LIMIT_SECONDS = 5.0  # processor time; enough for a hundred arms of most kinds
SKIPPED = f"Skipped: earlier arms used up the {PREVIEW_LIMIT_SECONDS:g} s limit. Edit any field to retry."


class TimeBudget:
    """The processor time that a preview may take, in its thread and in processes that compute for it."""

    def __init__(self) -> None:
        self._end = processor_seconds() + PREVIEW_LIMIT_SECONDS

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return processor_seconds() > self._end


def refuse_deep(given: Any) -> None:
    """Raise a ParameterError if a reward distribution is nested too deep, or is too long a text."""
    for _ in _specs(given):
        pass


def refuse_long(arms: Any) -> None:
    """Raise a ParameterError if a list of arms has too many numbers, or distributions in distributions."""
    specs: list[Mapping[str, Any]] = []
    for arm in arms if isinstance(arms, list) else []:
        with contextlib.suppress(ParameterError):  # `refuse_deep` says what is wrong with one arm
            specs += itertools.islice(_specs(arm), MOST_DISTRIBUTIONS + 1)
    if len(specs) > MOST_DISTRIBUTIONS:
        raise ParameterError(f"all arms together can have at most {MOST_DISTRIBUTIONS} distributions, got more")
    numbers = sum(len(part) for spec in specs for part in spec.values() if isinstance(part, list))
    if numbers > MOST_NUMBERS:
        raise ParameterError(f"the lists of all arms can have at most {MOST_NUMBERS} numbers, got {numbers}")


def _specs(given: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """All tables in the input, also those written as text."""
    if depth > 2 * DEEPEST_NESTING:
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
    """The spec that a text describes; None if it describes none."""
    if len(text) > MOST_CHARACTERS:
        most = f"at most {MOST_CHARACTERS} characters"
        raise ParameterError(f"a distribution written as text can have {most}, got {len(text)}; give a table")
    try:
        return parse(text)
    except ParameterError:  # reported where the distribution is built
        return None
