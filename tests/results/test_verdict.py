"""The verdict on results: claims only what paired comparisons support, and warns of what misleads."""

from __future__ import annotations

import dataclasses
import html

import numpy as np
import pytest

from primum import Problem, Results, policies, rewards, simulate, values

ARMS = {"sure": rewards.Constant(0.4), "gamble": rewards.Uniform(0, 1)}  # by the mean, the gap of 'sure' is 0.1
PLAYERS = (policies.BesaPlus(), policies.EpsilonGreedy(), policies.Npts())


def results(sure, players=PLAYERS, value=None, arms=ARMS, horizon=1000):
    """Results with so many pulls of the first of two arms: policy x replication."""
    first = np.atleast_2d(sure)
    pulls = np.stack([first, horizon - first], axis=-1)[:, :, None, :]
    problem = Problem(arms, value or values.Mean())
    return Results(problem, players[: len(first)], horizon, 1, [horizon], range(first.shape[1]), pulls)


def around(*means, replications=100):
    rng = np.random.default_rng(1)
    return np.stack([rng.integers(mean - 20, mean + 21, replications) for mean in means])


def test_the_lowest_regret_is_named_with_its_interval():
    found = results(around(100, 150, 200))
    row = found.summary().iloc[0]
    numbers = f"{row.regret_mean:.3g}, 95 % interval {row.regret_low:.3g} to {row.regret_high:.3g}"
    assert str(found.verdict()) == f"BESA+ ({numbers}) has the lowest regret."


def test_policies_that_cannot_be_told_apart_are_both_named():
    told = str(results(around(100, 101, 200)).verdict())
    assert told.startswith(("BESA+ (", "Epsilon-greedy ("))
    assert told.endswith("have the lowest regret and cannot be told apart yet.")
    assert "NPTS" not in told
    told = str(results(around(100, 101)).verdict())
    assert told.endswith(") cannot be told apart yet.")
    assert "lowest" not in told


def test_comparisons_are_paired():
    shared = np.random.default_rng(2).integers(50, 350, 100)
    assert str(results([shared, shared + 1]).verdict()).endswith("has the lowest regret.")
    unpaired = np.random.default_rng(3).permutation(shared) + 1
    assert str(results([shared, unpaired]).verdict()).endswith("cannot be told apart yet.")


def test_among_equal_policies_one_is_rarely_called_the_lowest():
    players = [policies.BesaPlus(floor=floor) for floor in range(1, 9)]
    rng = np.random.default_rng(4)
    pulls = rng.normal(300, 40, (400, len(players), 40)).astype(int)
    told = [str(results(each, players).verdict()) for each in pulls]
    # at most 0.05 of them are expected, 20: more than 36 would have a probability of 0.0003
    assert sum("has the lowest regret" in each for each in told) <= 36
    assert sum("have the lowest regret" in each for each in told) > 0  # some are told apart, by chance


def test_few_replications_tell_nothing():
    assert str(results([[100], [200]]).verdict()) == "The policies cannot be told apart yet, with 1 replication."
    assert (
        str(results([[100] * 9, [200] * 9]).verdict()) == "The policies cannot be told apart yet, with 9 replications."
    )
    assert "lowest regret" in str(results([[100] * 10, [200] * 10]).verdict())
    assert str(results(np.zeros((2, 0), int)).verdict()) == "No replication is complete yet."


def test_arms_that_are_equally_good():
    equal = {f"arm {i}": rewards.Bernoulli(0.5) for i in range(3)}
    found = simulate(Problem(equal, values.Mean()), ["besa-plus", "ucb1"], horizon=50, replications=5, progress=False)
    told = "All 3 arms are equally good by the mean: no choice is wrong, and every policy has a regret of 0."
    assert str(found.verdict()) == told
    one = simulate(Problem({"a": "uniform"}, "mean"), ["besa-plus"], horizon=50, replications=5, progress=False)
    assert str(one.verdict()) == "There is only one arm: every policy has a regret of 0."


def test_a_single_policy_has_its_regret():
    assert str(results(around(100)).verdict()).startswith("BESA+ (10")
    assert str(results(around(100)).verdict()).endswith(") is the only policy.")
    assert str(results([[100]]).verdict()) == "BESA+ (10, no interval) is the only policy."


def test_a_policy_that_knows_the_truth_is_not_counted():
    told = str(results(around(20, 100, 200), (policies.Oracle(), *PLAYERS)).verdict())
    assert told.startswith("Among policies that do not know the true values, BESA+ (")


def test_worse_than_uniformly_random_choice():
    told = str(results(around(100, 560)).verdict())
    assert told.endswith(" Epsilon-greedy has a higher regret than choosing arms uniformly at random (50).")
    assert "random" not in str(results(around(100, 500)).verdict())
    assert "random" not in str(results([[100] * 10, [501] * 10]).verdict())  # equal allocation up to one pull


def test_stuck_replications():
    stuck = np.where(np.arange(100) < 25, 980, 5)
    told = str(results([stuck, np.full(100, 100)]).verdict())
    assert told.endswith(" 25 % of the replications of BESA+ are stuck on 'sure'.")
    rarely = np.where(np.arange(100) < 5, 980, 5)
    assert "stuck" not in str(results([rarely, np.full(100, 100)]).verdict())


def test_stuck_on_several_arms():
    arms = ARMS | {"other": rewards.Constant(0.4)}
    pulls = np.zeros((2, 100, 1, 3), int)
    pulls[0, :, 0] = [[990, 5, 5], [5, 5, 990]] * 50
    pulls[1, :, 0] = [100, 800, 100]
    found = Results(Problem(arms, values.Mean()), PLAYERS[:2], 1000, 1, [1000], range(100), pulls)
    assert "100 % of the replications of BESA+ are stuck on inferior arms." in str(found.verdict())


def test_a_horizon_too_short_to_be_stuck():
    assert "stuck" not in str(results([[5, 1] * 10, [4, 4] * 10], horizon=5).verdict())


@pytest.mark.parametrize(
    ("players", "told"),
    [
        (("ucb1",), "UCB1 learns the mean, by which 'gamble' is best; by CVaR 10 %, 'sure' is best."),
        (("ucb1", "besa"), "UCB1 and BESA learn the mean, by which 'gamble' is best; by CVaR 10 %, 'sure' is best."),
        (
            ("ucb1", "mv-lcb"),
            "UCB1 (the mean) and MV-LCB (mean - var) learn other values, by which other arms are best.",
        ),
    ],
)
def test_policies_that_learn_another_value(players, told):
    found = simulate(
        Problem(ARMS, "cvar"), ["besa-plus", *players], horizon=60, replications=20, seed=1, progress=False
    )
    assert f" {told}" in str(found.verdict())
    assert found.learns == ["", *("the mean" if name != "mv-lcb" else "mean - var" for name in players)]


def test_another_value_with_the_same_best_arm_needs_no_warning():
    arms = {"good": rewards.Bernoulli(0.8), "bad": rewards.Bernoulli(0.2)}
    found = simulate(
        Problem(arms, "cvar(alpha=0.5)"), ["besa-plus", "ucb1"], horizon=60, replications=20, progress=False
    )
    assert found.learns == ["", "the mean"]
    assert "learns" not in str(found.verdict())


def test_another_estimator_is_no_other_value():
    found = results(around(100), [policies.CvarUcb()], values.CVaR(estimator="chen"))
    assert found.learns == [""]
    assert results(around(100), [policies.CvarUcb()], values.CVaR(alpha=0.2)).learns == ["CVaR 10 %"]


def test_it_is_data_that_prints_as_its_sentences():
    clear = results(around(100, 150, 200)).verdict()
    assert (clear.best, clear.alike, clear.warnings) == ("besa-plus", ("besa-plus",), ())
    assert str(clear) == repr(clear) == clear.answer
    two = results(around(200, 101, 100)).verdict()
    assert two.best is None
    assert set(two.alike) == {"epsilon-greedy", "npts"}
    assert two == results(around(200, 101, 100)).verdict()
    with pytest.raises(dataclasses.FrozenInstanceError):
        two.best = "npts"


def test_where_nothing_can_be_told_all_policies_are_alike():
    equal = {f"arm {i}": rewards.Bernoulli(0.5) for i in range(2)}
    few = results([[200], [100]]).verdict()
    none = results(np.zeros((2, 0), int)).verdict()
    same = results(around(100, 500), arms=equal).verdict()
    assert few.alike == ("epsilon-greedy", "besa-plus"), "the lowest mean first"
    assert none.alike == same.alike == ("besa-plus", "epsilon-greedy")
    assert few.best is none.best is same.best is None
    informed = results(around(20, 100, 200), (policies.Oracle(), *PLAYERS)).verdict()
    assert informed.alike == (informed.best,) == ("besa-plus",)


def test_two_warnings_are_printed_and_all_are_there():
    pulls = np.repeat([[990], [5], [700]], 100, axis=1)
    players = policies.BesaPlus(), policies.EpsilonGreedy(), policies.Ucb1()
    found = results(pulls, players, values.CVaR()).verdict()
    assert [next(word for word in ("learns", "random", "stuck") if word in told) for told in found.warnings] == [
        "learns",
        "random",
        "stuck",
    ]
    assert str(found) == " ".join([found.answer, *found.warnings[:2]])


def test_a_notebook_shows_escaped_text():
    arms = {"<b>sure</b>": ARMS["sure"], "gamble": ARMS["gamble"]}
    found = results([np.where(np.arange(100) < 25, 980, 5), np.full(100, 100)], arms=arms).verdict()
    assert "<b>" in str(found)
    assert found._repr_html_() == f"<p>{html.escape(str(found))}</p>"
    assert "<b>" not in found._repr_html_()
