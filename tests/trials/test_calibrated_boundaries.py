"""Boundaries calibrated under adaptation: the level holds for every common p, by the exact law and path by path."""

from __future__ import annotations

import numpy as np
import pytest

from primum import policies, rewards, trials
from primum.errors import ParameterError, PrimumError
from primum.trials.stopping.spending import boundaries
from tests.oracle import exact_paths
from tests.trials.counting_rules import _Urn

STEP = 0.001  # of a factor
GRID = np.linspace(0, 1, 1_001)
POCOCK = trials.GroupSequential(spending="pocock", alpha=0.2, sided="greater")


def design_of(policy, patients=30, **options):
    rule = trials.GroupSequential(alpha=0.05, sided="greater")
    return trials.Design(
        **{"arms": ["a", "b"], "patients": patients, "policy": policy, "looks": [0.5, 1.0], "stopping": rule} | options
    )


def with_factor(design, factor):
    return design.replace(stopping=design.stopping.spec() | {"factor": factor})


CASES = {
    "BESA+": design_of(policies.BesaPlus(), burn_in=3),
    "Thompson": design_of("thompson"),
    "equal": design_of("uniform-random"),
    "two-sided, three looks": design_of(
        "thompson", looks=[8, 15, 22], stopping=trials.GroupSequential(spending="pocock", alpha=0.1)
    ),
    "late outcomes": design_of("thompson", delay=trials.after_patients(3)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_calibrated_boundary_holds_the_level_everywhere(name):
    design = CASES[name]
    found = trials.calibrate(design, progress=False)
    assert found.limit == "factor"
    assert found.design == with_factor(design, float(found))
    law = trials.exact(found.design, progress=False)
    assert law.type_1(GRID).max() <= found.type_1 + 1e-12
    assert law.largest_type_1().value == found.type_1 <= design.stopping.alpha
    smaller = trials.exact(with_factor(design, float(found) - STEP), progress=False).largest_type_1()
    assert smaller.value > design.stopping.alpha, "it is the smallest one"
    assert found.covers == "outcomes 0 and 1 with every common p, no drift"
    assert repr(found).startswith(f"{float(found):g} (type I error {found.type_1:.4f} at p = 0.")
    assert "exact" in repr(found)


def urn(assigned, pulls, successes, t):
    return float((1 + successes[1] + pulls[0] - successes[0]) / (2 + sum(pulls)))


def enumerated(bounds):
    """The type I error over the grid: all paths of eight patients at p = 1/2, looked at halfway and at the end."""

    def look(bound):
        def at(counts, successes):
            claimed = exact_paths.pooled_z(*counts, *successes) > bound
            return [False, claimed], [False, False], claimed

        return at

    error = np.zeros(GRID.shape)
    paths = exact_paths.paths(urn, 8, (0.5, 0.5), looks={4: look(bounds[0])}, final=look(bounds[1]))
    for (n0, n1, s0, s1, claimed), chance in exact_paths.ends(paths).items():
        if claimed[1]:
            error += chance * (2 * GRID) ** (s0 + s1) * (2 - 2 * GRID) ** (n0 + n1 - s0 - s1)
    return error


def test_a_factor_is_that_of_all_paths_of_a_small_trial():
    found = trials.calibrate(design_of(_Urn(), 8, looks=[4], stopping=POCOCK), 0.1, progress=False)
    plain = np.array(boundaries((0.5, 1.0), "pocock", 0.2, False))
    error = enumerated(found * plain)
    assert error.max() == pytest.approx(found.type_1, abs=1e-5)
    assert found.worst == f"p = {GRID[error.argmax()]:.3g}"
    assert error.max() <= 0.1 < enumerated((found - STEP) * plain).max()


def test_boundaries_of_equal_randomisation_hardly_grow():
    """They are made for it, and what is left is that outcomes are discrete."""
    assert trials.calibrate(design_of("uniform-random", 80), progress=False) == pytest.approx(1.0, abs=0.01)


def test_stops_for_futility_are_not_relied_on():
    """The level holds whether or not people follow them; a calibrated design still has them."""
    design = design_of("thompson")
    futile = design.replace(stopping=design.stopping.spec() | {"futility": 0.3})
    found, without = (trials.calibrate(each, progress=False) for each in (futile, design))
    assert found == without
    assert found.type_1 == without.type_1
    assert found.design.stopping.futility == 0.3
    assert trials.exact(found.design, progress=False).largest_type_1().value < found.type_1


def test_a_narrower_null_hypothesis_is_named():
    design = design_of("thompson")
    nulls = {f"p = {p}": [rewards.Bernoulli(p)] * 2 for p in (0.2, 0.4)}
    found = trials.calibrate(design, nulls=nulls, progress=False)
    assert found.covers == "p = 0.2 (all arms Bernoulli(0.2)) and p = 0.4 (all arms Bernoulli(0.4)), no drift"
    errors = trials.exact(found.design, progress=False).type_1(np.array([0.2, 0.4]))
    assert list(found.by_null.values()) == pytest.approx(errors)
    assert found.type_1 == max(found.by_null.values()) == found.by_null[found.worst] <= 0.05
    assert 1 < found < trials.calibrate(design, progress=False)


def test_what_cannot_be_exact_is_refused():
    with pytest.raises(ParameterError, match="boundaries are calibrated exactly only, and exact .* need two arms, got"):
        trials.calibrate(design_of("thompson", arms=["a", "b", "c"]), progress=False)
    drifting = trials.Scenario([rewards.Bernoulli(0.3)] * 2, drift=0.3)
    for other in (drifting, [rewards.Bernoulli(0.3), rewards.Bernoulli(0.4)], [rewards.Uniform()] * 2):
        with pytest.raises(ParameterError, match="a common probability of success and no drift, and 'it' is another"):
            trials.calibrate(design_of("thompson"), nulls={"it": other}, progress=False)
    with pytest.raises(PrimumError, match="no factor has a type I error as large as 0.9"):
        trials.calibrate(design_of("uniform-random", 8), 0.9, progress=False)
