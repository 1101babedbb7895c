"""The number of patients for a power: exact and simulated, within a limit, and with looks that move."""

from __future__ import annotations

import pytest

from primum import rewards, trials
from primum.errors import ParameterError, PrimumError
from primum.trials import sizing
from primum.trials.exact_law.calibration import least_size

EFFECT = [rewards.Bernoulli(0.2), rewards.Bernoulli(0.7)]
NEVER = trials.Step(by=0.1, after=5_000)  # a drift later than all patients, so that the truth is the same
RULE = trials.GroupSequential(alpha=0.05, sided="greater")
LOOKED_AT = {"looks": [20, 40], "stopping": RULE, "analysis": None}


def design_of(**options):
    test = trials.PooledZ(sided="greater")
    return trials.Design(**{"arms": ["a", "b"], "patients": 40, "policy": "uniform-random", "analysis": test} | options)


def power_of(design, patients):
    return trials.exact(design.resized(patients), progress=False).reject(0.2, 0.7)


@pytest.mark.parametrize("options", [{}, {"policy": "besa-plus", "burn_in": 3}, LOOKED_AT], ids=["Z", "BESA+", "looks"])
def test_a_size_has_the_power_asked_for_and_none_of_the_ten_below_does(options):
    design = design_of(**options)
    found = trials.size(design, 0.8, EFFECT, progress=False)
    assert found.power == power_of(design, int(found)) >= 0.8
    assert all(power_of(design, int(found) - less) < 0.8 for less in range(1, 11))
    assert found.power_error == 0
    assert found.design == design.resized(int(found))


def test_looks_stay_at_the_same_fraction_of_the_patients():
    """Half of the patients, given as a number or as a fraction; a size below the number is found."""
    design = design_of(**LOOKED_AT | {"patients": 148, "looks": [74]})
    found = trials.size(design, 0.5, EFFECT, progress=False)
    assert 5 < found < 20
    assert found.design.monitoring.interim == ((found + 1) // 2,)
    assert repr(found) == f"{int(found)} (power {found.power:.4f}, exact; looks at {(found + 1) // 2} patients)"
    fractions = design.replace(looks=[0.5], patients=10)
    assert trials.size(fractions, 0.5, EFFECT, progress=False) == found
    assert trials.smallest_size(design, 0.2, 0.7, 0.5, progress=False).patients == found


@pytest.mark.parametrize(("looks", "least"), [([1, 148], 74), ([147, 148], 75), ([0.1, 0.9], 5), ([0.5, 1.0], 2)])
def test_looks_that_are_close_together_allow_fewer_patients(looks, least):
    """No two of them fall together from that number on, and one patient fewer is too few."""
    design = design_of(**LOOKED_AT | {"patients": 148, "looks": looks})
    assert least_size(design) == least
    for patients in range(least, 149):
        design.resized(patients)
    with pytest.raises(ParameterError, match="looks must be after different numbers of patients"):
        design.resized(least - 1)


def test_simulated_looks_move_too(tmp_path):
    """1,000 trials; 4.5 standard errors: a false alarm in 150,000."""
    design, drifting = design_of(**LOOKED_AT), trials.Scenario(EFFECT, drift=NEVER)
    found = trials.size(design, 0.5, drifting, replications=1_000, seed=2, store=tmp_path, progress=False)
    assert found.power_error > 0
    assert found < 20
    assert power_of(design, int(found)) == pytest.approx(found.power, abs=4.5 * found.power_error)


def test_sizes_beyond_those_that_are_exact_are_simulated(monkeypatch, tmp_path):
    """1,000 trials; 4.5 standard errors: a false alarm in 150,000."""
    monkeypatch.setattr(sizing, "is_feasible", lambda design: design.patients <= 16)
    found = trials.size(design_of(), 0.8, EFFECT, replications=1_000, seed=2, store=tmp_path, progress=False)
    assert 16 < found < 40
    assert found.power >= 0.8
    assert power_of(design_of(), int(found)) == pytest.approx(found.power, abs=4.5 * found.power_error)


def test_size_is_simulated_where_an_analysis_needs_patients_one_by_one(tmp_path):
    design = design_of(analysis=trials.MannWhitney(sided="greater"))
    found = trials.size(design, 0.8, EFFECT, replications=500, store=tmp_path, progress=False)
    assert found.power_error > 0
    assert found.power >= 0.8


@pytest.mark.slow
def test_a_simulated_size_has_about_the_exact_power():
    """3,000 trials; 4.5 standard errors: a false alarm in 150,000."""
    found = trials.size(
        design_of(), 0.8, trials.Scenario(EFFECT, drift=NEVER), replications=3_000, seed=2, progress=False
    )
    assert found.power >= 0.8
    assert power_of(design_of(), int(found)) == pytest.approx(found.power, abs=4.5 * found.power_error)


@pytest.mark.parametrize("drift", [None, 0.1], ids=["exact", "simulated"])
def test_a_power_that_is_not_reached_is_refused(drift, tmp_path):
    same = trials.Scenario([rewards.Bernoulli(0.5)] * 2, drift=drift)
    with pytest.raises(PrimumError, match="a power of 0.9 is not reached with 30 patients: 0.0"):
        trials.size(design_of(), 0.9, same, most=30, replications=200, store=tmp_path, progress=False)


def test_a_limit_below_the_fewest_patients_is_refused():
    with pytest.raises(ParameterError, match=r"most must be a whole number in \[5, 100000\], got 4"):
        trials.size(design_of(**LOOKED_AT | {"looks": [0.1, 0.9]}), 0.9, EFFECT, most=4, progress=False)
