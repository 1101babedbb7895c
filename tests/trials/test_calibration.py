"""Calibration: the type I error is what was asked for, and exact results agree with simulated ones."""

from __future__ import annotations

import numpy as np
import pytest

from primum import policies, rewards, trials
from primum.errors import ParameterError, PrimumError
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


def test_size_is_simulated_where_an_analysis_needs_patients_one_by_one():
    design = design_of(analysis=trials.MannWhitney(sided="greater"), policy="uniform-random")
    found = trials.size(design, 0.8, [rewards.Bernoulli(0.2), rewards.Bernoulli(0.8)], replications=500, progress=False)
    assert found.power_error > 0
    assert found.power >= 0.8


def test_an_analysis_without_a_statistic_has_no_critical_value():
    with pytest.raises(ParameterError, match="compares no statistic with a critical value"):
        trials.calibrate(design_of(analysis=trials.RandomisationTest()), progress=False)
    with pytest.raises(ParameterError, match="alpha must be in"):
        trials.calibrate(design_of(), 1.5, progress=False)


EFFECT = [rewards.Bernoulli(0.2), rewards.Bernoulli(0.7)]


def test_a_size_has_the_power_asked_for():
    design = design_of("uniform-random", burn_in=0)
    found = trials.size(design, 0.8, EFFECT, progress=False)
    assert found.power == trials.exact(design.replace(patients=int(found)), progress=False).reject(0.2, 0.7) >= 0.8
    assert trials.exact(design.replace(patients=int(found) - 1), progress=False).reject(0.2, 0.7) < 0.8
    assert found.power_error == 0


@pytest.mark.slow
def test_a_simulated_size_has_about_the_exact_power():
    """3,000 trials; 4.5 standard errors: a false alarm in 150,000."""
    design = design_of("uniform-random", burn_in=0)
    drifting = trials.Scenario(EFFECT, drift=trials.Step(by=0.1, after=5_000))  # never, so that the truth is the same
    found = trials.size(design, 0.8, drifting, replications=3_000, seed=2, progress=False)
    assert found.power >= 0.8
    power = trials.exact(design.replace(patients=int(found)), progress=False).reject(0.2, 0.7)
    assert power == pytest.approx(found.power, abs=4.5 * found.power_error)


def test_a_power_that_is_not_reached_is_refused():
    same = trials.Scenario([rewards.Bernoulli(0.5)] * 2, drift=0.1)
    with pytest.raises(PrimumError, match="a power of 0.9 is not reached with 30 patients"):
        trials.size(design_of(), 0.9, same, most=30, replications=200, progress=False)
