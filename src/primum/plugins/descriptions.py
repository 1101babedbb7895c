"""Descriptions of plug-ins for the command line, the laboratory and the catalogue in the documents."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from primum.errors import as_primum_error
from primum.plugins.parameters import Parameter
from primum.plugins.registry import Plugin, build, parameters_of


@dataclass
class Description:
    """A plug-in in words: title, summary, details, parameters, facts, reference and example.

    >>> from primum import values
    >>> described = describe(values.CVaR)
    >>> described.summary
    'The mean of the worst fraction `alpha` of outcomes.'
    >>> described.parameters["alpha"]
    ('0.1', 'a number in (0, 1]', 'fraction of worst outcomes')
    """

    name: str
    title: str
    summary: str
    details: str
    example: str
    # name -> its default, None if it must be given; what is allowed; what it means
    parameters: dict[str, tuple[str | None, str, str]] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)  # with all parameters at their defaults
    reference: str = ""
    fault: str = ""  # the error raised while the class was described

    def lines(self) -> Iterator[str]:
        """Everything but the details and the example, line by line; a parameter begins with a dash."""
        yield f"{self.title}: {self.summary}"
        for name, (default, allowed, text) in self.parameters.items():
            given = "" if default is None else f" = {default}"
            yield f"- {name}{given}: {allowed}" + (f"; {text}" if text else "")
        yield from self.facts
        if self.reference:
            yield f"Reference: {self.reference}"
        if self.fault:
            yield self.fault


def describe(cls: type[Plugin]) -> Description:
    """The description of a class; an exception that a plug-in raises while it is described becomes its `fault`."""
    first, *rest = re.split(r"\n\s*\n", inspect.getdoc(cls) or "")
    examples = [text for text in rest if text.startswith(">>>")]
    details = [text for text in rest if text not in examples and not text.startswith("Reference: ")]
    description = Description(cls.name, cls.title, " ".join(first.split()), "\n\n".join(details), "\n\n".join(examples))
    try:
        for name, (rule, default) in parameters_of(cls).items():
            description.parameters[name] = _plain(default), rule.allowed, rule.text
        if all(default is not None for default, *_ in description.parameters.values()):
            for fact in facts(cls()):
                description.facts.append(fact)  # one by one, so that everything before an error is kept
        description.reference = cls.reference()
    except Exception as error:
        description.fault = as_primum_error(error).sentence
    return description


def _plain(default: Any) -> str | None:
    if default is dataclasses.MISSING:
        return None
    if isinstance(default, float):
        return f"{default:g}"
    return str(list(default) if isinstance(default, tuple) else default)


def facts(plugin: Plugin) -> Iterator[str]:
    """Facts about a plug-in with its current parameters, one sentence each."""
    of = {"values": _facts_of_value, "rewards": _facts_of_rewards, "policies": _facts_of_policy}
    yield from of[plugin.family](plugin)


def _facts_of_value(value: Any) -> Iterator[str]:
    constants = {"gamma": value.gamma, "lipschitz": value.lipschitz}
    known = [f"no {name} is known" if x is None else f"{name} = {x:g}" for name, x in constants.items()]
    inherits = "average" if value.averages_over_subsamples else "do not average"
    bias = "unbiased" if value.unbiased else "biased"
    yield f"Flags: {'; '.join(known)}; {bias}; sub-samples {inherits} to the sample."
    yield value.well_behaved_reason


def _facts_of_rewards(distribution: Any) -> Iterator[str]:
    low, high = distribution.support
    yield f"Rewards in {Parameter('', low, high).interval}; mean {distribution.mean:g}."


def _facts_of_policy(policy: Any) -> Iterator[str]:
    own, constant = policy.own_value, policy.needs_constant
    if own is None:
        if constant:
            yield f"Works with every value whose {constant} is known, and with any other if you set {constant}."
        else:
            yield "Works with every value."
    else:
        yield f"Always uses its own value: {build('values', own).display_name}."
    if required := requirements(policy):
        yield f"Needs {' and '.join(required)}."


def requirements(policy: Any) -> list[str]:
    """What a policy must know, and the rewards that it can learn from.

    >>> from primum import policies
    >>> requirements(policies.CvarUcb())
    ['the horizon', 'rewards in (-inf, 1]']
    """
    required = ["the horizon"] if policy.needs_horizon else []
    if policy.needs_truth:
        required.append("the true values")
    low, high = policy.reward_bounds
    if low > -math.inf or high < math.inf:
        required.append(f"rewards in {Parameter('', low, high).interval}")
    return required
