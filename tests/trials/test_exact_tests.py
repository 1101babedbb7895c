"""The exact tests, by their definitions on all paths of small trials, and calibration."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from primum import policies, trials, values
from primum.errors import ParameterError, PrimumError
from primum.policies.counts import Counts
from primum.trials.exact_law import null
from tests.oracle import exact_paths, exact_tests
from tests.trials.counting_rules import _Equal, _Gap, _Lopsided, _PosteriorMeanIndex, _Urn, gap, lopsided

EQUAL = trials.Design(arms=["control", "new"], patients=148, policy=_Equal(), analysis=trials.PooledZ(sided="greater"))
LOPSIDED = EQUAL.replace(patients=7, policy=_Lopsided())
GRID = np.linspace(0, 1, 201)


def paths(p: float, **how: Any) -> dict[Any, float]:
    def rule(assigned: Any, pulls: Any, successes: Any, t: int) -> float:
        return lopsided(assigned, pulls, successes, t, 7)

    return exact_paths.ends(exact_paths.paths(rule, 7, (p, p), **how))


def evidence(sided: str, *end: Any) -> float:
    z = exact_paths.pooled_z(*end[:4])
    return z if sided == "greater" else -z if sided == "less" else abs(z)


def data(ends: Any, design: trials.Design) -> trials.TrialData:
    rows = np.array([end[:4] for end in ends])
    return trials.TrialData.from_successes(design, rows[:, :2], rows[:, 2:])


@pytest.mark.parametrize("sided", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("stops", [False, True])
def test_conditional_p_values_by_definition(sided: str, stops: bool) -> None:
    """The conditional probabilities given total and size, computed at an arbitrary p: they do not depend on it."""
    changes: Any = {"looks": [4, 6], "stopping": _Silent()} if stops else {}
    ends = paths(0.37, looks={4: gap(0), 6: gap(1)} if stops else None)
    known = exact_tests.conditional_p_values(ends, lambda end: evidence(sided, *end))
    want = [known[end] for end in ends]
    design = LOPSIDED.replace(**changes)
    test = trials.ConditionalExact(alpha=0.3, sided=sided)
    found = test.p_values(data(ends, design))
    assert found.shape == (len(ends), 1)
    assert found[:, 0] == pytest.approx(want, abs=1e-12)
    assert test.rejections(data(ends, design)).tolist() == (found <= 0.3).tolist()


@pytest.mark.parametrize("sided", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("order", [None, trials.PooledZ()], ids=["by conditional p-value", "by Z"])
@pytest.mark.parametrize("stops", [False, True])
def test_unconditional_p_values_by_definition(sided: str, order: Any, stops: bool) -> None:
    changes: Any = {"looks": [4, 6], "stopping": _Silent()} if stops else {}
    design = LOPSIDED.replace(**changes)
    half = paths(0.5, looks={4: gap(0), 6: gap(1)} if stops else None)
    conditional = exact_tests.conditional_p_values(half, lambda end: evidence(sided, *end))

    def extreme(end: Any) -> float:
        return evidence(sided, *end) if order else -float(np.log(conditional[end]))

    known = exact_tests.unconditional_p_values(half, extreme, np.linspace(0, 1, 21).tolist())
    on_grid = np.array([known[end] for end in half])
    test = trials.UnconditionalExact(alpha=0.2, sided=sided, **({"order": order} if order else {}))
    found = test.p_values(data(half, design))[:, 0]
    assert (found >= on_grid - 1e-12).all()
    assert found == pytest.approx(on_grid, abs=0.01)  # of a coarser grid
    assert test.rejections(data(half, design))[:, 0].tolist() == (found <= 0.2).tolist()
    if not order:
        assert (found <= np.array([conditional[end] for end in half]) + 1e-12).all()


def test_fisher_boschloo_and_barnard_for_fixed_numbers_of_patients() -> None:
    """With a burn-in of the whole trial both arms have half of the patients: the tests are those of SciPy."""
    from scipy import stats

    design = EQUAL.replace(patients=20, burn_in=10)
    successes = np.array([[2, 7], [5, 5], [0, 3], [9, 10]])
    trial = trials.TrialData.from_successes(design, np.full((4, 2), 10), successes)
    tables = [[[s1, 10 - s1], [s0, 10 - s0]] for s0, s1 in successes]
    fisher = [stats.fisher_exact(table, alternative="greater").pvalue for table in tables]
    assert trials.ConditionalExact(sided="greater").p_values(trial)[:, 0] == pytest.approx(fisher, abs=1e-12)
    boschloo = [stats.boschloo_exact(np.transpose(table), alternative="greater", n=64).pvalue for table in tables]
    assert trials.UnconditionalExact(sided="greater").p_values(trial)[:, 0] == pytest.approx(boschloo, abs=1e-4)
    barnard = [stats.barnard_exact(np.transpose(table), alternative="greater", n=64).pvalue for table in tables]
    by_z = trials.UnconditionalExact(sided="greater", order=trials.PooledZ())
    assert by_z.p_values(trial)[:, 0] == pytest.approx(barnard, abs=1e-3)


@pytest.mark.slow
def test_the_order_decides_about_power() -> None:
    """The powers of three tests that hold the level of 5 %, from an independent program."""
    design = EQUAL.replace(policy=policies.BesaPlus(floor=2), burn_in=5)
    for order, power in ((trials.PooledZ(), 0.076), (_Difference(), 0.434), (trials.ConditionalExact(), 0.469)):
        test = trials.UnconditionalExact(sided="greater", order=order)
        law = trials.exact(design.replace(analysis=test), progress=False)
        assert law.reject(0.3, 0.5) == pytest.approx(power, abs=5e-4)
        assert law.largest_type_1().value <= 0.05


def test_a_randomisation_p_value_known_from_the_literature() -> None:
    """The trial of ECMO (Bartlett and others, Pediatrics 76, 1985): randomised play-the-winner, 2/39 and not 1/2^12.

    Outcomes are a success on ECMO, a failure on the control and ten successes on ECMO, held fixed in this order.
    """
    outcomes = [1, 0, *[1] * 10]
    rule = policies.RandomisedPlayTheWinner()
    reached = {((0, 0), (0, 0)): 1.0}  # patients and successes of each arm
    for outcome in outcomes:
        after: dict[Any, float] = defaultdict(float)
        for (pulls, successes), chance in reached.items():
            table = np.asarray(rule.chances(Counts(pulls, pulls, 12, values.Mean())))
            second = float(np.broadcast_to(table, (pulls[0] + 1, pulls[1] + 1))[successes])
            for arm, probability in ((0, 1 - second), (1, second)):
                there = tuple(n + (arm == k) for k, n in enumerate(pulls))
                after[there, tuple(s + outcome * (arm == k) for k, s in enumerate(successes))] += chance * probability
        reached = after
    assert sum(chance for (_, won), chance in reached.items() if won[1] >= 11) == pytest.approx(2 / 39)


def test_known_numbers_of_complete_randomisation() -> None:
    law = trials.exact(EQUAL.replace(analysis=trials.ConditionalExact(alpha=0.05, sided="greater")), progress=False)
    assert law.reject(0.3, 0.5) == pytest.approx(0.8009, abs=5e-5)
    assert law.largest_type_1().value == pytest.approx(0.0494, abs=5e-5)


class _Difference(trials.Analysis):
    def statistic(self, data: trials.TrialData) -> Any:
        with np.errstate(invalid="ignore"):
            return data.means[:, 1:] - data.means[:, :1]  # NaN where an arm has no patients


@dataclass(frozen=True)
class _Silent(_Gap):
    """Stops and drops as `_Gap` does, and leaves all conclusions to the analysis."""

    claims = False

    def look(self, data: trials.TrialData, look: trials.Look) -> trials.Verdict:
        verdict = super().look(data, look)
        return replace(verdict, claimed=np.zeros_like(verdict.claimed))


RULES = {
    "urn": EQUAL.replace(patients=60, policy=_Urn()),
    "index": EQUAL.replace(patients=60, policy=_PosteriorMeanIndex()),
    "Thompson": EQUAL.replace(patients=60, policy=policies.Thompson()),
    "BESA+, burn-in, blocks": EQUAL.replace(patients=60, policy=policies.BesaPlus(floor=2), burn_in=3, blocks=5),
    "stopping and dropping": EQUAL.replace(patients=40, policy=_Urn(), looks=[10, 20], stopping=_Silent()),
    "delay": EQUAL.replace(patients=30, policy=_Urn(), delay=trials.after_patients(3)),
}


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("name", RULES)
def test_type_1_error_is_at_most_alpha_whatever_the_rule(name: str, alpha: float) -> None:
    for sided in ("greater", "two-sided"):
        for test in (trials.ConditionalExact, trials.UnconditionalExact):
            law = trials.exact(RULES[name].replace(analysis=test(alpha=alpha, sided=sided)), progress=False)
            curve = law.type_1(GRID)
            assert curve.max() <= alpha + 1e-9
            assert curve.max() > 0
            assert law.largest_type_1().value <= alpha + 1e-9


def test_naive_test_with_an_adaptive_rule_exceeds_alpha() -> None:
    """So the property above is not trivial."""
    assert trials.exact(RULES["Thompson"], progress=False).largest_type_1().value > 0.1


def test_another_statistic_orders_the_data() -> None:
    design = RULES["Thompson"]
    by_difference = trials.ConditionalExact(order=_Difference(), sided="greater")
    powers = [
        trials.exact(design.replace(analysis=analysis), progress=False).reject(0.3, 0.7)
        for analysis in (by_difference, trials.ConditionalExact(sided="greater"))
    ]
    assert powers[0] != pytest.approx(powers[1], abs=1e-4)
    assert trials.exact(design.replace(analysis=by_difference), progress=False).largest_type_1().value <= 0.05 + 1e-9


def test_tests_refuse_what_they_cannot_do() -> None:
    test = trials.ConditionalExact()
    three = EQUAL.replace(arms=["a", "b", "c"])
    with pytest.raises(ParameterError, match="need two arms, got 3"):
        test.p_values(trials.TrialData.from_successes(three, [[50, 50, 48]], [[1, 2, 3]]))
    with pytest.raises(ParameterError, match="a trial that has ended, 148 of them, got 90"):
        test.p_values(trials.TrialData.from_successes(EQUAL, [[50, 40]], [[1, 2]]))
    burnt_in = EQUAL.replace(burn_in=5)
    with pytest.raises(ParameterError, match="never ends with 145 patients on the control and 3 on the other arm"):
        test.p_values(trials.TrialData.from_successes(burnt_in, [[145, 3]], [[1, 2]]))
    with pytest.raises(ParameterError, match="needs outcomes 0 and 1"):
        test.p_values(trials.TrialData(EQUAL, np.array([[74, 74]]), np.full((1, 2), 0.5), np.full((1, 2), 0.25)))
    law = trials.exact(LOPSIDED.replace(analysis=trials.ConditionalExact(order=_NoStatistic())), progress=False)
    with pytest.raises(ParameterError, match="no test statistic"):
        law.reject(0.1, 0.2)


class _NoStatistic(trials.Analysis):
    pass


def test_largest_probability_over_p() -> None:
    """Binomial events of which the maximum is known: s of n successes are most likely at s/n."""
    n = 40
    sums = np.eye(n + 1) * np.array([null.reweighting(np.array([0.5]), n)[0, s] for s in range(n + 1)])
    values, p = null.largest({n: sums})
    assert p == pytest.approx(np.arange(n + 1) / n, abs=1e-5)
    assert values == pytest.approx(np.diag(null.probability({n: sums}, np.arange(n + 1) / n)), rel=1e-9)


@pytest.mark.parametrize("sided", ["greater", "two-sided"])
def test_critical_value_is_the_smallest_that_keeps_alpha(sided: str) -> None:
    design = RULES["urn"].replace(analysis=trials.PooledZ(sided=sided))
    critical = trials.critical_value(trials.exact(design, progress=False), 0.05)

    def largest(critical: float) -> float:
        analysis = trials.PooledZ(sided=sided, critical=critical)
        return trials.exact(design.replace(analysis=analysis), progress=False).largest_type_1().value

    assert largest(critical) <= 0.05 < largest(critical - 1e-8)
    with pytest.raises(ParameterError, match="alpha must be in"):
        trials.critical_value(trials.exact(design, progress=False), 5)


def test_smallest_size_reaches_the_power_and_those_below_do_not() -> None:
    design = EQUAL.replace(analysis=trials.ConditionalExact(alpha=0.1, sided="greater"))

    def power(patients: int) -> float:
        return float(trials.exact(design.replace(patients=patients), progress=False).reject(0.2, 0.8))

    found = trials.smallest_size(design, 0.2, 0.8, 0.8, progress=False)
    assert found.power == power(found.patients) >= 0.8
    assert found.checked_from <= found.patients - 10
    assert all(power(patients) < 0.8 for patients in range(found.checked_from, found.patients))
    with pytest.raises(PrimumError, match="is not reached with 30 patients"):
        trials.smallest_size(design, 0.5, 0.51, 0.8, most=30, progress=False)
    with pytest.raises(ParameterError, match="power must be in"):
        trials.smallest_size(design, 0.2, 0.8, 80, progress=False)
