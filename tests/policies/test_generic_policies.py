"""Policies for any value: known numbers, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

import primum
from primum import policies, rewards, values
from primum.errors import ParameterError
from tests.problems import ARMS, VALUES, choices_of

NAMES = ["A", "B", "C"]


def problem(*arms, value="mean"):
    return primum.Problem({f"arm {i}": arm for i, arm in enumerate(arms)}, value)


def choices(problem, policy, horizon, replications=1, seed=1):
    """The arm at each step of each replication."""
    options = {"horizon": horizon, "replications": replications, "seed": seed, "steps": "all", "progress": False}
    return np.array([choices_of(pulls) for pulls in primum.simulate(problem, [policy], **options).pulls.values[0]])


def share(problem, policy, step, arm, replications=20_000):
    """How often an arm is played at a step."""
    options = {"horizon": step, "replications": replications, "seed": 5, "steps": [step - 1], "progress": False}
    pulls = primum.simulate(problem, [policy], **options).pulls.values[0]
    return (pulls[:, 1, arm] - pulls[:, 0, arm]).mean()


CONSTANT = problem(rewards.Constant(0.5), rewards.Constant(0.4), rewards.Constant(0.2))


@pytest.mark.parametrize("temperature", [0.05, 0.1, 1.0])
def test_boltzmann_plays_arms_with_boltzmanns_probabilities(temperature):
    """Nine shares, five standard deviations each: a false alarm in 200,000 runs."""
    weights = np.exp(np.array([0.5, 0.4, 0.2]) / temperature)
    for arm, p in enumerate(weights / weights.sum()):
        played = share(CONSTANT, policies.Boltzmann(temperature), 4, arm)
        assert played == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / 20_000) + 1e-12)


def test_boltzmann_survives_any_temperature():
    assert (choices(CONSTANT, policies.Boltzmann(1e-300), 20)[0, 3:] == 0).all()
    assert np.bincount(choices(CONSTANT, policies.Boltzmann(1e300), 900)[0]).min() > 200


@pytest.mark.parametrize(
    ("epsilon", "decay", "step", "p"),
    [(0.3, 0, 4, 0.3), (0.3, 0, 90, 0.3), (0.5, 1, 10, 0.15), (0.5, 0.5, 12, 0.25), (20, 1, 50, 1), (20, 1, 120, 0.5)],
)
def test_epsilon_decays(epsilon, decay, step, p):
    """A random arm with probability p: the worst one with p/3; five standard deviations."""
    played = share(CONSTANT, policies.EpsilonGreedy(epsilon, decay), step, arm=2)
    assert played == pytest.approx(p / 3, abs=5 * math.sqrt(p / 3 / 20_000))


def test_epsilon_that_does_not_decay_is_a_probability():
    with pytest.raises(ParameterError, match=r"epsilon must be in \[0, 1\] where it does not decay, got 1.5"):
        policies.EpsilonGreedy(epsilon=1.5)


def test_explore_then_commit_explores_and_commits():
    arms = problem(rewards.Bernoulli(0.5), rewards.Bernoulli(0.5), rewards.Bernoulli(0.5))
    played = choices(arms, policies.ExploreThenCommit(per_arm=5), 200, replications=30)
    assert (played[:, :15] == [0, 1, 2] * 5).all()
    assert (played[:, 15:] == played[:, 15:16]).all()
    assert set(played[:, 15]) == {0, 1, 2}


def test_without_a_length_the_exploration_is_that_of_exp_exp():
    """(14,000 / 14)^(2/3) = 100 pulls of each arm; with horizon 10 and 3 arms, 3 of each."""
    long = choices(CONSTANT, policies.ExploreThenCommit(), 14_000)[0]
    assert (long[:300] == [0, 1, 2] * 100).all()
    assert (long[300:] == 0).all()
    for horizon in (1, 10, 100, 3000):
        alike = [choices(CONSTANT, policy, horizon) for policy in (policies.ExploreThenCommit(), policies.ExpExp())]
        assert (alike[0] == alike[1]).all()


def test_explore_then_commit_live_needs_the_horizon_or_a_length():
    with pytest.raises(ParameterError, match="Explore then commit needs to know the horizon"):
        primum.Player(policies.ExploreThenCommit(), "mean", NAMES)
    player = primum.Player(policies.ExploreThenCommit(per_arm=2), "mean", NAMES, seed=1)
    assert [player.ask() for _ in range(6)] == NAMES * 2
    for arm, outcome in zip("BACCAB", (0.9, 0.1, 0.2, 0.3, 0.2, 0.8)):
        player.tell(arm, outcome)
    assert player.ask() == "B"
    player.tell("B", -9.0)
    assert player.ask() == "B", "the choice stands"


def test_round_robin():
    assert (choices(CONSTANT, policies.RoundRobin(), 8)[0] == [0, 1, 2, 0, 1, 2, 0, 1]).all()


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_the_oracle_has_no_regret(value):
    arms = problem(*ARMS, value=value)
    results = primum.simulate(arms, [policies.Oracle()], horizon=50, replications=5, seed=1, progress=False)
    assert results.regret.values.max() <= 1e-12


def test_the_oracle_breaks_ties_at_random_and_cannot_be_played():
    """1,000 fair tosses, five standard deviations: a false alarm in 1.7 million runs."""
    arms = problem(rewards.Constant(0.5), rewards.Constant(0.2), rewards.Bernoulli(0.5))
    pulls = np.bincount(choices(arms, policies.Oracle(), 1000)[0], minlength=3)
    assert pulls[1] == 0
    assert pulls[0] == pytest.approx(500, abs=80)
    with pytest.raises(ParameterError, match="Oracle knows the true values, so it can be simulated but not played"):
        primum.Player(policies.Oracle(), "mean", NAMES)


@pytest.mark.parametrize("arms", [ARMS, ARMS[2:], [rewards.Uniform(0, 1), rewards.Uniform(0.2, 0.9)]], ids=len)
def test_mcdiarmid_ucb_under_the_mean_is_ucb1(arms):
    results = primum.simulate(
        problem(*arms), ["mcdiarmid-ucb", "ucb1"], horizon=2000, replications=20, seed=3, steps="all", progress=False
    )
    assert (results.pulls.values[0] == results.pulls.values[1]).all()


def test_the_constants_are_the_values_own():
    arms = problem(rewards.Uniform(0, 1), rewards.Uniform(0.1, 1), value=values.MeanVariance(rho=0.5))
    for own, given in [
        (policies.McDiarmidUcb(), policies.McDiarmidUcb(gamma=1.5)),
        (policies.UUcb(), policies.UUcb(lipschitz=1.5)),
    ]:
        assert (choices(arms, own, 500) == choices(arms, given, 500)).all()


def test_u_ucb_with_alpha_four_is_nearly_ucb1():
    """Under the mean with L = 1 the bonus is sqrt(alpha log t / (2 n)); UCB1 has log(t - 1) instead of log t."""
    arms = problem(rewards.Constant(0.5), rewards.Constant(0.4))
    pulls = [np.bincount(choices(arms, policy, 3000)[0]) for policy in (policies.UUcb(alpha=4), policies.Ucb1())]
    assert np.abs(pulls[0] - pulls[1]).max() <= 2


def test_a_value_without_the_constant_is_refused_in_a_sentence():
    class Median(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            return np.median(sample)

    sentence = (
        "McDiarmid-UCB needs a value with a known gamma, and Median has none (Median is not well-behaved: no bound is "
        "known on the effect of one observation; the estimator is biased; the estimate on sub-samples does not "
        "average to the estimate on the sample); give one yourself: mcdiarmid-ucb(gamma=2)"
    )
    with pytest.raises(ParameterError) as refused:
        primum.Player("mcdiarmid-ucb", Median(), NAMES)
    assert str(refused.value) == sentence
    with pytest.raises(ParameterError, match=r"a known lipschitz, .* give one yourself: u-ucb\(lipschitz=2\)"):
        primum.simulate(problem(*ARMS, value=Median()), ["u-ucb"], horizon=5, replications=1)
    assert primum.Player("u-ucb(lipschitz=2)", Median(), NAMES).ask() == "A"


def test_the_values_own_constants_are_for_unit_rewards():
    arms = problem(rewards.Uniform(0, 2), rewards.Uniform(0, 1))
    for policy, title in (("mcdiarmid-ucb", "McDiarmid-UCB"), ("u-ucb", "U-UCB")):
        with pytest.raises(
            ParameterError, match=rf"{title} needs rewards in \[0, 1\], and arm .* has them in \[0, 2\]"
        ):
            primum.simulate(arms, [policy], horizon=5, replications=1, progress=False)
    primum.simulate(arms, ["mcdiarmid-ucb(gamma=2)", "u-ucb(lipschitz=2)"], horizon=5, replications=1, progress=False)
