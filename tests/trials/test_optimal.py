"""Optimal designs: against slow twins, linear programming over all designs, other designs, and their own law."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats

from primum import policies, rewards, trials
from primum.errors import ParameterError, PrimumError
from primum.policies import optimal_allocation
from primum.policies.counts import Counts
from primum.policies.optimal_sweep import Programme, block_start, null_likelihood
from primum.trials.exact_law.averages import averages
from primum.trials.optimum.cutting_planes import CuttingPlanes
from primum.trials.optimum.lagrangian import Lagrangian, Multipliers
from primum.trials.optimum.question import Question
from tests.oracle import optimal_design

PRIOR = [(0.1, 0.6), (0.2, 0.7), (0.5, 0.8)]
ELEVEN = [
    (0.1, 0.3), (0.2, 0.4), (0.3, 0.5), (0.4, 0.6), (0.5, 0.7), (0.6, 0.8), (0.7, 0.9), (0.3, 0.4), (0.5, 0.6),
    (0.3, 0.6), (0.2, 0.3),
]  # fmt: skip
CASES = [("greater", 0.0), ("less", 0.3), ("two-sided", 0.0), ("two-sided", 0.2)]
NULL, COSTS = (0.05, 0.3, 0.55, 0.9), (0.2, 0.5, 0.3, 0.4)


def directed(prior, sided):
    return [pair[::-1] for pair in prior] if sided == "less" else prior


def question(patients, alpha, sided, coin, prior=PRIOR):
    return Question.checked(patients, alpha, directed(prior, sided), coin, sided)


def lower_and_higher(prior):
    return [min(pair) for pair in prior], [max(pair) for pair in prior]


def silent(gap):
    pass


@pytest.mark.parametrize(("sided", "coin"), CASES)
@pytest.mark.parametrize("patients", [1, 2, 7, 9])
def test_decisions_are_those_of_plain_dynamic_programming(patients, sided, coin):
    null = list(zip(NULL, COSTS, strict=True))
    value, of_arms = optimal_design.solved(patients, directed(PRIOR, sided), sided, coin, (1.0, 0.8), null)
    lower, higher = lower_and_higher(PRIOR)
    rule = policies.OptimalAllocation(
        patients=patients, lower=lower, higher=higher, power_weight=0.8, null=NULL, null_weights=COSTS, sided=sided,
        coin=coin,
    )  # fmt: skip
    programme = Programme(patients, lower, higher, sided, coin)
    assert programme.decide(1.0, 0.8, null_likelihood(NULL, COSTS, patients)) == pytest.approx(value, rel=1e-12)
    compared = 0
    for (n0, s0, n1, s1), (control, other) in of_arms.items():
        chance = rule.chances(Counts((n0, n1), (n0, n1), patients, None))[s0, s1]
        if not math.isclose(control, other, rel_tol=1e-12):
            assert chance == (other > control)
            compared += 1
    assert compared >= 0.8 * len(of_arms) or patients < 3


@pytest.mark.parametrize("coin", [0.0, 0.3])
def test_ends_have_the_probabilities_of_the_exact_law(coin):
    lower, higher = lower_and_higher(PRIOR)
    programme = Programme(15, lower, higher, "greater", coin)
    programme.decide(1.0, 0.8, null_likelihood(NULL, COSTS, 15))
    chances = programme.follow()
    rule = policies.OptimalAllocation(
        patients=15, lower=lower, higher=higher, power_weight=0.8, null=NULL, null_weights=COSTS, coin=coin
    )
    design = trials.Design(arms=["a", "b"], patients=15, policy=rule, coin=coin, analysis=trials.PooledZ())
    assert chances.sum() == pytest.approx(1.0, rel=1e-12)
    for end in trials.exact(design, progress=False).ends:
        first = block_start(15, end.pulls[1])
        block = chances[first : first + end.chance.size].reshape(end.chance.shape)
        assert block == pytest.approx(end.chance, abs=1e-15)


@pytest.mark.parametrize(("sided", "coin"), CASES)
@pytest.mark.parametrize(("patients", "alpha", "power"), [(5, 0.1, 0.25), (8, 0.1, 0.35)])
def test_the_least_bound_is_the_optimum_over_all_rules_and_tests(patients, alpha, power, sided, coin):
    asked = question(patients, alpha, sided, coin)
    lagrangian = Lagrangian(asked)
    planes = CuttingPlanes(lagrangian)
    programme = patients, directed(PRIOR, sided), sided, coin, alpha
    most = optimal_design.linear_programme(*programme, None, lagrangian.grid)
    found = planes.largest_power(alpha, 1e-6, silent)
    assert found.upper == pytest.approx(most, abs=2e-6)
    assert found.lower == pytest.approx(most, abs=2e-6)
    power *= most / 0.6
    best = optimal_design.linear_programme(*programme, power, lagrangian.grid)
    found = planes.largest_share(alpha, power, 1e-6, silent)
    assert found.upper == pytest.approx(best, abs=2e-6)
    assert found.lower == pytest.approx(best, abs=2e-6)


@pytest.mark.parametrize(("sided", "coin"), CASES)
def test_no_design_exceeds_the_bound_of_any_multipliers(sided, coin):
    """The designs have tests of several kinds, and the level and power of each are its own."""
    asked, rng = question(24, 0.05, sided, coin), np.random.default_rng(7)
    lagrangian = Lagrangian(asked)
    rules = [
        (policies.BesaPlus(floor=1), 3), (policies.UniformRandom(), 0), (policies.Thompson(), 0),
        (policies.PosteriorBest(exponent=0.5), 6), (policies.RoundRobin(), 0),
    ]  # fmt: skip
    tests = [trials.ConditionalExact(alpha=0.1, sided=sided), trials.PooledZ(sided=sided)]
    designs = []
    for (rule, burn_in), test in itertools.product(rules, tests):
        design = trials.Design(
            arms=["a", "b"], patients=24, policy=rule, coin=max(coin, 0.1), burn_in=burn_in, analysis=test
        )
        share, power = averages(trials.exact(design, progress=False), asked.prior, asked.sided)
        designs.append((share, power, trials.exact(design, progress=False).type_1(lagrangian.grid)))
    slack = []
    for _ in range(40):
        costs = rng.exponential(rng.choice([0.001, 0.05, 1.0]), len(lagrangian.grid))
        multipliers = Multipliers(1.0, rng.exponential(1.0), costs * rng.integers(0, 2, len(costs)))
        value, _ = lagrangian.best(multipliers)
        for share, power, errors in designs:
            slack.append(value - multipliers.power * power + multipliers.error @ errors - share)
    assert min(slack) > -1e-12
    assert min(slack) < 0.2  # so that a bound that is merely large would not pass


@pytest.fixture(scope="module")
def found():
    return trials.optimal(patients=50, alpha=0.05, power=0.5, prior=PRIOR, progress=False)


def test_a_design_keeps_to_power_and_level_close_to_the_bound(found):
    assert found.power >= 0.5
    assert found.level.value <= 0.05
    assert found.bound - 0.005 < found.share <= found.bound
    law = found.law
    assert law.type_1(np.linspace(0, 1, 2_001)).max() <= 0.05
    assert law.largest_type_1() == found.level
    p0, p1 = np.array(PRIOR).T
    assert law.reject(p0, p1).mean() == pytest.approx(found.power, abs=1e-12)
    shares = [law.patients(p0, p1)[:, 1], law.patients(p1, p0)[:, 0]]
    assert np.mean(shares) / 50 == pytest.approx(found.share, abs=1e-12)


@pytest.mark.parametrize(("sided", "coin"), CASES[1:])
def test_designs_of_all_kinds_keep_to_power_and_level(sided, coin):
    prior = directed(PRIOR, sided)
    found = trials.optimal(patients=40, alpha=0.05, power=0.35, prior=prior, sided=sided, coin=coin, progress=False)
    assert found.power >= 0.35
    assert found.level.value <= 0.05
    assert found.bound - 0.01 < found.share <= found.bound
    assert found.design.coin == found.design.policy.coin == coin
    p0, p1 = np.array(PRIOR).T
    declared = found.law.declared(p0, p1)[:, 1], found.law.declared(p1, p0)[:, 0]
    expected = {"less": declared[1], "two-sided": np.mean(declared, axis=0)}[sided]
    assert found.power == pytest.approx(expected.mean(), abs=1e-12)


@pytest.mark.parametrize(("sided", "coin"), CASES)
def test_a_small_design_does_not_exceed_linear_programming(sided, coin):
    prior = directed(PRIOR, sided)
    found = trials.optimal(patients=8, alpha=0.15, power=0.2, prior=prior, sided=sided, coin=coin, progress=False)
    grid = Lagrangian(question(8, 0.15, sided, coin)).grid
    best = optimal_design.linear_programme(8, prior, sided, coin, 0.15, 0.2, grid)
    assert found.power >= 0.2
    assert found.level.value <= 0.15
    assert found.share <= best + 1e-9
    assert best <= found.bound <= best + 3e-4
    assert found.share > best - 0.03


def test_a_design_is_made_again_from_its_spec_bit_for_bit(found):
    again = trials.Design.from_spec(json.loads(json.dumps(found.design.spec())))
    assert again == found.design
    table = again.policy.packed()[0].copy()
    optimal_allocation._tables.forget(found.design.policy)
    assert found.design.policy.packed()[0].tobytes() == table.tobytes()
    assert len(json.dumps(found.design.spec())) < 5_000  # the multipliers, and no table


def test_the_same_design_every_time(found):
    again = trials.optimal(patients=50, alpha=0.05, power=0.5, prior=PRIOR, progress=False)
    assert again == found


@pytest.mark.parametrize("coin", [0.0, 0.2])
def test_simulated_trials_agree_with_the_law(found, coin):
    """Native decisions and the coin; five standard errors of three numbers: one false alarm in 500,000 runs."""
    design, p = found.design.replace(coin=coin), (0.2, 0.6)
    law = trials.exact(design, progress=False)
    arms = [rewards.Bernoulli(each) for each in p]
    oc = trials.operate(design, {"": arms}, replications=4_000, seed=3, exact=False, progress=False).data.squeeze()
    patients, reject = oc["patients"].values, float(oc["reject"].values.ravel()[0])
    assert abs(patients[1] - law.patients(*p)[1]) < 5 * oc["patients_error"].values[1]
    assert abs(reject - law.reject(*p)) < 5 * math.sqrt(law.reject(*p) / 4_000)


def test_the_best_rule_without_power_is_better_than_any_other():
    """No weights at all: the rule with the largest share over the prior, which others cannot exceed."""
    asked = question(30, 0.05, "greater", 0.0)
    lower, higher = lower_and_higher(PRIOR)
    rules = [
        policies.OptimalAllocation(patients=30, lower=lower, higher=higher), policies.Gittins(),
        policies.Thompson(), policies.BesaPlus(), policies.UniformRandom(),
    ]  # fmt: skip
    shares = [
        averages(trials.exact(design, progress=False), asked.prior, asked.sided)[0]
        for design in (
            trials.Design(arms=["a", "b"], patients=30, policy=rule, analysis=trials.PooledZ()) for rule in rules
        )
    ]
    assert max(shares[1:]) < shares[0] < 1
    assert shares[0] > 0.8


def test_what_the_rule_does_where_it_has_no_table():
    rule = policies.OptimalAllocation(patients=10)
    late = rule.chances(Counts((5, 4), (3, 2), 10, None))
    assert np.array_equal(late, rule.chances(Counts((3, 2), (3, 2), 10, None)))
    beyond = rule.chances(Counts((6, 4), (6, 4), 20, None))
    for s0, s1 in itertools.product(range(7), range(5)):
        means = (s0 + 1) / 8, (s1 + 1) / 6
        assert beyond[s0, s1] == (0.5 if math.isclose(*means) else means[1] > means[0])


def weighted_ratio(n0, s0, n1, s1, test, *, mirrored):
    """From binomial probabilities of SciPy, whose coefficients cancel."""
    pairs = list(zip(test.lower, test.higher, strict=True))
    first, second = (1, 0) if mirrored else (0, 1)
    above = np.mean([stats.binom.pmf(s0, n0, pair[first]) * stats.binom.pmf(s1, n1, pair[second]) for pair in pairs])
    below = [stats.binom.pmf(s0, n0, p) * stats.binom.pmf(s1, n1, p) for p in test.null]
    return above / (np.dot(below, test.null_weights) / sum(test.null_weights))


@pytest.mark.parametrize("sided", ["greater", "less", "two-sided"])
def test_the_analysis_is_the_weighted_likelihood_ratio(sided):
    lower, higher = lower_and_higher(PRIOR)
    test = trials.WeightedLikelihoodRatio(
        alpha=0.07, sided=sided, lower=lower, higher=higher, null=NULL, null_weights=COSTS
    )
    design = trials.Design(arms=["a", "b"], patients=16, policy="uniform-random", analysis=test)
    law = trials.exact(design, progress=False)
    evidence, chances, totals = [], [], []
    for end in law.ends:
        data = end.data(design)
        ratios = [
            [
                weighted_ratio(int(n[0]), int(s[0]), int(n[1]), int(s[1]), test, mirrored=mirrored)
                for n, s in zip(data.counts, data.sums, strict=True)
            ]
            for mirrored in (False, True)
        ]
        larger = {"greater": ratios[0], "less": ratios[1], "two-sided": np.max(ratios, axis=0)}[sided]
        assert test.evidence(data)[:, 0] == pytest.approx(np.log1p(larger), rel=1e-9)
        different = ~np.isclose(*ratios, rtol=1e-9)
        direction = np.where(np.greater(*ratios), 1, -1)
        assert np.array_equal(test.direction(data)[different, 0], direction[different])
        evidence.append(np.asarray(larger))
        chances.append(end.chance.ravel())
        totals.append(data.sums.sum(axis=1))
    everything = np.concatenate(evidence), np.concatenate(chances), np.concatenate(totals)
    rejected = np.concatenate([each.ravel() for each in law.rejected])
    p = np.linspace(0, 1, 1_001)[:, None]

    def level(event):
        weights = (2 * p) ** everything[2][event] * (2 - 2 * p) ** (16 - everything[2][event])
        return (weights @ everything[1][event]).max()

    assert level(rejected) <= 0.07
    assert everything[0][rejected].min() > everything[0][~rejected].max()
    assert level(everything[0] >= everything[0][~rejected].max() * (1 - 1e-9)) > 0.07  # one more would be too many


def test_analyses_with_long_lists_that_begin_alike_are_told_apart():
    p = [round(0.04 * k, 2) for k in range(1, 25)]
    tests = [
        trials.WeightedLikelihoodRatio(sided="greater", null=p, null_weights=[1.0] * 20 + [last] * 4)
        for last in (1.0, 500.0)
    ]
    designs = [trials.Design(arms=["a", "b"], patients=25, policy="uniform-random", analysis=test) for test in tests]
    assert tests[0].label == tests[1].label
    powers = [trials.exact(design, progress=False).reject(0.3, 0.5) for design in designs]
    assert powers[0] != powers[1]


def test_a_ceiling_falls_and_ends_at_the_largest_power(found):
    curve = trials.ceiling(patients=50, alpha=0.05, power=[0.7, 0.3, 0.5, 0.95], prior=PRIOR, progress=False)
    assert np.isnan(curve.bound[3])
    assert curve.bound[1] >= curve.bound[2] >= curve.bound[0] >= 0.5
    assert 0.7 < curve.largest_power < 0.95
    assert curve.bound[2] == pytest.approx(found.bound, abs=1e-3)
    assert curve.bound[2] >= found.share


def test_a_power_that_no_design_has_is_refused_with_the_largest_one():
    with pytest.raises(ParameterError) as refused:
        trials.optimal(patients=30, alpha=0.05, power=0.9, prior=PRIOR, progress=False)
    largest = float(str(refused.value).split("at most ")[1].split(",")[0])
    assert refused.value.path == ("power",)
    assert 0.5 < largest < 0.9
    assert trials.optimal(patients=30, alpha=0.05, power=largest - 0.02, prior=PRIOR, progress=False).power < 0.9
    with pytest.raises(ParameterError, match="at most"):
        trials.optimal(patients=30, alpha=0.05, power=largest + 0.002, prior=PRIOR, progress=False)


GIVEN = {"patients": 20, "alpha": 0.05, "power": 0.3, "prior": PRIOR, "progress": False}


@pytest.mark.parametrize(
    ("given", "path", "says"),
    [
        ({"patients": 401}, ("patients",), "401"),
        ({"alpha": 1.0}, ("alpha",), "alpha must be in (0, 1), got 1"),
        ({"power": 0.0}, ("power",), "power must be in (0, 1), got 0"),
        ({"prior": []}, ("prior",), "prior must be a list of pairs"),
        ({"prior": 0.3}, ("prior",), "got 0.3"),
        ({"prior": [(0.3, 0.5), 0.4]}, ("prior", 1), "got 0.4 in it"),
        ({"prior": [(0.3, 0.5), (0.1, 0.2, 0.3)]}, ("prior", 1), "pairs"),
        ({"prior": [(0.3, 0.5), (0.2, 1.5)]}, ("prior[1][1]",), "must be in [0, 1], got 1.5"),
        ({"prior": [(0.3, 0.5), (0.4, 0.4)]}, ("prior", 1), "two different success probabilities"),
        ({"prior": [(0.3, 0.5), (0.4, 0.2)]}, ("prior", 1), "the other way round"),
        ({"prior": PRIOR, "sided": "less"}, ("prior", 0), "the other way round"),
        ({"sided": "upper"}, ("sided",), "upper"),
        ({"coin": 1.5}, ("coin",), "coin must be in [0, 1], got 1.5"),
        ({"coin": (0.5, 0.1)}, ("coin",), "one number"),
    ],
)
def test_what_cannot_be_asked_is_refused(given, path, says):
    with pytest.raises(ParameterError) as refused:
        trials.optimal(**GIVEN | given)
    assert refused.value.path == path
    assert says in str(refused.value)


def test_a_ceiling_needs_a_list_of_powers():
    for power in (0.3, "0.3", [], [0.3, 1.0]):
        with pytest.raises(ParameterError, match="power"):
            trials.ceiling(**GIVEN | {"power": power})


def test_a_prior_of_one_pair_is_warned_of():
    with pytest.warns(UserWarning, match="one pair alone") as warned:
        trials.optimal(patients=12, alpha=0.1, power=0.2, prior=[(0.2, 0.7)], progress=False)
    assert warned[0].filename == __file__


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: policies.OptimalAllocation(lower=[], higher=[]), "lower must have at least one number"),
        (lambda: policies.OptimalAllocation(lower=[0.1, 0.2], higher=[0.5]), "as many numbers as lower, 2, got 1"),
        (lambda: policies.OptimalAllocation(lower=[0.5], higher=[0.5]), "must exceed lower"),
        (lambda: policies.OptimalAllocation(null=[0.5]), "null_weights must have as many numbers as null, 1, got 0"),
        (lambda: trials.WeightedLikelihoodRatio(null=[0.5], null_weights=[0.0]), "must not all be 0"),
        (lambda: trials.WeightedLikelihoodRatio(null=[0.5, 0.6]), "as many numbers as null, 2, got 1"),
    ],
)
def test_parameters_that_do_not_fit_together_are_refused(make, says):
    with pytest.raises(ParameterError, match=says):
        make()


def test_a_power_that_only_randomised_tests_have_is_refused():
    """Of three patients, any deterministic region is larger than .05 for some p."""
    with pytest.raises(ParameterError, match="no single one with so few patients was found that has it; allow more"):
        trials.optimal(**GIVEN | {"patients": 3, "power": 0.05})


def test_two_arms_and_binary_outcomes_are_needed():
    rule, test = policies.OptimalAllocation(patients=20), trials.WeightedLikelihoodRatio()
    with pytest.raises(ParameterError, match="needs 2 arms, got 3"):
        trials.Design(arms=["a", "b", "c"], patients=20, policy=rule, analysis=trials.PooledZ())
    design = trials.Design(arms=["a", "b"], patients=20, policy=rule, analysis=test)
    uniform = [rewards.Uniform(0, 1), rewards.Uniform(0, 1)]
    with pytest.raises(PrimumError, match="0 and 1"):
        trials.operate(design, {"": uniform}, replications=10, seed=1, progress=False)


@pytest.mark.long
def test_the_optimum_of_148_patients():
    """The family of eleven pairs, against figures that another program found with a plain subgradient method.

    It had 75 % and 91 % of the patients on the better arm at (.3, .5) and (.5, .3), and power .741, at a largest type
    I error of .051 and without a bound.
    """
    found = trials.optimal(patients=148, alpha=0.0485, power=0.68, prior=ELEVEN, progress=False)
    assert found.bound - found.share < 0.002
    assert found.level.value <= 0.0485
    law = found.law
    assert law.patients(0.3, 0.5)[1] / 148 == pytest.approx(0.75, abs=0.01)
    assert law.patients(0.5, 0.3)[0] / 148 == pytest.approx(0.91, abs=0.01)
    assert law.reject(0.3, 0.5) == pytest.approx(0.741, abs=0.01)
