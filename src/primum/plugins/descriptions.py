"""What a plug-in says of itself, for the command line and the catalogue in the documents."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from primum.errors import reported
from primum.plugins.parameters import Parameter
from primum.plugins.registry import Plugin, parameters_of


@dataclass
class Description:
    """A plug-in in words: its first sentence, how it works, parameters, what holds of it, source and example.

    >>> from primum import values
    >>> described = describe(values.CVaR)
    >>> described.summary
    'The mean of the worst share `alpha` of outcomes.'
    >>> described.parameters["alpha"]
    ('0.1', 'a number in (0, 1]', 'share of the worst outcomes')
    """

    name: str
    summary: str
    details: str
    example: str
    # name -> its default, None if it must be given; what is allowed; what it means
    parameters: dict[str, tuple[str | None, str, str]] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)  # with all parameters at their defaults
    reference: str = ""
    fault: str = ""  # what went wrong while the class was asked

    def lines(self) -> Iterator[str]:
        """All but the details and the example, line by line; a parameter begins with a dash."""
        yield self.summary
        for name, (default, allowed, text) in self.parameters.items():
            given = "" if default is None else f" = {default}"
            yield f"- {name}{given}: {allowed}" + (f"; {text}" if text else "")
        yield from self.facts
        if self.reference:
            yield f"Reference: {self.reference}"
        if self.fault:
            yield self.fault


def describe(cls: type[Plugin]) -> Description:
    """The description of a class; of anybody's, so anything may be raised while it is asked, and is told."""
    first, *rest = re.split(r"\n\s*\n", inspect.getdoc(cls) or "")
    examples = [text for text in rest if text.startswith(">>>")]
    details = [text for text in rest if text not in examples and not text.startswith("Reference: ")]
    said = Description(cls.name, " ".join(first.split()), "\n\n".join(details), "\n\n".join(examples))
    try:
        for name, (rule, default) in parameters_of(cls).items():
            said.parameters[name] = _plain(default), rule.allowed, rule.text
        if all(default is not None for default, *_ in said.parameters.values()):
            for fact in facts(cls()):
                said.facts.append(fact)  # one by one, so that what came before a fault is kept
        said.reference = cls.reference()
    except Exception as error:
        said.fault = reported(error).sentence
    return said


def _plain(default: Any) -> str | None:
    if default is dataclasses.MISSING:
        return None
    if isinstance(default, float):
        return f"{default:g}"
    return str(list(default) if isinstance(default, tuple) else default)


def facts(plugin: Plugin) -> Iterator[str]:
    """What holds of a plug-in with the parameters that it has, one sentence after the other."""
    of = {"values": _facts_of_value, "rewards": _facts_of_rewards, "policies": _facts_of_policy}
    yield from of[plugin.family](plugin)


def _facts_of_value(value: Any) -> Iterator[str]:
    constants = {"gamma": value.gamma, "lipschitz": value.lipschitz}
    known = [f"no {name} is known" if x is None else f"{name} = {x:g}" for name, x in constants.items()]
    inherits = "average" if value.inherits else "do not average"
    bias = "unbiased" if value.unbiased else "biased"
    yield f"Flags: {'; '.join(known)}; {bias}; sub-samples {inherits} to the sample."
    yield value.why_not


def _facts_of_rewards(distribution: Any) -> Iterator[str]:
    low, high = distribution.support
    yield f"Rewards in {Parameter('', low, high).interval}; mean {distribution.mean:g}."


def _facts_of_policy(policy: Any) -> Iterator[str]:
    own, constant = policy.own_value, policy.needs_constant
    if own is None:
        yield "Uses any value" + (f" with a known {constant}; any at all if you give one." if constant else ".")
    else:
        parameters = ", ".join(f"{key}={given!r}".removesuffix(".0") for key, given in own.items() if key != "name")
        yield f"Always uses the value {own['name']}" + (f"({parameters})." if parameters else ".")
    low, high = policy.reward_bounds
    needs = ["the horizon"] * policy.needs_horizon + ["the true values"] * policy.needs_truth
    if low > -math.inf or high < math.inf:
        needs.append(f"rewards in {Parameter('', low, high).interval}")
    if needs:
        yield f"Needs {' and '.join(needs)}."
