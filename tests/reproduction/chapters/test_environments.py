"""Statistics in which an environment is one observation."""

import numpy as np
import pytest
from scipy import stats

from primum import Problem, Results, policies, rewards, values
from primum.errors import PrimumError, UnknownNameError
from reproduction.chapters import environments
from reproduction.chapters.environments import difference, mean, of_policy, spread_ratio, standard_deviation
from reproduction.chapters.mixtures import final, on_named_axes
from tests.reproduction.chapters.made_up import named, normal


def test_means_differences_and_their_intervals_are_those_of_environments():
    regret = normal(a=(0, 1), b=(3, 2)).regret
    a, b = (of_policy(regret, name).mean(axis=1) for name in "ab")
    for band, sample in ((mean(regret, "a"), a), (difference(regret, "a", "b"), a - b)):
        np.testing.assert_allclose(band[0], sample.mean())
        np.testing.assert_allclose(band[1:], stats.t.interval(0.95, 19, sample.mean(), stats.sem(sample)))
    assert environments.ratio(regret, "a", "b")[0] == pytest.approx(a.mean() / b.mean())


def test_a_single_environment_is_judged_by_its_replications():
    regret = normal((1, 30), a=(0, 1), b=(3, 2)).regret
    a, b = (of_policy(regret, name)[0] for name in "ab")
    interval = stats.t.interval(0.95, 29, (a - b).mean(), stats.sem(a - b))
    np.testing.assert_allclose(difference(regret, "a", "b")[1:], interval)
    ratio = a.var(ddof=1) / b.var(ddof=1)
    ends = ratio / stats.f.ppf([0.975, 0.025], 29, 29)
    np.testing.assert_allclose(spread_ratio(regret, "a", "b"), np.sqrt([ratio, *ends]))


def test_ratios_of_standard_deviations():
    regret = normal((40, 50), a=(0, 1), b=(3, 2)).regret
    a, b = of_policy(regret, "a"), of_policy(regret, "b")
    above, below = a.var(axis=1, ddof=1), b.var(axis=1, ddof=1)
    middle, low, high = spread_ratio(regret, "a", "b", "within")
    assert middle == pytest.approx(np.sqrt(above.mean() / below.mean()))
    assert 0.4 < low < middle < high < 0.6
    assert standard_deviation(regret, "a") == pytest.approx(np.sqrt(above.mean()))
    logs = np.log(above / below) / 2
    interval = stats.t.interval(0.95, 39, logs.mean(), stats.sem(logs))
    np.testing.assert_allclose(spread_ratio(regret, "a", "b", "typical"), np.exp([logs.mean(), *interval]))
    total = spread_ratio(regret, "a", "b", "total")
    assert total[0] == pytest.approx(a.std() / b.std())
    assert middle < total[0] < 1  # what differs between environments is the same for both
    with pytest.raises(UnknownNameError, match="did you mean 'total'"):
        spread_ratio(regret, "a", "b", "totl")


@pytest.mark.parametrize("spread", ["within", "typical", "total"])
def test_intervals_of_spread_ratios_cover(spread):
    """95 % intervals, 400 times: by the seed; chance alone leaves [0.90, 0.99] less than once in 10,000."""
    rng = np.random.default_rng(5)
    hits = []
    for _ in range(400):
        level, sizes = rng.normal(0, 1, (40, 1)), rng.uniform(0.5, 1.5, (40, 1))
        a, b = (level + scale * sizes * rng.normal(size=(40, 20)) for scale in (1, 2))
        second = 0.25 + 1 / 12 + 0.75  # the mean of sizes squared
        true = 0.5 if spread != "total" else np.sqrt((1 + second) / (1 + 4 * second))
        _, low, high = spread_ratio(named(a=a, b=b), "a", "b", spread)
        hits.append(low <= true <= high)
    assert 0.90 < np.mean(hits) < 0.99


def test_equal_replications_have_no_spread():
    same, other = np.full((3, 4), 0.1), np.random.default_rng(1).normal(size=(3, 4))
    same[0] = other[0]
    assert np.isnan(spread_ratio(named(same=same, other=other), "same", "other", "typical")).all()
    never = named(same=same[1:], other=other[1:])
    assert spread_ratio(never, "same", "other", "within")[0] == 0
    assert np.isnan(spread_ratio(never, "other", "same", "within")).all()
    other[1] = 7
    other[2] = 2 * same[2]
    # only the first environment has a ratio
    assert spread_ratio(named(same=same, other=other), "same", "other", "typical")[0] == pytest.approx(1)
    once = named(a=other[:, :1], b=other[:, 1:2])
    assert np.isnan(spread_ratio(once, "a", "b")).all()
    assert np.isfinite(spread_ratio(once, "a", "b", "total")).all()


def test_few_replications_of_a_rare_event_do_not_mislead():
    """One replication in twelve is different, twice as much in b; all others are the same but for a little."""
    rng = np.random.default_rng(4)
    rare = rng.random((2, 300, 10)) < 1 / 12
    a, b = rare * np.array([1, 2])[:, None, None] + rng.normal(0, 1e-4, rare.shape)
    _, low, high = spread_ratio(named(a=a, b=b), "a", "b")
    assert low < 0.5 < high


def test_how_often_ten_repetitions_show_the_smaller_standard_deviation():
    samples = normal((5, 25), a=(0, 1), b=(0, 1.3))
    a, b = of_policy(samples.regret, "a"), of_policy(samples.regret, "b")
    wins = [a[i, j : j + 10].std() < b[i, j : j + 10].std() for i in range(5) for j in (0, 10)]
    assert 0 < np.mean(wins) < 1
    both = [samples.regret, samples.best_arm_share]
    assert environments.fraction_steadier(both, "a", "b", 10) == np.mean(wins)
    assert np.isnan(environments.fraction_steadier([normal((5, 9), a=(0, 1), b=(0, 1)).regret], "a", "b", 10))


def test_halves():
    first, second = environments.halves(normal((1, 7), a=(0, 1)).regret)
    assert (first.sizes["replication"], second.sizes["replication"]) == (4, 3)
    first, second = environments.halves(normal((5, 7), a=(0, 1)).regret)
    assert (first.sizes["environment"], second.sizes["environment"]) == (3, 2)


def test_environments_are_put_side_by_side_by_name():
    def played(replications, seed):
        pulls = np.random.default_rng(seed).multinomial(100, [0.2, 0.8], (1, replications, 1))
        problem = Problem({"a": rewards.Uniform(0, 1), "b": rewards.Constant(0.4)}, values.Mean())
        return Results(problem, [policies.BesaPlus()], 100, seed, [100], range(replications), pulls)

    results = {
        "one/environment-02": played(3, 2),
        "one/environment-01": played(3, 1),
        "two/environment-01": played(3, 1),
        "two/environment-02": played(4, 1),
    }
    samples = final(on_named_axes(results, "one"))
    assert samples.environment.values.tolist() == ["one/environment-01", "one/environment-02"]
    regret = of_policy(samples.regret, "besa-plus")
    np.testing.assert_array_equal(regret[1], results["one/environment-02"].regret[0, :, -1])
    pulls = results["one/environment-01"].pulls.values[0, :, -1]
    np.testing.assert_array_equal(of_policy(samples.best_arm_share, "besa-plus")[0], pulls[:, 0] / 100)
    np.testing.assert_array_equal(of_policy(samples.favourite_share, "besa-plus")[0], pulls.max(axis=1) / 100)
    with pytest.raises(PrimumError, match="are the same in all"):
        on_named_axes(results, "two")
    with pytest.raises(UnknownNameError, match="did you mean 'one'"):
        on_named_axes(results, "ones")
    with pytest.raises(UnknownNameError, match="no policy in these environments named 'besa'"):
        mean(samples.regret, "besa")
