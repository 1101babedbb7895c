"""Studies: what is varied becomes a dimension, files and Python mean the same, and what is wrong is said."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import primum
from primum import policies, rewards, values
from primum.errors import PrimumError
from primum.runs import Experiment, Study, experiment, pieces, runner
from primum.runs.part import Part
from primum.runs.studies.study import KEYS
from primum.store import Store
from tests.stopping import StoppedAtOnce

ARMS = {"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.5)}
FILE = """
title = "Floors"
horizon = 40
replications = 12
seed = 7
policies = ["ucb1", "besa-plus(floor=[0, 2])"]

[problems.mean]
value = "mean"
arms = { sure = "constant(value=0.4)", gamble = "bernoulli(probability=0.5)" }

[problems."lung cancer"]
value = { name = "cvar", alpha = 0.2 }
arms_from = { name = "veterans-lung-cancer" }
"""


def study(**changes):
    parts = {
        "problems": {"mean": primum.Problem(ARMS, "mean"), "cautious": primum.Problem(ARMS, values.CVaR(0.5))},
        "policies": ["ucb1", *(policies.BesaPlus(floor=floor) for floor in (0, 2))],
        "horizon": 40,
        "replications": 12,
        "seed": 7,
    }
    return Study(**parts | changes)


@pytest.fixture
def run(tmp_path):
    return lambda one, **options: one.run(**{"store": tmp_path / "store", "progress": False} | options)


def test_each_thing_that_is_varied_is_a_dimension(run):
    varied = study(grid={"arms.gamble.probability": [0.5, 0.9], "horizon": [20, 40]})
    results = run(varied)
    assert len(varied) == len(results) == 8
    regret = results.regret
    assert dict(regret.sizes) | {"step": 0} == {
        "problem": 2, "probability": 2, "horizon": 2, "policy": 3, "replication": 12, "step": 0,
    }  # fmt: skip
    assert regret.floor.values.tolist()[1:] == [0.0, 2.0]
    assert np.isnan(regret.floor.values[0])
    arms = ARMS | {"gamble": rewards.Bernoulli(0.9)}
    by_hand = primum.simulate(
        primum.Problem(arms, values.CVaR(0.5)),
        ["ucb1", "besa-plus(floor=0)", "besa-plus(floor=2)"],
        horizon=20,
        replications=12,
        seed=7,
        progress=False,
    )
    one = results.select(problem="cautious", probability=0.9, horizon=20)
    assert one.results == by_hand
    place = regret.sel(problem="cautious", probability=0.9, horizon=20)
    assert np.array_equal(place.sel(step=by_hand.steps).values, by_hand.regret.values)
    assert np.isnan(place.sel(step=40).values).all(), "it has no such step"


def test_a_table_has_a_row_for_each_experiment_and_policy(run):
    results = run(study(grid={"horizon": [20, 40]}))
    table = results.table()
    assert list(table.columns[:6]) == ["problem", "horizon", "policy", "title", "floor", "step"]
    assert len(table) == 2 * 2 * 3
    summary = results.select(problem="mean", horizon=20).results.summary().reset_index()
    pandas.testing.assert_frame_equal(table[list(summary.columns)][:3], summary)
    assert "\\toprule" in table.to_latex()
    assert (
        run(study(grid={"replications": [5, 8]})).table()["replications"].tolist()
        == [5] * 3 + [8] * 3 + [5] * 3 + [8] * 3
    )


def test_cases_change_several_things_together(run):
    cases = {"short": {"horizon": 10, "value": "cvar(alpha=0.3)"}, "rare": {"arms.gamble.probability": 0.1}}
    varied = study(problems=None, arms=ARMS, value="mean", cases=cases)
    assert varied.dims == {"case": ["short", "rare"]}
    short, rare = varied
    assert (short.horizon, short.value.label, rare.horizon, rare.value.label) == (10, "cvar(alpha=0.3)", 40, "mean")
    assert rare.arms["gamble"].probability == 0.1
    assert run(varied).regret.sizes["case"] == 2


def test_values_are_varied_by_their_names():
    several = study(problems=None, arms=ARMS, grid={"value": [values.Mean(), "cvar(alpha=0.3)", {"name": "mean-gini"}]})
    assert several.dims == {"value": ["mean", "cvar(alpha=0.3)", '{"name": "mean-gini"}']}
    assert [one.value.name for one in several.replace(grid={"value": ["mean", "cvar"]})] == ["mean", "cvar"]


def test_file_and_python_are_the_same():
    from_file = Study.from_toml(FILE)
    assert from_file.dims == {"problem": ["mean", "lung cancer"]}
    assert [policy.label for policy in from_file.experiment(0).policies] == [
        "ucb1", "besa-plus(floor=0)", "besa-plus(floor=2)",
    ]  # fmt: skip
    for one in (from_file, study(grid={"horizon": [20, 40]}, cases={"a": {"value.alpha": 0.1}}, problems=None,
                                 arms=ARMS, value=values.CVaR(0.5))):  # fmt: skip
        again = Study.from_toml(one.to_toml())
        assert again == one
        assert list(again) == list(one)


def test_an_experiment_file_is_a_study_of_one(run):
    text = 'horizon = 20\nreplications = 5\nseed = 1\nvalue = "mean"\npolicies = ["ucb1"]\narms = { a = "uniform" }'
    one = Study.from_toml(text)
    assert (len(one), one.dims) == (1, {})
    assert run(one).results == Experiment.from_toml(text).run(progress=False)


def test_the_signature_has_every_part_with_its_type():
    parts = inspect.signature(Study).parameters
    assert set(parts) == {*KEYS, "unknown"}
    assert not any(part.annotation is part.empty or part.annotation == "Any" for part in parts.values())
    assert parts["horizon"].annotation == "int | None"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"grid": {"horizn": [1]}}, "no part of an experiment named 'horizn'; did you mean 'horizon'?"),
        ({"grid": {"value.alpha": [0.1]}}, "problem 'mean', alpha 0.1: value: mean: no parameter named 'alpha'"),
        ({"grid": {"horizon": [10, -1]}}, "problem 'mean', horizon -1: horizon must be a whole number in"),
        ({"grid": {"horizon": []}}, "horizon must be a non-empty list of values, got []"),
        ({"grid": {"horizon": 3}}, "horizon must be a non-empty list of values, got 3"),
        ({"grid": [1]}, "grid must be a table of paths, each with a list, got [1]"),
        ({"grid": {"a b": [1]}}, "'a b' is no path"),
        ({"grid": {"policies": [1]}}, "policies are varied in their list"),
        ({"grid": {"arms.nobody.low": [1]}}, "no part named 'nobody'"),
        ({"cases": {"a": 3}}, "cases must be a table of tables"),
        ({"problems": {}}, "problems must be a non-empty table of problems, got {}"),
        ({"problems": {"x": 3}}, "x must be a primum.Problem, or a table with value, arms, arms_from, got 3"),
        ({"problems": {"x": {"arm": 3}}}, "no key named 'arm'; did you mean 'arms'?"),
        ({"polices": []}, "no key named 'polices'; did you mean 'policies'?"),
        ({"policies": ["besa-plus(floor=[1, -2])"]}, "floor must be in [0, inf), got -2"),
        ({"policies": ["bsa"]}, "policies[0]: no policy named 'bsa'; did you mean 'besa'?"),
        ({"policies": ["uucb"], "problems": None, "arms": ARMS, "value": "mean"}, "no policy named 'uucb'"),
        ({"horizon": None}, "horizon is missing"),
    ],
)
def test_what_is_wrong_is_said(changes, said):
    with pytest.raises(PrimumError) as refused:
        study(**changes)
    assert said in str(refused.value)


def test_a_grid_of_a_billion_is_refused_with_its_size_and_time():
    with pytest.raises(PrimumError, match=r"the study has [\d,]{13,} experiments, which take about \d+ (days|hours)"):
        study(grid={"horizon": range(1, 100_000), "replications": range(1, 10_000)})


def test_a_file_names_itself_in_errors():
    with pytest.raises(PrimumError, match=r"^the study: horizon is missing"):
        Study.from_toml("replications = 3")


def test_coordinates_that_are_not_there_are_refused(run):
    results = run(study())
    with pytest.raises(PrimumError, match="no dimension named 'problems'; did you mean 'problem'"):
        results.select(problems="mean")
    with pytest.raises(PrimumError, match="no problem named 'men'; did you mean 'mean'"):
        results.select(problem="men")
    with pytest.raises(PrimumError, match=r"these are 2 experiments; select one: select\(problem='mean'\)"):
        results.results  # noqa: B018
    with pytest.raises(PrimumError, match="no measure named 'regrt'; did you mean 'regret'"):
        results.measure("regrt")


def test_only_what_is_new_is_computed(run, monkeypatch):
    played, original = [], Part.play

    def noted(part, *given):
        played.append(([policy.label for policy in part.policies], part.replications))
        return original(part, *given)

    monkeypatch.setattr(Part, "play", noted)
    monkeypatch.setattr(runner, "PARTS_PER_THREAD", 0)
    run(study(), threads=2)
    assert sorted(played) == [(["ucb1", "besa-plus(floor=0)", "besa-plus(floor=2)"], range(12))] * 2
    played.clear()
    run(study(title="the same"))
    assert played == []
    run(study(policies=["ucb1", "besa"]))
    assert played == [(["besa"], range(12))] * 2
    played.clear()
    run(study(replications=20, problems={"mean": primum.Problem(ARMS, "mean")}))
    assert played == [(["ucb1", "besa-plus(floor=0)", "besa-plus(floor=2)"], range(12, 20))]


@hypothesis_settings(max_examples=12)
@given(st.integers(1, 40 * 30), st.integers(40, 4000), st.integers(1, 3), st.randoms(use_true_random=False))
def test_any_cut_any_executor_and_any_order_give_equal_results(piece, message, threads, chance):
    import tempfile

    def shuffled(todo, wanted):
        chance.shuffle(todo)
        return todo

    one = study(policies=["ucb1", "besa-plus"])
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(pieces, "PIECE_STEPS", piece)
        patch.setattr(runner, "MESSAGE_STEPS", message)
        patch.setattr(runner, "_cut", shuffled)
        here = one.run(store=f"{folder}/here", threads=threads, progress=False).regret
        with ThreadPoolExecutor(threads) as executor:
            there = one.run(store=f"{folder}/there", executor=executor, progress=False).regret
    whole = [experiment.run(progress=False).regret.values for experiment in one]
    assert np.array_equal(here.values, np.stack(whole))
    assert np.array_equal(there.values, here.values)


def test_a_study_that_was_stopped_has_what_is_complete(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_STEPS", 40 * 4)
    store = Store(tmp_path)
    one = study()
    pieces.run([one.experiment(0).replace(replications=4)], store, progress=False)

    def stopped(*_, **__):
        return False

    monkeypatch.setattr(pieces, "run", stopped)
    results = one.run(store=store, progress=False)
    assert not results.is_complete
    assert results.table()["replications"].tolist() == [4, 4, 4], "of the other experiment there is nothing"
    regret = results.regret.values
    assert np.isfinite(regret[0, :, :4]).all()
    assert np.isnan(regret[0, :, 4:]).all()
    assert np.isnan(regret[1]).all()


def test_a_ranking_compares_with_the_best_of_each_experiment(run):
    results = run(study(problems={"a": primum.Problem(ARMS, "mean"), "same": primum.Problem({"x": "uniform"}, "mean")}))
    ranking = results.ranking()
    regret = results.select(problem="a").results.regret.values[:, :, -1].mean(axis=1)
    by_label = dict(zip(ranking["policy"], ranking["worst"], strict=True))
    assert [by_label[label] for label in ("ucb1", "besa-plus(floor=0)", "besa-plus(floor=2)")] == pytest.approx(
        list(regret / regret.min())
    )
    assert ranking["worst_at"].tolist() == ["a"] * 3, "an experiment without regret is left out"
    with pytest.raises(PrimumError, match="there is nothing to rank"):
        results.select(problem="same").ranking()


def test_each_run_without_a_seed_draws_one_and_tells_it(tmp_path):
    one = study(seed=None, replications=2)
    assert one == study(seed=None, replications=2)
    assert "seed" not in one.to_toml()
    assert "seed" not in repr(one)
    first, second, stored = (one.run(store=store, progress=False) for store in (None, None, tmp_path))
    assert len({found.study.base["seed"] for found in (first, second, stored)}) == 3
    for found in (first, stored):
        assert f"seed {found.study.base['seed']}" in repr(found.study)
        again = found.study.run(progress=False)
        assert np.array_equal(again.regret.values, found.regret.values)
    assert not np.array_equal(first.regret.values, second.regret.values)


def test_without_a_store_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("PRIMUM_CACHE", str(tmp_path / "cache"))
    one = study()
    here = one.run(progress=False)
    one.experiment(0).run(progress=False)
    assert not (tmp_path / "cache" / "results").exists()
    with ThreadPoolExecutor(2) as executor:
        elsewhere = one.run(executor=executor, progress=False)
    stored = one.run(store=tmp_path / "store", progress=False)
    for found in (elsewhere, stored):
        assert found.is_complete
        assert [(at, results.to_bytes()) for at, results in found] == [(at, each.to_bytes()) for at, each in here]


def test_a_study_in_memory_that_was_stopped(monkeypatch):
    found = study(horizon=5000, replications=400).run(threads=1, progress=StoppedAtOnce())
    assert not found.is_complete
    done = [len(results.replications) for _, results in found]
    assert all(count < 400 for count in done[1:])
    with pytest.raises(PrimumError, match="no replication of any experiment is complete"):
        found.select(problem="cautious").table()


def test_a_study_that_is_too_large_for_memory_needs_a_store(monkeypatch):
    monkeypatch.setattr(experiment, "physical_memory", lambda: 20_000.0)
    with pytest.raises(PrimumError, match=r"^the recorded pulls of all experiments need .* GB; give a store"):
        study(steps="all").run(progress=False)
    assert study(steps="last").run(progress=False).is_complete
