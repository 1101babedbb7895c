"""Tables on a screen: what is printed fits, says what it leaves out, and is all there when asked for."""

from __future__ import annotations

import pandas
import pytest

from primum import Problem, Study, policies, rewards, simulate, values
from primum.results.formats.tables import SCREEN

PROBLEM = Problem({"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.5)}, values.Mean())
LONG = policies.BesaPlus(floor=2.123456789)
MAIN = ["regret_mean", "regret_low", "regret_high", "stuck_share"]


def summary(*players):
    return simulate(PROBLEM, players, horizon=30, replications=10, seed=1, progress=False).summary()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    problems = {"mean": PROBLEM, "cautious": Problem(PROBLEM.arms, values.CVaR(0.6))}
    players = [policies.Ucb1(), policies.BesaPlus(), LONG]
    made = Study(problems=problems, policies=players, horizon=30, replications=10, seed=1)
    return made.run(store=tmp_path_factory.mktemp("store"), progress=False)


def heading(shown):
    return shown.splitlines()[0].split()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_what_is_printed_fits_a_screen_and_says_what_it_leaves_out(study, width):
    with pandas.option_context("display.width", width):
        for table in (summary(policies.Ucb1(), LONG), study.table(), study.ranking()):
            *lines, note = repr(table).splitlines()
            names = heading(repr(table))
            assert max(map(len, lines)) <= SCREEN
            assert set(names) < set(table.columns)
            assert note == f"[{table.shape[1] - len(names)} more columns; to_string() shows all]"
            assert heading(table.to_string()) == list(table.columns)


def test_the_most_important_columns_stay():
    short, long = summary(policies.Ucb1()), summary(LONG)
    assert heading(repr(short)) == [*MAIN[:3], "regret_median", "best_arm_share", "stuck_share"]
    assert heading(repr(long)) == [*MAIN[:3], "regret_median", "stuck_share"]
    assert LONG.label in repr(long)


def test_a_ranking_prints_its_ratio(study):
    names = heading(repr(study.ranking()))
    assert names[:4] == ["policy", "geometric_mean", "geometric_mean_low", "geometric_mean_high"]


def test_the_index_is_the_policy_and_every_column_is_there():
    table = summary(policies.Ucb1(), LONG)
    assert table.index.name == "policy"
    assert list(table.index) == ["ucb1", LONG.label]
    assert table.loc["ucb1", "regret_5"] <= table.loc["ucb1", "regret_95"]
    assert len(table.T) == table.shape[1] == 23
    assert table.reset_index().attrs == table.attrs


def test_what_a_user_chooses_is_printed_as_pandas_does():
    chosen = summary(policies.Ucb1())[["title", "regret_5", "stuck_low"]]
    assert repr(chosen) == repr(pandas.DataFrame(chosen))
    assert chosen._repr_html_() == pandas.DataFrame(chosen).round(4)._repr_html_()
    added = summary(policies.Ucb1()).assign(mine=1.0)
    assert "mine" in heading(repr(added))


def test_long_tables_are_cut_as_pandas_does(study):
    with pandas.option_context("display.max_rows", 4, "display.min_rows", 4):
        lines = repr(study.table()).splitlines()
    assert sum(line.startswith(("..", "...")) for line in lines) == 1
    assert "[6 rows x" in lines[-2]


def test_a_notebook_shows_the_same_columns():
    found = summary(policies.Ucb1())
    shown = found._repr_html_()
    for name in found.columns:
        assert (f"<th>{name}</th>" in shown) == (name in heading(repr(found)))
    assert shown.endswith("<p>17 more columns; to_string() shows all</p>")
