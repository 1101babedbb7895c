"""The arms and rewards of replications, against what simulate recorded and a player decides."""

from __future__ import annotations

import numpy as np
import pytest

import primum
from primum import Player, Problem, Results, policies, rewards, simulate, values
from primum.errors import ParameterError, PrimumError

PROBLEM = Problem({"a": rewards.Beta(2, 3), "b": rewards.Normal(0.5, 0.2), "c": rewards.Bernoulli(0.4)}, values.Mean())
PLAYERS = [policies.BesaPlus(), policies.PosteriorBest(), policies.UniformRandom(), policies.Thompson().named("ours")]
RUN = {"horizon": 120, "seed": 5, "progress": False}
BINARY = Problem({"a": rewards.Bernoulli(0.3), "b": rewards.Bernoulli(0.6)}, values.Mean())


@pytest.fixture(scope="module")
def results():
    return simulate(BINARY, PLAYERS, replications=range(2, 9), steps="all", **RUN)


@pytest.fixture(scope="module")
def frame(results):
    return primum.trajectories(results, [3, 8])


def test_counts_are_the_pulls_of_simulate(results, frame):
    assert frame.shape == (4 * 2 * 120, 6)
    for (policy, number), part in frame.groupby(["policy", "replication"]):
        chosen = part["arm"].to_numpy()[:, None] == np.array(["a", "b"])
        np.testing.assert_array_equal(chosen.cumsum(axis=0), results.pulls.sel(policy=policy, replication=number))
        assert part["step"].tolist() == list(range(1, 121))


def test_a_player_that_meets_the_rewards_decides_the_same():
    found = primum.trajectories(simulate(PROBLEM, ["besa-plus"], replications=3, **RUN), [1])
    player = Player("besa-plus", PROBLEM.value, list(PROBLEM.arms), seed=5, horizon=120, replication=1)
    for arm, reward in zip(found["arm"], found["reward"], strict=True):
        assert player.ask() == arm
        player.tell(arm, reward)
    assert set(found[found["arm"] == "c"]["reward"]) <= {0.0, 1.0}
    assert "probability" not in found


def test_all_policies_meet_the_same_rewards_of_an_arm(frame):
    for _, part in frame.groupby(["replication", "arm"]):
        met = [list(one["reward"]) for _, one in part.groupby("policy")]
        shortest = min(map(len, met))
        assert shortest > 0
        assert len({tuple(one[:shortest]) for one in met}) == 1


def test_probabilities_where_the_policy_states_them(frame):
    by_policy = dict(list(frame.groupby("policy")["probability"]))
    assert by_policy["besa-plus"].isna().all()
    assert by_policy["ours"].isna().all()
    assert (by_policy["uniform-random"] == 0.5).all()
    stated = by_policy["posterior-best"]
    assert ((stated > 0) & (stated <= 1)).all()
    assert stated.nunique() > 20


def test_stated_probabilities_give_unbiased_estimates():
    """Rewards weighted by the inverse probability of the arm estimate its mean."""
    results = simulate(BINARY, [policies.PosteriorBest(least=0.1)], replications=200, **RUN | {"horizon": 30})
    frame = primum.trajectories(results, range(200))
    chosen = frame["arm"] == "b"
    weighted = (frame["reward"] * chosen / frame["probability"]).groupby(frame["replication"]).mean()
    assert abs(weighted.mean() - 0.6) < 4 * weighted.std() / np.sqrt(200)


@pytest.mark.parametrize(
    ("replications", "sentence"),
    [
        ([1], "these results have 7 replications, and no replication 1"),
        ([-1], "replications must be a whole number in"),
        ([], "replications must name at least one replication, got none"),
    ],
    ids=str,
)
def test_what_is_refused(results, replications, sentence):
    with pytest.raises(ParameterError, match=sentence):
        primum.trajectories(results, replications)


def test_results_of_other_code_are_not_told_as_if_they_were_ours(results):
    given = BINARY, results.policies, results.horizon, results.seed + 1, results.steps, results.replications
    with pytest.raises(PrimumError, match="pulls other arms in replication 3 than in these results"):
        primum.trajectories(Results(*given, results.pulls.values), [3])
