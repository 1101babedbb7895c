"""Mean regret over random problems, against single simulations and a known mean."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import primum
from primum import Problem, policies, rewards, simulate
from primum.errors import ParameterError, PrimumError

RUN = {"horizon": 50, "seed": 3, "progress": False}


def draw(rng):
    return Problem({f"arm {k}": rewards.Bernoulli(rng.random()) for k in range(rng.integers(2, 5))}, "mean")


def test_each_problem_is_a_simulation_with_replications_of_its_own():
    found = primum.bayesian_regret(draw, ["ucb1", "thompson"], problems=5, replications=3, **RUN)
    assert found.regret.dims == ("policy", "problem", "step")
    for number, problem in enumerate(found.problems):
        assert problem == draw(np.random.default_rng([3, number]))
        own = range(3 * number, 3 * number + 3)
        alone = simulate(problem, ["ucb1", "thompson"], replications=own, **RUN)
        np.testing.assert_array_equal(found.regret[:, number], alone.regret.mean("replication"))
    assert len({len(problem.arms) for problem in found.problems}) > 1


def test_summary_has_the_interval_over_problems():
    found = primum.bayesian_regret(draw, {"ours": policies.Ucb1()}, problems=20, **RUN)
    final = found.regret.values[0, :, -1]
    row = found.summary().loc["ours"]
    low, high = stats.t.interval(0.95, 19, final.mean(), final.std(ddof=1) / np.sqrt(20))
    assert row.tolist() == pytest.approx([final.mean(), low, high])


def test_threads_and_more_problems_change_nothing():
    few, more = (
        primum.bayesian_regret(draw, ["besa-plus"], problems=problems, threads=threads, **RUN)
        for problems, threads in ((4, 1), (9, 2))
    )
    np.testing.assert_array_equal(few.regret, more.regret[:, :4])


def test_uniformly_random_choice_has_the_known_mean_regret():
    """Of two arms with means uniform in [0, 1], a random one is worse than the best by 2/3 - 1/2 on average."""

    def two_arms(rng):
        return Problem({name: rewards.Bernoulli(rng.random()) for name in "ab"}, "mean")

    found = primum.bayesian_regret(two_arms, ["uniform-random"], problems=1_000, steps="last", **RUN)
    row = found.summary().iloc[0]
    assert row["regret_low"] < 50 / 6 < row["regret_high"]
    assert row["regret_high"] - row["regret_low"] < 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"problems": 0}, "problems must be a whole number in"),
        ({"draw": lambda rng: 3}, r"problems\[0\]: draw must return a primum.Problem, got 3"),
        ({"draw": lambda rng: Problem({"a": rewards.Normal()}, "mean"), "policies": ["kl-ucb"]}, "needs rewards in"),
        (
            {"draw": lambda rng: Problem({"a": rewards.Scipy("cauchy")}, "mean")},
            r"problems\[0\].arms.a: cauchy has no finite mean",
        ),
        ({"policies": []}, "policies must name at least one policy"),
        ({"draw": draw(np.random.default_rng(1))}, "draw must be a function of a random number generator, got Problem"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_is_refused(changes, sentence):
    with pytest.raises(PrimumError, match=sentence) as refused:
        primum.bayesian_regret(**{"draw": draw, "policies": ["ucb1"], "problems": 3} | RUN | changes)
    assert isinstance(refused.value, ParameterError)
