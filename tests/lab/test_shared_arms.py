"""Equal arms are one arm."""

from __future__ import annotations

import numpy as np

from primum import rewards
from primum.lab import shared_arms
from primum.lab.drafts.validation import read
from primum.lab.shared_arms import shared
from primum.store.lru_cache import LruCache

from .questions import data, question

TWO_WAYS = ["beta(a=2, b=3)", {"name": "beta", "a": 2.0, "b": 3.0}]


def test_questions_share_their_arms_and_drafts_too():
    one, other = (question(arms=[{"name": "a", "distribution": way}]) for way in TWO_WAYS)
    assert one.arms[0].distribution is other.arms[0].distribution
    parts, errors = read(data(arms=[{"name": "b", "distribution": TWO_WAYS[0]}], horizon="ten"))
    assert [error.path for error in errors.errors] == [("horizon",)]
    assert parts["arms"][0]["distribution"] is one.arms[0].distribution


def test_arms_that_differ_stay_apart():
    class Other(rewards.Beta):
        """Another class with the same parameters."""

        name = "beta of another"

    arms = [rewards.Beta(2, 3), rewards.Beta(2, 3.5), Other(2, 3), rewards.Uniform(2, 3)]
    assert [shared(arm) for arm in arms] == arms
    assert len({id(shared(arm)) for arm in arms}) == len(arms)


def test_arms_of_many_parts_count_as_many(monkeypatch):
    """Each distribution in a mixture makes tables of its own."""
    monkeypatch.setattr(shared_arms._arms, "room", 25 * shared_arms.TABLE_BYTES)
    mixtures = [rewards.Mixture([rewards.Beta(i, 1 + j) for j in range(9)]) for i in range(1, 6)]
    assert [shared(mixture) for mixture in mixtures] == mixtures
    kept = shared_arms._arms
    assert [kept.get(shared_arms.key_of(mixture)) is not None for mixture in mixtures] == [False] * 3 + [True] * 2
    long = rewards.Empirical(np.linspace(0, 1, 20_000).tolist())
    assert shared_arms.expected_bytes(long.spec()) > 20_000 * 50


def test_few_are_kept(monkeypatch):
    monkeypatch.setattr(shared_arms, "_arms", LruCache(2))
    for a in (1, 2, 3):
        shared(rewards.Beta(a, 1))
    assert len(shared_arms._arms) == 2
