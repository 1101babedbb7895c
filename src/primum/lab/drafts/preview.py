"""The preview of a question before it is run, even if parts of it are invalid."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from primum import values
from primum.errors import Collector, ParameterError, PrimumError, as_primum_error
from primum.lab.drafts import densities
from primum.lab.drafts.time_limit import SKIPPED, TimeBudget
from primum.lab.drafts.validation import read
from primum.lab.drafts.verdict import verdict
from primum.lab.http.schemas import Alternative, ArmPreview, PolicyPreview, Preview, ValuePreview
from primum.lab.sandbox.sandbox import allowance
from primum.lab.shared_arms import key_of
from primum.plugins.descriptions import facts
from primum.policies import Policy
from primum.problem import Problem
from primum.results.learned_values import in_words, other_value
from primum.rewards import RewardDistribution
from primum.runs.simulation import check_fit
from primum.store.lru_cache import LruCache
from primum.values import SafetyValue

OTHERS = (values.Mean(), values.MeanVariance(), values.CVaR(), values.Quantile(), values.Entropic())
MOST_ARM_PREVIEWS, MOST_TRUE_VALUES = 1_000, 10_000  # in the caches

Answer = TypeVar("Answer")
Look = ArmPreview | str  # an arm without its value, or its error
Arms = list[tuple[str | None, RewardDistribution | None]]  # None where the name or the distribution is invalid


def preview(given: Any) -> Preview:
    """The errors of a question, and what can be computed from its valid parts."""
    budget = TimeBudget()
    with np.errstate(all="ignore"):  # of numbers such as 1e308; values that are not finite are reported
        with allowance():
            parts, errors = read(given)
        arms: Arms = [(None, None) if arm is None else (arm["name"], arm["distribution"]) for arm in parts["arms"]]
        looks = _all_looks(arms, errors, budget)
        problem = _problem(arms, looks, parts["value"], errors, budget)
        others = _alternatives(problem, budget) if problem else []
        return Preview(
            arms=looks if problem is None else _ranked(arms, looks, problem),
            value=_described(parts["value"], errors),
            best=_best(problem) if problem else [],
            verdict=verdict(problem, others) if problem else "",
            alternatives=others,
            policies=[
                _player(problem, parts["value"], policy, i, errors) for i, policy in enumerate(parts["policies"])
            ],
            errors=errors.by_place,
        )


def _all_looks(arms: Arms, errors: Collector, budget: TimeBudget) -> list[ArmPreview | None]:
    looks: list[ArmPreview | None] = []
    for i, (_, arm) in enumerate(arms):
        looks.append(None)
        if arm is not None:
            with errors.at("arms", i, "distribution"):
                looks[i] = _in_time(budget, looked_at, arm)
    return looks


def _in_time(budget: TimeBudget, look: Callable[..., Answer | str], *given: Any) -> Answer:
    """The answer, if there is time left for it; a sentence is raised as an error."""
    answer = SKIPPED if budget.over else look(*given)
    if isinstance(answer, str):
        raise ParameterError(answer)
    return answer


@allowance()
def _look(arm: RewardDistribution) -> Look:
    try:
        low, high = arm.support
        mean, variance = float(arm.mean), float(arm.variance)
        for what, number in (("mean", mean), ("variance", variance)):
            if not math.isfinite(number):
                raise ParameterError(f"{arm.display_name} has no finite {what}")
        return ArmPreview(
            label=arm.display_name,
            low=low if math.isfinite(low) else None,
            high=high if math.isfinite(high) else None,
            mean=mean,
            deviation=math.sqrt(max(0.0, variance)),
            gap=None,
            rank=None,
            density=densities.density(arm),
            atoms=densities.atoms(arm),
        )
    except Exception as error:
        return as_primum_error(error).sentence


@allowance()
def _value_of(arm: RewardDistribution, value: SafetyValue) -> float | str:
    try:
        return float(Problem({"arm": arm}, value).true_values[0])
    except Exception as error:
        return as_primum_error(error).sentence


_looks, _values = LruCache[Look](MOST_ARM_PREVIEWS), LruCache[float | str](MOST_TRUE_VALUES)


def looked_at(arm: RewardDistribution) -> Look:
    """The preview of an arm, or its error; cached, so that a change of one arm costs one arm."""
    return _looks.get_or_compute(key_of(arm), lambda: _look(arm))


def true_value(arm: RewardDistribution, value: SafetyValue) -> float | str:
    """The true value of an arm, or why it has none; cached."""
    return _values.get_or_compute((key_of(arm), key_of(value)), lambda: _value_of(arm, value))


def _problem(
    arms: Arms, looks: list[ArmPreview | None], value: SafetyValue | None, errors: Collector, budget: TimeBudget
) -> Problem | None:
    """The valid arms under the value, if there are any and the value is valid."""
    right: dict[str, RewardDistribution] = {}
    known: list[float] = []
    wrong = Collector()
    for i, (name, arm) in enumerate(arms):
        if value is None or arm is None or looks[i] is None or name is None or name in right:
            continue
        with wrong.at("arms", i, "distribution"):
            known.append(_in_time(budget, true_value, arm, value))
            right[name] = arm
    if wrong.errors and not right:  # where no arm has the value, the error is in the value, not in the arms
        errors.add(ParameterError(wrong.errors[0].sentence, ("value",)))
    else:
        errors.errors += wrong.errors
    return _valued(right, value, known) if right else None


def _valued(arms: dict[str, RewardDistribution], value: SafetyValue | None, known: list[float]) -> Problem:
    problem = Problem(arms, value)
    problem.true_values = np.array(known)  # so that they are not computed again
    return problem


def _ranked(arms: Arms, looks: list[ArmPreview | None], problem: Problem) -> list[ArmPreview | None]:
    """The arms with their values; arms with invalid names are not in the problem."""
    ranked: list[ArmPreview | None] = []
    places: dict[str | None, int] = {name: place for place, name in enumerate(problem.names)}
    for (name, _), look in zip(arms, looks, strict=True):
        place = places.pop(name, None)  # once: another arm of the same name has no place
        if look is not None and place is not None:
            gap = float(problem.gaps[place])
            rating = {
                "value": float(problem.true_values[place]),
                "gap": gap,
                "rank": 1 + int((problem.gaps < gap * (1 - 1e-9)).sum()),
                "best": bool(problem.best[place]),
            }
            look = look.model_copy(update=rating)
        ranked.append(look)
    return ranked


def _best(problem: Problem) -> list[str]:
    return [name for name, best in zip(problem.names, problem.best, strict=True) if best]


def _alternatives(problem: Problem, budget: TimeBudget) -> list[Alternative]:
    """The choices of other values; values that some arm does not have are left out."""
    alternatives = []
    for value in OTHERS:
        if value.means_the_same(problem.value) or len(problem.arms) == 1 or budget.over:
            continue
        known = [SKIPPED if budget.over else true_value(arm, value) for arm in problem.arms.values()]
        numbers = [number for number in known if not isinstance(number, str)]
        if len(numbers) == len(known):
            best = _best(_valued(problem.arms, value, numbers))
            alternatives.append(Alternative(value=value.display_name, best=best, differs=best != _best(problem)))
    return alternatives


def _described(value: SafetyValue | None, errors: Collector) -> ValuePreview | None:
    if value is not None:
        with errors.at("value"):
            why = value.well_behaved_reason
            return ValuePreview(
                label=value.display_name,
                well_behaved=value.is_well_behaved,
                equivariant=bool(value.equivariant),
                sentence=why,
            )
    return None


def _player(
    problem: Problem | None, value: SafetyValue | None, policy: Policy | None, i: int, errors: Collector
) -> PolicyPreview | None:
    if policy is not None:
        with errors.at("policies", i):
            fault, learns = _unfit(problem, policy), "" if value is None else in_words(other_value(policy, value))
            return PolicyPreview(label=policy.display_name, learns=learns, facts=list(facts(policy)), fault=fault)
    return None


def _unfit(problem: Problem | None, policy: Policy) -> str:
    """Why a policy cannot play the problem; nothing if it can."""
    try:
        if problem is not None:
            check_fit(problem, policy)
    except PrimumError as error:
        return str(as_primum_error(error))
    return ""
