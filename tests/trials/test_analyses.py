"""Each analysis gives what SciPy gives trial by trial, and no evidence where there is none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from primum import trials
from primum.errors import ParameterError
from primum.plugins import registry
from tests.trials.made_up import patients, successes

SIDES = ("greater", "less", "two-sided")
KINDS = (trials.PooledZ, trials.Fisher, trials.WelchT, trials.MannWhitney, trials.LogOdds)


@pytest.fixture
def binary():
    """Three arms, with small and with large numbers of patients."""
    rng = np.random.default_rng(1)
    counts = rng.integers(1, rng.choice([5, 40, 200], size=(300, 1)), size=(300, 3))
    return successes(counts, rng.binomial(counts, rng.uniform(size=(300, 1))))


def made(ties, trials_=60, size=40):
    """Three arms with outcomes patient by patient, some unknown, some patients not enrolled."""
    rng = np.random.default_rng(2)
    arm = rng.integers(-1, 3, size=(trials_, size))
    outcome = rng.gamma(2.0, size=arm.shape) + 0.3 * arm
    outcome[rng.uniform(size=arm.shape) < 0.1] = np.nan
    return patients(arm, outcome.round(0) if ties else outcome, arms=3)


def samples(data, row, k):
    """The known outcomes of an arm and of the control."""
    known = np.isfinite(data.outcome[row])
    return [data.outcome[row][known & (data.arm[row] == arm)] for arm in (k, 0)]


@pytest.mark.parametrize("sided", SIDES)
def test_fisher_is_that_of_scipy(binary, sided):
    ours = trials.Fisher(sided=sided).p_values(binary)
    for row, (n, s) in enumerate(zip(binary.counts, binary.sums.astype(int))):
        for k in (1, 2):
            table = [[s[k], n[k] - s[k]], [s[0], n[0] - s[0]]]
            assert ours[row, k - 1] == pytest.approx(stats.fisher_exact(table, sided).pvalue, rel=1e-9)


def test_fisher_in_parts_is_the_same(binary, monkeypatch):
    whole = trials.Fisher().p_values(binary)
    monkeypatch.setattr("primum.trials.analyses.fisher.MOST_CELLS", 1000)
    np.testing.assert_allclose(trials.Fisher().p_values(binary), whole, rtol=1e-13)


@pytest.mark.parametrize("sided", SIDES)
def test_pooled_z_is_the_root_of_the_chi_squared_test(binary, sided):
    test = trials.PooledZ(sided=sided)
    z, p = test.statistic(binary), test.p_values(binary)
    for row, (n, s) in enumerate(zip(binary.counts, binary.sums)):
        for k in (1, 2):
            if 0 < s[k] + s[0] < n[k] + n[0]:
                chi = stats.chi2_contingency([[s[k], n[k] - s[k]], [s[0], n[0] - s[0]]], correction=False).statistic
                assert z[row, k - 1] == pytest.approx(np.sign(s[k] / n[k] - s[0] / n[0]) * np.sqrt(chi), abs=1e-9)
            else:
                assert z[row, k - 1] == 0
    tails = {"greater": stats.norm.sf(z), "less": stats.norm.cdf(z), "two-sided": stats.chi2.sf(z**2, 1)}
    np.testing.assert_allclose(p, tails[sided], rtol=1e-9)


@pytest.mark.parametrize("sided", SIDES)
def test_welch_is_that_of_scipy(sided):
    data = made(ties=False)
    test = trials.WelchT(sided=sided)
    t, p = test.statistic(data), test.p_values(data)
    for row in range(len(data)):
        for k in (1, 2):
            expected = stats.ttest_ind(*samples(data, row, k), equal_var=False, alternative=sided)
            assert (t[row, k - 1], p[row, k - 1]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-8)


@pytest.mark.parametrize("sided", SIDES)
@pytest.mark.parametrize("ties", [True, False])
def test_mann_whitney_is_that_of_scipy(sided, ties, monkeypatch):
    monkeypatch.setattr("primum.trials.analyses.mann_whitney.MOST_PATIENTS_SORTED", 1000)
    data = made(ties)
    p = trials.MannWhitney(sided=sided).p_values(data)
    for row in range(len(data)):
        for k in (1, 2):
            expected = stats.mannwhitneyu(*samples(data, row, k), alternative=sided, method="asymptotic")
            assert p[row, k - 1] == pytest.approx(expected.pvalue, rel=1e-10)


def test_mann_whitney_needs_patients(binary):
    with pytest.raises(ParameterError, match="needs outcomes patient by patient, got counts alone"):
        trials.MannWhitney().p_values(binary)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_log_odds_interval_is_that_of_scipy(level):
    """SciPy takes whole numbers: cells with the half added are doubled, which makes its error too small by 2^0.5."""
    found = trials.LogOdds().estimate(successes([[10, 12]], [[3, 8]]), level)
    doubled = stats.contingency.odds_ratio([[17, 9], [7, 15]], kind="sample")
    interval = doubled.confidence_interval(level)
    middle, half = np.log(doubled.statistic), np.log(interval.high / doubled.statistic) * np.sqrt(2)
    assert found.estimate.item() == pytest.approx(middle)
    assert (found.low.item(), found.high.item()) == pytest.approx((middle - half, middle + half))
    assert trials.LogOdds().statistic(successes([[10, 12]], [[3, 8]])).item() == pytest.approx(
        middle / (half / stats.norm.ppf((1 + level) / 2))
    )


def test_posterior_superiority_by_draws():
    """100,000 draws have a standard error below .0016, and 40 comparisons are within 5 of them but for 3e-5."""
    rng = np.random.default_rng(7)
    counts = rng.integers(0, 40, size=(20, 3))
    sums = rng.binomial(counts, 0.4)
    rule = trials.PosteriorSuperiority(sided="greater", prior_successes=0.5, prior_failures=2)
    draws = rng.beta(sums + 0.5, counts - sums + 2, size=(100_000, 20, 3))
    found = rule.statistic(successes(counts, sums))
    np.testing.assert_allclose(found, (draws[:, :, 1:] > draws[:, :, :1]).mean(axis=0), atol=0.008)
    np.testing.assert_allclose(rule.p_values(successes(counts, sums)), 1 - found)


@pytest.mark.parametrize("rule", [trials.PosteriorSuperiority, trials.NormalSuperiority])
def test_posterior_threshold_is_in_the_direction_of_the_alternative(rule):
    data = successes([[50, 50]] * 2, [[15, 26], [26, 15]])
    better = rule().statistic(data)[0, 0]
    assert 0.98 < better < 0.99
    for sided, expected in zip(SIDES, ([True, False], [False, True], [True, True])):
        assert rule(sided=sided, threshold=better - 1e-6).rejections(data)[:, 0].tolist() == expected
        assert not rule(sided=sided, threshold=better + 1e-6).rejections(data).any()
    assert rule(sided="two-sided").p_values(data)[:, 0] == pytest.approx(2 * (1 - better))


def test_normal_superiority_is_the_normal_tail_of_welch():
    data = made(ties=False)
    np.testing.assert_allclose(
        trials.NormalSuperiority().statistic(data), stats.norm.cdf(trials.WelchT().statistic(data)), rtol=1e-12
    )
    assert trials.NormalSuperiority().statistic(patients([[0, 1]], [[0.3, 0.4]])).item() == 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sided", SIDES)
def test_no_evidence_where_there_is_none(kind, sided):
    """No patients, none on one of the arms, one on each, outcomes that are all equal."""
    arm = [[-1, -1, -1, -1], [0, 0, 0, -1], [1, 1, -1, -1], [0, 1, 0, 1], [0, 1, 0, 1]]
    outcome = [[0] * 4, [0, 1, 1, 0], [1, 1, 0, 0], [1] * 4, [0] * 4]
    data = patients(arm, outcome)
    test = kind(sided=sided, alpha=0.49)
    assert (test.p_values(data) >= 0.5).all()
    assert not test.rejections(data).any()


def test_constant_outcomes_of_welch_are_no_evidence():
    """The variance of equal outcomes, from a rounded mean, is not exactly 0."""
    data = patients([[0, 0, 0, 1, 1, 1]], [[0.1, 0.1, 0.1, 0.7, 0.7, 0.7]])
    assert data.variances.max() > 0
    assert trials.WelchT().p_values(data).item() == 1


@pytest.mark.parametrize("kind", KINDS)
def test_swapped_arms_swap_the_sides(kind):
    data = made(ties=True) if not kind.binary else patients(made(True).arm, made(True).outcome > 1.5, arms=3)
    swapped = patients(np.where(data.arm == 1, 0, np.where(data.arm == 0, 1, data.arm)), data.outcome, arms=3)
    first = kind(sided="greater").p_values(data)[:, 0]
    assert first == pytest.approx(kind(sided="less").p_values(swapped)[:, 0], rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_naive_ones_say_so_and_are_built_from_text(kind):
    assert "operating characteristics" in kind.warning
    test = kind(alpha=0.01, sided="less", adjustment="bonferroni")
    assert registry.build("analyses", test.label) == test
    assert registry.build("analyses", test.spec()) == test


def test_critical_value_is_in_the_direction_of_the_alternative():
    data = successes([[50, 50]] * 2, [[15, 26], [26, 15]])
    for sided, expected in zip(SIDES, ([True, False], [False, True], [True, True])):
        assert trials.PooledZ(alpha=0.05, sided=sided, critical=2.2).rejections(data)[:, 0].tolist() == expected
        assert not trials.PooledZ(alpha=0.05, sided=sided, critical=2.3).rejections(data).any()


def test_adjustment_for_several_comparisons():
    p = np.array([[0.02, 0.01, 0.04], [0.02, 0.03, 0.04], [np.nan, 0.01, 0.02]])
    found = {name: trials.PooledZ(adjustment=name).significant(p).tolist() for name in ("none", "bonferroni", "holm")}
    assert found["none"] == [[True] * 3, [True] * 3, [False, True, True]]
    assert found["bonferroni"] == [[False, True, False], [False] * 3, [False, True, False]]
    assert found["holm"] == [[True] * 3, [False] * 3, [False, True, True]]


def test_no_warning_escapes():
    """Even where warnings are not errors."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for kind in KINDS:
            kind().rejections(patients([[-1, -1], [0, 0], [0, 1]], [[0, 0], [1, 1], [1, 0]]))
    assert not seen
