"""The chapters on the paper's twenty arms, and the statistics over environments behind them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from primum import Problem, Results, policies, rewards, values
from primum.errors import PrimumError, UnknownNameError
from primum.experiments import PaperMixture
from primum.paper import mixtures_cvar, mixtures_mean_variance
from primum.paper.claims import FAILS, HOLDS, IN_PART, UNDECIDED, verdict
from primum.paper.ensemble import Ensemble, ratio_band, variance_ratio_band
from primum.paper.mixtures import Fewer, deviations, of_the_choice, recorded, spreads
from primum.paper.scale import FULL, QUICK

TINY = replace(QUICK, name="tiny", environments=4, mixture=4, longer=1, mixture_horizon=300)


def made_up(shape=(20, 30, 2), seed=1, **policies_):
    """An ensemble of normal samples, by the mean and the standard deviation of each policy."""
    rng = np.random.default_rng(seed)
    level = rng.normal(10, 2, (shape[0], 1, 1))
    samples = {name: level + mean + deviation * rng.normal(size=shape) for name, (mean, deviation) in policies_.items()}
    shares = {name: 0.5 + 0.01 * sample for name, sample in samples.items()}
    return Ensemble(np.array([50, 100]), {"regret": samples, "best-arm": shares})


# ---------------------------------------------------------------------------------------------------------------------
# statistics over environments


def test_means_differences_and_their_intervals_are_those_of_environments():
    ensemble = made_up(a=(0, 1), b=(3, 2))
    a, b = (ensemble.samples["regret"][name][:, :, 1].mean(axis=1) for name in "ab")
    assert (ensemble.environments, ensemble.replications, ensemble.policies) == (20, 30, ["a", "b"])
    np.testing.assert_allclose(ensemble.means("a"), a)
    for band, sample in ((ensemble.mean("a"), a), (ensemble.paired("a", "b"), a - b)):
        np.testing.assert_allclose(band[0], sample.mean())
        np.testing.assert_allclose(band[1:], stats.t.interval(0.95, 19, sample.mean(), stats.sem(sample)))
    np.testing.assert_allclose(ensemble.paired("a", "b", step=50)[0], np.mean([
        ensemble.samples["regret"]["a"][:, :, 0] - ensemble.samples["regret"]["b"][:, :, 0]
    ]))  # fmt: skip
    line = ensemble.line("a", label="A")
    np.testing.assert_allclose((line.middle[1], line.low[1], line.high[1]), ensemble.mean("a"))


def test_a_single_environment_is_judged_by_its_replications():
    ensemble = made_up((1, 30, 2), a=(0, 1), b=(3, 2))
    a, b = (ensemble.at(name)[0] for name in "ab")
    interval = stats.t.interval(0.95, 29, (a - b).mean(), stats.sem(a - b))
    np.testing.assert_allclose(ensemble.paired("a", "b")[1:], interval)
    ratio = a.var(ddof=1) / b.var(ddof=1)
    ends = ratio / stats.f.ppf([0.975, 0.025], 29, 29)
    np.testing.assert_allclose(ensemble.spread_ratio("a", "b"), np.sqrt([ratio, *ends]))


def test_ratios_of_standard_deviations():
    ensemble = made_up((40, 50, 2), a=(0, 1), b=(3, 2))
    a, b = ensemble.at("a"), ensemble.at("b")
    above, below = a.var(axis=1, ddof=1), b.var(axis=1, ddof=1)
    middle, low, high = ensemble.spread_ratio("a", "b", spread="within")
    assert middle == pytest.approx(np.sqrt(above.mean() / below.mean()))
    assert 0.4 < low < middle < high < 0.6
    assert ensemble.deviation("a") == pytest.approx(np.sqrt(above.mean()))
    logs = np.log(above / below) / 2
    interval = stats.t.interval(0.95, 39, logs.mean(), stats.sem(logs))
    np.testing.assert_allclose(ensemble.spread_ratio("a", "b", spread="typical"), np.exp([logs.mean(), *interval]))
    total = ensemble.spread_ratio("a", "b", spread="total")
    assert total[0] == pytest.approx(a.std() / b.std())
    assert middle < total[0] < 1  # what differs between environments is the same for both
    with pytest.raises(UnknownNameError, match="did you mean 'total'"):
        ensemble.spread_ratio("a", "b", spread="totl")


@pytest.mark.parametrize("spread", ["within", "typical", "total"])
def test_intervals_of_spread_ratios_cover(spread):
    """95 % intervals, 400 times: by the seed; chance alone leaves [0.90, 0.99] less than once in 10,000."""
    rng = np.random.default_rng(5)
    hits = []
    for _ in range(400):
        level, sizes = rng.normal(0, 1, (40, 1, 1)), rng.uniform(0.5, 1.5, (40, 1, 1))
        a, b = (level + scale * sizes * rng.normal(size=(40, 20, 1)) for scale in (1, 2))
        ensemble = Ensemble(np.array([1]), {"regret": {"a": a, "b": b}})
        second = 0.25 + 1 / 12 + 0.75  # the mean of sizes squared
        true = 0.5 if spread != "total" else np.sqrt((1 + second) / (1 + 4 * second))
        _, low, high = ensemble.spread_ratio("a", "b", spread=spread)
        hits.append(low <= true <= high)
    assert 0.90 < np.mean(hits) < 0.99


def test_equal_runs_have_no_spread():
    same, other = np.full((3, 4, 1), 0.1), np.random.default_rng(1).normal(size=(3, 4, 1))
    same[0] = other[0]
    ensemble = Ensemble(np.array([1]), {"regret": {"same": same, "other": other}})
    assert np.isnan(ensemble.spread_ratio("same", "other", spread="typical")).all()
    never = Ensemble(np.array([1]), {"regret": {"same": same[1:], "other": other[1:]}})
    assert never.spread_ratio("same", "other", spread="within")[0] == 0
    assert np.isnan(never.spread_ratio("other", "same", spread="within")).all()
    other[1] = 7
    other[2] = 2 * same[2]
    assert ensemble.spread_ratio("same", "other", spread="typical")[0] == pytest.approx(1)  # in the first environment
    once = Ensemble(np.array([1]), {"regret": {"a": other[:, :1], "b": other[:, 1:2]}})
    assert np.isnan(once.spread_ratio("a", "b")).all()
    assert np.isfinite(once.spread_ratio("a", "b", spread="total")).all()


def test_few_replications_of_something_rare_do_not_mislead():
    """One run in twelve is different, twice as much in b; all others are the same but for a little."""
    rng = np.random.default_rng(4)
    rare = rng.random((2, 300, 10, 1)) < 1 / 12
    a, b = rare * np.array([1, 2])[:, None, None, None] + rng.normal(0, 1e-4, rare.shape)
    ensemble = Ensemble(np.array([1]), {"regret": {"a": a, "b": b}})
    _, low, high = ensemble.spread_ratio("a", "b")
    assert low < 0.5 < high


def test_ratio_of_means():
    above, below = np.random.default_rng(2).uniform(1, 2, (2, 2000))
    middle, low, high = ratio_band(above, below)
    assert middle == pytest.approx(above.mean() / below.mean())
    resampled = np.random.default_rng(3).integers(0, 2000, (2000, 2000))
    ends = np.quantile(above[resampled].mean(axis=1) / below[resampled].mean(axis=1), [0.025, 0.975])
    np.testing.assert_allclose([low, high], ends, rtol=2e-3)
    assert np.isnan(variance_ratio_band(1.0, 0.0, 10)).all()


def test_how_often_ten_repetitions_look_steadier():
    ensemble = made_up((5, 25, 2), a=(0, 1), b=(0, 1.3))
    a, b = ensemble.at("a"), ensemble.at("b")
    wins = [a[i, j : j + 10].std() < b[i, j : j + 10].std() for i in range(5) for j in (0, 10)]
    assert 0 < np.mean(wins) < 1
    assert ensemble.looks_steadier("a", "b", ["regret", "best-arm"]) == np.mean(wins)
    assert np.isnan(made_up((5, 9, 2), a=(0, 1), b=(0, 1)).looks_steadier("a", "b", ["regret"]))


def test_environments_are_stacked_by_name():
    def played(replications, seed):
        pulls = np.random.default_rng(seed).multinomial(100, [0.2, 0.8], (1, replications, 1))
        problem = Problem({"a": rewards.Uniform(0, 1), "b": rewards.Constant(0.4)}, values.Mean())
        return Results(problem, [policies.BesaPlus()], 100, seed, [100], range(replications), pulls)

    results = {
        "one/environment-02": played(3, 2),
        "one/environment-01": played(3, 1),
        "two/environment-01": played(4, 1),
    }
    ensemble = Ensemble.named(results, "one")
    np.testing.assert_array_equal(ensemble.at("besa-plus")[1], results["one/environment-02"].regret[0, :, -1])
    pulls = results["one/environment-01"].pulls.values[0, :, -1]
    np.testing.assert_array_equal(ensemble.at("besa-plus", "best-arm")[0], pulls[:, 0] / 100)
    np.testing.assert_array_equal(ensemble.at("besa-plus", "favourite")[0], pulls.max(axis=1) / 100)
    with pytest.raises(PrimumError, match="are the same in all"):
        Ensemble.of(list(results.values()))
    with pytest.raises(UnknownNameError, match="did you mean 'one'"):
        Ensemble.named(results, "ones")
    with pytest.raises(UnknownNameError, match="no measure named 'regrets'"):
        ensemble.mean("besa-plus", "regrets")
    with pytest.raises(PrimumError, match="step 7 was not recorded; recorded are .100."):
        ensemble.mean("besa-plus", step=7)


# ---------------------------------------------------------------------------------------------------------------------
# claims


def marabs(**means):
    """An ensemble of MARAB with each C, by their mean regrets; a name says 0.1 as c01."""
    labels = {"c0001": 0.001, "c001": 0.01, "c01": 0.1, "c1": 1.0, "c10": 10.0}
    return made_up(**{mixtures_cvar.marab(labels[name]): (mean, 1) for name, mean in means.items()})


@pytest.mark.parametrize(
    ("means", "other", "expected"),
    [
        ({"c0001": 5, "c001": 4, "c01": 5, "c1": 0, "c10": 5}, 0.01, HOLDS),
        ({"c0001": -5, "c001": 5, "c01": -4, "c1": 0, "c10": 5}, 0.001, FAILS),
        ({"c0001": 5, "c001": 5, "c01": 5, "c1": 0, "c10": 0}, 10, UNDECIDED),
    ],
)
def test_claim_18(means, other, expected):
    labels = {"c0001": 0.001, "c001": 0.01, "c01": 0.1, "c1": 1.0, "c10": 10.0}
    ensemble = made_up(**{mixtures_cvar.marab(labels[name]): (mean, 1) for name, mean in means.items()})
    best, band = mixtures_cvar.grid_search(ensemble)
    assert best == other
    parts = mixtures_cvar.CLAIMS[0].parts(best, band)
    assert verdict(parts) == expected
    assert (parts[0].outcome == "open") == (expected == UNDECIDED)


def test_a_c_is_chosen_in_some_environments_and_judged_in_others():
    ensemble = made_up((4, 5, 2), **{mixtures_cvar.marab(penalty): (0, 1) for penalty in mixtures_cvar.GRID})
    regrets = ensemble.samples["regret"]
    regrets["marab(penalty=0.1)"][::2] = -100
    regrets["marab(penalty=0.1)"][1::2] = regrets["marab"][1::2] + 1
    best, band = mixtures_cvar.grid_search(ensemble)
    assert best == 0.1
    np.testing.assert_allclose(band, -1)
    first, second = made_up((1, 7, 2), a=(0, 1)).halves()
    assert (first.replications, second.replications) == (4, 3)


@pytest.mark.parametrize(("deviation", "expected"), [(3, HOLDS), (1, UNDECIDED), (0.3, FAILS)])
def test_claim_19(deviation, expected):
    ensemble = made_up(**{"besa-plus": (0, 1), "marab": (0, deviation)})
    parts = mixtures_cvar.CLAIMS[1].parts(*spreads(ensemble, ["marab"]))
    assert len(parts) == 2
    assert verdict(parts) == expected


def test_claim_19_needs_both_figures():
    ensemble = made_up(**{"besa-plus": (0, 1), "marab": (0, 3)})
    ensemble.samples["best-arm"]["besa-plus"][:] = ensemble.samples["regret"]["besa-plus"]  # a hundred times as wide
    parts = mixtures_cvar.CLAIMS[1].parts(*spreads(ensemble, ["marab"]))
    assert [part.outcome for part in parts] == ["passes", "fails"]


@pytest.mark.parametrize(("lcb", "exp", "expected"), [(3, 3, HOLDS), (0.1, 3, IN_PART), (0.1, 0.1, FAILS)])
def test_claim_20(lcb, exp, expected):
    ensemble = made_up(**{"besa-plus": (0, 1), "mv-lcb": (0, lcb), "exp-exp": (0, exp)})
    parts = mixtures_mean_variance.CLAIMS[0].parts(*spreads(ensemble, mixtures_mean_variance.RIVALS))
    assert verdict(parts) == expected
    assert [part.says.rpartition(" / ")[2] for part in parts] == ["MV-LCB", "MV-LCB", "ExpExp", "ExpExp"]


def test_regret_of_a_stream_is_that_of_its_rewards():
    """The mean-variance of streams of rewards, drawn; chance alone leaves five standard errors once in a million."""
    arms = {"best": rewards.Beta(5, 2), "low": rewards.Uniform(0, 0.2), "wide": rewards.Bernoulli(0.5)}
    problem = Problem(arms, values.MeanVariance(rho=1))
    counts = np.array([[20, 10, 10], [5, 30, 5], [40, 0, 0]])
    results = Results(problem, [policies.MvLcb()], 40, 1, [40], range(3), counts[None, :, None, :])
    rng = np.random.default_rng(8)
    for row, found in zip(counts, mixtures_mean_variance.stream_regret(results)[0, :, -1], strict=True):
        stream, best = (
            np.concatenate(
                [arm.quantile(rng.random((100_000, n))) for arm, n in zip(arms.values(), pulls, strict=True)], axis=1
            )
            for pulls in (row, [40, 0, 0])
        )
        # the biased variance of n rewards is too small by the variance of their mean
        less = [np.array([arm.variance for arm in arms.values()]) @ pulls / 40**2 for pulls in (row, [40, 0, 0])]
        regrets = 40 * (
            (stream.var(axis=1) + less[0] - stream.mean(axis=1)) - (best.var(axis=1) + less[1] - best.mean(axis=1))
        )
        error = regrets.std() / np.sqrt(len(regrets))
        assert found == pytest.approx(regrets.mean(), abs=5 * error + 1e-12)
    assert mixtures_mean_variance.stream_regret(results)[0, 2, -1] == pytest.approx(0, abs=1e-12)


# ---------------------------------------------------------------------------------------------------------------------
# chapters


@pytest.mark.parametrize("scale", [FULL, QUICK, TINY], ids=lambda scale: scale.name)
def test_experiments_share_environments_and_no_seed(scale):
    both = {**mixtures_cvar.experiments(scale), **mixtures_mean_variance.experiments(scale)}
    assert len({experiment.seed for experiment in both.values()}) == len(both)
    for name, experiment in both.items():
        number = int(name.rpartition("-")[2]) if "/" in name else 1
        if "component" not in name:
            assert experiment.arms_from == PaperMixture(arms=20, seed=number)
        assert len(experiment.steps) <= 40
        assert {experiment.horizon // 10, 3 * experiment.horizon // 10} <= set(experiment.steps)
        assert experiment.title
    for name, replications, horizon in (
        ("mixtures-cvar", scale.mixture, scale.mixture_horizon),
        ("mixtures-mean-variance", scale.mixture, scale.mixture_horizon),
        ("mixtures-cvar-longer", Fewer.than(scale).replications, 4 * scale.mixture_horizon),
    ):
        one = both[f"{name}/environment-01"]
        assert (one.replications, one.horizon) == (replications, horizon)
    assert sum(name.startswith("mixtures-cvar/") for name in both) == scale.environments


def test_each_normal_can_be_cut_by_itself():
    whole, parts = (
        mixtures_cvar.experiments(TINY)[f"mixtures-cvar{name}/environment-02"] for name in ("", "-component")
    )
    arms = whole.arms_from.build()
    assert {name: replace(arm, truncate="component") for name, arm in arms.items()} == parts.arms


def test_recorded_steps():
    assert recorded(5000)[-20:] == list(range(250, 5001, 250))
    assert recorded(5000)[0] == 20
    assert recorded(20)[-1] == 20


@pytest.fixture(scope="module")
def results():
    both = {**mixtures_cvar.experiments(TINY), **mixtures_mean_variance.experiments(TINY)}
    return {name: experiment.run(progress=False) for name, experiment in both.items()}


@pytest.mark.parametrize("module", [mixtures_cvar, mixtures_mean_variance])
def test_a_chapter(module, results):
    chapter = module.chapter(results, TINY)
    names = [exhibit.name for exhibit in chapter.exhibits]
    assert [judgement.claim for judgement in chapter.judgements] == list(module.CLAIMS)
    for judgement in chapter.judgements:
        assert set(judgement.exhibits) <= set(names)
        assert judgement.runs == TINY.environments * TINY.mixture
        assert len({len(parts) for parts in judgement.elsewhere.values()} | {len(judgement.parts)}) == 1
        judgement.plain()
    for exhibit in chapter.exhibits:
        assert "nan" not in exhibit.text
        assert "not a number" not in exhibit.text
        assert exhibit.experiments
        assert set(exhibit.experiments) <= set(results)
        if hasattr(exhibit, "picture"):
            exhibit.picture.static()
            exhibit.picture.interactive()
            exhibit.picture.data()
        else:
            assert {len(row) for row in exhibit.rows} == {len(exhibit.header)}


def test_without_a_number_there_is_no_sentence():
    once = made_up((5, 1, 2), a=(0, 1), b=(0, 2))
    assert deviations(once, {"a": "A", "b": "B"}) == ""
    many = made_up(a=(0, 1), b=(0, 2))
    assert f"standard deviation of {many.deviation('a'):.3g} for A and" in deviations(many, {"a": "A", "b": "B"})


def test_the_choice_of_a_statistic_is_told_with_what_the_other_gives():
    one, other, none = np.array([0.5, 0.4, 0.6]), np.array([0.7, 0.6, 0.8]), np.full(3, np.nan)
    assert "0.7 [0.6, 0.8] instead of 0.5 [0.4, 0.6] for the regret" in of_the_choice(["regret"], (one,), (other,))
    assert "gives no number" in of_the_choice(["regret"], (one,), (none,))


def test_how_alike_arms_are_played_is_read_from_the_pulls():
    shape = (3, 4, 1)
    for share, says in ((0.06, "MV-LCB does so here"), (0.9, "need not be good")):
        shares = {name: np.full(shape, share) for name in mixtures_mean_variance.NAMES}
        ensemble = Ensemble(np.array([100]), dict.fromkeys(("regret", "best-arm", "favourite"), shares))
        assert says in mixtures_mean_variance._on_spread(ensemble, 10.0)
