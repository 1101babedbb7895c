"""All that can be said of a question before it is run, also of one that is only half right."""

from __future__ import annotations

import math

import numpy as np

from primum import values
from primum.errors import ParameterError, PrimumError
from primum.experiments.fields import sentence
from primum.lab.drafts import densities
from primum.lab.drafts.labels import in_words
from primum.lab.drafts.time_limit import SKIPPED, TimeBudget
from primum.lab.drafts.validation import Reading, attempt, read
from primum.lab.drafts.verdict import verdict
from primum.lab.http.schemas import (
    Alternative,
    Appraisal,
    ArmAppraisal,
    Draft,
    PolicyAppraisal,
    ValueAppraisal,
)
from primum.lab.sandbox.sandbox import allowance
from primum.lab.shared_arms import key_of
from primum.plugins.descriptions import facts
from primum.policies import Policy
from primum.problem import Problem
from primum.rewards import RewardDistribution
from primum.simulation import check_fit
from primum.store.lru_cache import Recent
from primum.values import SafetyValue

OTHERS = (values.Mean(), values.MeanVariance(), values.CVaR(), values.Quantile(), values.Entropic())


def appraise(draft: Draft) -> Appraisal:
    """What is wrong, and what can be said of all that is right."""
    budget = TimeBudget()
    with np.errstate(all="ignore"):  # of numbers such as 1e308; what is not finite is told
        with allowance():
            reading = read(draft, budget)
        looks = _all_looks(reading, budget)
        problem = _problem(draft, reading, looks, budget)
        others = _alternatives(problem, budget) if problem else []
        policies = [
            None if policy is None else attempt(reading.errors, f"policies[{i}]", _player, problem, policy)
            for i, policy in enumerate(reading.policies)
        ]
        return Appraisal(
            errors=reading.errors,
            arms=looks if problem is None else _ranked(draft, looks, problem),
            value=None if reading.value is None else attempt(reading.errors, "value", _described, reading.value),
            best=_best(problem) if problem else [],
            verdict=verdict(problem, others) if problem else "",
            alternatives=others,
            policies=policies,
        )


def _all_looks(reading: Reading, budget: TimeBudget) -> list[ArmAppraisal | None]:
    looks: list[ArmAppraisal | None] = []
    for i, arm in enumerate(reading.arms):
        look: ArmAppraisal | str | None = None
        if arm is not None and budget.over:
            look = SKIPPED
        elif arm is not None:
            look = looked_at(arm)
        if isinstance(look, str):
            reading.errors[f"arms[{i}].distribution"] = look
        looks.append(None if isinstance(look, str) else look)
    return looks


@allowance()
def _look(arm: RewardDistribution) -> ArmAppraisal | str:
    """How an arm looks, without a value; or what is wrong with it."""
    try:
        low, high = arm.support
        mean, variance = float(arm.mean), float(arm.variance)
        for what, number in (("mean", mean), ("variance", variance)):
            if not math.isfinite(number):
                raise ParameterError(f"{arm.label} has no finite {what}")
        return ArmAppraisal(
            label=in_words(arm),
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
        return sentence(error)


@allowance()
def _value_of(arm: RewardDistribution, value: SafetyValue) -> float | str:
    """The true value of an arm; or why it has none."""
    try:
        return float(Problem({"arm": arm}, value).true_values[0])
    except Exception as error:
        return sentence(error).removeprefix("arm 'arm': ")


_looks, _values = Recent[ArmAppraisal | str](1_000), Recent[float | str](10_000)


def looked_at(arm: RewardDistribution) -> ArmAppraisal | str:
    """The same, remembered: a change of one arm costs one arm."""
    return _looks.made(key_of(arm), lambda: _look(arm))


def true_value(arm: RewardDistribution, value: SafetyValue) -> float | str:
    """The same, remembered."""
    return _values.made((key_of(arm), key_of(value)), lambda: _value_of(arm, value))


def _problem(draft: Draft, reading: Reading, looks: list[ArmAppraisal | None], budget: TimeBudget) -> Problem | None:
    """The arms that are right, under the value, if there are any and the value is right."""
    arms: dict[str, RewardDistribution] = {}
    known: list[float] = []
    wrong: dict[str, str] = {}
    for i, arm in enumerate(reading.arms):
        if reading.value is None or arm is None or looks[i] is None or f"arms[{i}].name" in reading.errors:
            continue
        value = SKIPPED if budget.over else true_value(arm, reading.value)
        if isinstance(value, str):
            wrong[f"arms[{i}].distribution"] = value
        else:
            arms[draft.arms[i].name] = arm
            known.append(value)
    if wrong and not arms:  # a value that no arm has is what is wrong, and not the arms
        wrong = {"value": next(iter(wrong.values()))}
    reading.errors.update(wrong)
    return _valued(arms, reading.value, known) if arms else None


def _valued(arms: dict[str, RewardDistribution], value: SafetyValue | None, known: list[float]) -> Problem:
    problem = Problem(arms, value)
    problem.true_values = np.array(known)  # so that they are not computed again
    return problem


def _ranked(draft: Draft, looks: list[ArmAppraisal | None], problem: Problem) -> list[ArmAppraisal | None]:
    """The arms with their values; names that are wrong are not in the problem."""
    ranked: list[ArmAppraisal | None] = []
    places = {name: place for place, name in enumerate(problem.names)}
    for arm, look in zip(draft.arms, looks, strict=True):
        place = places.pop(arm.name, None)  # once: another arm of the same name has no place
        if look is not None and place is not None:
            gap = float(problem.gaps[place])
            told = {
                "value": float(problem.true_values[place]),
                "gap": gap,
                "rank": 1 + int((problem.gaps < gap * (1 - 1e-9)).sum()),
                "best": bool(problem.best[place]),
            }
            look = look.model_copy(update=told)
        ranked.append(look)
    return ranked


def _best(problem: Problem) -> list[str]:
    return [name for name, best in zip(problem.names, problem.best, strict=True) if best]


def _alternatives(problem: Problem, budget: TimeBudget) -> list[Alternative]:
    """What other values would choose; those that some arm has no value under are left out."""
    told = []
    for value in OTHERS:
        if _means_the_same(value, problem.value) or len(problem.arms) == 1 or budget.over:
            continue
        known = [SKIPPED if budget.over else true_value(arm, value) for arm in problem.arms.values()]
        numbers = [number for number in known if not isinstance(number, str)]
        if len(numbers) == len(known):
            best = _best(_valued(problem.arms, value, numbers))
            told.append(Alternative(value=in_words(value), best=best, differs=best != _best(problem)))
    return told


def _means_the_same(one: SafetyValue, other: SafetyValue) -> bool:
    """Whether they differ at most in how they are estimated."""
    return one.spec() | {"estimator": None} == other.spec() | {"estimator": None}


def _described(value: SafetyValue) -> ValueAppraisal:
    words = in_words(value)
    why = value.why_not.replace(value.label, words, 1)
    return ValueAppraisal(label=words, well_behaved=value.is_well_behaved, sentence=why)


def _player(problem: Problem | None, policy: Policy) -> PolicyAppraisal:
    fault = ""
    if problem is not None:
        try:
            check_fit(problem, policy)
        except PrimumError as error:
            fault = sentence(error)
    return PolicyAppraisal(label=policy.label, facts=list(facts(policy)), fault=fault)
