"""How a live trial is conducted: the table [live] of a trial file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from primum.errors import Collector, ParameterError, Path, quoted
from primum.plugins.parameters import Parameter
from primum.problem import SIZE
from primum.runs.validation import Single, Validated, by, refuse

BINARY = "binary"
MOST_DAYS = 36_525
MOST_CRITERIA, LONGEST_CRITERION = 50, 300  # texts, characters


@dataclass(frozen=True)
class _Outcomes:
    allowed = 'outcomes must be "binary" or the lowest and the highest possible outcome, for example [0, 100]'

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        if given == BINARY:
            return BINARY
        is_pair = isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2
        with errors.at(*path[:-1]):
            if not is_pair:
                raise ParameterError(f"{self.allowed}, got {quoted(given)}", ("outcomes",))
            low, high = (SIZE.check("outcomes", end) for end in given)
            if not low < high:
                raise ParameterError(f"{self.allowed}, got {quoted(given)}", ("outcomes",))
            return low, high


@dataclass(frozen=True)
class _Flag:
    allowed = "true or false"

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        return given if isinstance(given, bool) else refuse(self, given, path, errors)


@dataclass(frozen=True)
class _Criteria:
    allowed = f"a list of at most {MOST_CRITERIA} different texts of at most {LONGEST_CRITERION} characters"

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        fits = (
            isinstance(given, list | tuple)
            and len(given) <= MOST_CRITERIA
            and all(isinstance(each, str) and 0 < len(each.strip()) <= LONGEST_CRITERION for each in given)
            and len(set(given)) == len(given)
        )
        return tuple(given) if fits else refuse(self, given, path, errors)


@dataclass(frozen=True)
class _Zone:
    allowed = 'a time zone such as "Europe/Zurich" or "UTC"'

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        try:
            if isinstance(given, str):
                return ZoneInfo(given).key
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
        return refuse(self, given, path, errors)


DAYS = Single(Parameter("", 0, MOST_DAYS))


@dataclass(frozen=True, kw_only=True)
class LiveSettings(Validated):
    """How a live trial is conducted.

    In a `blinded` trial the person who enrols gets a kit code, otherwise the arm. `outcomes` are ``"binary"``, 0 or 1,
    or the lowest and the highest possible outcome. An outcome is due `due_days` after enrolment, and overdue
    `grace_days` later; without `due_days` it is only waited for. `eligibility` are the criteria that are confirmed for
    each participant, and with `consent` the date of consent is asked. Dates are those of the `time_zone`.

    >>> LiveSettings(outcomes=(0, 100), due_days=28).spec()
    {'outcomes': [0.0, 100.0], 'due_days': 28.0}
    """

    _noun = "the settings of a live trial"
    _allowed = "a table with the keys blinded, outcomes, due_days, grace_days, eligibility, consent and time_zone"

    blinded: bool = field(default=True, metadata=by(_Flag()))
    outcomes: str | tuple[float, float] = field(default=BINARY, metadata=by(_Outcomes()))
    due_days: float | None = field(default=None, metadata=by(DAYS))
    grace_days: float = field(default=7.0, metadata=by(DAYS))
    eligibility: Sequence[str] = field(default=(), metadata=by(_Criteria()))
    consent: bool = field(default=False, metadata=by(_Flag()))
    time_zone: str = field(default="UTC", metadata=by(_Zone()))

    def spec(self, *, complete: bool = False) -> dict[str, Any]:
        """Plain data from which `from_spec` makes equal settings; with all defaults if it is to be `complete`."""
        given = self._parts() if complete else self._changed()
        return {key: list(part) if isinstance(part, tuple) else part for key, part in given.items()}

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest possible outcome."""
        return (0.0, 1.0) if isinstance(self.outcomes, str) else self.outcomes

    def check(self, outcome: Any, name: str = "outcome") -> float:
        """An outcome as a number, if it is possible."""
        number = Parameter("").check(name, float(outcome) if isinstance(outcome, bool) else outcome)
        low, high = self.range
        if self.outcomes == BINARY and number not in (low, high):
            raise ParameterError(f"{name} must be 0 (failure) or 1 (success), got {quoted(outcome)}", (name,))
        if not low <= number <= high:
            raise ParameterError(f"{name} must be in [{low:g}, {high:g}], got {quoted(outcome)}", (name,))
        return float(number)
