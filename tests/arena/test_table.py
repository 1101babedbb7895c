"""The measures of a table, on made-up cells."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from primum.arena import Cell, Table
from primum.arena.table import PairRow, PolicyRow, geometric_band, kept
from primum.errors import PrimumError

PAIRS = {
    "easy": PairRow("Easy", "Smooth", "Mean", "mean"),
    "hard": PairRow("Hard", "Smooth", "CVaR", "CVaR 10 %", ("besa",)),
    "odd": PairRow("Odd", "Ties", "Mean", "mean"),
}
POLICIES = {"a": PolicyRow("A", True), "b": PolicyRow("B", True, True), "own": PolicyRow("Own", False)}


def cell(pair, policy, regret, error=0.0, stuck=0, horizon=100, **more):
    return Cell(pair, policy, horizon, 50, regret, error, stuck, regret, **more)


CELLS = (
    cell("easy", "a", 1.0, 0.1, microseconds=2.0),
    cell("easy", "b", 4.0, 0.2, stuck=5, microseconds=1.0),
    cell("easy", "own", 2.0, 0.1),
    cell("hard", "a", 9.0, 0.9, stuck=10, microseconds=4.0),
    cell("hard", "b", 3.0, 0.3, stuck=25),
    cell("odd", "a", 5.0, 0.0),
    cell("odd", "b", 5.0, 0.0),
)


def made(cells=CELLS, policies=POLICIES):
    return Table(tuple(cells), PAIRS, policies, seed=1, versions={"primum": "0"})


def test_ratios_to_the_best_of_each_pair():
    ratios = made().ratios(100)
    assert list(ratios.columns) == ["easy", "hard", "odd"]
    assert ratios.loc["a"].tolist() == [1.0, 3.0, 1.0]
    assert ratios.loc["b"].tolist() == [4.0, 1.0, 1.0]
    assert ratios.loc["own"].tolist()[0] == 2.0
    assert np.isnan(ratios.loc["own"].tolist()[1:]).all()


def test_summary_is_over_the_pairs_that_a_policy_fits():
    summary = made().summary(100).set_index("policy")
    assert list(summary.index) == ["a", "b", "own"]
    np.testing.assert_allclose(summary["geometric_mean"], [3 ** (1 / 3), 4 ** (1 / 3), 2.0])
    assert summary["worst"].tolist() == [3.0, 4.0, 2.0]
    assert summary["worst_at"].tolist() == ["hard", "easy", "easy"]
    assert summary["pairs"].tolist() == [3, 3, 1]
    np.testing.assert_allclose(summary["stuck"], [0.2 / 3, 0.6 / 3, 0.0])
    assert summary["most_stuck"].tolist() == [0.2, 0.5, 0.0]
    assert summary["microseconds"].tolist()[:2] == [3.0, 1.0]
    assert np.isnan(summary["microseconds"]["own"])
    assert summary["is_general"].tolist() == [True, True, False]
    assert summary["often_stuck"].tolist() == [1, 1, 0], "a tenth is not above a tenth"


def test_ratios_to_the_best_consistent_policy_are_over_the_pairs_that_one_fits():
    summary = made().summary(100).set_index("policy")
    np.testing.assert_allclose(summary["consistent_mean"], [(0.25 * 3.0) ** (1 / 3), 1.0, 0.5])
    np.testing.assert_allclose(made().frame()["consistent_ratio"], [0.25, 1.0, 0.5, 3.0, 1.0, 1.0, 1.0])
    without = made([one for one in CELLS if (one.pair, one.policy) != ("hard", "b")]).summary(100).set_index("policy")
    np.testing.assert_allclose(without.loc["a", "consistent_mean"], 0.5)
    none = made(policies={label: dataclasses.replace(row, is_consistent=False) for label, row in POLICIES.items()})
    assert none.summary(100)["consistent_mean"].isna().all()


def test_pairs_without_tuning_come_first():
    halves = made().halves(100)
    assert halves == {"2 pairs that no policy was tuned on": ["easy", "odd"], "1 pair that BESA was tuned on": ["hard"]}
    assert list(made([CELLS[0], CELLS[1]]).halves(100)) == ["1 pair that no policy was tuned on"]
    assert made().tuned == ["besa"]
    assert made().frame().set_index("pair")["tuned"].loc[["easy", "hard"]].unique().tolist() == ["", "besa"]


def test_the_interval_of_the_geometric_mean_is_over_pairs():
    row = made().summary(100).set_index("policy").loc["b"]
    half = 4.302653 * np.std(np.log([4.0, 1.0, 1.0]), ddof=1) / np.sqrt(3)  # Student t with 2 degrees of freedom
    np.testing.assert_allclose(np.log(row["geometric_mean_high"] / row["geometric_mean"]), half, rtol=1e-6)
    np.testing.assert_allclose(np.log(row["geometric_mean"] / row["geometric_mean_low"]), half, rtol=1e-6)


def test_the_interval_over_few_pairs_is_wider_than_that_over_replications():
    """With exact regrets nothing is uncertain but which pairs there are."""
    row = made([dataclasses.replace(one, error=0.0) for one in CELLS]).summary(100).set_index("policy").loc["b"]
    replications = 1.959964 * np.sqrt(0.05**2 + 0.1**2) / 3
    assert np.log(row["geometric_mean_high"] / row["geometric_mean_low"]) > 2 * replications * 10


def test_a_mean_over_one_pair_or_with_an_infinite_ratio_has_no_interval():
    assert (
        made().summary(100).set_index("policy").loc["own", ["geometric_mean_low", "geometric_mean_high"]].isna().all()
    )
    np.testing.assert_array_equal(geometric_band(np.array([1.0, np.inf])), [np.inf, np.nan, np.nan])
    np.testing.assert_array_equal(geometric_band(np.array([1.0, 0.0])), [0.0, np.nan, np.nan])


def test_the_interval_over_pairs_covers_with_noise_of_replications_too():
    """Of 2,000 suites of 12 pairs, 95 % cover; fewer than 93.5 % or more than 96.5 % has a chance below 0.3 %."""
    rng = np.random.default_rng(6)
    truth = np.log(0.8) + 0.6 * rng.standard_normal((2000, 12))
    found = np.exp(truth + 0.3 * rng.standard_normal(truth.shape))  # the second part is that of replications
    bands = np.array([geometric_band(row) for row in found])
    assert 0.935 <= np.mean((bands[:, 1] <= 0.8) & (bands[:, 2] >= 0.8)) <= 0.965


@pytest.mark.slow
def test_the_interval_of_a_ratio_covers_the_truth():
    """Of 500 simulated cells, 95 % cover; fewer than 92 % or more than 98 % has a chance below 0.3 %."""
    rng, covered = np.random.default_rng(5), 0
    for _ in range(500):
        best, other = rng.gamma(4.0, 1.0, 200), rng.gamma(4.0, 3.0, 200)
        cells = [
            cell("easy", name, float(sample.mean()), float(sample.std(ddof=1) / np.sqrt(200)))
            for name, sample in (("a", best), ("b", other))
        ]
        row = made(cells).frame().iloc[1]
        covered += row["ratio_low"] <= 3.0 <= row["ratio_high"]
    assert 0.92 <= covered / 500 <= 0.98


def test_measures_by_class_and_value():
    table = made()
    assert table.classes == ["Smooth", "Ties"]
    assert table.families == ["Mean", "CVaR"]
    assert table.of_class("Smooth") == ["easy", "hard"]
    summary = table.summary(100, table.of_family("Mean")).set_index("policy")
    np.testing.assert_allclose(summary.loc["b", "geometric_mean"], 2.0)
    assert list(table.ratios(100, ["hard"]).index) == ["b", "a"]


def test_a_best_policy_without_regret_makes_the_others_infinite():
    table = made([cell("easy", "a", 0.0), cell("easy", "b", 2.0, 0.1), cell("easy", "own", 0.0)])
    assert table.ratios(100)["easy"].to_dict() == {"a": 1.0, "own": 1.0, "b": np.inf}
    assert np.isinf(table.summary(100)["worst"].max())
    assert np.isinf(table.frame()["ratio"].max())


def test_the_frame_has_intervals_and_stuck_shares():
    frame = made().frame().set_index(["pair", "policy"])
    row = frame.loc[("hard", "b")]
    assert row["stuck_share"] == 0.5
    assert row["stuck_low"] < 0.5 < row["stuck_high"]
    np.testing.assert_allclose(row["regret_high"] - row["regret_mean"], 1.959964 * 0.3, rtol=1e-6)
    assert row["ratio"] == row["ratio_low"] == row["ratio_high"] == 1.0
    assert row["class"] == "Smooth"
    assert row["value"] == "CVaR 10 %"
    assert np.isnan(frame.loc[("easy", "own"), "microseconds_per_step"])


def test_beside_another_table_the_own_cells_win_and_only_common_places_count():
    mine = made([cell("easy", "a", 0.5)], policies={"a": PolicyRow("Mine", True)})
    others = made([*CELLS, cell("easy", "b", 7.0, horizon=1000)])
    both = mine.beside(others)
    assert {(one.pair, one.policy, one.horizon): one.regret for one in both.cells} == {
        ("easy", "a", 100): 0.5, ("easy", "b", 100): 4.0, ("easy", "own", 100): 2.0,
    }  # fmt: skip
    assert both.policies["a"].title == "Mine"
    assert both.ratios(100).loc["b", "easy"] == 8.0
    with pytest.raises(PrimumError, match="seeds are the same, got 1 and 2"):
        mine.beside(dataclasses.replace(others, seed=2))


def test_cells_of_two_tables_name_the_code_of_both():
    mine = dataclasses.replace(
        made([cell("easy", "a", 0.5)]), versions={"primum": "1", "numpy": "2"}, fingerprint="mine"
    )
    both = mine.beside(dataclasses.replace(made(), fingerprint="theirs"))
    assert both.versions == {"primum": "1, 0", "numpy": "2, unknown"}
    assert both.fingerprint == "mine, theirs"
    assert both.beside(made()).versions == both.versions
    replaced = mine.beside(made([cell("easy", "a", 1.0)]))
    assert (replaced.versions, replaced.fingerprint) == (mine.versions, "mine")


def test_json_gives_an_equal_table():
    table = made()
    assert Table.from_json(table.to_json()) == table
    assert len(table.to_json().splitlines()) > len(CELLS)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}', '{"format": "primum-arena-2", "cells": 1}'])
def test_other_text_is_refused(text):
    with pytest.raises(PrimumError, match=r"mine\.json is not a table of the arena"):
        Table.from_json(text, "mine.json")


def test_a_horizon_that_was_not_played_is_refused():
    with pytest.raises(PrimumError, match=r"has the horizons \[100\], got 5"):
        made().summary(5)


def test_the_kept_table_names_the_code_that_mended_sda():
    """Version 0.1.0 gave ties to the leader, so the table cannot be of that version alone."""
    table = kept()
    assert any(version != "0.1.0" for version in table.versions["primum"].split(", "))
    assert any(len(fingerprint) == 64 for fingerprint in table.fingerprint.split(", "))
