"""Intervals agree with their tests: a difference of 0 is outside exactly where the test rejects."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats

from primum import rewards, trials
from primum.trials.operating.characteristics import Truth, characteristics
from primum.trials.operating.measures import Measures
from primum.trials.score_interval import score_interval
from primum.trials.simulation.running import run
from tests.oracle.score_interval import score_interval as slow_interval
from tests.trials.made_up import design, patients, successes

SIDES = ("greater", "less", "two-sided")
OWN = [
    trials.PooledZ(),
    trials.PooledZ(critical=2.0),
    trials.WelchT(),
    trials.WelchT(critical=1.2),
    trials.NormalSuperiority(),
    trials.NormalSuperiority(threshold=0.9),
]


def small_trials(count=3000):
    """Three arms with outcomes 0 and 1, few patients, and often ties or arms without successes."""
    rng = np.random.default_rng(3)
    most = rng.choice([3, 10, 60], size=(count, 1))
    n = rng.integers(0, most + 1, size=(count, 3))
    return successes(n, rng.binomial(n, rng.choice([0.05, 0.3, 0.6, 1.0], size=(count, 3))))


def measured_trials(count=400, size=30):
    """Three arms with other outcomes, sometimes the same for all patients of an arm."""
    rng = np.random.default_rng(4)
    arm = rng.integers(-1, 3, size=(count, size))
    outcome = rng.gamma(2.0, size=arm.shape) + arm * rng.choice([-1.5, 0, 1.5], size=(count, 1))
    return patients(arm, np.where(rng.uniform(size=(count, 1)) < 0.2, 1.0, outcome.round(1)), arms=3)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.4])
@pytest.mark.parametrize("sided", SIDES)
@pytest.mark.parametrize("test", OWN, ids=str)
def test_a_test_rejects_exactly_where_0_is_outside_its_interval(test, sided, alpha):
    """Also where arms have no patients, no successes, or the same outcome for all."""
    test = dataclasses.replace(test, sided=sided, alpha=alpha, adjustment="none")
    for data in (small_trials(), *([] if test.binary else [measured_trials()])):
        found, rejected = test.difference(data), test.rejections(data)
        outside = {"greater": found.low > 0, "less": found.high < 0, "two-sided": (found.low > 0) | (found.high < 0)}
        assert (outside[sided] == rejected).all()
        assert rejected.any()
        assert (~rejected).any()
        known = np.isfinite(found.low)
        assert (known == np.isfinite(found.high)).all()
        assert (found.low <= found.high)[known].all()


def test_an_end_at_0_is_not_outside():
    """1 of 4 against 3 of 4 has a pooled Z of 2^0.5; rounding must not decide."""
    critical = trials.PooledZ().statistic(successes([[4, 4]], [[1, 3]])).item()
    data = successes([[4, 4], [4, 4]], [[1, 3], [3, 1]])
    for test in (trials.PooledZ(critical=critical), trials.PooledZ(critical=critical, sided="greater")):
        found = test.difference(data)
        assert not test.rejections(data).any()
        assert (found.low[0, 0], found.high[1, 0]) == (0, 0)
        less = dataclasses.replace(test, critical=np.nextafter(critical, 0)).difference(data)
        assert less.low[0, 0] > 0 > less.high[1, 0]
        assert less.low[0, 0] == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
def test_the_score_interval_is_that_of_its_definition():
    rng = np.random.default_rng(5)
    for _ in range(300):
        n = rng.integers(1, rng.choice([4, 20, 150]), size=2)
        s = rng.binomial(n, rng.choice([0.02, 0.3, 0.5, 0.97]))
        quantile = float(rng.choice([0.3, 1.645, 1.96, 3.2]))
        found = [each.item() for each in score_interval(n[None], s[None], quantile)]
        assert found == pytest.approx(slow_interval(tuple(n.tolist()), tuple(s.tolist()), quantile), abs=1e-9)


@pytest.mark.parametrize(
    ("new", "control", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0533, 0.3377),
        ((9, 10), (3, 10), 0.1821, 0.8370),
        ((6, 7), (2, 7), 0.0544, 0.8478),
        ((5, 56), (0, 29), -0.0313, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.7225, 1.0),
        ((10, 10), (0, 10), 0.6777, 1.0),
    ],
)
def test_published_score_intervals(new, control, low, high):
    """Newcombe, Statistics in Medicine 17, 1998, Table II, method 5 (Mee)."""
    found = trials.PooledZ().difference(successes([[control[1], new[1]]], [[control[0], new[0]]]))
    assert (found.low.item(), found.high.item()) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize("sided", SIDES)
def test_the_t_interval_is_that_of_scipy(sided):
    """Of level 1 - 2 alpha for a one-sided test: its lower end is that of SciPy's one-sided interval of 1 - alpha."""
    data = measured_trials(60)
    test = trials.WelchT(sided=sided, alpha=0.1)
    found, compared = test.difference(data), 0
    for row in range(len(data)):
        x, y = (data.outcome[row][data.arm[row] == arm] for arm in (0, 1))
        if min(x.size, y.size) < 2 or not np.isfinite(found.low[row, 0]):
            continue
        level = 0.9 if sided == "two-sided" else 0.8
        expected = stats.ttest_ind(y, x, equal_var=False).confidence_interval(level)
        assert (found.low[row, 0], found.high[row, 0]) == pytest.approx((expected.low, expected.high), rel=1e-8)
        compared += 1
    assert compared > 40


def test_the_credible_interval_leaves_the_same_probability_at_each_end():
    data = measured_trials(50)
    found = trials.NormalSuperiority(threshold=0.97).difference(data)
    known = np.isfinite(found.low)
    assert known.any()
    below = stats.norm.cdf(found.low[known], found.estimate[known], found.error[known])
    above = stats.norm.sf(found.high[known], found.estimate[known], found.error[known])
    np.testing.assert_allclose([below, above], 0.03, rtol=1e-9)


def test_estimates_are_defined_where_they_were():
    """An arm with a single outcome has a mean, though no t interval."""
    data = successes([[1, 1], [0, 3], [5, 5]], [[0, 1], [0, 1], [2, 2]])
    found = trials.WelchT().difference(data)
    assert found.estimate[[0, 2], 0].tolist() == [1.0, 0.0]
    assert found.defined[:, 0].tolist() == [True, False, True]
    assert np.isfinite(found.low[:, 0]).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"analysis": trials.PooledZ()}, "95 % score interval"),
        ({"analysis": trials.PooledZ(sided="greater")}, "90 % score interval"),
        ({"analysis": trials.PooledZ(sided="less", alpha=0.0125)}, "97.5 % score interval"),
        ({"analysis": trials.PooledZ(critical=2.1279)}, "score interval with critical value 2.128"),
        ({"analysis": trials.PooledZ(), "arms": 3}, "95 % score interval, per comparison"),
        ({"analysis": trials.WelchT(sided="greater", alpha=0.5)}, "95 % Wald interval, not of this test"),
        ({"analysis": trials.WelchT(sided="greater", alpha=0.1)}, "80 % t interval"),
        ({"analysis": trials.NormalSuperiority(threshold=0.99)}, "98 % credible interval"),
        ({"analysis": trials.Fisher(sided="greater")}, "90 % Wald interval, not of this test"),
        ({"analysis": trials.MannWhitney(), "arms": 4}, "95 % Wald interval, per comparison, not of this test"),
        ({"analysis": trials.PooledZ(), "estimator": "adaptively-weighted"}, "95 % Wald interval, not of this test"),
        (
            {"stopping": trials.GroupSequential(alpha=0.025, sided="greater"), "looks": [20]},
            "95 % Wald interval, not of this test",
        ),
        ({"stopping": trials.GroupSequential(alpha=0.1), "looks": [20]}, "90 % Wald interval, not of this test"),
        ({"stopping": trials.PosteriorLimits(), "looks": [20]}, "95 % Wald interval, not of this test"),
    ],
    ids=str,
)
def test_an_interval_is_named_with_its_level(options, title):
    options = dict(options)
    made = design(options.pop("arms", 2), **options)
    assert made.analysis.interval_title(made) == title


def test_an_interval_that_is_not_of_the_test_is_the_wald_interval_of_the_named_level():
    data = successes([[20, 20]], [[6, 12]])
    found = trials.Fisher(sided="greater").difference(data)
    expected = trials.naive_difference(data, 0.9)
    assert (found.low, found.high) == (expected.low, expected.high)


def test_a_trial_shows_the_interval_of_its_test():
    made = design(patients=80, analysis=trials.PooledZ(sided="greater"))
    scenario = [rewards.Bernoulli(0.3), rewards.Bernoulli(0.5)]
    agreed = 0
    for seed in range(20):
        trial = trials.simulate_one(made, scenario, seed=seed)
        row = trial.analyse().iloc[0]
        assert row["interval"] == "90 % score interval"
        assert row["significant"] == (row["p_value"] <= 0.05) == (row["low"] > 0)
        agreed += row["significant"]
        other = trial.analyse(trials.Fisher()).iloc[0]
        assert other["interval"] == "95 % Wald interval, not of this test"
    assert 0 < agreed < 20


def test_coverage_is_near_the_level_that_is_named():
    """Equal randomisation of 150 patients: 4,000 trials are beyond .02 with a probability below 0.3 %."""
    for analysis, level in ((trials.PooledZ(sided="greater"), 0.9), (trials.PooledZ(alpha=0.2), 0.8)):
        made = design(patients=150, analysis=analysis)
        scenario = trials.Scenario([rewards.Bernoulli(0.3), rewards.Bernoulli(0.5)])
        measures = Measures.of(run(made, scenario, 3, range(4000)))
        found = {each.name: each for each in characteristics(measures, made, Truth.of(made, scenario))}
        assert made.analysis.level(made) == pytest.approx(level)
        assert found["coverage"].value[1] == pytest.approx(level, abs=0.02)
