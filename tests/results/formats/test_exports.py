"""Datasets and long data frames of results and studies: every number is where it belongs, with what made it."""

from __future__ import annotations

import json

import numpy as np
import pytest
import xarray

import primum
from primum import Problem, Results, Study, policies, rewards, simulate, values
from primum.errors import PrimumError
from primum.runs.studies import results as study_results
from primum.store import fingerprints
from tests.stopping import nothing_complete

ARMS = {"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.5), "other": rewards.Constant(0.1)}
PROBLEM = Problem(ARMS, values.Mean())
PLAYERS = [policies.Ucb1(), policies.BesaPlus(floor=2), policies.BesaPlus()]
MEASURES = ["regret", "best_arm_share", "worst_arm_share", "stuck"]


@pytest.fixture(scope="module")
def results():
    return simulate(PROBLEM, PLAYERS, horizon=30, replications=range(3, 8), seed=2**64 - 1, progress=False)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    problems = {"three": PROBLEM, "two": Problem({"a": ARMS["gamble"], "b": ARMS["sure"]}, values.CVaR(0.6))}
    made = Study(
        problems=problems, policies=PLAYERS, replications=4, horizon=1, seed=7, grid={"horizon": [10, 20]}, steps=[5]
    )
    return made.run(store=tmp_path_factory.mktemp("store"), progress=False)


def test_a_dataset_has_all_measures_and_says_what_made_them(results):
    data = results.to_dataset()
    assert list(data) == ["pulls", *MEASURES]
    for name in data:
        xarray.testing.assert_identical(data[name].drop_vars(["title", "gap"], errors="ignore"), getattr(results, name))
    assert data.title.values.tolist() == ["UCB1", "BESA+ (floor 2)", "BESA+"]
    np.testing.assert_allclose(data.gap, [0.1, 0, 0.4])
    assert data.attrs == {
        "spec": json.dumps(results.spec()),
        "seed": 2**64 - 1,
        "versions": json.dumps(fingerprints.versions()),
        "primum_version": primum.__version__,
        "fingerprint": results.fingerprint,
    }


def test_netcdf_keeps_a_dataset(results, tmp_path):
    data = results.to_dataset()
    data.to_netcdf(tmp_path / "all.nc", engine="h5netcdf")
    again = xarray.load_dataset(tmp_path / "all.nc", engine="h5netcdf")
    xarray.testing.assert_identical(again, data)
    assert int(again.attrs["seed"]) == 2**64 - 1


def test_a_data_frame_has_a_row_for_each_replication_and_step(results):
    table = results.to_dataframe()
    assert list(table) == ["policy", "title", "replication", "step", *MEASURES]
    assert len(table) == 3 * 5 * len(results.steps)
    for _, row in table.sample(40, random_state=1).iterrows():
        at = {"policy": row.policy, "replication": row.replication, "step": row.step}
        for name in MEASURES:
            assert row[name] == getattr(results, name).sel(at).item()
    assert table.policy.cat.categories.tolist() == results.labels, "in the order of the results"
    assert dict(zip(table.policy, table.title, strict=True)) == dict(zip(results.labels, results.titles, strict=True))
    assert table.attrs == results.to_dataset().attrs


def test_arms_have_rows_of_their_own(results):
    table = results.to_dataframe(arms=True)
    assert list(table) == ["policy", "title", "replication", "step", "arm", "gap", "pulls"]
    assert len(table) == results.pulls.size
    assert table.arm.cat.categories.tolist() == list(ARMS)
    np.testing.assert_array_equal(table.pulls.to_numpy().reshape(results.pulls.shape), results.pulls)
    parts = (table.pulls * table.gap).groupby([table.policy, table.replication, table.step], observed=True).sum()
    np.testing.assert_allclose(parts.to_numpy().reshape(results.regret.shape), results.regret)


@pytest.mark.parametrize("arms", [False, True])
def test_without_a_replication_there_are_no_rows(arms):
    none = Results(PROBLEM, PLAYERS, 30, 1, [30], [], np.zeros((3, 0, 1, 3)), requested=5)
    full = Results(PROBLEM, PLAYERS, 30, 1, [30], [0], np.full((3, 1, 1, 3), 10), requested=5)
    assert len(none.to_dataframe(arms=arms)) == 0
    assert list(none.to_dataframe(arms=arms)) == list(full.to_dataframe(arms=arms))


def test_a_study_as_a_dataset(study):
    data = study.to_dataset()
    assert dict(data.sizes) == {"problem": 2, "horizon": 2, "policy": 3, "replication": 4, "step": 3}
    for name in MEASURES:
        xarray.testing.assert_identical(data[name].drop_vars("title"), study.measure(name))
    assert data.title.values.tolist() == ["UCB1", "BESA+ (floor 2)", "BESA+"]
    assert Study.from_toml(data.attrs["study"]) == study.study
    assert data.attrs["seed"] == 7
    assert json.loads(data.attrs["versions"]) == fingerprints.versions()
    assert data.attrs["fingerprint"] == study.regret.attrs["fingerprint"]


def test_a_study_as_a_data_frame(study):
    table = study.to_dataframe()
    assert list(table) == ["problem", "horizon", "policy", "title", "floor", "replication", "step", *MEASURES]
    assert len(table) == 2 * 2 * 3 * 4 * 2, "two recorded steps of each experiment"
    for _, row in table.sample(40, random_state=1).iterrows():
        at = {name: row[name] for name in ("problem", "horizon", "policy", "replication", "step")}
        for name in MEASURES:
            assert row[name] == study.measure(name).sel(at).item()
    floors = dict(zip(table.policy, table.floor, strict=True))
    assert np.isnan(floors.pop("ucb1"))
    assert floors == {"besa-plus": 1, "besa-plus(floor=2)": 2}
    assert Study.from_toml(table.attrs["study"]) == study.study


def test_arms_of_a_study_differ_by_problem(study):
    table = study.to_dataframe(arms=True)
    arms = table.groupby("problem")["arm"].unique()
    assert set(arms["three"]) == set(ARMS)
    assert set(arms["two"]) == {"a", "b"}
    assert len(table) == 2 * 3 * 4 * 2 * (3 + 2)
    totals = table.groupby(["problem", "horizon", "policy", "replication", "step"], observed=True)["pulls"].sum()
    assert (totals == totals.index.get_level_values("step")).all()


def test_a_stopped_study_has_the_rows_that_are_complete(study):
    nothing = nothing_complete(study.study)
    with pytest.raises(PrimumError, match="no replication of any experiment is complete"):
        nothing.to_dataframe()
    assert nothing.to_dataset().regret.isnull().all()


@pytest.mark.parametrize(
    ("ask", "what", "cells"),
    [
        (lambda study: study.to_dataset(), "dataset", 4 * 4 * 3 * 4 * 3),
        (lambda study: study.measure("stuck"), "stuck", 4 * 3 * 4 * 3),
        (lambda study: study.to_dataframe(), "data frame", 2 * 2 * 3 * 4 * 2 * 11),
    ],
)
def test_what_exceeds_the_memory_is_refused(study, monkeypatch, ask, what, cells):
    monkeypatch.setattr(study_results, "physical_memory", lambda: 2 * 8 * cells)
    ask(study)
    monkeypatch.setattr(study_results, "physical_memory", lambda: 2 * 8 * cells - 1)
    with pytest.raises(PrimumError, match=f"^the {what} of all experiments needs 0 GB; select some of them"):
        ask(study)
