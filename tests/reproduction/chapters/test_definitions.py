"""The chapter on definitions and theorems: rules on made-up evidence, and evidence against slow and exact numbers."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, optimize

from primum import rewards, values
from reproduction.chapters import definitions
from reproduction.chapters.definitions import evidence as computed
from reproduction.chapters.definitions import rules
from reproduction.chapters.definitions.evidence import Behaviour, Beta, LowerBound, PrintedCVaR, SharedDuels, Switching
from reproduction.claims import CLAIMS
from reproduction.judgement import FAILS, HOLDS, IN_PART, verdict
from reproduction.report import Figure, Table
from reproduction.scale import FULL, QUICK


def lower_bound(slope, claimed=0.0):
    """A regret that grows like T to the slope, and a claim of e^claimed."""
    n = np.arange(2, 401)
    return LowerBound(0.4, 0.0, n, slope * n, np.full(n.size, float(claimed)), None)


STEADY, GROWING = {100: 2.0, 400: 2.0}, {100: 11.0, 400: 21.0}
CALM, WILD = lower_bound(0.01, claimed=9), lower_bound(0.5)
RIGHT, WRONG, IMPOSSIBLE = PrintedCVaR(0.1, 0.2, 0.2), PrintedCVaR(0.1, 0.3, 0.2), PrintedCVaR(0.0, math.nan, 0.2)
ALONE, SHARED = SharedDuels(3, 1, 0.3), SharedDuels(3, 12, 0.3)

MADE_UP = [
    (3, rules.switching, (Switching((0.6, 0.3), 0.1, 0.0),), HOLDS),
    (3, rules.switching, (Switching((0.6, 0.3), 0.0, 0.0),), IN_PART),
    (3, rules.switching, (Switching((0.6, 0.3), 0.1, 0.1),), IN_PART),
    (3, rules.switching, (Switching((0.6, 0.3), 0.0, 0.1),), FAILS),
    *(
        (claim, rules.well_behaved, (Behaviour(bias, changes), "bias"), said)
        for claim in (4, 5, 6)
        for bias, changes, said in (
            (0.0, STEADY, HOLDS),
            (0.01, STEADY, FAILS),
            (0.0, GROWING, FAILS),
            (0.01, GROWING, FAILS),
        )
    ),
    (10, rules.theorem_1, ({0.4: CALM, 0.3: CALM},), HOLDS),
    (10, rules.theorem_1, ({0.4: CALM, 0.3: WILD},), FAILS),
    (10, rules.theorem_1, ({0.4: lower_bound(0.5, claimed=1e3)},), FAILS),  # it grows, but the bound is beyond e^400
    (10, rules.theorem_1, ({0.4: WILD, 0.3: WILD},), FAILS),
    (11, rules.theorem_2, ({0.4: CALM, 0.3: CALM},), HOLDS),
    (11, rules.theorem_2, ({0.4: CALM, 0.3: WILD},), FAILS),
    (17, rules.printed_cvar, ({"mixture": RIGHT, "Bernoulli 0.5": RIGHT, "Bernoulli 0.95": RIGHT},), HOLDS),
    (17, rules.printed_cvar, ({"mixture": RIGHT, "Bernoulli 0.5": IMPOSSIBLE, "Bernoulli 0.95": RIGHT},), IN_PART),
    (17, rules.printed_cvar, ({"mixture": WRONG, "Bernoulli 0.5": IMPOSSIBLE, "Bernoulli 0.95": WRONG},), FAILS),
    (27, rules.product_of_probabilities, ((ALONE, ALONE),), HOLDS),
    (27, rules.product_of_probabilities, ((ALONE, SHARED),), FAILS),
    (27, rules.product_of_probabilities, ((SHARED, SHARED),), FAILS),
    (28, rules.lemma_1, (1.5,), HOLDS),
    (28, rules.lemma_1, (1.0,), FAILS),
    (29, rules.lemma_2, ({1.0: (Beta(10, 3.0, 9.0), Beta(100, 4.0, 18.0))},), HOLDS),
    (29, rules.lemma_2, ({1.0: (Beta(10, 3.0, 9.0), Beta(100, 12.0, 18.0))},), FAILS),
    (29, rules.lemma_2, ({1.0: (Beta(10, 3.0, 2.0), Beta(100, 4.0, 18.0))},), FAILS),
    (30, rules.bounded_differences, ({1.0: {2: 1.5}, 2.0: {2: 2.0}},), HOLDS),
    (30, rules.bounded_differences, ({1.0: {2: 1.5}, 2.0: {2: 2.0, 3: 2.1}},), FAILS),
]


@pytest.mark.parametrize(("claim", "rule", "made_up", "said"), MADE_UP)
def test_the_rule_of_each_claim(claim, rule, made_up, said):
    assert verdict(rule(*made_up), CLAIMS[claim].together) == said


def test_every_claim_can_be_judged_both_ways(chapter):
    for judgement in chapter.judgements:
        claim = judgement.claim.number
        assert {said for other, *_, said in MADE_UP if other == claim} >= {HOLDS, FAILS}


@pytest.fixture(scope="module")
def evidence():
    return computed.compute()


@pytest.fixture(scope="module")
def chapter():
    return definitions.chapter({}, QUICK)


def test_the_verdicts_that_theory_proves(chapter):
    found = {judgement.claim.number: judgement.verdict for judgement in chapter.judgements}
    assert found == {
        3: HOLDS,
        4: HOLDS,
        5: FAILS,
        6: FAILS,
        10: FAILS,
        11: FAILS,
        17: IN_PART,
        27: FAILS,
        28: HOLDS,
        29: HOLDS,
        30: FAILS,
    }
    assert not any(part.outcome == "open" for judgement in chapter.judgements for part in judgement.parts)


def test_the_chapter_is_whole(chapter):
    assert definitions.experiments(FULL) == {}
    names = [figure.name for figure in chapter.figures]
    assert len(set(names)) == len(names)
    for judgement in chapter.judgements:
        assert set(judgement.evidence) <= set(names)
        assert "nan" not in judgement.note
        assert judgement.replications == 0
    for figure in chapter.figures:
        if isinstance(figure, Table):
            assert {len(row) for row in figure.rows} == {len(figure.header)}
            assert "nan" not in str(figure.rows)


def test_the_chapter_draws(chapter):
    figures = [figure for figure in chapter.figures if isinstance(figure, Figure)]
    assert [figure.name for figure in figures] == ["sure-regret", "changes", "gamma"]
    for figure in figures:
        figure.picture.static()
        figure.picture.interactive()
        drawn = figure.picture.data()
        assert np.isfinite(drawn["middle"].values).any()


def test_numbers_in_the_text_follow_the_evidence(chapter, evidence, monkeypatch):
    violation = evidence.lower_bounds[0.4].violation
    note = next(judgement.note for judgement in chapter.judgements if judgement.claim is CLAIMS[10])
    assert f"e^{violation} (r = 0.4)" in note
    other = replace(
        evidence,
        lower_bounds={r: replace(one, violation=one.violation + 1) for r, one in evidence.lower_bounds.items()},
    )
    monkeypatch.setattr(definitions, "compute", lambda: other)
    changed = definitions.chapter({}, QUICK)
    note = next(judgement.note for judgement in changed.judgements if judgement.claim is CLAIMS[10])
    assert f"e^{violation} (r = 0.4)" not in note
    assert f"e^{other.lower_bounds[0.4].violation} (r = 0.4)" in note


def test_where_no_bound_is_passed_none_is_told(evidence, monkeypatch):
    never = {r: replace(one, violation=None) for r, one in evidence.lower_bounds.items()}
    monkeypatch.setattr(definitions, "compute", lambda: replace(evidence, lower_bounds=never))
    changed = definitions.chapter({}, QUICK)
    table = next(figure for figure in changed.figures if figure.name == "sure-exponents")
    assert {row[-1] for row in table.rows} == {"none"}
    note = next(judgement.note for judgement in changed.judgements if judgement.claim is CLAIMS[10])
    assert "never exceeds" in note


def test_switching_costs_a_quarter_of_the_squared_difference(evidence):
    """Stream variance = mean of the variances + 1/2 sum of w_i w_j (mu_i - mu_j)^2."""
    found = evidence.switching
    assert found.sani == pytest.approx((found.means[0] - found.means[1]) ** 2 / 4)
    rng = np.random.default_rng(0)
    stream = np.where(np.arange(10**6) % 2, 1.0 * (rng.random(10**6) < 0.6), 0.36)
    assert 0.36 - (stream.mean() - stream.var()) == pytest.approx(found.sani, abs=0.003)  # 5 standard errors or more


@pytest.mark.parametrize("rho", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("kind", ["unbiased", "biased"])
def test_largest_changes_are_those_of_the_formulas(evidence, rho, kind):
    for n, change in evidence.changes[rho, kind].items():
        assert change == pytest.approx(1 + rho * (1 if kind == "unbiased" else 1 - 1 / n), rel=1e-9)


def test_largest_changes_of_the_others(evidence):
    for n, change in evidence.mean_std.changes.items():
        assert change == pytest.approx(1 + math.sqrt(n), rel=1e-9)
    for n, change in evidence.cvar.changes.items():
        assert change == pytest.approx(min(n, 10), rel=1e-9)


@pytest.mark.parametrize("estimator", [values.MeanVariance(1.0).of, values.MeanStd(1.0).of, values.CVaR(0.1).of])
@pytest.mark.parametrize("n", [3, 10])
def test_no_sample_changes_more_than_the_largest(estimator, n):
    largest = computed.largest_changes(estimator)[n]
    rng = np.random.default_rng(n)
    for _ in range(500):
        rest = rng.choice([0.0, 1.0, rng.random()], n - 1) if rng.random() < 0.5 else rng.random(n - 1)
        two = [estimator(np.append(rest, x)) for x in (rng.choice([0.0, 1.0, rng.random()]), rng.random())]
        assert n * abs(two[0] - two[1]) <= largest * (1 + 1e-9)


def smallest_bias_by_programme(truth, n):
    """The smallest largest bias of any statistic of n Bernoulli trials on a fine grid of p, by linear programming."""
    p = np.linspace(0, 1, 401)
    chances = np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]).T
    ones = np.ones((p.size, 1))
    found = optimize.linprog(
        np.append(np.zeros(n + 1), 1.0),
        A_ub=np.block([[chances, -ones], [-chances, -ones]]),
        b_ub=np.concatenate([truth(p), -truth(p)]),
        bounds=[(None, None)] * (n + 1) + [(0, None)],
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize("n", [3, 5, 8])
@pytest.mark.parametrize(
    ("value", "truth"),
    [
        (values.MeanStd(1.0), lambda p: p - np.sqrt(p * (1 - p))),
        (values.CVaR(0.1), lambda p: np.maximum(0.0, (p - 0.9) / 0.1)),
    ],
)
def test_no_statistic_of_bernoulli_trials_has_a_smaller_bias(value, truth, n):
    bound, best = computed.smallest_bias(value, n), smallest_bias_by_programme(truth, n)
    assert best / 10 < bound <= best * 1.001  # the grid of the programme may miss a little


@pytest.mark.parametrize("n", [2, 5, 20])
def test_what_has_an_unbiased_estimator_passes(n):
    for value in (values.Mean(), values.MeanVariance(2.0), values.MeanGini(1.0)):
        assert computed.smallest_bias(value, n) < 1e-12


def test_bernoulli_bias_finds_a_bias():
    assert computed.bernoulli_bias(values.MeanVariance(1.0)) < 1e-12
    expected = sum(  # of the lowest of two Bernoulli trials, minus a CVaR of 0
        (0.75 if one else 0.25) * (0.75 if two else 0.25) * min(one, two)
        for one, two in itertools.product((0, 1), repeat=2)
    )
    assert computed.bernoulli_bias(values.CVaR(0.1)) >= expected == pytest.approx(0.5625)


def test_cvar_as_printed(evidence):
    arm = rewards.paper_mixture(arms=1)["arm 1"]
    mean = integrate.quad(lambda u: float(arm.quantile(np.array([u]))[0]), 0, 0.1)[0] / 0.1
    assert evidence.printed_cvars["mixture"].number == pytest.approx(mean, rel=1e-6)
    assert evidence.printed_cvars["Bernoulli 0.5"].probability == 0
    assert evidence.printed_cvars["Bernoulli 0.95"].number == 0
    assert evidence.printed_cvars["Bernoulli 0.95"].cvar == pytest.approx(0.5)
    die = rewards.Discrete((0.0, 0.2, 1.0), (0.05, 0.05, 0.9))  # no reward straddles the level
    found = computed.printed_cvar(die, 0.1)
    assert found.number == pytest.approx(found.cvar) == pytest.approx(0.1)


def test_intervals_are_those_of_the_floor(evidence):
    """Played out: the pulls of an arm that loses every duel."""
    pulls, duels = [1, 1], {}
    for t in range(3, 1097):
        if pulls[1] < math.log(t):
            pulls[1] += 1
        else:
            if pulls[0] >= math.log(t):
                duels[pulls[1]] = duels.get(pulls[1], 0) + 1
            pulls[0] += 1
    assert {one.observations: one.duels for one in evidence.shared_duels} == {j: duels[j] for j in range(3, 8)}


def test_single_probabilities_are_exact(evidence):
    for one in evidence.shared_duels:
        n, top = one.observations, Fraction(2, 5) * one.observations
        exact = sum((-1) ** k * math.comb(n, k) * max(Fraction(0), top - k) ** n for k in range(n)) / math.factorial(n)
        assert one.single == pytest.approx(float(exact), rel=1e-5)
        assert one.log10_ratio == pytest.approx(math.log10(one.single) - one.duels * math.log10(one.single))


def test_beta_term_by_term(evidence):
    for one in evidence.betas[1.0][:2]:
        log = math.log(one.horizon)
        kappa, c = 1 / 64, math.exp(0.25) / (1 - math.exp(-0.75))
        begin = max(log * 64, 16)
        total = 0.0
        for t in range(2, one.horizon + 1):
            if t >= begin and t >= 48 * math.log(t):
                total += c * math.exp(-kappa * t / math.log(t)) * (1 - math.exp(-t / 4))
        assert one.beta == pytest.approx(total, rel=1e-9)
        assert one.printed == pytest.approx(
            c * 64 * (log / math.e * (1 - 1 / one.horizon) / (1 - 1 / math.e) + log + math.log(2) + 1)
        )


def test_sure_regret(evidence):
    for r, one in evidence.lower_bounds.items():
        assert one.exponent() == pytest.approx(1 - one.rate - 1.5 * math.log(2) / 40, abs=0.01)
        assert one.exponent(200, 400) == pytest.approx(1 - one.rate - 1.5 * math.log(2) / 200, abs=0.001)
        assert one.log_regret[one.violation - 2] > one.log_claimed[one.violation - 2]
        assert one.log_regret[one.violation - 3] <= one.log_claimed[one.violation - 3]
        assert r == one.r


def test_beta_depends_on_the_ratio_alone():
    assert computed.betas(0.5, 1.0) == computed.betas(1.0, 2.0)


def test_what_the_appendix_does_not_say_decides_nothing(chapter):
    judgement = next(judgement for judgement in chapter.judgements if judgement.claim is CLAIMS[30])
    assert len(judgement.parts) == len(computed.RHOS)
    ((_, parts),) = judgement.other_conditions.items()
    assert [part.effect for part in parts] == pytest.approx([1 + rho for rho in computed.RHOS])
