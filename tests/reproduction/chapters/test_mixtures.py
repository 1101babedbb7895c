"""The chapters on the paper's twenty arms."""

from dataclasses import replace

import numpy as np
import pytest
import xarray

from primum import Problem, Results, policies, rewards, values
from primum.runs import PaperMixture
from reproduction.chapters import mixtures_cvar, mixtures_mean_variance
from reproduction.chapters.environments import standard_deviation
from reproduction.chapters.mixtures import (
    describe_choice,
    describe_deviations,
    recorded_steps,
    smaller_spread,
    smaller_spreads,
    spreads,
)
from reproduction.chapters.mixtures_cvar import rules
from reproduction.chapters.mixtures_cvar.rules import marab
from reproduction.chapters.mixtures_mean_variance import NAMES, OTHERS, describe_spread, sani_regret
from reproduction.claims import PENALTIES
from reproduction.judgement import FAILS, HOLDS, IN_PART, UNDECIDED, verdict
from reproduction.scale import FULL, QUICK
from tests.reproduction.chapters.made_up import normal

TINY = replace(QUICK, name="tiny", environments=4, mixture_replications=4, long_replications=1, mixture_horizon=300)


@pytest.mark.parametrize(
    ("means", "other", "expected"),
    [
        ((5, 4, 5, 0, 5), 0.01, HOLDS),
        ((-5, 5, -4, 0, 5), 0.001, FAILS),
        ((5, 5, 5, 0, 0), 10, UNDECIDED),
    ],
)
def test_the_best_penalty(means, other, expected):
    labels = [marab(penalty) for penalty in PENALTIES]
    regret = normal(**{label: (mean, 1) for label, mean in zip(labels, means, strict=True)}).regret
    assert rules.grid_search(regret)[0] == other
    parts = rules.best_penalty(regret)
    assert verdict(parts) == expected
    assert (parts[0].outcome == "open") == (expected == UNDECIDED)


def test_a_penalty_is_chosen_in_some_environments_and_compared_in_others():
    regret = normal((4, 5), **{marab(penalty): (0, 1) for penalty in PENALTIES}).regret
    regret.loc[{"policy": marab(0.1)}][::2] = -100
    regret.loc[{"policy": marab(0.1)}][1::2] = regret.sel(policy="marab")[1::2] + 1
    best, band = rules.grid_search(regret)
    assert best == 0.1
    np.testing.assert_allclose(band, -1)


@pytest.mark.parametrize(("deviation", "expected"), [(3, HOLDS), (1, UNDECIDED), (0.3, FAILS)])
def test_variation_of_besa_plus_and_marab(deviation, expected):
    parts = smaller_spread(spreads(normal(besa_plus=(0, 1), marab=(0, deviation)), ["marab"]), ["MARAB"])
    assert len(parts) == 2
    assert verdict(parts) == expected


def test_both_quantities_count():
    samples = normal(besa_plus=(0, 1), marab=(0, 3))
    # a hundred times as wide
    samples["best_arm_share"] = xarray.where(samples.policy == "besa-plus", samples.regret, samples.best_arm_share)
    parts = smaller_spread(spreads(samples, ["marab"]), ["MARAB"])
    assert [part.outcome for part in parts] == ["passes", "fails"]


@pytest.mark.parametrize(("lcb", "exp", "expected"), [(3, 3, HOLDS), (0.1, 3, IN_PART), (0.1, 0.1, FAILS)])
def test_variation_of_besa_plus_and_two_others(lcb, exp, expected):
    samples = normal(besa_plus=(0, 1), mv_lcb=(0, lcb), exp_exp=(0, exp))
    parts = smaller_spread(spreads(samples, list(OTHERS)), ["MV-LCB", "ExpExp"])
    assert verdict(parts) == expected
    assert [part.statement.rpartition(" / ")[2] for part in parts] == ["MV-LCB", "MV-LCB", "ExpExp", "ExpExp"]


def test_a_condition_without_a_number_is_left_out():
    one, none = np.array([0.5, 0.4, 0.6]), np.full(3, np.nan)
    assert list(smaller_spreads({"some": (one, one), "few": (one, none)}, ["MARAB"])) == ["some"]


def test_the_regret_of_sani_is_that_of_the_rewards_of_all_steps():
    """The mean-variance of streams of rewards, drawn; chance alone leaves five standard errors once in a million."""
    arms = {"best": rewards.Beta(5, 2), "low": rewards.Uniform(0, 0.2), "wide": rewards.Bernoulli(0.5)}
    problem = Problem(arms, values.MeanVariance(rho=1))
    counts = np.array([[20, 10, 10], [5, 30, 5], [40, 0, 0]])
    results = Results(problem, [policies.MvLcb()], 40, 1, [40], range(3), counts[None, :, None, :])
    rng = np.random.default_rng(8)
    for row, found in zip(counts, sani_regret(results)[0, :, -1], strict=True):
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
    assert sani_regret(results)[0, 2, -1] == pytest.approx(0, abs=1e-12)


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
        ("mixtures-cvar", scale.mixture_replications, scale.mixture_horizon),
        ("mixtures-mean-variance", scale.mixture_replications, scale.mixture_horizon),
        ("mixtures-cvar-longer", 2 * scale.long_replications, 4 * scale.mixture_horizon),
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
    assert recorded_steps(5000)[-20:] == list(range(250, 5001, 250))
    assert recorded_steps(5000)[0] == 20
    assert recorded_steps(20)[-1] == 20


@pytest.fixture(scope="module")
def results():
    both = {**mixtures_cvar.experiments(TINY), **mixtures_mean_variance.experiments(TINY)}
    return {name: experiment.run(progress=False) for name, experiment in both.items()}


@pytest.mark.parametrize(("module", "claims"), [(mixtures_cvar, [18, 19]), (mixtures_mean_variance, [20])])
def test_a_chapter(module, claims, results):
    chapter = module.chapter(results, TINY)
    names = [figure.name for figure in chapter.figures]
    assert [judgement.claim.number for judgement in chapter.judgements] == claims
    for judgement in chapter.judgements:
        assert set(judgement.evidence) <= set(names)
        assert judgement.replications == TINY.environments * TINY.mixture_replications
        assert len({len(parts) for parts in judgement.other_conditions.values()} | {len(judgement.parts)}) == 1
        judgement.plain()
    for figure in chapter.figures:
        assert "nan" not in figure.text
        assert "not a number" not in figure.text
        assert figure.experiments
        assert set(figure.experiments) <= set(results)
        if hasattr(figure, "picture"):
            figure.picture.static()
            figure.picture.interactive()
            figure.picture.data()
        else:
            assert {len(row) for row in figure.rows} == {len(figure.header)}


def test_without_a_number_there_is_no_sentence():
    once = normal((5, 1), a=(0, 1), b=(0, 2))
    assert describe_deviations(once, {"a": "A", "b": "B"}) == ""
    many = normal(a=(0, 1), b=(0, 2))
    a = standard_deviation(many.regret, "a")
    told = describe_deviations(many, {"a": "A", "b": "B"})
    assert f"the standard deviation of the final regret is {a:.3g} for A and" in told


def test_the_choice_of_a_statistic_is_told_with_what_the_other_gives():
    one, other, none = np.array([0.5, 0.4, 0.6]), np.array([0.7, 0.6, 0.8]), np.full(3, np.nan)
    assert "0.7 [0.6, 0.8] instead of 0.5 [0.4, 0.6] for the regret" in describe_choice(["regret"], (one,), (other,))
    assert "gives no number" in describe_choice(["regret"], (one,), (none,))


@pytest.mark.parametrize(("share", "says"), [(0.06, "MV-LCB does so here"), (0.9, "need not be good")])
def test_how_alike_arms_are_pulled_is_read_from_the_pulls(share, says):
    axes = ("environment", "policy", "replication")
    shares = xarray.DataArray(np.full((3, len(NAMES), 4), share), {"policy": list(NAMES), "step": 100}, axes)
    samples = xarray.Dataset(dict.fromkeys(("regret", "best_arm_share", "favourite_share"), shares))
    assert says in describe_spread(samples, 10.0)
