"""Stopping rules: published boundaries, probabilities by other means, and a published trial."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import integrate, special, stats

from primum import trials
from primum.errors import ParameterError
from primum.kernels.posteriors import probability_superior
from primum.plugins import registry
from primum.trials import posteriors
from primum.trials.simulation import running
from primum.trials.stopping.spending import boundaries
from tests.trials.made_up import successes

FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0)


def by_quadrature(a, b, width):
    """P(best) of each arm and the probability that all are within `width`, by SciPy's adaptive quadrature."""
    inner = {float(each) for q in (1e-14, 1e-6, 0.01, 0.5, 0.99, 1 - 1e-6) for each in special.betaincinv(a, b, q)}
    cuts = sorted({0.0, 1.0, 1 - width} | inner | {each - width for each in inner if each > width})

    def density(k, x):
        return np.exp(special.xlogy(a[k] - 1, x) + special.xlog1py(b[k] - 1, -x) - special.betaln(a[k], b[k]))

    def below(x):
        return special.betainc(a, b, min(x, 1.0))

    def integral(of):
        return sum(integrate.quad(of, *pair, epsabs=1e-13)[0] for pair in itertools.pairwise(cuts))

    def best(k):
        return integral(lambda x: density(k, x) * np.delete(below(x), k).prod())

    def lowest(k):
        return integral(lambda x: density(k, x) * np.delete(below(x + width) - below(x), k).prod())

    return [best(k) for k in range(len(a))], sum(lowest(k) for k in range(len(a)))


@pytest.mark.parametrize("sizes", [(0, 0, 0), (3, 3, 3), (30, 20, 40), (0, 1500, 40), (800, 700, 900)])
def test_posterior_probabilities_are_those_of_quadrature(sizes):
    rng = np.random.default_rng(3)
    s = rng.binomial(sizes, 0.3)
    a, b = np.array([s + 1.0]), np.array([sizes - s + 1.0])
    best, near = by_quadrature(a[0], b[0], 0.1)
    everyone = np.ones(a.shape, bool)
    assert posteriors.best(a, b, everyone)[0] == pytest.approx(best, abs=1e-10)
    assert posteriors.within(a, b, 0.1, everyone)[0] == pytest.approx(near, abs=1e-10)
    pair, _ = by_quadrature(a[0, [0, 2]], b[0, [0, 2]], 0.1)
    assert probability_superior(a, b)[0, 2] == pytest.approx(pair[1], abs=1e-10)
    active = np.array([[True, False, True]])
    assert posteriors.best(a, b, active)[0] == pytest.approx([pair[0], 0, pair[1]], abs=1e-10)


@pytest.mark.parametrize(
    ("fractions", "spending", "alpha", "two_sided", "published"),
    [  # gsDesign and ldbounds for fifths, SeqBounds.jl for quarters
        (FIFTHS, "obrien-fleming", 0.025, True, (4.877, 3.357, 2.680, 2.290, 2.031)),
        (FIFTHS, "pocock", 0.025, True, (2.438, 2.427, 2.410, 2.397, 2.386)),
        ((0.25, 0.5, 0.75, 1.0), "obrien-fleming", 0.05, False, (3.750, 2.540, 2.016, 1.720)),
    ],
)
def test_boundaries_are_those_published(fractions, spending, alpha, two_sided, published):
    assert boundaries(fractions, spending, alpha, two_sided) == pytest.approx(published, abs=6e-4)


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
@pytest.mark.parametrize("two_sided", [True, False])
def test_boundaries_spend_the_whole_level(spending, two_sided):
    """By the multivariate normal distribution, whose error in three dimensions is below 1e-6."""
    fractions = np.array([0.3, 0.35, 1.0])
    found = np.array(boundaries(tuple(fractions), spending, 0.04, two_sided))
    covariance = np.sqrt(np.minimum.outer(fractions, fractions) / np.maximum.outer(fractions, fractions))
    lower = -found if two_sided else np.full(3, -12.0)
    stays = stats.multivariate_normal.cdf(found, cov=covariance, lower_limit=lower, abseps=1e-8, maxpts=10**6)
    assert 1 - stays == pytest.approx(0.08 if two_sided else 0.04, abs=1e-5)


def test_a_look_without_information_has_no_boundary():
    assert boundaries((0.0, 0.01, 0.5, 0.5, 1.0), "obrien-fleming", 0.025, False)[:2] == (np.inf, np.inf)
    assert boundaries((0.0, 0.01, 0.5, 0.5, 1.0), "obrien-fleming", 0.025, False)[3] == np.inf
    assert boundaries((0.5, 1.0), "obrien-fleming", 0.025, False) == pytest.approx(
        boundaries((0.0, 0.01, 0.5, 0.5, 1.0), "obrien-fleming", 0.025, False)[2::2]
    )


def test_a_one_sided_level_may_be_above_one_half():
    bound, last = boundaries((0.5, 1.0), "pocock", 0.9, False)
    assert bound == pytest.approx(stats.norm.isf(0.9 * np.log1p((np.e - 1) / 2)))
    correlation = [[1, np.sqrt(0.5)], [np.sqrt(0.5), 1]]
    assert stats.multivariate_normal.cdf([bound, last], cov=correlation) == pytest.approx(0.1, abs=1e-5)


def made(counts, sums, rule, looks=(100,), **options):
    return successes(counts, sums, patients=200, looks=looks, stopping=rule, **options)


HALF = trials.Look(known=(100,), patients=200)


def test_group_sequential_claims_drops_and_stops():
    rule = trials.GroupSequential(sided="two-sided", futility=0.2)
    counts = [[34, 33, 33]] * 5
    data = made(counts, [[10, 30, 12], [20, 3, 3], [10, 15, 13], [15, 15, 2], [16, 16, 14]], rule)
    verdict = rule.look(data, HALF)
    assert verdict.claimed.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert [rule.reasons[each] if each >= 0 else "" for each in verdict.reason] == [
        "efficacy", "inferiority", "", "futility", "futility",
    ]  # fmt: skip
    assert verdict.dropped[1].tolist() == [False, True, True]
    assert not verdict.dropped[:, 0].any()
    without = trials.GroupSequential(sided="two-sided").look(data, HALF)
    assert without.dropped.tolist() == [[0] * 3, [0, 1, 1], [0] * 3, [0, 0, 1], [0] * 3]
    one_sided = trials.GroupSequential(sided="greater").look(data, HALF)
    assert one_sided.reason.tolist() == [0, -1, -1, -1, -1]
    assert not one_sided.dropped.any()


def test_conditional_power_is_that_of_the_normal_trend():
    """Z = 1 at half of the information: Z at the end is normal with mean 1 / 0.5^0.5 and variance 1/2."""
    rule = trials.GroupSequential(sided="greater", alpha=0.025, futility=0.5)
    data = made([[50, 50]], [[15, 20]], rule)
    z = trials.PooledZ().statistic(data).item()
    expected = stats.norm.sf(rule.bounds(data, HALF)[-1], loc=z / 0.5**0.5, scale=0.5**0.5)
    assert 0.05 < expected < 0.95
    for limit, drops in ((expected - 1e-6, False), (expected + 1e-6, True)):
        changed = trials.GroupSequential(sided="greater", alpha=0.025, futility=limit)
        assert changed.look(data, HALF).dropped[0, 1] == drops
    assert not rule.look(
        made([[100, 100]], [[30, 31]], rule), trials.Look((100, 200), 200, is_final=True)
    ).dropped.any()


def test_boundaries_use_the_information_that_there_was():
    """80 and then 170 outcomes were known, not the 100 and 180 that were planned; what comes next is as planned."""
    rule = trials.GroupSequential(sided="greater", alpha=0.025)
    data = made([[40, 40]], [[12, 15]], rule, looks=(100, 180))
    first, second = trials.Look((80,), 200), trials.Look((80, 170), 200)
    planned = boundaries((0.4, 0.8, 1.0), "obrien-fleming", 0.025, False)
    assert rule.bounds(data, first) == pytest.approx(planned)
    actual = boundaries((0.4, 0.85, 1.0), "obrien-fleming", 0.025, False)
    assert rule.bounds(data, second) == pytest.approx(actual)
    factor = trials.GroupSequential(sided="greater", alpha=0.025, factor=1.1)
    assert factor.bounds(data, second) == pytest.approx([1.1 * bound for bound in actual])


def test_the_final_look_spends_what_is_left():
    """A trial that ends with 150 of 200 outcomes; by the bivariate normal distribution both looks spend the level."""
    rule = trials.GroupSequential(sided="greater", alpha=0.025)
    data = made([[75, 75]], [[30, 31]], rule, looks=(100, 150))
    first, last = rule.bounds(data, trials.Look((100, 150), 200, is_final=True))
    assert first == pytest.approx(rule.bounds(data, HALF)[0])
    correlation = (100 / 150) ** 0.5
    covariance = [[1, correlation], [correlation, 1]]
    assert 1 - stats.multivariate_normal.cdf([first, last], cov=covariance) == pytest.approx(0.025, abs=1e-6)
    assert last < rule.bounds(data, trials.Look((100, 150), 200))[1], "one that is not the last spends less"


def test_a_final_look_without_new_outcomes_takes_the_place_of_the_one_before():
    """All the level is spent on the same data: the boundary is that of a test at one look."""
    assert boundaries((0.5, 0.5), "obrien-fleming", 0.025, False)[1] == pytest.approx(stats.norm.isf(0.025))
    at_half, at_end = boundaries((0.25, 0.5), "pocock", 0.025, True)
    assert boundaries((0.25, 0.5, 0.5), "pocock", 0.025, True)[::2] == pytest.approx((at_half, at_end))
    assert boundaries((0.0, 0.0), "pocock", 0.025, True) == (np.inf, np.inf)


def test_a_dropped_arm_is_not_claimed():
    rule = trials.GroupSequential()
    data = made([[34, 33, 33]], [[10, 30, 12]], rule)
    gone = trials.TrialData(
        data.design, data.counts, data.sums, data.variances, active=np.array([[True, False, True]])
    )  # fmt: skip
    assert not rule.look(gone, HALF).claimed.any()


def test_the_control_is_claimed_only_if_all_arms_are_worse():
    """Arms that were dropped before, for futility or by people, need not be."""
    rule = trials.GroupSequential()
    data = made([[34, 33, 33]] * 2, [[20, 19, 2], [20, 2, 2]], rule)
    active = np.array([[True, False, True]] * 2)
    gone = trials.TrialData(data.design, data.counts, data.sums, data.variances, active=active)
    verdict = rule.look(gone, HALF)
    assert verdict.dropped.tolist() == [[False, False, True]] * 2
    assert verdict.claimed.tolist() == [[False] * 3, [True, False, False]]
    assert [rule.reasons[each] for each in verdict.reason] == ["futility", "inferiority"]


def test_futility_of_one_arm_says_nothing_of_the_control():
    """The first arm equals the control; without a limit for futility it is declared worse in 1.3 % of trials.

    A true rate of 2.5 %, what Bonferroni leaves for each arm, would fail here with a probability of 1e-5.
    """
    rule = trials.GroupSequential(futility=0.3, spending="pocock")
    design = trials.Design(
        arms=["control", "same", "worse"], patients=150, policy="uniform-random", looks=[0.25, 0.5, 0.75, 1.0],
        stopping=rule,
    )  # fmt: skip
    truth = trials.Scenario([f"bernoulli(probability={p})" for p in (0.5, 0.5, 0.2)])
    claimed = running.run(design, truth, 1, range(2_000)).claimed
    assert claimed[:, 0].mean() < 0.04


def test_group_sequential_needs_a_z():
    with pytest.raises(ParameterError, match="statistic must be an analysis with a Z such as pooled-z, got fisher"):
        trials.GroupSequential(statistic="fisher")


def test_drop_losers():
    data = made([[20, 20, 20], [20, 20, 0], [0, 20, 20]], [[9, 2, 12], [9, 2, 0], [0, 2, 2]], "drop-losers")
    for rule in (trials.DropLosers(below=0.1), trials.DropLosers(below=-1.3, statistic="pooled-z(sided='greater')")):
        verdict = rule.look(data, HALF)
        assert verdict.dropped.tolist() == [[False, True, False], [False, True, False], [False] * 3]
        assert verdict.reason.tolist() == [-1, -1, -1]
        assert not verdict.claimed.any()
    lower_is_better = trials.DropLosers(below=0.2, statistic="posterior-superiority(sided='less')")
    assert lower_is_better.look(data, HALF).dropped[0].tolist() == [False, False, True]
    left = trials.DropLosers(below=0.9).look(data, HALF)
    assert left.reason.tolist() == [0, -1, -1]
    with pytest.raises(ParameterError, match="one-sided"):
        trials.DropLosers(statistic="pooled-z")


@pytest.mark.parametrize(
    "rule",
    [
        trials.PosteriorLimits(superiority=0.98, equivalence=0.9),
        trials.DropLosers(below=-1, statistic=trials.WelchT(sided="less")),
        trials.GroupSequential(spending="pocock", statistic=trials.LogOdds()),
    ],
    ids=lambda rule: rule.name,
)
def test_rules_are_built_from_text(rule):
    assert registry.build("stopping", rule.label) == rule
    assert registry.build("stopping", rule.spec()) == rule


def one_by_one(rule, sums, counts, active):
    """The order of checks of adaptr, for a single trial."""
    active = list(np.flatnonzero(active))
    if len(active) == 1:  # ours: adaptr has no people who drop arms
        return active, None, -1
    while True:
        rates = [(sums[k] + 1.0, counts[k] - sums[k] + 1.0) for k in active]
        a, b = np.array(rates).T if rule.best == "highest" else np.array(rates).T[::-1]
        chance = posteriors.best(a[None], b[None], np.ones((1, a.size), bool))[0]
        if (chance >= rule.inferiority).all():
            break
        active = [k for k, each in zip(active, chance) if each >= rule.inferiority]
    if chance.max() > rule.superiority:
        return active, active[chance.argmax()], 0
    if posteriors.within(a[None], b[None], rule.within, np.ones((1, a.size), bool))[0] > rule.equivalence:
        return active, None, 1
    return active, None, -1


@pytest.mark.parametrize("best", ["highest", "lowest"])
def test_posterior_limits_in_the_order_of_adaptr(best):
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 400, size=(200, 4))
    sums = rng.binomial(counts, rng.normal(0.3, 0.03, size=(200, 4)).clip(0, 1))
    rule = trials.PosteriorLimits(superiority=0.95, inferiority=0.05, equivalence=0.6, within=0.1, best=best)
    data = made(counts, sums, rule)
    active = rng.uniform(size=counts.shape) < 0.8
    active[:, 0] = True
    verdict = rule.look(trials.TrialData(data.design, counts, data.sums, data.variances, active=active), HALF)
    seen = set()
    for row in range(200):
        left, claimed, reason = one_by_one(rule, sums[row], counts[row], active[row])
        assert np.flatnonzero(active[row] & ~verdict.dropped[row]).tolist() == left
        assert np.flatnonzero(verdict.claimed[row]).tolist() == ([] if claimed is None else [claimed])
        assert verdict.reason[row] == reason
        assert not (verdict.dropped[row] & ~active[row]).any()
        seen.add(reason)
    assert seen == {-1, 0, 1}


def test_the_last_arm_wins_and_is_never_dropped():
    rule = trials.PosteriorLimits(superiority=1.0, inferiority=0.9)
    verdict = rule.look(made([[20, 20, 20]], [[9, 8, 10]], rule), HALF)
    assert verdict.claimed.tolist() == [[False, False, True]]
    assert verdict.dropped.tolist() == [[True, True, False]]
    assert verdict.reason.tolist() == [0]


def test_nothing_is_decided_of_an_arm_that_people_left_alone():
    rule = trials.PosteriorLimits(superiority=0.9, equivalence=0.9)
    data = made([[20, 20, 20]], [[9, 8, 10]], rule)
    alone = trials.TrialData(
        data.design, data.counts, data.sums, data.variances, active=np.array([[True, False, False]])
    )  # fmt: skip
    verdict = rule.look(alone, HALF)
    assert not verdict.claimed.any()
    assert verdict.reason.tolist() == [-1]


def shares(chance, active):
    """Allocation by P(best), at least 0.2 for each active arm."""
    final = np.where(active, np.nan, 0.0)
    for _ in range(3):
        open_ = np.isnan(final)
        free = np.where(open_, chance, 0.0) + 1e-300
        proposed = np.where(
            open_, free / free.sum(axis=1, keepdims=True) * (1 - np.nansum(final, axis=1))[:, None], final
        )
        low = open_ & (proposed < 0.2)
        final = np.where(low, 0.2, final)
        final = np.where(low.any(axis=1)[:, None], final, proposed)
    return final / final.sum(axis=1, keepdims=True)


def test_the_trial_of_the_readme_of_adaptr():
    """1,000 trials of adaptr: superiority .048, equivalence .381, mean size 1,749.6, for three arms with rate .25.

    The bounds are four standard errors of a difference between its 1,000 trials and ours: a false alarm has a
    probability of 2e-4.
    """
    number, rng = 2000, np.random.default_rng(6)
    level = 0.9814318
    rule = trials.PosteriorLimits(
        superiority=level, inferiority=1 - level, equivalence=0.9, within=0.05, best="lowest"
    )  # fmt: skip
    looks = list(range(300, 2001, 100))
    design = trials.Design(arms=["A", "B", "C"], patients=2000, policy="uniform-random", looks=looks, stopping=rule)
    size, reason = np.full(number, 2000), np.full(number, -1)
    going = np.arange(number)
    active = np.ones((number, 3), bool)
    share = np.full((number, 3), 1 / 3)
    counts, events = np.zeros((2, number, 3), np.int64)  # known outcomes
    waiting = np.zeros((number, 3), np.int64)  # patients without outcomes
    for i, look in enumerate(looks):
        enrolled = min(look + 100, 2000)
        new = rng.multinomial(enrolled - (looks[i - 1] + 100 if i else 0), share[going])
        if i == 0:  # the first 300 of 400 patients have outcomes: a random subset, given the numbers on each arm
            arrived = rng.multivariate_hypergeometric
            known = np.stack([arrived(row, 300) for row in new])
            waiting[going] = new - known
        else:
            known = waiting[going].copy()
            waiting[going] = new
        counts[going] += known
        events[going] += rng.binomial(known, 0.25)
        data = trials.TrialData(
            design, counts[going], events[going] * 1.0, np.full(counts[going].shape, np.nan), active=active[going]
        )  # fmt: skip
        verdict = rule.look(data, trials.Look(tuple(looks[: i + 1]), 2000))
        active[going] &= ~verdict.dropped
        size[going[verdict.reason >= 0]] = enrolled
        reason[going] = verdict.reason
        going = going[verdict.reason < 0]
        a, b = events[going] + 1.0, counts[going] - events[going] + 1.0
        share[going] = shares(posteriors.best(b, a, active[going]), active[going])
    factor = 4 * np.sqrt(1 / 1000 + 1 / number)
    for expected, found in ((0.048, reason == 0), (0.381, reason == 1)):
        assert abs(found.mean() - expected) < factor * np.sqrt(expected * (1 - expected))
    assert abs(size.mean() - 1749.6) < factor * size.std()
