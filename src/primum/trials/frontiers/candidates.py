"""The designs of a frontier: one design with other policies, coins, burn-ins and looks, each with a valid test."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from primum.errors import ParameterError
from primum.plugins.registry import build
from primum.policies import Policy, UniformRandom
from primum.trials.analyses import Analysis, ConditionalExact, LabelBetting, RandomisationTest
from primum.trials.calibration import calibrate
from primum.trials.design import Design
from primum.trials.operating.exact_characteristics import is_feasible
from primum.trials.scenario import Scenario
from primum.trials.simulation.running import check_fit
from primum.trials.stopping import GroupSequential

POLICIES = (
    "uniform-random",
    "besa-plus(floor=2)",
    "thompson",
    "posterior-best(exponent=0.5)",
    "randomised-play-the-winner",
    "doubly-adaptive-biased-coin(target='rsihr')",
    "gittins",
)
COINS = (0.0, 0.1, 0.2, 0.4, 0.6)
BURN_INS = (0.0, 0.05, 0.1, 0.2)  # patients of each arm, as parts of all
EQUAL_LOOKS = ((0.5,), (1 / 3, 2 / 3))  # at which equal randomisation stops, and all others get the winner
RUNS = 99  # re-runs of a randomisation test


def candidates(
    design: Design,
    scenario: Scenario,
    policies: Iterable[Any] | None,
    coins: Sequence[float],
    burn_ins: Sequence[int] | None,
    looks: Sequence[Sequence[float]],
) -> list[Design]:
    """All designs that differ, the given one first; their tests are not yet valid ones."""
    chosen = _policies(design, scenario, policies)
    usual = [design.burn_in, *(round(part * design.patients) for part in BURN_INS)]
    sizes = usual if burn_ins is None else list(burn_ins)
    found = [design]
    for policy, at, coin, burn_in in itertools.product(chosen, looks, coins, sizes):
        if burn_in * len(design.arms) > design.patients:
            continue
        is_equal = isinstance(policy, UniformRandom)  # with a coin or a burn-in it would be the same, or nearly
        own = {"coin": 0.0, "burn_in": 0} if is_equal else {"coin": coin, "burn_in": burn_in}
        found.append(_with_looks(design, at, policy=policy, **own))
    if policies is None:
        equal = {"policy": UniformRandom(), "coin": 0.0, "burn_in": 0}
        found += [_with_looks(design, at, **equal) for at in EQUAL_LOOKS if design.patients >= 4]
    unique: list[Design] = []
    for each in found:
        if each not in unique:
            unique.append(each)
    return unique


def _policies(design: Design, scenario: Scenario, given: Iterable[Any] | None) -> list[Policy]:
    """The policies that were given, or those of the default list that the design and the scenario admit."""
    if given is not None:
        made = [build("policies", each) for each in given]
        for policy in made:
            check_fit(design.replace(policy=policy), scenario)
        return made
    found = [design.policy]
    for spec in POLICIES:
        try:
            policy = build("policies", spec)
            check_fit(design.replace(policy=policy), scenario)
        except ParameterError:
            continue
        found.append(policy)
    return found


def _with_looks(design: Design, at: Sequence[float], **changes: Any) -> Design:
    """The design with group-sequential looks at these fractions of the patients, or without looks."""
    test = design.test
    if not at:
        analysis = design.analysis if test is design.analysis else _conditional(design)
        return design.replace(looks=(), stopping=None, analysis=analysis, **changes)
    rule = GroupSequential(alpha=alpha_of(design), sided=side_of(design))
    return design.replace(looks=tuple(at), looks_count="patients", stopping=rule, analysis=None, **changes)


def alpha_of(design: Design) -> float:
    """The level of the design's test."""
    return float(getattr(design.test, "alpha", 0.05))


def side_of(design: Design) -> str:
    """The alternative of the design's test."""
    return str(getattr(design.test, "sided", "two-sided"))


def _conditional(design: Design) -> Analysis:
    return ConditionalExact(alpha=alpha_of(design), sided=side_of(design))


def with_valid_test(design: Design, *, is_exact: bool) -> Design:
    """The design with a test that holds its level although allocation adapts.

    Where the law is exact the conditional exact test, or boundaries that are calibrated exactly; otherwise a
    randomisation test, or with several arms and a policy that states no probabilities, betting on labels.
    """
    if design.test is design.stopping:
        return calibrate(design, alpha_of(design), progress=False).design if is_exact else design
    if is_exact:
        return design.replace(analysis=_conditional(design))
    alpha, sided = alpha_of(design), side_of(design)
    if len(design.arms) == 2 or design.policy.states_probabilities:
        return design.replace(analysis=RandomisationTest(alpha=alpha, sided=sided, runs=RUNS))
    return design.replace(analysis=LabelBetting(alpha=alpha, sided=sided))


def has_exact_law(design: Design, scenario: Scenario) -> bool:
    """Whether nothing needs to be simulated."""
    return scenario.is_binary and scenario.drift is None and is_feasible(design)
