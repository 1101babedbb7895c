"""The value of numbers that a policy puts together itself: by the policy of the documents, against its slow twin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import primum
from primum import policies, rewards, values
from primum.errors import PrimumError
from primum.kernels import below, best_score, opening, value_of_sample
from primum.kernels.contract import Histories
from primum.plugins.parameters import parameter
from tests.oracle import policies as oracle
from tests.oracle import values as oracle_values
from tests.oracle.generic_policies import giro
from tests.problems import VALUES, choices_of, oracle_choices, plain_choices

ARMS = {"coin": rewards.Bernoulli(0.6), "wide": rewards.Uniform(0, 1), "bent": rewards.Beta(2.0, 1.5)}


@dataclass(frozen=True)
class _Giro(policies.Policy):
    name = "giro"

    pseudo: int = parameter(1, "pseudo-rewards of 0, and of 1, for each reward", low=0, high=1, integer=True)

    @staticmethod
    def choose(history, pseudo):
        arm = opening(history, 1)
        if arm >= 0:
            return arm
        for k in range(history.arms):
            n = history.pulls[k]
            size = n + 2 * int(pseudo) * n
            for i in range(size):
                drawn = below(history.stream, size)
                history.sample[i] = history.rewards[k, drawn] if drawn < n else float(drawn % 2)
            history.scores[k] = value_of_sample(history, k, size)
        return best_score(history)


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_bootstrap_decisions_are_those_of_the_oracle(value, monkeypatch):
    monkeypatch.setitem(oracle.RULES, "giro", giro)
    problem, policy = primum.Problem(ARMS, value), _Giro()
    results = primum.simulate(problem, [policy], horizon=60, replications=2, seed=5, steps="all", progress=False)
    for replication in range(2):
        chosen = choices_of(results.pulls.values[0, replication])
        assert chosen == oracle_choices(problem, policy, 60, 5, replication)
        assert chosen == plain_choices(problem, policy, 60, 5, replication)
        assert len(set(chosen[3:])) > 1


@pytest.mark.parametrize("value", VALUES, ids=str)
@pytest.mark.parametrize("size", [1, 2, 5, 300])
def test_the_value_is_that_of_the_estimator(value, size):
    histories = Histories(1, 2, 100, 0, value, _Giro())
    histories.begin(1, [0])
    history = histories[0]
    sample = np.random.default_rng(size).random(size)
    history.sample[:size] = sample
    expected = oracle_values.of(value.spec()).estimate(sample.tolist())
    assert value_of_sample(history, 1, size) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(np.sort(history.sample[:size]), np.sort(sample))
    assert history.fault == 0


@dataclass(frozen=True)
class _Sized(policies.Policy):
    size: int = parameter(0, "how many numbers", integer=True)
    arm: int = parameter(0, "of which arm", integer=True)

    @staticmethod
    def choose(history, size, arm):
        history.sample[0] = 0.5
        history.scores[0] = value_of_sample(history, int(arm), int(size))
        return 0


@pytest.mark.parametrize(("size", "arm"), [(0, 0), (-1, 0), (50_000_000, 0), (1, 3), (1, -1)])
@pytest.mark.parametrize("value", [values.Mean(), values.CVaR(), values.MeanGini()], ids=str)
def test_a_sample_that_cannot_be_is_a_fault_and_no_crash(value, size, arm):
    problem = primum.Problem(ARMS, value)
    with pytest.raises(PrimumError, match="failed, scored an arm with nan or chose one outside"):
        primum.simulate(problem, [_Sized(size, arm)], horizon=5, replications=1, progress=False)
