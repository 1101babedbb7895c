"""All registered plug-ins, with everything that a form needs."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import primum
from primum.errors import as_primum_error
from primum.figures.style import COLOURS, ON_DARK
from primum.lab.http.schemas import (
    LARGEST_SEED,
    LONGEST_HORIZON,
    MOST_ARMS,
    MOST_POLICIES,
    MOST_REPLICATIONS,
    Catalogue,
    ParameterForm,
    PluginForm,
)
from primum.plugins.descriptions import describe, requirements
from primum.plugins.groups import OTHER, group, in_order
from primum.plugins.parameters import FAMILIES, Parameter
from primum.plugins.registry import Plugin, as_data, build, find, names, parameters_of
from primum.policies import Policy
from primum.web.middleware import LARGEST_BODY

# Initial values of parameters without a default, by the parameter's name or by both names; values that a parameter
# does not allow are skipped.
STARTS: dict[str, Any] = {
    "a": 2.0,
    "b": 2.0,
    "components": [{"name": "constant", "value": 0.2}, {"name": "uniform", "low": 0.4, "high": 1.0}],
    "data": [0.1, 0.4, 0.9],
    "deviation": 0.2,
    "deviations": [0.1, 0.2],
    "formula.text": "mean - 0.5 * var",
    "high": 1.0,
    "locations": [0.3, 0.7],
    "low": 0.0,
    "probabilities": [0.5, 0.3, 0.2],
    "scipy.distribution": "norm",
    "values": [0.0, 0.5, 1.0],
}
# initial plug-ins for parameters that are plug-ins, by family
SIMPLE = {
    "values": {"name": "mean"},
    "rewards": {"name": "uniform", "low": 0.0, "high": 1.0},
    "policies": {"name": "uniform-random"},
}
SLIDER_REACH = 100.0  # a slider does not extend to a bound beyond this


def catalogue() -> Catalogue:
    """Everything registered, those of installed third-party packages included."""
    forms = {family: [form(find(family, name)) for name in names(family)] for family in FAMILIES}
    return Catalogue(
        version=primum.__version__,
        **forms,
        groups={family: in_order(family, (each.group for each in listed)) for family, listed in forms.items()},
        colours=list(COLOURS),
        on_dark=ON_DARK,
        limits={
            "arms": MOST_ARMS,
            "policies": MOST_POLICIES,
            "horizon": LONGEST_HORIZON,
            "replications": MOST_REPLICATIONS,
            "seed": LARGEST_SEED,
            "upload": LARGEST_BODY,
        },
    )


def form(cls: type[Plugin]) -> PluginForm:
    """The form of a class; `fault` says why its initial spec cannot be built, as may happen to third-party classes."""
    description = describe(cls)
    parameters: list[ParameterForm] = []
    start, fault = {"name": cls.name}, description.fault
    heading, needs = OTHER, []
    try:
        for name, (rule, default) in parameters_of(cls).items():
            parameters.append(_parameter(cls.name, name, rule, default))
            start[name] = parameters[-1].start
        plugin = build(cls.family, start)
        heading, needs = group(plugin), _needs(plugin)
    except Exception as error:
        fault = fault or as_primum_error(error).sentence
    return PluginForm(
        name=cls.name,
        title=cls.title,
        summary=description.summary,
        details=description.details,
        reference=description.reference,
        facts=description.facts,
        parameters=parameters,
        start=start,
        fault=fault,
        group=heading,
        needs=needs,
    )


def _needs(plugin: Plugin) -> list[str]:
    """What a policy needs with the initial parameters of its form."""
    if not isinstance(plugin, Policy):
        return []
    constant = plugin.needs_constant
    return [*requirements(plugin), *([f"a value whose {constant} is known"] if constant else [])]


def _parameter(plugin: str, name: str, rule: Parameter, default: Any) -> ParameterForm:
    given = None if default is dataclasses.MISSING else as_data(default)
    start = _start(plugin, name, rule) if given is None else given
    slider = None if _kind(rule) not in ("number", "integer") or rule.many else _slider(rule, start)
    return ParameterForm(
        name=name,
        text=rule.text,
        allowed=rule.allowed,
        kind=_kind(rule),
        many=rule.many,
        low=rule.low if math.isfinite(rule.low) else None,
        high=rule.high if math.isfinite(rule.high) else None,
        open_low=rule.open_low,
        open_high=rule.open_high,
        choices=list(rule.choices),
        family=rule.family,
        default=given,
        start=start,
        slider=slider,
        logarithmic=slider is not None and _by_ratio(rule),
    )


def _kind(rule: Parameter) -> Literal["number", "integer", "choice", "text", "plugin"]:
    if rule.family:
        return "plugin"
    if rule.string:
        return "text"
    if rule.choices:
        return "choice"
    return "integer" if rule.integer else "number"


def _start(plugin: str, name: str, rule: Parameter) -> Any:
    known = STARTS.get(f"{plugin}.{name}", STARTS.get(name))
    if known is not None and _allows(rule, known):
        return known
    one: Any
    match _kind(rule):
        case "plugin":
            one = SIMPLE[rule.family]
        case "text":
            one = ""
        case "choice":
            one = rule.choices[0]
        case _:
            one = _number(rule)
    return [one, one] if rule.many else one


def _allows(rule: Parameter, value: Any) -> bool:
    try:
        rule.check("", value, build)
    except Exception:
        return False
    return True


def _number(rule: Parameter) -> float:
    """An allowed number: 0.5 or 1 if possible, else the middle, or a number near the only bound."""
    for number in (1.0,) if rule.integer else (0.5, 1.0):
        if _allows(dataclasses.replace(rule, many=False), number):
            return number
    low, high = rule.low, rule.high
    if math.isfinite(low) and math.isfinite(high):
        middle = (low + high) / 2
        return math.floor(middle) if rule.integer else middle
    return low + 1 if math.isfinite(low) else high - 1


def _slider(rule: Parameter, start: float) -> tuple[float, float]:
    """The ends of a slider: the bounds if they are near, else a range around the initial value."""
    low, high = _reach(rule)
    if _by_ratio(rule):
        ends = start / 20, start * 20
    elif low == -math.inf:
        ends = min(-1.0, 2 * start), max(2.0, 2 * start)
    else:
        ends = low, low + _round_up(4 * (start - low) or (100.0 if rule.integer else 4.0))
    left, right = max(ends[0], low), high if math.isfinite(high) else ends[1]
    if rule.integer:
        return math.ceil(left), math.floor(min(right, rule.high))
    nudge = 0.001 * (right - left)
    left = left + nudge if rule.open_low and left <= rule.low else left
    return left, right - nudge if rule.open_high and right >= rule.high else right


def _reach(rule: Parameter) -> tuple[float, float]:
    """The bounds that a slider extends to; infinite where they are too far."""
    return rule.low if rule.low >= -SLIDER_REACH else -math.inf, rule.high if rule.high <= SLIDER_REACH else math.inf


def _by_ratio(rule: Parameter) -> bool:
    low, high = _reach(rule)
    return high == math.inf and (low > 0 or (low == 0 and rule.open_low))


def _round_up(number: float) -> float:
    """The next of 1, 2, 5, 10, 20 ..."""
    unit = 10.0 ** math.floor(math.log10(number))
    return next(unit * step for step in (1, 2, 5, 10) if unit * step >= number * (1 - 1e-9))
