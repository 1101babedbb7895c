"""A draft, read as far as it can be: each part by itself, with a sentence for each that is wrong."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from primum.errors import ParameterError
from primum.experiments.fields import parameter_of, sentence
from primum.lab.drafts.time_limit import SKIPPED, TimeBudget, refuse_deep, refuse_long
from primum.lab.http.schemas import LARGEST_SEED, LONGEST_HORIZON, MOST_REPLICATIONS, Draft, Question
from primum.lab.shared_arms import shared
from primum.plugins import registry
from primum.policies import Policy
from primum.problem import check_name
from primum.rewards import RewardDistribution
from primum.simulation import whole
from primum.values import SafetyValue

BOUNDS = {"horizon": (2, LONGEST_HORIZON), "replications": (1, MOST_REPLICATIONS), "seed": (0, LARGEST_SEED)}

Made = TypeVar("Made")


@dataclass(frozen=True)
class Reading:
    """The parts of a draft, None where one is wrong; `errors` says what is wrong, by place."""

    errors: dict[str, str]
    arms: list[RewardDistribution | None]
    value: SafetyValue | None
    policies: list[Policy | None]


def read(draft: Draft, budget: TimeBudget) -> Reading:
    """All parts of a draft; numbers that it does not give have defaults."""
    errors: dict[str, str] = {}
    arms, value = _arms(draft, errors, budget), _plugin(errors, "value", "values", draft.value)
    policies = _policies(draft, errors)
    for name in BOUNDS:
        if name in draft.model_fields_set:
            attempt(errors, name, _whole, name, getattr(draft, name))
    return Reading(errors, arms, value, policies)


def attempt(errors: dict[str, str], place: str, make: Callable[..., Made], *given: Any) -> Made | None:
    """What is made of what is given, or None and a sentence at its place."""
    try:
        return make(*given)
    except Exception as error:  # numbers of hundreds of digits, deep nesting, and plug-ins of other authors
        told = sentence(error)
        errors.setdefault(place + _deeper(given[-1], told), told)
        return None


def _plugin(errors: dict[str, str], place: str, family: str, given: Any) -> Any:
    if given is None:
        errors[place] = f"{place} is missing; give a {registry.FAMILIES[family]} by its name"
        return None
    return attempt(errors, place, registry.build, family, given)


def _whole(name: str, given: Any) -> int:
    try:
        return whole(name, given, *BOUNDS[name])
    except ParameterError:
        allowed = Question.model_fields[name].description
        raise ParameterError(f"{name} must be {allowed}, got {reprlib.repr(given)}") from None


def _arms(draft: Draft, errors: dict[str, str], budget: TimeBudget) -> list[RewardDistribution | None]:
    names = [arm.name for arm in draft.arms]
    for i, name in enumerate(names):
        attempt(errors, f"arms[{i}].name", check_name, name)
        if name in names[:i]:
            errors.setdefault(f"arms[{i}].name", f"arms must differ, got {name!r} twice")
    if not names:
        errors["arms"] = "there must be an arm at least, got none"
    attempt(errors, "arms", _check_numbers, draft)
    if "arms" in errors:
        return [None] * len(names)
    return [_arm(errors, f"arms[{i}].distribution", arm.distribution, budget) for i, arm in enumerate(draft.arms)]


def _check_numbers(draft: Draft) -> None:
    refuse_long([arm.distribution for arm in draft.arms])


def _arm(errors: dict[str, str], place: str, given: Any, budget: TimeBudget) -> RewardDistribution | None:
    before = len(errors)
    attempt(errors, place, refuse_deep, given)
    if budget.over:
        errors.setdefault(place, SKIPPED)
    if len(errors) > before:
        return None
    distribution: RewardDistribution | None = _plugin(errors, place, "rewards", given)
    return None if distribution is None else attempt(errors, place, shared, distribution)


def _policies(draft: Draft, errors: dict[str, str]) -> list[Policy | None]:
    if not draft.policies:
        errors["policies"] = "there must be a policy at least, got none"
    policies = [_plugin(errors, f"policies[{i}]", "policies", given) for i, given in enumerate(draft.policies)]
    labels = [policy.label if policy is not None else None for policy in policies]
    for i, label in enumerate(labels):
        if label is not None and label in labels[:i]:
            errors[f"policies[{i}]"] = f"policies must differ, got {label!r} twice"
    return policies


def _deeper(given: Any, told: str) -> str:
    """Where in a table the sentence of the registry points: ``.low``, ``.components[1].low``, or nowhere."""
    if not isinstance(given, Mapping):
        return ""
    match = re.match(r"[\w+-]+: (\w+)(?:\[(\d+)\])?( is missing)?(?:: (.*))?", told, re.DOTALL)
    if match and match[3]:
        return f".{match[1]}"
    name = parameter_of(given, told)
    if name and match:
        inner, place = given[name], f".{name}"
        if match[2] and isinstance(inner, Sequence):
            inner, place = inner[int(match[2])], f"{place}[{match[2]}]"
        return place + _deeper(inner, match[4] or "")
    own = [key for key in given if key != "name"]
    alone = len(own) == 1 and told.startswith(f"{given.get('name')}: ")  # so the sentence is about this parameter
    return f".{own[0]}" if alone else ""
