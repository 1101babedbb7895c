"""Sda, Ssmc, DirichletSampling, Mts: odd values and odd parameters."""

from __future__ import annotations

import random

import pytest

import primum
from primum import policies
from primum.errors import ParameterError


@pytest.mark.parametrize("policy", ["sda", "sda(ties='challenger')", "ssmc", "dirichlet-sampling"])
def test_values_of_minus_infinity_keep_the_most_pulled_arm_the_leader(policy):
    """All arms are worth minus infinity, so all are tied, and outcomes are late: the leader before may be behind."""
    for seed in range(4):
        player = primum.Player(policy, primum.values.Formula("0 - exp(1000 - mean)"), ["a", "b", "c"], seed=seed)
        late = random.Random(seed)
        waiting = []
        for _ in range(60):
            waiting.append(player.ask())
            while len(waiting) > 3 or (waiting and late.random() < 0.5):
                player.tell(waiting.pop(late.randrange(len(waiting))), late.random())
        assert sum(entry[0] == "ask" for entry in player.log) == 60


def test_a_grid_as_wide_as_all_numbers_is_refused():
    with pytest.raises(ParameterError, match="low must be less than top"):
        policies.Mts(low=-1e308, top=1e308)
    player = primum.Player(policies.Mts(levels=3, low=-1e60, top=1e60), "mean", ["a", "b"], seed=1)
    for reward in (1e60, -1e60, 0.0, 3e59):
        player.tell(player.ask(), reward)
    assert player._histories.arrays["memory"][0].sum() == 4


def test_more_pulls_than_there_can_be_are_refused():
    with pytest.raises(ParameterError, match="per_arm must be a whole number in"):
        policies.ExploreThenCommit(per_arm=10**19)
