"""TwoKeys: bounds, odd values, late outcomes, and the explanations of its decisions."""

from __future__ import annotations

import random

import pytest

import primum
from primum import policies, rewards, values
from primum.errors import PrimumError

SURE = primum.Problem({"sure": rewards.Constant(0.4), "gamble": rewards.Uniform(0, 1)}, values.Mean())


def test_rewards_above_a_known_bound_are_refused():
    problem = primum.Problem({"a": rewards.Uniform(0, 3), "b": rewards.Constant(1)}, values.Mean())
    with pytest.raises(PrimumError, match=r"Two keys needs rewards in \(-inf, 1\]"):
        primum.simulate(problem, [policies.TwoKeys()], horizon=10, replications=1, seed=1, progress=False)
    for policy in (policies.TwoKeys(top=3), policies.TwoKeys(bound="seen")):
        primum.simulate(problem, [policy], horizon=10, replications=1, seed=1, progress=False)


def test_one_arm_is_played():
    problem = primum.Problem({"only": rewards.Uniform(0, 1)}, values.Mean())
    results = primum.simulate(problem, [policies.TwoKeys()], horizon=50, replications=2, seed=1, progress=False)
    assert (results.pulls.isel(step=-1) == 50).all()


def test_every_arm_gets_the_floor():
    arms = {"best": rewards.Constant(0.9)} | {name: rewards.Constant(0.1) for name in "abc"}
    problem = primum.Problem(arms, values.Mean())
    results = primum.simulate(
        problem, [policies.TwoKeys(floor=4)], horizon=1_000, replications=3, seed=1, steps="last", progress=False
    )
    assert results.pulls.min() == 11  # 4 sqrt(log 1,000) = 10.5


def test_a_scale_of_the_rewards_changes_nothing():
    """Multiplying by a power of 2 is exact."""
    scaled = {"sure": rewards.Constant(0.4 * 64), "gamble": rewards.Uniform(0, 64)}
    for bound in ("known", "seen"):
        small, large = (
            primum.simulate(
                problem, [policies.TwoKeys(top=top, bound=bound)], horizon=500, replications=20, seed=3, progress=False
            ).pulls.values
            for problem, top in ((SURE, 1), (primum.Problem(scaled, values.Mean()), 64))
        )
        assert (small == large).all()


@pytest.mark.parametrize("value", ["0 - exp(1000 - mean)", "exp(1000 * mean)"])
def test_infinite_values_and_late_outcomes(value):
    for seed in range(4):
        player = primum.Player(policies.TwoKeys(), values.Formula(value), ["a", "b", "c"], seed=seed)
        late = random.Random(seed)
        waiting = []
        for _ in range(60):
            waiting.append(player.ask())
            while len(waiting) > 3 or (waiting and late.random() < 0.5):
                player.tell(waiting.pop(late.randrange(len(waiting))), late.random())
        assert sum(entry[0] == "ask" for entry in player.log) == 60


def test_a_pulled_challenger_has_what_its_explanation_says():
    replay = primum.replay(SURE, policies.TwoKeys(), horizon=300, seed=5, count=200)
    pulled = [step for step in replay.steps if step.why.kind == "round" and step.why.leader not in (None, step.arm)]
    assert pulled
    for step in pulled:
        (challenge,) = step.why.challenges
        assert challenge.arm == step.arm
        assert challenge.won
        assert challenge.value >= challenge.leader
        assert "won its challenge" in step.why.sentence
