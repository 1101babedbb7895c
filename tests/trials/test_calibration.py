"""Calibration: the type I error is what was asked for, and exact results agree with simulated ones."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from primum import policies, rewards, trials
from primum.errors import ParameterError
from tests.trials.made_up_looks import Quiet

GRID = np.linspace(0.01, 0.99, 99)
Z = trials.PooledZ(sided="greater")


def design_of(policy="besa-plus", **options):
    return trials.Design(
        **{"arms": ["a", "b"], "patients": 40, "policy": policy, "burn_in": 3, "analysis": Z} | options
    )


def nulls_of(probabilities, arms=2):
    return {f"{p:g}": [rewards.Bernoulli(p)] * arms for p in probabilities}


def calibrated(design, critical):
    return design.replace(analysis=design.analysis.spec() | {"critical": float(critical)})


@pytest.mark.parametrize("policy", [policies.BesaPlus(), policies.Thompson(), policies.UniformRandom()], ids=str)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_an_exact_critical_value_holds_the_level_everywhere(policy, alpha):
    design = design_of(policy)
    critical = trials.calibrate(design, alpha, progress=False)
    errors = trials.exact(calibrated(design, critical), progress=False).type_1(GRID)
    assert errors.max() <= alpha
    assert errors.max() <= critical.type_1 + 1e-12
    assert critical.type_1 <= alpha
    assert critical.type_1_error == 0
    assert critical.design == calibrated(design, critical)
    assert critical.covers == "outcomes 0 and 1 with every common p, no drift"
    at_worst = trials.exact(critical.design, progress=False).type_1(float(critical.worst.removeprefix("p = ")))
    assert at_worst == pytest.approx(critical.type_1, rel=0.01)
    smaller = trials.exact(calibrated(design, critical - 1e-6), progress=False).largest_type_1()
    assert smaller.value > alpha, "it is the smallest one"
    assert "exact" in repr(critical)


@pytest.mark.slow
def test_simulation_finds_about_the_exact_critical_value():
    """4,000 trials of each null scenario; a false alarm of these comparisons has a probability below 1e-4."""
    design, grid = design_of(), (0.3, 0.5, 0.7)
    found = trials.calibrate(design, 0.05, nulls=nulls_of(grid), replications=4_000, seed=3, progress=False)
    law = trials.exact(calibrated(design, found), progress=False)
    error = np.sqrt(0.05 * 0.95 / 4_000)
    assert found.type_1 <= 0.05
    assert found.type_1_error == pytest.approx(np.sqrt(found.type_1 * (1 - found.type_1) / 4_000))
    assert law.type_1(np.array(grid)).max() == pytest.approx(found.type_1, abs=4.5 * error)
    assert "standard error" in repr(found)


def test_several_arms_share_one_critical_value():
    """The familywise error of the trials that it was found with; others agree within 4.5 standard errors (7e-6)."""
    design = trials.Design(arms=["a", "b", "c"], patients=45, policy="besa-plus", burn_in=3, analysis=Z)
    nulls = nulls_of((0.4,), 3)
    critical = trials.calibrate(design, 0.1, nulls=nulls, replications=2_000, seed=3, progress=False)
    oc = trials.operate(calibrated(design, critical), nulls, replications=2_000, seed=3, progress=False)
    assert float(oc.data["reject"].item()) == critical.type_1 <= 0.1
    fresh = trials.operate(calibrated(design, critical), nulls, replications=2_000, seed=4, progress=False)
    assert float(fresh.data["reject"].item()) == pytest.approx(critical.type_1, abs=4.5 * np.sqrt(2 * 0.09 / 2_000))


def test_trials_that_a_look_stops_are_analysed_with_the_critical_value():
    """Looks that only drop arms or stop leave the difference to the analysis, which has the whole level."""
    design = design_of(looks=[20], stopping=Quiet(behind=9.0, enough=0.75, hopeless=0.2, least=4))
    nulls = nulls_of((0.4,))
    critical = trials.calibrate(design, 0.25, nulls=nulls, replications=2_000, seed=3, progress=False)
    same = {"replications": 2_000, "seed": 3, "exact": False, "progress": False}
    oc = trials.operate(calibrated(design, critical), nulls, **same)
    assert (oc.data["stop"].sel(reason=["enough", "hopeless"]) > 0).all()
    assert float(oc.data["reject"].item()) == critical.type_1 <= 0.25
    assert critical.type_1 > 0.2


def test_an_analysis_without_a_statistic_has_no_critical_value():
    with pytest.raises(ParameterError, match="compares no statistic with a critical value"):
        trials.calibrate(design_of(analysis=trials.RandomisationTest()), progress=False)
    limits = design_of(looks=[20], stopping=trials.PosteriorLimits(), analysis=None)
    with pytest.raises(ParameterError, match="Posterior limits compares no statistic"):
        trials.calibrate(limits, progress=False)
    with pytest.raises(ParameterError, match="alpha must be in"):
        trials.calibrate(design_of(), 1.5, progress=False)


@pytest.mark.parametrize(
    ("sided", "arms", "sentence"),
    [
        ("greater", [0.3, 0.2, 0.4], "may be better than the control, and in 'it' the mean of 'c' is 0.4 and that of"),
        ("less", [0.3, 0.2, 0.4], "may be worse than the control, and in 'it' the mean of 'b' is 0.2 and that of the"),
        ("two-sided", [0.3, 0.2, 0.3], "no arm may differ from the control, and in 'it' the mean of 'b' is 0.2"),
    ],
)
def test_an_effect_is_not_a_null_hypothesis(sided, arms, sentence):
    """The rejections there are power, and not a type I error; an effect that the test does not look for is none."""
    design = trials.Design(
        arms=["a", "b", "c"], patients=30, policy="besa-plus", burn_in=3, analysis=trials.PooledZ(sided=sided)
    )
    options = {"replications": 100, "progress": False}
    with pytest.raises(ParameterError, match=sentence) as refused:
        trials.calibrate(design, nulls={"it": [rewards.Bernoulli(p) for p in arms]}, **options)
    assert refused.value.path == ("nulls", "it")
    if sided != "two-sided":
        other = [rewards.Bernoulli(p) for p in ([0.3, 0.2, 0.3] if sided == "greater" else [0.3, 0.3, 0.4])]
        assert trials.calibrate(design, nulls={"it": other}, **options).type_1 <= 0.05


def test_the_level_is_that_of_the_analysis_if_none_is_given():
    design = design_of("uniform-random", analysis=trials.PooledZ(alpha=0.01, sided="greater"))
    assert trials.calibrate(design, progress=False) == trials.calibrate(design, 0.01, progress=False)
    assert trials.calibrate(design, progress=False) > trials.calibrate(design, 0.05, progress=False)


def test_looks_that_declare_nothing_are_exact_too():
    design = design_of(looks=[20], stopping=trials.DropLosers(below=0.3))
    critical = trials.calibrate(design, 0.05, progress=False)
    assert critical.type_1_error == 0
    assert trials.exact(critical.design, progress=False).largest_type_1().value == critical.type_1 <= 0.05


def test_a_result_names_the_null_hypotheses_that_it_covers():
    design = trials.Design(arms=["a", "b", "c"], patients=30, policy="besa-plus", burn_in=3, analysis=Z)
    found = trials.calibrate(design, replications=100, progress=False)
    assert found.covers == (
        "outcomes 0 and 1 with a common p of 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, "
        "0.98 or 0.99, no drift"
    )
    assert len(found.by_null) == 15
    assert found.by_null[found.worst] == max(found.by_null.values()) == found.type_1
    table = found.table()
    assert table["type I error"].to_dict() == found.by_null
    assert table.index[table["worst"]].tolist() == [found.worst]
    assert repr(found).endswith(f"at {found.worst}, standard error {found.type_1_error:.2g}; covers {found.covers})")
    nulls = nulls_of((0.3,), 3)
    assert trials.calibrate(design, nulls=nulls, replications=100, progress=False).nulls.keys() == nulls.keys()
    nulls |= {
        "later": trials.Scenario(nulls["0.3"], drift=0.3),
        "noisy": {"arms": [rewards.Uniform(0.2, 0.6), "bernoulli(probability=0.4)", rewards.Bernoulli(0.1)]},
    }
    welch = design.replace(analysis="welch-t(sided='greater')")
    found = trials.calibrate(welch, nulls=nulls, replications=100, progress=False)
    assert found.covers == (
        "0.3 (all arms Bernoulli(0.3)), later (all arms Bernoulli(0.3); Linear drift (by 0.3)) and noisy "
        "(uniform on [0.2, 0.6], Bernoulli(0.4), Bernoulli(0.1)), drift in later"
    )
    assert found.nulls["later"].drift == trials.Linear(by=0.3)
    kept = pickle.loads(pickle.dumps(found))
    assert repr(kept) == repr(found)
    assert kept.design == found.design


def test_a_test_of_other_things_than_means_may_have_different_means_without_an_effect():
    """Outcomes 0 and 10 against 1: means differ, and either arm does better with probability 1/2."""
    null = {"split": [rewards.Discrete([0.0, 10.0], [0.5, 0.5]), rewards.Constant(1.0)]}
    options = {"arms": ["control", "new"], "patients": 30, "policy": "uniform-random"}
    design = trials.Design(analysis=trials.MannWhitney(sided="less"), **options)
    found = trials.calibrate(design, 0.1, nulls=null, replications=500, seed=1, progress=False)
    assert found.type_1 <= 0.1
    welch = trials.Design(analysis=trials.WelchT(sided="less"), **options)
    with pytest.raises(ParameterError, match="under a null hypothesis no arm may be worse than the control"):
        trials.calibrate(welch, 0.1, nulls=null, replications=500, seed=1, progress=False)
