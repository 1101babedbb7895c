"""Allocation probabilities: closed forms, repeated decisions, burn-in, and estimates weighted by them."""

from __future__ import annotations

import numpy as np
import pytest

from primum import policies, rewards, trials, values
from primum.errors import ParameterError
from primum.trials.simulation import running
from primum.trials.simulation.probabilities import allocation_probabilities, given_all_before
from tests.trials.made_up_looks import DropAll

BINARY = trials.Scenario([rewards.Bernoulli(0.3), rewards.Bernoulli(0.6)])
CONTINUOUS = trials.Scenario([rewards.Beta(2.0, 3.0), rewards.Uniform(0.0, 1.0)])
THREE = trials.Scenario([rewards.Beta(2.0, 3.0), rewards.Uniform(0.0, 1.0), rewards.Uniform(0.2, 0.9)])

FIVE = trials.Scenario([rewards.Beta(2.0, 2.0)] * 5)


def design_of(policy, arms=2, **options):
    names = [f"arm {k}" for k in range(arms)]
    return trials.Design(**{"arms": names, "patients": 30, "policy": policy, "analysis": "welch-t"} | options)


WITH_CHANCES = [policies.Besa(), policies.BesaPlus(), policies.Thompson(), policies.EpsilonGreedy(epsilon=0.4)]


COURSES = {
    "at once": {},
    "late": {"delay": trials.after_patients(4)},
    "late at random": {"delay": trials.after_time(rewards.Uniform(0.0, 9.0))},
    "in blocks": {"blocks": 7, "delay": trials.after_patients(2)},
}


@pytest.mark.parametrize("policy", [*WITH_CHANCES, policies.UniformRandom()], ids=str)
@pytest.mark.parametrize("value", [values.Mean(), values.CVaR(alpha=0.3)], ids=str)
@pytest.mark.parametrize("coin", [0.0, 0.5])
def test_repeated_decisions_have_the_probabilities_in_closed_form(policy, value, coin):
    agree_with_repeated(design_of(policy, value=value, burn_in=2, coin=coin), BINARY)


@pytest.mark.parametrize("course", list(COURSES)[1:])
@pytest.mark.parametrize("coin", [0.0, 0.5])
def test_also_where_outcomes_come_late_or_are_told_in_blocks(course, coin):
    agree_with_repeated(design_of(policies.BesaPlus(floor=2), burn_in=2, coin=coin, **COURSES[course]), BINARY)


STATING = [
    policies.UniformRandom(),
    policies.DoublyAdaptiveBiasedCoin(),
    policies.RandomisedPlayTheWinner(),
    policies.PosteriorBest(),
    policies.PermutedBlocks(),
]


@pytest.mark.parametrize("policy", STATING, ids=str)
@pytest.mark.parametrize("options", [{}, {"coin": 0.4, "delay": trials.after_patients(3)}], ids=["", "coin and delay"])
def test_repeated_decisions_have_the_probabilities_that_a_policy_states(policy, options):
    truth = trials.Scenario([rewards.Bernoulli(p) for p in (0.2, 0.5, 0.7)])
    agree_with_repeated(design_of(policy, 3, **options), truth)
    agree_with_repeated(design_of(policy, 3, looks=[12], stopping=DropAll((1,)), **options), truth)


def agree_with_repeated(design, truth):
    """6 trials x 30 patients, 400 repetitions; Bonferroni over the comparisons: a false alarm in 10,000 tests."""
    from scipy.stats import binom

    closed = running.run(design, truth, 7, range(6), records=True)
    trial = running.run(design, truth, 7, range(6), repetitions=400)
    assert trial.data.arm.tolist() == closed.data.arm.tolist(), "what is recorded changes no decision"
    found, repeated = allocation_probabilities(closed), allocation_probabilities(trial)
    assert found.sum(axis=2) == pytest.approx(1.0)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[:, design.forced :] >= np.where(repeated[:, design.forced :] > 0, design.coin, 0) / 3).all()
    assert repeated[:, : design.forced] == pytest.approx(found[:, : design.forced]), "the burn-in is not repeated"
    counts, left = trial.decisions.frequencies[:, design.forced :], trial.decisions.frequencies[:, design.forced :] >= 0
    coin = design.coin / left.sum(axis=2, keepdims=True)
    chance = (found[:, design.forced :] - coin) / (1 - design.coin)  # repeated decisions are those of the policy alone
    chance = np.clip(np.where(np.abs(chance - np.round(chance)) < 1e-9, np.round(chance), chance), 0, 1)[left]
    each = 1e-4 / chance.size
    assert (counts[left] >= binom.ppf(each / 2, 400, chance)).all()
    assert (counts[left] <= binom.isf(each / 2, 400, chance)).all()


REPEATED = [
    policies.BesaPlus(),
    policies.Thompson(),
    policies.Sda(),
    policies.Sda(sampler="random-block"),
    policies.Ssmc(),
    policies.DirichletSampling(),
    policies.ExploreThenCommit(per_arm=4),
    policies.Mts(),
]


@pytest.mark.parametrize("policy", REPEATED, ids=str)
@pytest.mark.parametrize("value", [values.Mean(), values.CVaR(alpha=0.4), values.MeanGini(rho=0.5)], ids=str)
def test_repetitions_leave_the_trial_as_it_is(policy, value):
    options = {"value": value, "patients": 60, "delay": trials.after_patients(3)}
    many = design_of(policy, 5, **options | {"patients": 200})  # so that a repetition meets arms that no decision did
    for design, scenario in ((many, FIVE), (design_of(policy, **options), CONTINUOUS)):
        plain = running.run(design, scenario, 9, range(20))
        repeated = running.run(design, scenario, 9, range(20), repetitions=7)
        assert repeated.data.arm.tolist() == plain.data.arm.tolist()
        assert (repeated.decisions.frequencies.sum(axis=2) == 7).all()


def test_the_probabilities_of_a_burn_in():
    found = running.run(design_of("uniform-random", 3, burn_in=2, patients=8), THREE, 1, range(50), repetitions=1)
    chances = allocation_probabilities(found)
    assert (chances[:, :6] == 1 / 3).all(), "without knowledge of earlier allocations"
    last = np.array(given_all_before(found)[:, 5])
    assert (np.sort(last, axis=1) == [0, 0, 1]).all(), "with it the last has no choice"
    assert (last.argmax(axis=1) == found.data.arm[:, 5]).all()


def test_what_is_not_known_in_closed_form_needs_repetitions():
    for design, scenario in ((design_of("sda"), BINARY), (design_of("besa-plus"), CONTINUOUS)):
        with pytest.raises(ParameterError, match="no allocation probabilities in closed form"):
            allocation_probabilities(running.run(design, scenario, 1, range(2), records=True))


def test_a_few_trials_with_other_outcomes_change_no_other_trial():
    """Where some trials have had outcomes 0 and 1 alone, theirs are exact, whoever is beside them."""
    rare = trials.Scenario([rewards.Discrete([0.0, 0.5, 1.0], [0.6, 0.01, 0.39])] * 2)
    design = design_of("besa-plus")
    both = running.run(design, rare, 3, range(40), records=True, repetitions=200)
    others = [(row == 0.5).any() for row in both.data.outcome]
    assert 0 < sum(others) < 40
    exact = [not np.allclose(row * 200, np.round(row * 200), atol=1e-9) for row in allocation_probabilities(both)]
    assert [not each for each in exact] == others


def test_an_arm_that_was_dropped_has_no_probability():
    design = design_of("besa-plus", 3, looks=[10], stopping=DropAll((1,)), estimator="inverse-probability")
    trial = trials.simulate_one(design, THREE, seed=1)
    found = allocation_probabilities(trial.trials)[0]
    assert (found[:10, 1] > 0).any()
    assert (found[10:, 1] == 0).all()
    assert found.sum(axis=1) == pytest.approx(1)
    assert trial.analyse()["estimate"].isna().tolist() == [True, True]
    two = design_of("besa-plus", looks=[10], stopping=DropAll((0,)), estimator="inverse-probability", coin=0.8)
    only = trials.simulate_one(two, BINARY, seed=1)
    assert (allocation_probabilities(only.trials)[0, 10:] == [0, 1]).all()


@pytest.mark.parametrize("estimator", ["inverse-probability", "adaptively-weighted"])
@pytest.mark.parametrize("scenario", [BINARY, CONTINUOUS], ids=["binary", "continuous"])
def test_one_trial_is_estimated_with_any_outcomes(estimator, scenario):
    design = design_of(policies.EpsilonGreedy(epsilon=0.5), burn_in=2, estimator=estimator)
    table = trials.simulate_one(design, scenario, seed=2).analyse()
    assert np.isfinite(table[["estimate", "low", "high"]].to_numpy()).all()


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [1, 5], ids=["closed form", "repeated"])
def test_weighted_estimates_are_unbiased(blocks):
    """1,500 trials; unbiased within 4.5 standard errors: a false alarm in 70,000 for each case.

    Constant exploration keeps probabilities at 0.2 or more. 200 repetitions then never miss an arm, so nothing is
    undefined; but the reciprocal of a frequency is too large by up to 2 % on average, hence the slack.
    """
    design = design_of(
        policies.EpsilonGreedy(epsilon=0.4, decay=0.0), patients=24, burn_in=1, blocks=blocks,
        estimator="inverse-probability",
    )  # fmt: skip
    oc = trials.operate(design, {"effect": BINARY}, replications=1_500, seed=4, exact=False, progress=False)
    found = oc.data.squeeze().sel(arm="arm 1")
    slack = 0.0 if blocks == 1 else 0.01
    assert abs(found["bias"]) <= 4.5 * found["bias_error"] + slack
    assert found["estimable"] == 1


@pytest.mark.slow
def test_the_naive_estimate_is_biased_where_the_weighted_one_is_not():
    """3,000 trials; a false alarm of either comparison has a probability below 1e-5."""
    design = design_of(policies.Thompson(), patients=24, burn_in=2, estimator="inverse-probability")
    designs = {"weighted": design, "naive": design.replace(estimator="naive")}
    oc = trials.operate(designs, {"effect": BINARY}, replications=3_000, seed=4, exact=False, progress=False)
    bias, error = (oc.data[name].sel(scenario="effect", arm="arm 1") for name in ("bias", "bias_error"))
    assert abs(bias.sel(design="weighted")) <= 4.5 * error.sel(design="weighted")
    assert abs(bias.sel(design="naive")) >= 4.5 * error.sel(design="naive")
