"""Checks common to all plug-ins: names, specs and declared parameters."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from primum.checks.finding import Check, Counterexample
from primum.errors import ParameterError, PrimumError
from primum.plugins import registry
from primum.plugins.parameters import declared


def is_known_by_its_name(plugin: Any) -> str:
    cls = registry.find(plugin.family, plugin.name)
    if cls is not type(plugin):
        raise Counterexample(f"{plugin.name!r} stands for {cls.__module__}.{cls.__qualname__}, another class")
    return f"{plugin.name!r} stands for {type(plugin).__name__}"


def survives_as_data(plugin: Any) -> str:
    spec = json.loads(json.dumps(plugin.spec()))
    _compare("its spec", registry.build(plugin.family, spec), plugin)
    if "..." in plugin.label or "…" in plugin.label:
        return "its spec gives an equal object; as text it is too long to be read back"
    _compare(f"the text {plugin.label}", registry.build(plugin.family, plugin.label), plugin)
    return f"its spec and the text {plugin.label} give equal objects"


def _compare(what: str, again: Any, plugin: Any) -> None:
    if again != plugin:
        raise Counterexample(f"{what} gives {again!r}, which is not equal to {plugin!r}")


def is_frozen_and_hashable(plugin: Any) -> str:
    hash(plugin)  # raises where there is none
    if hash(dataclasses.replace(plugin)) != hash(plugin):
        raise Counterexample("an equal object has another hash")
    for name in declared(plugin):
        try:
            setattr(plugin, name, getattr(plugin, name))
        except AttributeError:
            continue
        raise Counterexample(f"{name} can be set; declare the class as @dataclass(frozen=True)")
    return "no parameter can be set, and equal objects have equal hashes"


def refuses_what_its_parameters_do_not_allow(plugin: Any) -> str:
    tried = 0
    for name, rule in declared(plugin).items():
        outside = [rule.low - 1, rule.high + 1, *[rule.low] * rule.open_low, *[rule.high] * rule.open_high]
        for one in (*outside, 0.5, math.nan, math.inf, None, "no such thing", print):
            bad = [one] if rule.many else one
            try:
                rule.check(name, bad)
            except ParameterError:
                tried += 1
                if _accepts(plugin, name, bad):
                    raise Counterexample(
                        f"{name} must be {rule.allowed}, but {bad!r} is accepted; "
                        "begin your own __post_init__ with super().__post_init__()"
                    ) from None
    return f"{tried} values that its parameters do not allow are refused" if tried else "it has no parameters"


def _accepts(plugin: Any, name: str, bad: Any) -> bool:
    try:
        dataclasses.replace(plugin, **{name: bad})
    except PrimumError:
        return False
    return True


CHECKS: tuple[Check, ...] = (
    is_known_by_its_name,
    survives_as_data,
    is_frozen_and_hashable,
    refuses_what_its_parameters_do_not_allow,
)
