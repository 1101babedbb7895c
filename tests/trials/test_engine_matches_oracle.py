"""Trials run by native code are those of a slow twin on lists, patient by patient."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from primum import policies, rewards, trials, values
from primum.trials.monitoring import GOES_ON
from primum.trials.simulation import running
from tests.oracle.clinical_trial import ClinicalTrial
from tests.problems import ARMS, PATHS, PLAYABLE, VALUES, Grid, mostly_long, suited
from tests.trials.made_up_looks import REASONS, Weeding, weeding

TIES = [rewards.Constant(0.0), rewards.Constant(3.0), rewards.Discrete([0.0, 1.0, 7.0], [0.4, 0.4, 0.2])]
DELAYS = st.one_of(
    st.none(),
    st.integers(0, 60).map(trials.after_patients),
    st.sampled_from([trials.after_time(each) for each in [*TIES, rewards.Uniform(0.0, 9.0)]]),
)
DRIFTS = st.sampled_from([None, 0.4, trials.Linear(by=-0.5), trials.Step(by=0.3, after=7)])
COINS = st.sampled_from([0.0, 0.0, 0.3, 1.0, (0.8, 0.1)])
LOOKS = st.lists(st.integers(1, 40), max_size=4, unique=True).map(sorted)
RULES = st.builds(
    Weeding,
    behind=st.sampled_from([0.0, 0.1, 0.3]),
    enough=st.sampled_from([0.8, 2.0]),
    hopeless=st.sampled_from([-1.0, 0.2]),
    least=st.integers(0, 3),
)


def scenario_of(arms, drift=None):
    return trials.Scenario(list(arms), drift)


def design_of(arms, **options):
    names = [f"arm {k}" for k in range(arms)]
    analysis = None if options.get("stopping") is not None else "welch-t"
    return trials.Design(**{"arms": names, "patients": 40, "policy": "besa", "analysis": analysis} | options)


def agree(design, scenario, seed, replications=3, lanes=None, repetitions=0):
    """Whether all that native code says of some trials is what the oracle says."""
    judge = weeding(design.stopping) if design.stopping is not None else None
    found = running.run(design, scenario, seed, range(replications), repetitions=repetitions)
    for r in range(replications):
        twin = ClinicalTrial(design, scenario, seed, r, judge, repetitions=repetitions)
        size = int(found.size[r])
        assert size == len(twin.arms)
        assert found.data.arm[r, :size].tolist() == twin.arms
        assert found.data.outcome[r, :size].tolist() == twin.outcomes
        assert (found.data.arm[r, size:] == -1).all()
        assert np.isnan(found.data.outcome[r, size:]).all()
        assert set(np.flatnonzero(found.claimed[r]).tolist()) == twin.claimed
        assert set(np.flatnonzero(found.data.active[r]).tolist()) == set(twin.left)
        reason = found.reason[r]
        assert ("" if reason == GOES_ON else design.monitoring.reasons[reason]) == twin.reason
        mean = [float(np.mean(potential)) for potential in zip(*twin.potential, strict=True)]
        assert found.expected[r] == pytest.approx(sum(mean[:size]), abs=1e-12)
        if repetitions:
            assert found.decisions.frequencies[r].tolist() == twin.frequencies
    return found


@pytest.mark.parametrize("policy", mostly_long(PLAYABLE, PATHS), ids=str)
@settings(max_examples=2)
@given(
    arms=st.lists(st.sampled_from(ARMS), min_size=2, max_size=4),
    value=st.sampled_from(VALUES),
    patients=st.integers(1, 40),
    burn_in=st.integers(0, 3),
    coin=COINS,
    blocks=st.one_of(st.integers(1, 9), LOOKS.filter(bool)),
    delay=DELAYS,
    accrual=st.sampled_from([trials.Regular(), trials.Poisson(rate=1.0), trials.Poisson(rate=0.3)]),
    drift=DRIFTS,
    seed=st.integers(0, 2**64 - 1),
)
def test_decisions_are_those_of_the_oracle(policy, arms, value, drift, seed, **options):
    assume(not (policy.needs_horizon and options["patients"] == 1))
    design = design_of(len(arms), policy=suited(policy, value), value=value, **options)
    agree(design, scenario_of(arms, drift), seed, 2)


@settings(max_examples=40)
@given(
    arms=st.lists(st.sampled_from(ARMS), min_size=2, max_size=5),
    policy=st.sampled_from(
        [
            policies.BesaPlus(),
            policies.Thompson(),
            policies.Ucb1(),
            policies.Sda(),
            policies.ExploreThenCommit(per_arm=2),
        ]
    ),
    value=st.sampled_from([values.Mean(), values.CVaR(alpha=0.3), values.MeanGini(rho=0.5)]),
    burn_in=st.integers(0, 3),
    coin=COINS,
    blocks=st.sampled_from([1, 1, 4, [5, 11, 30]]),
    delay=DELAYS,
    accrual=st.sampled_from([trials.Regular(), trials.Poisson(rate=0.7)]),
    looks=LOOKS.filter(bool),
    looks_count=st.sampled_from(["patients", "outcomes"]),
    stopping=RULES,
    drift=DRIFTS,
    seed=st.integers(0, 2**64 - 1),
)
def test_trials_with_looks_are_those_of_the_oracle(arms, drift, seed, **options):
    design = design_of(len(arms), patients=max(25, options["looks"][-1]), **options)
    agree(design, scenario_of(arms, drift), seed)


def test_looks_of_these_designs_drop_arms_and_stop():
    """The rule above does all that it can, so the comparison is about something."""
    rule = Weeding(behind=0.2, enough=0.8, hopeless=0.45)
    arms = [rewards.Bernoulli(0.2), rewards.Bernoulli(0.5), rewards.Bernoulli(0.6)]
    design = design_of(3, policy="besa-plus", looks=[8, 16, 24], stopping=rule)
    found = agree(design, scenario_of(arms), 5, 40)
    assert set(found.reason.tolist()) == {GOES_ON, *range(len(REASONS))}
    assert found.claimed.any()
    left = found.data.active.sum(axis=1)
    assert {1, 2, 3} <= set(left[found.reason == GOES_ON].tolist())


TWIN_TIMES = (0.0, 0.0, 1.0, 1.0, 1.0, 2.5, 4.0, 4.0, 9.0, 9.0, 9.5, 10.0, 10.0, 10.0, 11.0, 12.0)


@pytest.mark.parametrize("delay", TIES, ids=str)
def test_patients_who_arrive_together_are_allocated_one_after_the_other(delay):
    accrual = trials.Given(at=TWIN_TIMES)
    design = design_of(3, patients=len(TWIN_TIMES), accrual=accrual, delay=trials.after_time(delay), policy="thompson")
    agree(design, scenario_of(ARMS[:3]), 3, 20)


def test_ten_arms_and_a_single_patient():
    agree(design_of(10, patients=1), scenario_of([*ARMS, *ARMS[:3]]), 9)
    agree(design_of(10, patients=60, burn_in=2, delay=trials.after_patients(5)), scenario_of([*ARMS, *ARMS[:3]]), 9)


MEMORY_AND_BAGS = [
    policies.BesaPlus(),
    policies.Sda(),
    policies.Ssmc(),
    policies.DirichletSampling(),
    policies.Thompson(),
    policies.Npts(),
    policies.EpsilonGreedy(epsilon=0.5),
]


@pytest.mark.parametrize("policy", MEMORY_AND_BAGS, ids=str)
@pytest.mark.parametrize("value", [values.Mean(), values.CVaR(alpha=0.4), values.MeanGini(rho=0.5)], ids=str)
def test_repeated_decisions_are_those_of_the_oracle(policy, value):
    """Each repetition begins with the policy's memory as it was, and the trial goes on as if there had been none."""
    arms = [rewards.Uniform(0.0, 1.0), Grid(5), rewards.Uniform(0.1, 0.9)]
    design = design_of(3, patients=24, policy=policy, value=value, burn_in=1)
    for coin in (0.0, 0.5):
        agree(design.replace(coin=coin), scenario_of(arms), 21, 2, repetitions=15)
