"""Compiled, plain source and oracle take the same decisions, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import primum
from tests.problems import ARMS, PATHS, POLICIES, VALUES, choices_of, mostly_long, oracle_choices, plain_choices, suited

SEEDS = st.integers(0, 2**64 - 1)


def compiled_choices(problem, policy, horizon, seed, replication):
    alone = range(replication, replication + 1)
    results = primum.simulate(
        problem, [policy], horizon=horizon, replications=alone, seed=seed, steps="all", progress=False
    )
    return choices_of(results.pulls.values[0, 0])


PROBLEMS = {
    "arms": st.lists(st.sampled_from(ARMS), min_size=1, max_size=6),
    "value": st.sampled_from(VALUES),
    "horizon": st.integers(1, 60),
    "seed": SEEDS,
    "replication": st.integers(0, 3),
}


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@settings(max_examples=6)
@given(**PROBLEMS)
def test_native_code_decides_as_the_oracle(policy, arms, value, horizon, seed, replication):
    problem = primum.Problem({f"arm {i}": arm for i, arm in enumerate(arms)}, value)
    policy = suited(policy, value)
    expected = oracle_choices(problem, policy, horizon, seed, replication)
    assert compiled_choices(problem, policy, horizon, seed, replication) == expected


@pytest.mark.parametrize("policy", mostly_long(POLICIES, PATHS), ids=str)
@settings(max_examples=3)
@given(**PROBLEMS)
def test_native_code_decides_as_its_source(policy, arms, value, horizon, seed, replication):
    problem = primum.Problem({f"arm {i}": arm for i, arm in enumerate(arms)}, value)
    policy = suited(policy, value)
    expected = plain_choices(problem, policy, horizon, seed, replication)
    assert compiled_choices(problem, policy, horizon, seed, replication) == expected


LONG = {"binary": [0, 1], "uniform": [4, 4], "mixed": [5, 6, 4], "constant": [2, 4]}
KINDS = [primum.values.Mean(), primum.values.CVaR(alpha=0.1), primum.values.MeanGini(rho=0.5)]  # of record, one each


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "arms"),
    [(value, arms) for value in KINDS for arms in LONG]
    + [pytest.param(value, "mixed", marks=pytest.mark.long) for value in VALUES if value not in KINDS],
    ids=str,
)
def test_long_records_reach_every_way_of_sub_sampling(value, arms):
    """1,500 steps: the complement, the ratio of uniforms, sequential selection and its shuffle all come up.

    A value of each kind of record on all arms, and, in the long form, all values on mixed ones.
    """
    problem = primum.Problem({f"arm {i}": ARMS[arm] for i, arm in enumerate(LONG[arms])}, value)
    policy = primum.policies.BesaPlus()
    expected = oracle_choices(problem, policy, 1500, 11, 2)
    assert compiled_choices(problem, policy, 1500, 11, 2) == expected


@pytest.mark.slow
def test_two_equal_arms_reach_the_ratio_of_uniforms():
    """6,000 steps with two Bernoulli arms of probability 0.5 under BESA: sub-samples wide enough for HRUA."""
    problem = primum.Problem({"a": primum.rewards.Bernoulli(0.5), "b": primum.rewards.Bernoulli(0.5)}, "mean")
    expected = oracle_choices(problem, primum.policies.Besa(), 6000, 5, 0)
    assert compiled_choices(problem, primum.policies.Besa(), 6000, 5, 0) == expected
    assert min(np.bincount(expected)) > 500
