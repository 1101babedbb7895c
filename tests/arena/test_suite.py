"""The suite: its pairs, and the policies that fit them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from primum import arena, policies, rewards, values
from primum.arena.roster import CONSISTENT, ROSTER, TITLES
from primum.arena.suite import FAMILIES, OTHER_VALUES
from primum.plugins import registry
from primum.problem import Problem

PAIRS = {pair.name: pair for pair in arena.pairs()}
TRIAL_RULES = {
    "permuted-blocks",
    "doubly-adaptive-biased-coin",
    "randomised-play-the-winner",
    "posterior-best",
    "forward-looking-gittins",
    "optimal-allocation",
}


def pair_of(arms, value):
    return arena.Pair("made-up", next(iter(PAIRS.values())).problem_class, "", Problem(arms, value))


def test_pairs_are_67_in_8_classes_with_regret():
    assert len(PAIRS) == len(arena.pairs()) == 67
    assert len({pair.problem_class.title for pair in PAIRS.values()}) == 8
    for pair in PAIRS.values():
        assert pair.why.endswith(".")
        assert pair.problem_class.why.endswith(".")
        assert 0 < pair.problem.best.sum() < len(pair.problem.arms), pair.name
    assert sum(pair.long for pair in PAIRS.values()) == 5


def test_two_keys_was_tuned_on_every_second_pair_and_nothing_else_on_any():
    assert [pair.tuned for pair in arena.pairs()] == [("two-keys",), ()] * 33 + [("two-keys",)]
    assert all(pair.tuned == () for pair in arena.random_pairs(3, 1))


def test_consistent_policies_are_of_the_roster_and_for_every_value():
    labels = {policy.label: policy for policy in arena.roster()}
    assert set(labels) >= CONSISTENT
    assert all(labels[label].own_value is None for label in CONSISTENT)
    rows = arena.kept().policies
    assert {label for label, row in rows.items() if row.is_consistent} == CONSISTENT
    assert {row.title for row in rows.values()} >= {"Bernoulli-IMED"}, "it is not IMED where rewards are not binary"
    assert set(TITLES) <= set(labels)


def test_titles_are_for_people_and_differ():
    titles = [pair.title for pair in PAIRS.values()]
    assert len(set(titles)) == len(titles)
    assert PAIRS["bernoulli-mean-variance"].title == "Bernoulli mean-variance"
    assert PAIRS["fifty-bernoulli"].title == "Fifty Bernoulli"


def test_every_value_is_of_one_family():
    families = {pair.family for pair in PAIRS.values()}
    assert families == {*FAMILIES.values(), OTHER_VALUES}
    assert PAIRS["side-effect"].family == OTHER_VALUES


def test_the_roster_has_no_rule_of_trials_and_every_other_policy():
    """A new built-in policy is added to the roster, or here with a reason."""
    names = {policy.name for policy in arena.roster()}
    built_in = {getattr(policies, name).name for name in policies.__all__} - {""}
    left_out = {"oracle", "round-robin"}  # the first knows the truth, and the second is uniform choice without chance
    assert names == built_in - TRIAL_RULES - left_out
    assert [policy.label for policy in arena.roster()] == list(ROSTER)


def test_every_policy_of_the_roster_fits_some_pair():
    for policy in arena.roster():
        assert any(arena.fitted(policy, pair) for pair in PAIRS.values()), policy.label


@pytest.mark.parametrize(
    ("policy", "pair", "label"),
    [
        ("mv-lcb", "bernoulli-risk-averse", "mv-lcb(rho=3)"),
        ("cvar-ucb", "losses", "cvar-ucb(alpha=0.25, top=0)"),
        ("marab", "betas-cvar", "marab(alpha=0.2)"),
        ("ra-ucb", "betas-entropic", "ra-ucb(theta=3)"),
        ("ucb-v", "percent", "ucb-v(width=100)"),
        ("mts", "gains-and-losses", "mts(low=-20, top=28)"),
        ("npts", "disaster-best", "npts(top=0.6)"),
        ("besa-plus(floor=0)", "sharpe", "besa-plus(floor=0)"),
    ],
)
def test_parameters_are_those_of_the_pair(policy, pair, label):
    assert arena.fitted(registry.build("policies", policy), PAIRS[pair]).label == label


@pytest.mark.parametrize(
    ("policy", "pair"),
    [
        ("mv-lcb", "sure-worse"),  # another value
        ("ucb1", "betas-cvar"),
        ("npts", "normals-unbounded"),  # no bound
        ("mts", "exponentials-cvar"),
        ("dirichlet-sampling", "exponentials-cvar"),
        ("cvar-ucb", "exponentials-cvar"),
        ("ucb-v", "normals-unbounded"),
        ("kl-ucb", "percent"),  # rewards outside [0, 1]
        ("u-ucb", "mean-std"),  # a value without a Lipschitz constant
    ],
)
def test_what_does_not_fit_is_not_played(policy, pair):
    assert arena.fitted(registry.build("policies", policy), PAIRS[pair]) is None


def test_parameters_of_the_same_name_as_a_value_s_are_left_alone_in_policies_for_every_value():
    """The alpha of U-UCB is the weight of log t."""
    pair = pair_of({"a": rewards.Bernoulli(0.2), "b": rewards.Bernoulli(0.7)}, values.CVaR(0.5))
    assert arena.fitted(policies.UUcb(), pair) == policies.UUcb()


def test_support_is_that_of_all_arms():
    pair = pair_of({"a": rewards.Uniform(-1, 2), "b": rewards.Constant(5)}, values.Mean())
    assert pair.support == (-1.0, 5.0)
    assert PAIRS["normals-unbounded"].support == (-math.inf, math.inf)


def test_random_pairs_are_those_of_their_seed_and_more_come_after_them():
    few, many, others = arena.random_pairs(4, 7), arena.random_pairs(6, 7), arena.random_pairs(4, 8)
    assert [pair.problem.spec() for pair in few] == [pair.problem.spec() for pair in many[:4]]
    assert all(one.problem.spec() != other.problem.spec() for one, other in zip(few, others, strict=True))
    assert [pair.name for pair in many] == [f"random-{i}" for i in range(1, 7)]


@pytest.mark.slow
def test_random_pairs_have_two_to_ten_arms_and_no_degenerate_gap():
    drawn = arena.random_pairs(40, 3)
    for pair in drawn:
        arms = list(pair.problem.arms.values())
        assert 2 <= len(arms) <= 11
        width = arms[0].high - arms[0].low if pair.problem_class.name == "scales" else 1.0
        gap = pair.problem.gaps[pair.problem.gaps > 0].min() / width
        assert 0.01 <= gap <= 0.2
        assert pair.problem.best.sum() == (2 if pair.problem_class.name == "ties" else 1)
    assert len({pair.problem_class.name for pair in drawn}) >= 6
    assert len({pair.problem.value.name for pair in drawn}) >= 6
    assert np.median([len(pair.problem.arms) for pair in drawn]) >= 3


def test_random_pairs_refuse_a_count_of_none():
    with pytest.raises(ValueError, match=r"count must be a whole number in \[1, 1000\], got 0"):
        arena.random_pairs(0, 1)
