"""Intervals for the safety value of an arm: coverage at all times, also of data that a policy has collected."""

from __future__ import annotations

import numpy as np
import pytest

from primum import policies, rewards, trials, values
from primum.errors import ParameterError, UnknownNameError
from primum.trials.evidence import value_interval as module
from primum.trials.simulation import running

ALL = [
    values.Mean(),
    values.CVaR(alpha=0.3),
    values.MeanVariance(rho=1),
    values.MeanGini(rho=0.3),
    values.Quantile(level=0.4),
    values.Semivariance(rho=1),
    values.Threshold(level=0.4),
]
SKEWED = rewards.Discrete([0.0, 0.2, 0.5, 1.0], [0.1, 0.3, 0.4, 0.2])
LOOKS = (3, 10, 30, 60, 90)


@pytest.mark.parametrize("value", ALL, ids=str)
@pytest.mark.parametrize("most", [0, 90])
def test_it_covers_at_all_looks_together(value, most):
    """40 samples at 80 %: 20 or more miss with probability 5e-5 if 20 % do, which they do at most."""
    rng, truth, missed = np.random.default_rng(11), value.true_value(SKEWED), 0
    for _ in range(40):
        sample = SKEWED.quantile(rng.uniform(size=90))
        found = [trials.value_interval(value, sample[:n], alpha=0.2, most=most) for n in LOOKS]
        missed += any(not each.low <= truth <= each.high for each in found)
    assert missed < 20


@pytest.mark.parametrize("value", ALL, ids=str)
def test_it_becomes_narrow(value):
    sample = SKEWED.quantile(np.random.default_rng(12).uniform(size=5000))
    found = trials.value_interval(value, sample, most=5000)
    assert found.low <= value.true_value(SKEWED) <= found.high
    assert found.high - found.low < (0.35 if value != values.Quantile(level=0.4) else 0.5)
    assert found.low < value.of(sample) < found.high or isinstance(value, values.Quantile)


def test_of_what_a_policy_has_collected():
    """50 trials of BESA+ for CVaR, both arms at the end: the naive mean is biased, the limits hold. At 80 % each
    arm misses in at most 10 of 50 on average; 22 or more have probability 2e-4."""
    value = values.CVaR(alpha=0.3)
    design = trials.Design(
        arms=["a", "b"], patients=80, policy=policies.BesaPlus(), value=value, analysis="welch-t", burn_in=2
    )
    arms = [rewards.Beta(2.0, 3.0), rewards.Beta(2.0, 2.0)]
    found = running.run(design, trials.Scenario(arms), 4, range(50)).data
    for k, arm in enumerate(arms):
        truth, missed = value.true_value(arm), 0
        for row in range(50):
            got = trials.value_interval(value, found.outcome[row][found.arm[row] == k], alpha=0.2, most=80)
            missed += not got.low <= truth <= got.high
        assert missed < 22


def test_the_band():
    """By Howard and Ramdas for n = 100 and alpha = 0.05: 0.85 ((log log(100 e) + 0.8 log(32240)) / 100)^(1/2)."""
    expected = 0.85 * np.sqrt((np.log(np.log(100 * np.e)) + 0.8 * np.log(32240)) / 100)
    assert module._band(100, 0.025, 0, both=True) == pytest.approx(expected)
    assert module._band(100, 0.025, 148, both=True) == pytest.approx(np.sqrt(np.log(2 * 148 / 0.05) / 200))
    assert module._band(100, 0.025, 10**9, both=True) == pytest.approx(expected), "where it is the narrower of the two"


def test_the_ends_of_a_band_are_those_of_the_worst_and_the_best_distribution(monkeypatch):
    monkeypatch.setattr(module, "_band", lambda *_, both: 0.25 - module.GRID)
    found = trials.value_interval(values.Quantile(level=0.5), [0.1, 0.2, 0.3, 0.4], low=-1, high=2)
    assert (found.low, found.high) == (pytest.approx(0.1), pytest.approx(0.3))
    low = trials.value_interval(values.Spectral(aversion=1e-6), [0.1, 0.2, 0.3, 0.4], low=-1, high=2)
    assert (low.low, low.high) == (
        pytest.approx((-1 + 0.1 + 0.2 + 0.3) / 4, abs=1e-5),
        pytest.approx(2.9 / 4, abs=1e-5),
    )


@pytest.mark.parametrize("value", [each for each in ALL if each.equivariant], ids=str)
def test_another_scale(value):
    sample = SKEWED.quantile(np.random.default_rng(13).uniform(size=40))
    plain, scaled = trials.value_interval(value, sample), trials.value_interval(value, 5 + 20 * sample, low=5, high=25)
    assert (scaled.low, scaled.high) == (
        pytest.approx(5 + 20 * plain.low, abs=1e-5),
        pytest.approx(5 + 20 * plain.high, abs=1e-5),
    )


def test_monotone_values_are_so():
    """Every value that says so does not fall when outcomes become larger, and some that do not say so do."""
    from primum.plugins import registry
    from tests.test_modularity import GIVEN

    rng, falls = np.random.default_rng(14), set()
    for name in registry.names("values"):
        value = registry.build("values", {"name": name} | GIVEN.get(name, {}))
        for _ in range(300):
            x = rng.uniform(size=6) ** rng.uniform(0.2, 5)
            y = x + rng.uniform(size=6) * (1 - x) * rng.integers(0, 2, 6)
            chances = rng.dirichlet(np.ones(6))
            before, after = (value.true_value(rewards.Discrete(tuple(each), tuple(chances))) for each in (x, y))
            if after < before - 2e-4:
                falls.add(name)
                assert not value.monotone, name
    assert {"mean-variance", "mean-std", "semivariance"} & falls


def test_what_is_refused():
    with pytest.raises(ParameterError, match="a Lipschitz constant.*so there is no interval for it"):
        trials.value_interval(values.MeanStd(rho=1), [0.2, 0.5])
    with pytest.raises(
        ParameterError, match=r"known for outcomes in \[0, 1\] only, so there is no interval for it in \[0, 9\]"
    ):
        trials.value_interval(values.Semivariance(rho=1), [0.2, 0.5], high=9)
    with pytest.raises(ParameterError, match=r"sample must be in \[0, 1\], got 1.5"):
        trials.value_interval(values.Mean(), [0.2, 1.5])
    with pytest.raises(ParameterError, match="sample must have at least one outcome"):
        trials.value_interval(values.Mean(), [])
    with pytest.raises(ParameterError, match="high must be larger than low"):
        trials.value_interval(values.Mean(), [0.2], low=1)
    with pytest.raises(ParameterError, match=r"alpha must be in \(0, 1\)"):
        trials.value_interval(values.Mean(), [0.2], alpha=0)
    with pytest.raises(ParameterError, match="most must be at least the size of the sample, 2, got 1"):
        trials.value_interval(values.Mean(), [0.2, 0.3], most=1)


def test_a_value_may_be_given_by_its_spec():
    sample = [0.2, 0.5, 0.9, 0.4] * 20
    assert trials.value_interval("cvar(alpha=0.2)", sample) == trials.value_interval(values.CVaR(alpha=0.2), sample)
    with pytest.raises(UnknownNameError, match="did you mean 'cvar'"):
        trials.value_interval("cvr", sample)
