"""What a run will cost: measured, in words that help, and without surprises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from primum import rewards
from primum.errors import PrimumError
from primum.lab.drafts import cost, cost_model, preview
from primum.lab.drafts.cost import estimate
from primum.lab.drafts.cost_model import Pace
from primum.lab.http.schemas import LONGEST_HORIZON, MOST_ARMS, MOST_REPLICATIONS, Question
from primum.lab.jobs.limits import Limits
from primum.plugins import registry
from primum.store.lru_cache import LruCache

DISTRIBUTIONS = [
    "bernoulli(probability=0.5)",
    "uniform",
    "uniform(low=-2, high=5)",
    "constant(value=0.5)",
    "beta(a=0.5, b=3)",
    "truncated-normal(location=0.5, deviation=0.2)",
]
VALUES = ["mean", "cvar(alpha=0.1)", "mean-gini", "quantile", "formula(text='mean - 2 * std')", "sharpe"]
POLICIES = [
    name for name in registry.names("policies") if registry.find("policies", name).__module__.startswith("primum.")
]


def named(count):
    return [{"name": f"arm {i}", "distribution": DISTRIBUTIONS[i % 2]} for i in range(count)]


def asked(**changes):
    given = {"arms": named(2), "value": "mean", "policies": ["besa-plus", "ucb1"], "horizon": 200, "replications": 10}
    return Question(**(given | changes))


@pytest.fixture
def paces(monkeypatch):
    """Policies of known paces: a thousandth of a second for 100 steps, in the square of the steps for npts."""

    def pace(problem, policy, horizon):
        return Pace(100, 0.001, 2.0 if policy.name == "npts" else 1.0)

    monkeypatch.setattr(cost, "pace_of_policy", pace)
    monkeypatch.setattr(cost, "pace_of_rewards", lambda problem, horizon: Pace(100, 0.0, 1.0))


@pytest.mark.usefixtures("paces")
def test_costs_add_up():
    cost = estimate(asked(horizon=1000, replications=50, policies=["npts", "ucb1"]), Limits())
    assert cost.seconds == pytest.approx(50 * (0.1 + 0.01))
    assert (cost.fits, cost.sentence) == (True, "about 6 s")
    recorded = len(asked(horizon=1000).experiment(1).run(progress=False).steps)
    assert cost.memory == 4 * 2 * 50 * recorded * 2
    assert estimate(asked(), Limits()).sentence == "less than 1 s"


@pytest.mark.usefixtures("paces")
def test_too_much_time_says_what_would_fit():
    question = asked(horizon=10_000, replications=500, policies=["npts", "ucb1"])
    cost = estimate(question, Limits())
    assert not cost.fits
    npts = registry.build("policies", "npts").display_name
    assert cost.sentence == (
        "this run needs about 84 min of processor time, 8.4 times the limit of 10 min; it would fit with 59 "
        f"replications, or with a horizon of 3,200, or without {npts}, which takes 99 % of it"
    )
    for change in ({"replications": 59}, {"horizon": 3200}, {"policies": ["ucb1"]}):
        assert estimate(Question(**(question.model_dump() | change)), Limits()).fits


@pytest.mark.usefixtures("paces")
def test_too_much_memory_says_what_would_fit():
    question = asked(arms=named(10), horizon=1000, replications=10_000, policies=["ucb1"])
    limits = Limits(memory=8 << 25)
    cost = estimate(question, limits)
    assert cost.sentence.startswith("this run records ")
    assert "MB of pulls, " in cost.sentence
    assert "times the limit of 32 MB; it would fit with " in cost.sentence
    assert "without" not in cost.sentence, "it has one policy only"
    fewer = int(cost.sentence.partition("with ")[2].split()[0].replace(",", ""))
    assert estimate(Question(**(question.model_dump() | {"replications": fewer})), limits).fits


@pytest.mark.usefixtures("paces")
def test_where_nothing_alone_would_do():
    sentence = estimate(asked(replications=1, horizon=2, policies=["ucb1"]), Limits(seconds=1e-9)).sentence
    assert sentence.endswith("reduce both the horizon and the replications")


def test_a_measurement_is_remembered_for_like_horizons(monkeypatch):
    monkeypatch.setattr(cost_model, "_known", LruCache(5))
    estimate(asked(), Limits())
    known = dict(cost_model._known._items)
    assert len(known) == 3
    estimate(asked(horizon=250, replications=90, seed=9, title="other"), Limits())
    assert dict(cost_model._known._items) == known
    for horizon in (2, 10, 1000):
        estimate(asked(horizon=horizon), Limits())
    assert len(cost_model._known) == 5


@pytest.mark.usefixtures("fresh_registry")
def test_drawing_rewards_is_no_part_of_a_policy_s_pace():
    drawn = []

    @dataclass(frozen=True)
    class Counted(rewards.Uniform):
        """One that notes how many numbers it is asked for."""

        def quantile(self, u):
            drawn.append(np.size(u))
            return super().quantile(u)

    problem = asked(arms=[{"name": "a", "distribution": Counted()}]).experiment().problem()
    stretch = cost_model._Stretch(problem, registry.build("policies", "ucb1"), 200)
    stretch.seconds(200)
    once = sum(drawn)
    stretch.seconds(200)
    assert sum(drawn) == once >= 200, "it has the same rewards each time"


def test_longer_runs_are_extrapolated():
    problem, policy = asked(horizon=LONGEST_HORIZON).experiment().problem(), registry.build("policies", "npts")
    pace = cost_model.pace_of_policy(problem, policy, LONGEST_HORIZON)
    assert cost_model.FIRST_STEPS < pace.steps < LONGEST_HORIZON / 10
    assert 1 <= pace.exponent <= 2
    assert pace.seconds_for(2 * pace.steps) == pytest.approx(pace.seconds * 2**pace.exponent)


@pytest.mark.usefixtures("fresh_registry")
@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("support", "arms.rude: Rude: quantile(u) or support failed: ZeroDivisionError: no"),
        ("quantile", "arms.rude: Rude: quantile(u) or support failed: KeyError: 'no'"),
        ("drawing", "KeyError: 'no'"),
    ],
)
def test_whatever_a_plugin_raises_is_a_sentence(where, sentence, monkeypatch):
    monkeypatch.setattr(preview, "_values", LruCache(5))  # the classes of this test have the same name

    @dataclass(frozen=True)
    class Rude(rewards.RewardDistribution):
        """Raises."""

        @property
        def support(self):
            if where == "support":
                raise ZeroDivisionError("no")
            return 0.0, 1.0

        def quantile(self, u):
            if where == "quantile" or np.size(u) == cost_model.FIRST_REWARDS:
                raise KeyError("no")
            return np.asarray(u)

    rude = asked(arms=[{"name": "rude", "distribution": Rude()}], policies=["thompson"])
    with pytest.raises(PrimumError) as caught:
        estimate(rude, Limits())
    assert str(caught.value) == sentence


@pytest.mark.slow
@settings(max_examples=60)
@given(
    arms=st.integers(1, MOST_ARMS),
    distributions=st.lists(st.sampled_from(DISTRIBUTIONS), min_size=1, max_size=4),
    value=st.sampled_from(VALUES),
    policies=st.lists(st.sampled_from(POLICIES), min_size=1, max_size=3, unique=True),
    horizon=st.sampled_from([2, 3, 31, 32, 33, 1000, LONGEST_HORIZON]),
    replications=st.sampled_from([1, 7, MOST_REPLICATIONS]),
)
def test_every_question_has_a_cost_or_a_sentence(arms, distributions, value, policies, horizon, replications):
    question = Question(
        arms=[{"name": f"{i}", "distribution": distributions[i % len(distributions)]} for i in range(arms)],
        value=value,
        policies=policies,
        horizon=horizon,
        replications=replications,
    )
    try:
        cost = estimate(question, Limits())
    except PrimumError:  # some policies do not go with some values or rewards; nothing else may be raised
        return
    assert np.isfinite(cost.seconds)
    assert cost.seconds > 0
    assert cost.memory > 0
    assert cost.fits == (cost.seconds <= 600 and cost.memory <= 1 << 28)
    assert cost.sentence.startswith(("about", "less than") if cost.fits else "this run ")
