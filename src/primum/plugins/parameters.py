"""Declared parameters of plug-ins: type, bounds and one line of text, from which everything else is derived."""

from __future__ import annotations

import dataclasses
import math
import numbers
import reprlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from primum.errors import ParameterError, PrimumError, UnknownNameError

# family of plug-ins -> the word for it in messages; it is also the name of its sub-package and entry-point group
FAMILIES = {"values": "value", "rewards": "reward distribution", "policies": "policy"}

# The compiled contract passes at most this many parameters by register (see kernels/compiling.py).
MOST_PARAMETERS = 6


@dataclass(frozen=True)
class Parameter:
    """What a parameter may be: a number unless it has `choices`, is a `string` or a plug-in of a `family`."""

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
        return f"{left}{self.low:g}, {self.high:g}{right}"

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        if self.choices:
            return "one of " + ", ".join(repr(choice) for choice in self.choices)
        kind = "whole number" if self.integer else "number"
        bounded = self.low > -math.inf or self.high < math.inf
        one = f"{kind} in {self.interval}" if bounded else f"finite {kind}"
        if self.string:
            one = "text"
        if self.family:
            one = FAMILIES[self.family]
        return f"a list, each a {one}" if self.many else f"a {one}"

    def check(self, name: str, value: Any, build: Callable[[str, Any], Any] | None = None) -> Any:
        """The value in its canonical type, or a ParameterError that says what is allowed.

        A parameter that is itself a plug-in is made by `build`, from the family and what is given.
        """
        if callable(value):
            raise ParameterError(
                f"{name} must be {self.allowed}, got the callable {value!r}: "
                "parameters are data, so that an experiment can be saved and repeated"
            )
        if self.many:
            if isinstance(value, str) or not (isinstance(value, Sequence) or hasattr(value, "tolist")):
                raise ParameterError(f"{name} must be {self.allowed}, got {reprlib.repr(value)}")
            one = dataclasses.replace(self, many=False)
            return tuple(one._check_one(f"{name}[{i}]", item, build) for i, item in enumerate(value))
        return self._check_one(name, value, build)

    def _check_one(self, name: str, value: Any, build: Callable[[str, Any], Any] | None) -> Any:
        if build is not None and self.family:
            try:
                return build(self.family, value)
            except PrimumError as error:
                raise ParameterError(f"{name}: {error}") from None
        if self.string:
            if not isinstance(value, str):
                raise ParameterError(f"{name} must be {self.allowed}, got {reprlib.repr(value)}")
            return value
        if self.choices:
            if not isinstance(value, str):
                raise ParameterError(f"{name} must be {self.allowed}, got {reprlib.repr(value)}")
            if value not in self.choices:
                raise ParameterError(f"{name}: {UnknownNameError('choice', value, self.choices)}")
            return value
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise ParameterError(f"{name} must be {self.allowed}, got {reprlib.repr(value)}")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        inside = (number > self.low if self.open_low else number >= self.low) and (
            number < self.high if self.open_high else number <= self.high
        )
        if not math.isfinite(number):
            raise ParameterError(f"{name} must be {self.allowed}, got {number:g}")
        if not inside:
            raise ParameterError(f"{name} must be in {self.interval}, got {number:g}")
        if self.integer:
            if number != int(number):
                raise ParameterError(f"{name} must be {self.allowed}, got {number:g}")
            return math.floor(value)
        return number

    def pack(self, value: Any) -> float:
        """The number that stands for the value in a kernel; a choice becomes its position."""
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
