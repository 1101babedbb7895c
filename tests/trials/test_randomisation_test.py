"""The randomisation test: its level under drift, delay and stopping, its power, and a case that can be enumerated."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from primum import policies, rewards, trials, values
from primum.errors import ParameterError, PrimumError
from primum.trials import running
from tests.trials import made_up
from tests.trials.made_up_looks import Quiet

TIES = rewards.Discrete([0.0, 0.5, 1.0], [0.3, 0.4, 0.3])
NULL = [rewards.Bernoulli(0.4)] * 2


def design_of(analysis=None, **options):
    analysis = analysis or trials.RandomisationTest(sided="greater", runs=99)
    return trials.Design(
        **{"arms": ["a", "b"], "patients": 40, "policy": policies.BesaPlus(), "burn_in": 3, "analysis": analysis}
        | options
    )


def p_values(design, scenario, count, seed=1):
    found = running.run(design, trials.Scenario.of(scenario), seed, range(count))
    return design.analysis.p_values(found.data)[:, 0], found


CASES = {
    "drift": ({}, trials.Scenario(NULL, drift=0.5)),
    "delay": ({"delay": trials.after_patients(6)}, trials.Scenario(NULL, drift=-0.4)),
    "random delay": (
        {"delay": trials.after_time(rewards.Uniform(0.0, 9.0)), "accrual": trials.Poisson(rate=1.0)},
        trials.Scenario(NULL, drift=trials.Step(by=0.4, after=20)),
    ),
    "stopping": (
        {"looks": [16, 28], "stopping": Quiet(behind=0.45, enough=0.7, hopeless=0.25, least=4)},
        trials.Scenario(NULL, drift=0.4),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_it_holds_its_level(case):
    """250 trials, 99 re-runs: P(p <= alpha) <= alpha, so the number of p-values below is at most binomial.

    Limits are exceeded with probability below 1e-4 for each alpha; 8 comparisons: a false alarm in 1,250 such tests.
    """
    from scipy.stats import binom

    options, scenario = CASES[case]
    p, found = p_values(design_of(**options), scenario, 250)
    assert (found.size < 40).any() == (case == "stopping")
    for alpha in (0.05, 0.2):
        assert (p <= alpha).sum() <= binom.isf(1e-4, 250, alpha)
    assert (p <= 0.5).mean() > 0.2, "and is not trivially valid"


@pytest.mark.slow
def test_a_naive_test_does_not_hold_its_level_under_drift():
    """So the cases above could fail: without the drift held fixed, a rule that adapts mistakes drift for an effect.

    800 trials; the exact binomial probability of as many rejections at level 0.05 is below 1e-6.
    """
    from scipy.stats import binom

    design = design_of(trials.PooledZ(sided="two-sided", alpha=0.05), patients=60, burn_in=5)
    found = running.run(design, trials.Scenario([rewards.Bernoulli(0.1)] * 2, drift=0.8), 3, range(800))
    rejected = design.analysis.rejections(found.data).sum()
    assert rejected > binom.isf(1e-6, 800, 0.05)


def test_it_finds_a_large_effect():
    p, _ = p_values(design_of(patients=50, burn_in=10), [rewards.Bernoulli(0.1), rewards.Bernoulli(0.9)], 20)
    assert (p <= 0.05).mean() > 0.7
    wrong_side, _ = p_values(
        design_of(trials.RandomisationTest(sided="less", runs=99), patients=50, burn_in=10),
        [rewards.Bernoulli(0.1), rewards.Bernoulli(0.9)],
        20,
    )
    assert (wrong_side > 0.5).all()


@pytest.mark.parametrize("value", [values.CVaR(alpha=0.3), values.MeanVariance(rho=6.0)], ids=str)
def test_it_tests_any_safety_value(value):
    """The same mean, and an arm with much better lowest outcomes."""
    arms = [rewards.Uniform(0.0, 1.0), rewards.Uniform(0.45, 0.55)]
    p, _ = p_values(design_of(value=value, patients=50, burn_in=12), arms, 20)
    assert (p <= 0.05).mean() > 0.7
    plain, _ = p_values(design_of(patients=50, burn_in=12), arms, 20)
    assert (plain <= 0.05).mean() < 0.5


@pytest.mark.parametrize("sided", ["greater", "less", "two-sided"])
def test_it_is_the_permutation_test_where_all_allocations_can_be_enumerated(sided):
    """Uniform allocation of six patients has 64 outcomes of equal probability.

    20,000 re-runs: a deviation beyond 4.5 standard errors has probability 7e-6, in 15 comparisons 1e-4.
    """
    design = design_of(
        trials.RandomisationTest(sided=sided, runs=20_000), patients=6, burn_in=0, policy="uniform-random"
    )
    found = running.run(design, trials.Scenario([rewards.Uniform(0.0, 1.0), TIES]), 5, range(5))
    p = design.analysis.p_values(found.data)[:, 0]

    def evidence(arm, outcome):
        groups = [[y for y, given in zip(outcome, arm, strict=True) if given == k] for k in (0, 1)]
        difference = np.mean(groups[1]) - np.mean(groups[0]) if all(groups) else 0.0
        return {"greater": difference, "less": -difference, "two-sided": abs(difference)}[sided]

    for row in range(5):
        outcome = found.data.outcome[row]
        observed = evidence(found.data.arm[row], outcome)
        as_large = [evidence(arm, outcome) >= observed - 1e-9 for arm in itertools.product((0, 1), repeat=6)]
        limit = np.mean(as_large)
        assert abs(p[row] - limit) <= 4.5 * np.sqrt(limit * (1 - limit) / 20_000) + 1 / 20_000


def test_outcomes_in_other_units_have_the_same_p_values():
    """Equal statistics stay equal when rounding errors are as large as the outcomes are."""
    small = design_of(policy="uniform-random", burn_in=0, patients=12)
    by = {}
    for scale in (1.0, 1e7):
        arms = [rewards.Discrete([0.1 * scale, 0.7 * scale], [0.5, 0.5])] * 2
        by[scale], _ = p_values(small, arms, 20)
    assert by[1.0].tolist() == by[1e7].tolist()


@pytest.mark.parametrize("policy", ["round-robin", "ucb1"])
def test_a_rule_that_is_deterministic_given_the_data_is_refused(policy):
    design = design_of(policy=policy, burn_in=0, patients=20)
    arms = [rewards.Uniform(0.0, 0.5), rewards.Uniform(0.3, 1.0)]
    with pytest.raises(PrimumError, match="deterministic given the data, so a randomisation test has no power"):
        trials.simulate_one(design, arms, seed=1).analyse()
    p, _ = p_values(design.replace(burn_in=3), arms, 5)
    assert ((p > 0) & (p <= 1)).all(), "its burn-in randomises"


def test_a_trial_that_hardly_any_re_run_stops_with_is_not_taken_for_deterministic():
    """Re-runs that end at another look do not count, but show that the policy randomises."""
    rule = Quiet(behind=9.0, enough=0.99, least=9)
    design = design_of(
        trials.RandomisationTest(runs=3), policy="uniform-random", burn_in=0, patients=18, looks=[9], stopping=rule
    )
    arms = [rewards.Bernoulli(0.95), rewards.Bernoulli(0.95)]
    found = running.run(design, trials.Scenario(arms), 2, range(200))
    (stopped,) = np.nonzero(found.size < 18)
    for row in stopped[:3].tolist():
        trial = trials.simulate_one(design, arms, seed=2, replication=row)
        assert trial.stopped == "enough"
        assert 0 < trial.analyse()["p_value"].item() <= 1
    assert stopped.size


def test_several_arms_are_compared_with_the_control():
    design = trials.Design(
        arms=["control", "same", "better"], patients=90, policy="uniform-random",
        analysis=trials.RandomisationTest(sided="greater", runs=199),
    )  # fmt: skip
    arms = [rewards.Bernoulli(0.1), rewards.Bernoulli(0.1), rewards.Bernoulli(0.9)]
    table = trials.simulate_one(design, arms, seed=4).analyse()
    assert table["arm"].tolist() == ["same", "better"]
    assert table["significant"].tolist() == [False, True]


def test_data_without_their_course_are_refused():
    data = made_up.patients([[0, 1, 0, 1]], [[1.0, 0.0, 1.0, 0.0]])
    with pytest.raises(ParameterError, match="needs the times at which outcomes were known"):
        trials.RandomisationTest().p_values(data)
    with pytest.raises(ParameterError, match="needs patients one by one, got counts alone"):
        trials.RandomisationTest().p_values(made_up.successes([[2, 2]], [[1, 1]]))
