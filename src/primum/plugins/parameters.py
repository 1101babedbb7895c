"""Declared parameters of plug-ins: type, bounds and one line of text, from which everything else is derived."""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from primum.errors import Collector, ParameterError, Path, UnknownNameError, quoted, within

# family of plug-ins -> the word for it in messages; it is also the name of its sub-package and entry-point group
FAMILIES = {"values": "value", "rewards": "reward distribution", "policies": "policy"}
TRIAL_FAMILIES = {  # the parts of a trial; the sub-packages of `trials`, or its modules
    "analyses": "analysis",
    "stopping": "stopping rule",
    "accruals": "accrual",
    "delays": "delay",
    "drifts": "drift",
}
NOUNS = FAMILIES | TRIAL_FAMILIES | {"environments": "environment"}  # environments are built like plug-ins

# The compiled contract passes at most this many parameters by register (see kernels/compiling.py).
MOST_PARAMETERS = 6


@dataclass(frozen=True)
class Parameter:
    """The declaration of a parameter: a number unless it has `choices`, is a `string` or a plug-in of a `family`."""

    text: str
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    integer: bool = False
    choices: tuple[str, ...] = ()
    string: bool = False
    family: str = ""
    many: bool = False

    @property
    def interval(self) -> str:
        """The bounds as in mathematics, for example ``(0, 1]``."""
        left = "(" if self.open_low or self.low == -math.inf else "["
        right = ")" if self.open_high or self.high == math.inf else "]"
        return f"{left}{_bound(self.low)}, {_bound(self.high)}{right}"

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.choices:
            return "one of " + ", ".join(repr(choice) for choice in self.choices)
        kind = "whole number" if self.integer else "number"
        bounded = self.low > -math.inf or self.high < math.inf
        one = f"{kind} in {self.interval}" if bounded else f"finite {kind}"
        if self.string:
            one = "text"
        if self.family:
            one = NOUNS[self.family]
        return f"a list, each {with_article(one)}" if self.many else with_article(one)

    def check(self, name: str, value: Any, build: Callable[[str, Any], Any] | None = None, of: str = "") -> Any:
        """The value in its canonical type, or an error that names the plug-in, the parameter and the allowed values.

        A parameter that is itself a plug-in is made by `build`, from the family and what is given.
        """
        subject = f"{of}: {name}" if of else name
        if callable(value):
            raise ParameterError(
                f"{subject} must be {self.allowed}, got the callable {value!r}: "
                "parameters are data, so that an experiment can be saved and repeated",
                (name,),
            )
        if not self.many:
            return self._check_one(subject, (name,), value, build)
        if isinstance(value, str) or not (isinstance(value, Sequence) or hasattr(value, "tolist")):
            raise ParameterError(f"{subject} must be {self.allowed}, got {quoted(value)}", (name,))
        one, errors = dataclasses.replace(self, many=False), Collector()
        if not self.family:  # of a long list only the first error is reported
            return tuple(one._check_one(f"{subject}[{i}]", (name, i), item, build) for i, item in enumerate(value))
        items = []
        for i, item in enumerate(value):
            with errors.ours():
                items.append(one._check_one(subject, (name, i), item, build))
        errors.raise_any()
        return tuple(items)

    def _check_one(self, subject: str, path: Path, value: Any, build: Callable[[str, Any], Any] | None) -> Any:
        if self.family and build is not None:
            with within(*path):
                return build(self.family, value)
        if self.string or self.choices:
            if not isinstance(value, str):
                raise ParameterError(f"{subject} must be {self.allowed}, got {quoted(value)}", path)
            if self.choices and value not in self.choices:
                raise ParameterError(f"{subject}: {UnknownNameError('choice', value, self.choices)}", path)
            return value
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise ParameterError(f"{subject} must be {self.allowed}, got {quoted(value)}", path)
        if self.integer:
            integral = isinstance(value, numbers.Integral) or (math.isfinite(value) and value == math.floor(value))
            if not integral or not self._contains(value):
                raise ParameterError(f"{subject} must be {self.allowed}, got {quoted(value)}", path)
            return math.floor(value)  # not by way of a float, which cannot hold the largest seeds
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ParameterError(f"{subject} must be {self.allowed}, got {number:g}", path)
        if not self._contains(number):
            raise ParameterError(f"{subject} must be in {self.interval}, got {number:g}", path)
        return number

    def _contains(self, number: Any) -> bool:
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        return bool(above and below)

    def pack(self, value: Any) -> float:
        """The value as a number for a kernel; a choice becomes its position."""
        return float(self.choices.index(value)) if self.choices else float(value)


def parameter(
    default: Any = dataclasses.MISSING,
    text: str = "",
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
    open_high: bool = False,
    integer: bool = False,
    choices: tuple[str, ...] = (),
    string: bool = False,
    family: str = "",
    many: bool = False,
) -> Any:
    """A dataclass field that carries its declaration."""
    declared = Parameter(text, low, high, open_low, open_high, integer, choices, string, family, many)
    return dataclasses.field(default=default, metadata={"parameter": declared})


def declared(plugin: Any) -> dict[str, Parameter]:
    """The parameters of a plug-in (class or instance) by name; a plain dataclass field is any finite number."""
    return {
        field.name: field.metadata.get("parameter", Parameter("")) for field in dataclasses.fields(plugin) if field.init
    }


def with_article(noun: str) -> str:
    """The noun with its article: ``a policy``, ``an environment``."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _bound(number: float) -> str:
    if isinstance(number, int):
        return f"2^{number.bit_length()} - 1" if number + 1 >= 2**53 and not number & (number + 1) else str(number)
    return f"{number:g}"
