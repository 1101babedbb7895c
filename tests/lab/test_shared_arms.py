"""Equal arms are one arm."""

from __future__ import annotations

from primum import rewards
from primum.lab import shared_arms
from primum.lab.drafts.time_limit import TimeBudget
from primum.lab.drafts.validation import read
from primum.lab.http.schemas import Draft
from primum.lab.shared_arms import shared
from primum.store.lru_cache import Recent

from .questions import data, question

TWO_WAYS = ["beta(a=2, b=3)", {"name": "beta", "a": 2.0, "b": 3.0}]


def test_questions_share_their_arms_and_drafts_too():
    one, other = (question(arms=[{"name": "a", "distribution": way}]) for way in TWO_WAYS)
    assert one.arms[0].distribution is other.arms[0].distribution
    draft = Draft.model_validate(data(arms=[{"name": "b", "distribution": TWO_WAYS[0]}]))
    assert read(draft, TimeBudget()).arms == [one.arms[0].distribution]
    assert read(draft, TimeBudget()).arms[0] is one.arms[0].distribution


def test_arms_that_differ_stay_apart():
    class Other(rewards.Beta):
        """Another class with the same parameters."""

        name = "beta of another"

    arms = [rewards.Beta(2, 3), rewards.Beta(2, 3.5), Other(2, 3), rewards.Uniform(2, 3)]
    assert [shared(arm) for arm in arms] == arms
    assert len({id(shared(arm)) for arm in arms}) == len(arms)


def test_few_are_kept(monkeypatch):
    monkeypatch.setattr(shared_arms, "_arms", Recent(2))
    for a in (1, 2, 3):
        shared(rewards.Beta(a, 1))
    assert len(shared_arms._arms) == 2
