"""The Mantel-Haenszel test against R's, and what it does against drift."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from primum import policies, rewards, trials
from tests.trials.made_up import patients

# Agresti, Categorical Data Analysis, a cream in eight centres: successes and failures of the drug, then of the control
CREAM = [
    (11, 25, 10, 27), (16, 4, 22, 10), (14, 5, 7, 12), (2, 14, 1, 16),
    (6, 11, 0, 12), (1, 10, 0, 10), (1, 4, 1, 8), (4, 2, 6, 1),
]  # fmt: skip
# R, example(mantelhaen.test), penicillin and rabbits: cured and died, without delay and after 1.5 hours
RABBITS = [(0, 6, 0, 5), (3, 3, 0, 6), (6, 0, 2, 4), (5, 1, 6, 0), (2, 0, 5, 0)]


def one_by_one(strata, size):
    """A trial in which each stratum is a block of so many patients; those who are not needed have no outcome."""
    arm, outcome = [], []
    for won, lost, control_won, control_lost in strata:
        known = [(1, 1.0)] * won + [(1, 0.0)] * lost + [(0, 1.0)] * control_won + [(0, 0.0)] * control_lost
        known += [(0, np.nan)] * (size - len(known))
        arm += [each[0] for each in known]
        outcome += [each[1] for each in known]
    return patients([arm], [outcome])


def test_it_is_that_of_r():
    """mantelhaen.test(..., correct=FALSE) prints X-squared = 6.3841, p-value = 0.01151 for the cream."""
    test = trials.MantelHaenszel(block=80)
    data = one_by_one(CREAM, 80)
    assert test.statistic(data).item() ** 2 == pytest.approx(6.3841, abs=5e-5)
    assert test.p_values(data).item() == pytest.approx(0.01151, abs=5e-6)
    assert test.statistic(data).item() > 0
    equal_periods = trials.MantelHaenszel(periods=8).statistic(data)
    assert equal_periods == pytest.approx(test.statistic(data))


def test_it_is_that_of_r_but_for_the_correction():
    """With its correction R prints X-squared = 3.9286 for the rabbits: (|S| - 1/2)^2 / V, where Z = S / V^(1/2)."""
    z = trials.MantelHaenszel(block=20).statistic(one_by_one(RABBITS, 20)).item()
    variance = sum(
        (a + b) * (c + d) * (a + c) * (b + d) / (n**2 * (n - 1)) for a, b, c, d in RABBITS if (n := a + b + c + d) > 1
    )
    assert (abs(z) * np.sqrt(variance) - 0.5) ** 2 / variance == pytest.approx(3.9286, abs=5e-5)


def test_one_period_is_the_pooled_test_but_for_one_degree_of_freedom():
    rng = np.random.default_rng(4)
    data = patients(rng.integers(-1, 3, (50, 60)), rng.integers(0, 2, (50, 60)), arms=3)
    pooled, whole = trials.PooledZ().statistic(data), trials.MantelHaenszel(periods=1).statistic(data)
    n = data.counts[:, 1:] + data.counts[:, :1]
    assert whole == pytest.approx(pooled * np.sqrt((n - 1) / n))
    assert trials.MantelHaenszel(periods=1).p_values(data) == pytest.approx(2 * stats.norm.sf(np.abs(whole)))


def test_what_teaches_nothing():
    data = patients([[0, 0, 1, 1], [0, 1, 0, 1]], [[0, 1, 0, 1], [1, 1, 0, 0]])
    assert trials.MantelHaenszel(periods=2).statistic(data).tolist() == [[0.0], [0.0]]
    assert trials.MantelHaenszel().p_values(data).tolist() == [[1.0], [1.0]]


@pytest.mark.slow
def test_it_is_a_remedy_against_drift():
    """2,000 trials of BESA+ with a coin of 0.4, rates that rise from .2 to .6, level 5 %. With 10,000 trials the type I
    error is .159 by the pooled Z, .060 with 4 periods and .054 with 10; the limits are more than 4 standard errors
    away."""
    truth = trials.Scenario([rewards.Bernoulli(0.2)] * 2, drift=trials.Linear(by=0.4))
    design = trials.Design(
        arms=["control", "new"], patients=148, policy=policies.BesaPlus(floor=2), coin=0.4,
        analysis=trials.PooledZ(sided="greater"),
    )  # fmt: skip
    designs = {"pooled": design} | {
        str(periods): design.replace(analysis=trials.MantelHaenszel(sided="greater", periods=periods))
        for periods in (4, 10)
    }
    oc = trials.operate(designs, {"drift": truth}, replications=2000, seed=6, exact=False, progress=False)
    pooled, four, ten = (oc.data["reject"].sel(design=name).item() for name in designs)
    assert pooled > 0.12
    assert four < 0.085
    assert ten < 0.08
