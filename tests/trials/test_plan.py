"""Plans: files with several designs and scenarios."""

from __future__ import annotations

import io

import pytest

from primum import policies, rewards, trials
from primum.errors import InvalidInput, PrimumError
from primum.runs.validation import table_of
from primum.trials import Plan

TEXT = """
title = "BESA+ against equal randomisation"
purpose = "To see the cost of <adaptation> & delay."
replications = 40
seed = 7

[design]
arms = ["control", "new"]
patients = 24
analysis = { name = "pooled-z", alpha = 0.05, sided = "greater" }

[designs."BESA+"]
policy = "besa-plus(floor=2)"
burn_in = 3
delay = "after-patients(patients=8)"

[designs.equal]
policy = "uniform-random"
patients = 30

[scenarios.null]
arms = ["bernoulli(probability=0.3)", "bernoulli(probability=0.3)"]

[scenarios.effect]
arms = { new = "bernoulli(probability=0.5)", control = "bernoulli(probability=0.3)" }

[scenarios.drift]
arms = ["bernoulli(probability=0.3)", "bernoulli(probability=0.3)"]
drift = 0.3

[scenarios.step]
arms = ["bernoulli(probability=0.3)", "bernoulli(probability=0.5)"]
drift = { name = "step", by = 0.2, after = 12 }
"""


def test_designs_have_what_is_shared_and_what_is_their_own():
    plan = Plan.from_toml(TEXT)
    shared = {"arms": ["control", "new"], "analysis": trials.PooledZ(alpha=0.05, sided="greater")}
    besa_plus = trials.Design(
        patients=24, policy=policies.BesaPlus(floor=2), burn_in=3, delay=trials.after_patients(8), **shared
    )
    equal = trials.Design(patients=30, policy=policies.UniformRandom(), **shared)
    assert plan.designs == {"BESA+": besa_plus, "equal": equal}
    assert (plan.replications, plan.seed) == (40, 7)
    assert plan.scenarios["drift"].drift == trials.Linear(by=0.3)
    assert plan.scenarios["step"].drift == trials.Step(by=0.2, after=12)


def test_arms_by_name_are_put_in_the_order_of_the_design():
    assert Plan.from_toml(TEXT).scenarios["effect"].arms == (rewards.Bernoulli(0.3), rewards.Bernoulli(0.5))


@pytest.mark.parametrize("kept", ["BESA+", None])
def test_a_plan_survives_a_round_trip(kept):
    plan = Plan.from_toml(TEXT)
    if kept:
        plan = plan.replace(designs={kept: plan.designs[kept]}, seed=None)
    again = Plan.from_toml(plan.to_toml())
    assert again == plan
    assert again.designs == plan.designs
    assert {name: each.spec() for name, each in again.scenarios.items()} == {
        name: each.spec() for name, each in plan.scenarios.items()
    }
    assert (again.title, again.purpose, again.replications, again.seed) == (
        plan.title,
        plan.purpose,
        plan.replications,
        plan.seed,
    )
    assert again != plan.replace(replications=41)


def test_names_and_text_with_any_letters_survive():
    plan = Plan.from_toml(TEXT)
    odd = 'a "b" [c]\n= \\ é'
    changed = plan.replace(title=odd, designs={odd: plan.designs["equal"]}, scenarios={odd: plan.scenarios["null"]})
    again = Plan.from_toml(changed.to_toml())
    assert (again.title, list(again.designs), list(again.scenarios)) == (odd, [odd], [odd])


def test_operating_characteristics_are_those_of_operate(tmp_path):
    plan = Plan.from_toml(TEXT)
    found = plan.operate(store=tmp_path, progress=False)
    expected = trials.operate(
        plan.designs, plan.scenarios, replications=40, seed=7, store=tmp_path / "other", progress=False
    )
    assert found.data.identical(expected.data)
    assert plan.operate(replications=20, store=tmp_path, progress=False).replications == 20


def test_a_plan_is_read_from_a_file_and_from_standard_input(tmp_path, monkeypatch):
    (tmp_path / "plan.toml").write_text(TEXT)
    assert Plan.load(tmp_path / "plan.toml") == Plan.from_toml(TEXT)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert Plan.load("-") == Plan.from_toml(TEXT)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("replications = 40", "replication = 40", ["no key named 'replication'", "did you mean 'replications'?"]),
        ("replications = 40", "replications = 1", ["replications must be", "got 1"]),
        ("patients = 24", "patient = 24", ["design: no key named 'patient'", "did you mean 'patients'?"]),
        ("patients = 24", "patients = 0", ["design: patients must be", "got 0"]),
        ("burn_in = 3", "burnin = 3", ["designs.BESA+: no key named 'burnin'", "did you mean 'burn_in'?"]),
        ('policy = "uniform-random"', "", ["designs.equal: policy is missing", "besa-plus"]),
        ('"uniform-random"', '"unifrom-random"', ["designs.equal.policy", "did you mean 'uniform-random'?"]),
        ("drift = 0.3", "drfit = 0.3", ["scenarios.drift: no key named 'drfit'", "did you mean 'drift'?"]),
        ("drift = 0.3", 'drift = "liner(by=1)"', ["scenarios.drift.drift", "did you mean 'linear'?"]),
        (
            'arms = ["bernoulli(probability=0.3)", "bernoulli(probability=0.5)"]',
            "",
            ["scenarios.step: arms is missing"],
        ),
        (
            'arms = ["bernoulli(probability=0.3)", "bernoulli(probability=0.5)"]',
            'arms = ["bernoulli(probability=0.3)"]',
            ["scenarios.step", "for each of the 2 arms, got 1"],
        ),
        (
            "{ new = ",
            "{ old = ",
            ["scenarios.effect", "must name the arms 'control', 'new', got 'old', 'control'"],
        ),
        (
            'arms = ["bernoulli(probability=0.3)", "bernoulli(probability=0.5)"]',
            'arms = ["uniform", "uniform"]',
            ["scenarios.step", "Pooled Z", "needs outcomes 0 and 1"],
        ),
        ("[designs.equal]", '[designs.equal]\narms = ["a", "b"]', ["all designs must have the arms control, new"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(old, new, words):
    assert old in TEXT
    with pytest.raises(InvalidInput) as raised:
        Plan.from_toml(TEXT.replace(old, new, 1), "plan.toml")
    assert str(raised.value).startswith("plan.toml: ")
    assert len(raised.value.errors) == 1
    for each in words:
        assert each in str(raised.value)


def test_all_errors_are_reported_at_once():
    wrong = (
        TEXT.replace("besa-plus(floor=2)", "besa-pls").replace('"uniform-random"', "3").replace("by = 0.2", "by = []")
    )
    with pytest.raises(InvalidInput) as raised:
        Plan.from_toml(wrong)
    assert set(raised.value.by_place) >= {"designs.BESA+.policy", "designs.equal.policy"}
    assert len(raised.value.errors) == 3


def test_a_plan_needs_designs():
    plan = Plan.from_toml(TEXT)
    with pytest.raises(PrimumError, match="designs must be a non-empty table"):
        plan.replace(designs={})
    with pytest.raises(InvalidInput, match="designs is missing; it must be a non-empty table of designs by name"):
        Plan.from_toml("seed = 7\n[scenarios.a]\narms = []")


def test_a_plan_is_operated_in_scenarios_and_needs_none_to_be_run_live():
    plan = Plan.from_toml(TEXT).replace(scenarios={}, live=trials.LiveSettings(due_days=28))
    assert Plan.from_toml(plan.to_toml()) == plan
    assert plan.live.due_days == 28
    with pytest.raises(PrimumError, match="scenarios must be a non-empty table"):
        plan.operate(progress=False)


def test_the_table_of_designs_may_be_left_out_if_there_is_one():
    plan = Plan.from_toml('[design]\narms = ["a", "b"]\npatients = 9\npolicy = "besa"\nanalysis = "pooled-z"')
    assert [*plan.designs] == ["design"]
    with pytest.raises(InvalidInput, match="live: no key named 'blindd'; did you mean 'blinded'"):
        Plan.from_toml(plan.to_toml() + "[live]\nblindd = true\n")


def test_what_is_no_table_is_named():
    with pytest.raises(PrimumError, match=r"^the design must be a table with the keys .*, got 'two arms'$"):
        trials.Design.from_spec("two arms")
    with pytest.raises(PrimumError, match=r"^the plan must be a table with the keys .*, got 3$"):
        Plan.from_spec(3)
    with pytest.raises(InvalidInput, match=r"^the plan: live: the settings of a live trial must be a table .*, got 3$"):
        Plan.from_toml("live = 3\n" + TEXT)


def test_the_defaults_of_a_plan_are_not_shared():
    first, second = (Plan.from_toml("[design]\n" + TEXT.split("[design]\n")[1].split("[scenarios")[0]) for _ in "12")
    assert first.scenarios == {}
    assert first.scenarios is not second.scenarios
    assert table_of(Plan).defaults["scenarios"] == {}
