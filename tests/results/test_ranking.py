"""Rankings over experiments: known numbers, odd cases, and how often the intervals hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from primum import Problem, Results, policies, rewards, values
from primum.errors import ParameterError, PrimumError
from primum.results import ranking
from primum.results.ranking import Ranking


def ranked(**finals):
    arrays = {name: np.array(final, np.float64) for name, final in finals.items()}
    labels = [chr(ord("a") + i) for i in range(len(next(iter(arrays.values()))))]
    return Ranking(labels, [label.upper() for label in labels], arrays)


def gamma(rng, means, count):
    return rng.gamma(1.0, 1.0, (len(means), count)) * np.asarray(means)[:, None]


def test_known_numbers():
    found = ranked(easy=[[1, 3, 2, 2], [4, 4, 4, 4], [8, 0, 8, 0]], hard=[[9, 9, 9, 9], [3, 3, 3, 3], [27, 27, 27, 27]])
    np.testing.assert_allclose(found.ratios, [[1, 3], [2, 1], [2, 9]])
    np.testing.assert_allclose(found.geometric_means, np.sqrt([3, 2, 18]))
    frame = found.frame()
    assert list(frame.policy) == ["b", "a", "c"]
    assert list(frame.title) == ["B", "A", "C"]
    assert list(frame.worst) == [2, 3, 9]
    assert list(frame.worst_at) == ["easy", "hard", "hard"]
    assert list(frame.best_in) == [1, 1, 0]
    for column in ("geometric_mean", "worst"):
        assert (frame[f"{column}_low"] <= frame[column]).all()
        assert (frame[column] <= frame[f"{column}_high"]).all()
        assert (frame[f"{column}_low"] >= 1).all()


def test_ties_are_all_best():
    frame = ranked(one=[[2, 4] * 5, [4, 2] * 5, [3, 3] * 5]).frame()
    assert list(frame.policy) == ["a", "b", "c"]  # in the order given
    assert (frame.geometric_mean == 1).all()
    assert (frame.best_in == 1).all()
    assert (frame.geometric_mean_low == 1).all()
    same = ranked(one=np.ones((3, 10))).frame()
    assert (same[["geometric_mean_low", "geometric_mean_high", "worst_low", "worst_high"]] == 1).all(axis=None)


def test_a_single_policy_is_the_best():
    frame = ranked(one=[[1, 2, 3, 4]], two=[[0, 0, 0, 0]]).frame()
    assert frame.loc[0, "geometric_mean"] == frame.loc[0, "geometric_mean_high"] == frame.loc[0, "worst"] == 1


def test_no_regret_is_infinitely_better_than_some():
    found = ranked(
        one=[[1] * 10, [2] * 10, [4] * 10], two=[[5] * 10, [0] * 10, [5] * 10], three=[[0] * 10, [0] * 10, [3] * 10]
    )
    np.testing.assert_array_equal(found.ratios, [[1, np.inf, 1], [2, 1, 1], [4, np.inf, np.inf]])
    frame = found.frame().set_index("policy")
    assert list(frame.index) == ["b", "a", "c"]  # infinite means by the ratios that are not
    assert frame.geometric_mean.b == pytest.approx(2 ** (1 / 3))
    assert np.isinf(frame.geometric_mean[["a", "c"]]).all()
    assert frame.geometric_mean_low[["a", "c"]].isna().all()
    assert frame.worst_high[["a", "c"]].isna().all()
    assert frame.geometric_mean_high.b == pytest.approx(2 ** (1 / 3))


def test_a_best_policy_that_often_has_no_regret_has_finite_intervals():
    rng = np.random.default_rng(1)
    frame = ranked(one=[[0, 0, 0, 0, 0, 0, 0, 1], [1, 2, 3, 4, 1, 2, 3, 4]], two=gamma(rng, [1, 1], 8)).frame()
    assert np.isfinite(frame.select_dtypes("number")).all(axis=None)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_too_few_replications_for_an_interval(count):
    frame = ranked(one=np.arange(2 * count).reshape(2, count) + 1.0).frame()
    assert np.isfinite(frame.geometric_mean).all()
    assert frame[["geometric_mean_low", "geometric_mean_high", "worst_low", "worst_high"]].isna().all(axis=None)


@pytest.mark.parametrize("final", [[[1.0, np.nan]], [[1.0, -0.5]], [[np.inf, 1.0]], [[], []], [[]]])
def test_what_is_no_regret_is_refused(final):
    with pytest.raises(ParameterError, match=r"^hard: .* finite and not negative"):
        Ranking(["a"], ["A"], {"easy": np.ones((1, 3)), "hard": np.array(final)})


def test_fewer_replications_give_wider_intervals():
    rng = np.random.default_rng(2)
    all_of_them = [gamma(rng, [1, 2, 3], 400) for _ in range(3)]
    widths = []
    for count in (10, 40, 400):
        frame = ranked(**{str(i): final[:, :count] for i, final in enumerate(all_of_them)}).frame().set_index("policy")
        widths.append(np.log(frame.geometric_mean_high.c / frame.geometric_mean_low.c))
    assert widths[0] > 1.5 * widths[1] > 4 * widths[2]


def test_replications_shared_between_experiments_do_not_count_twice():
    final = gamma(np.random.default_rng(3), [1, 2], 50)
    once, often = ranked(a=final).intervals, ranked(**{str(i): final for i in range(20)}).intervals
    np.testing.assert_allclose(once[:, 0], often[:, 0])


def test_experiments_of_different_lengths():
    rng = np.random.default_rng(4)
    frame = ranked(short=gamma(rng, [1, 2], 11), long=gamma(rng, [1, 2], 300)).frame()
    assert (frame.geometric_mean_low <= frame.geometric_mean_high).all()
    assert frame.geometric_mean_high.notna().all()


def results(probabilities, replications):
    arms = {f"arm {i}": rewards.Bernoulli(p) for i, p in enumerate(probabilities)}
    pulls = np.tile([3, 7], (1, replications, 1, 1))
    return Results(
        Problem(arms, values.Mean()), [policies.Ucb1()], 10, 1, [10], range(replications), pulls, requested=4
    )


def test_ranking_of_results_counts_what_it_leaves_out():
    given = [("a", results((0.25, 0.75), 4)), ("b", results((0.5, 0.5), 4)), ("c", results((0.75, 0.5), 0))]
    found = Ranking.of(iter(given))
    assert list(found.finals) == ["a"]
    np.testing.assert_array_equal(found.finals["a"], np.full((1, 4), 1.5))
    assert (found.equal, found.empty) == (1, 1)
    assert list(found.titles) == ["UCB1"]
    with pytest.raises(PrimumError, match="nothing to rank"):
        Ranking.of(given[1:])
    with pytest.raises(PrimumError, match="nothing to rank"):
        Ranking.of([])


CASES = {  # mean regret of five policies: in which the best one is clear, or the first three or all are equally good
    "apart": [1.0, 1.5, 2.0, 3.0, 4.0],
    "tied": [1.0, 1.0, 1.0, 2.0, 3.0],
    "near": [1.0, 1.03, 1.06, 1.1, 2.0],
    "equal": [1.0, 1.0, 1.0, 1.0, 1.0],
}


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_the_truth(monkeypatch, case, shared):
    """Skewed regret, eight experiments, 40 replications: of 200 intervals of each policy, at most 26 miss.

    If exactly 5 % missed, more than 26 of 200 would be missed with probability 3e-6, so that one of the 80 counts is
    with probability 3e-4 at most. Percentile intervals of the ratio to the lowest mean miss nearly always when
    policies are equally good.
    """
    monkeypatch.setattr(ranking, "RESAMPLES", 300)
    rng, means = np.random.default_rng(6), np.array(CASES[case])
    truth = means / means.min()
    missed = np.zeros((2, 5), int)
    for _ in range(200):
        common = gamma(rng, means, 40)
        finals = {str(e): (common + gamma(rng, means, 40)) / 2 if shared else gamma(rng, means, 40) for e in range(8)}
        low, high = ranked(**finals).intervals
        missed += (low > truth + 1e-9) | (high < truth - 1e-9)
    assert missed.max() <= 26, missed


@pytest.mark.slow
def test_intervals_of_few_replications_hold_the_truth():
    """Eight replications of two policies: of 400 intervals, at most 40 miss.

    If exactly 5 % missed, more than 40 would be missed with probability 1e-5.
    """
    rng, missed = np.random.default_rng(4), 0
    for _ in range(400):
        low, high = ranked(one=rng.gamma(9.0, 1 / 9, (2, 8)) * [[1.0], [2.0]]).intervals
        missed += bool(low[0, 1] > 2 or high[0, 1] < 2)
    assert missed <= 40
