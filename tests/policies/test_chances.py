"""Exact allocation probabilities: as slow enumerations have them, and as often as native code decides so."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, special, stats

from primum import policies, values
from primum.errors import ParameterError
from primum.kernels import engine
from primum.kernels.contract import WORDS, Histories
from primum.kernels.native import compiling
from primum.policies import hypergeometric
from primum.policies.counts import Counts, tied
from primum.runs.part import inner_value
from tests.oracle import gittins_policies
from tests.oracle.allocation_policies import PROBABILITIES
from tests.problems import POLICIES

VALUES = [values.Mean(), values.MeanVariance(rho=1.0), values.CVaR(alpha=0.3), values.Formula("mean - std + prob(0.4)")]
OFFERED = [policy for policy in POLICIES if policy.has_chances]
PAIRS = [(policy, value) for policy in OFFERED for value in (VALUES[:1] if policy.own_value else VALUES)]
# known outcomes and decisions of each arm: the start, an arm without outcomes, equal and unequal numbers, late outcomes
STATES = [
    ((0, 0), (0, 0)),
    ((3, 0), (3, 0)),
    ((0, 0), (2, 1)),
    ((0, 4), (1, 4)),
    ((1, 1), (1, 1)),
    ((2, 1), (2, 1)),
    ((5, 5), (5, 5)),
    ((3, 7), (3, 7)),
    ((12, 6), (12, 6)),
    ((1, 12), (1, 12)),
    ((4, 4), (9, 5)),
    ((6, 9), (8, 9)),
]


def better(first, second):
    """The probability of arm 1 if the larger number wins and ties are broken at random."""
    if math.isclose(first, second, rel_tol=1e-12, abs_tol=1e-12):
        return 0.5
    return float(second > first)


def duel(samples, value):
    """All sub-samples of the larger sample, one by one."""
    small, large = sorted((0, 1), key=lambda k: len(samples[k]))
    n = len(samples[small])
    if n == len(samples[large]):
        return better(value.of(samples[0]), value.of(samples[1]))
    own = value.of(samples[small])
    outcomes = [better(own, value.of(list(part))) for part in itertools.combinations(samples[large], n)]
    wins = sum(outcome == 1.0 for outcome in outcomes) / len(outcomes)  # a tie goes to the smaller sample
    return wins if large == 1 else 1 - wins


def posterior(samples):
    """P(theta_1 > theta_0) in fractions, summing the negative binomial form of a Beta distribution function."""
    (a0, b0), (a1, b1) = [(1 + int(sum(x)), 1 + len(x) - int(sum(x))) for x in samples]

    def beta(a, b):
        return Fraction(math.factorial(a - 1) * math.factorial(b - 1), math.factorial(a + b - 1))

    terms = (beta(a0 + i, b0 + b1) / ((b1 + i) * beta(1 + i, b1) * beta(a0, b0)) for i in range(a1))
    return float(sum(terms))


def highest(p, divergence):
    """The largest q with kl(p, q) <= divergence, by bisection."""
    low, high = p, 1.0
    for _ in range(200):
        q = (low + high) / 2
        inside = special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q) <= divergence
        low, high = (q, high) if inside else (low, q)
    return 1.0 if p == 1 else low


def expected(policy, value, samples, assigned):
    """The probability of arm 1, from the definition of the policy."""
    t, n = sum(assigned) + 1, [len(x) for x in samples]
    name, parameters = policy.name, policy.spec()
    if name in PROBABILITIES:
        del parameters["name"]
        return PROBABILITIES[name](samples, assigned, 40, **parameters)[1]
    if name == "round-robin":
        return (t - 1) % 2
    if name == "thompson" and policy.prior == "beta":
        return posterior(samples)
    if name == "thompson":
        spread = math.sqrt(sum(1 / (size + 1) for size in n))
        return stats.norm.cdf((sum(samples[1]) / (n[1] + 1) - sum(samples[0]) / (n[0] + 1)) / spread)
    if name == "gittins":
        return better(*(gittins_policies.index(policy.discount, int(sum(x)), len(x)) for x in samples))
    floor = parameters["floor"] * math.log(t) if name == "besa-plus" else 1
    if 0 in n or min(assigned) < floor:
        return float(assigned[1] < assigned[0])
    if name in ("besa", "besa-plus"):
        return duel(samples, value)
    means = [sum(x) / len(x) for x in samples]
    if name == "ucb1":
        return better(*(means[k] + math.sqrt(2 * math.log(t - 1) / n[k]) for k in range(2)))
    if name == "kl-ucb":
        level = max(0.0, math.log(t) + policy.exploration * math.log(math.log(t)))
        return better(*(highest(means[k], level / n[k]) for k in range(2)))
    if name == "imed":
        q = max(means)
        kl = [special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q) for p in means]
        return better(*(-n[k] * kl[k] - math.log(n[k]) for k in range(2)))
    assert name == "epsilon-greedy"
    share = min(1.0, policy.epsilon * (2 / t) ** policy.decay)
    return share / 2 + (1 - share) * better(*map(value.of, samples))


def frequency(policy, value, samples, assigned, replications):
    """How often native code chooses arm 1 in one state."""
    histories = Histories(1, 2, 16, 40, value, policy)
    compiling.connect(histories)
    ask, tell = compiling.compiled(engine.ask), compiling.compiled(engine.tell)
    histories.begin(7, [0])
    for arm, sample in enumerate(samples):
        for i, reward in enumerate(sample):
            histories.arrays["rewards"][0, arm, i] = reward
            tell(histories.words, arm)
    ones = 0
    for replication in range(replications):
        histories.words[0, WORDS["replication"]] = replication
        histories.words[0, WORDS["step"]] = sum(assigned) + 1
        histories.arrays["assigned"][0] = assigned
        ones += ask(histories.words)
    histories.check(["0", "1"])
    return ones


@pytest.mark.parametrize(("policy", "value"), PAIRS, ids=str)
def test_chances_are_those_of_the_definition_and_of_native_decisions(policy, value):
    """Seeded; each of about 350 comparisons of frequencies fails with probability below 1e-7."""
    value = inner_value(policy, value)
    rng = np.random.default_rng(5)
    for pulls, assigned in STATES:
        table = policy.chances(Counts(assigned, pulls, 40, value))
        table = np.broadcast_to(table, (pulls[0] + 1, pulls[1] + 1))
        assert table.min() >= 0
        assert table.max() <= 1
        states = list(itertools.product(range(pulls[0] + 1), range(pulls[1] + 1)))
        chosen = [states[i] for i in rng.permutation(len(states))[:12]]
        for i, state in enumerate(chosen):
            samples = [[0.0] * (n - s) + [1.0] * s for n, s in zip(pulls, state, strict=True)]
            chance = table[state]
            assert chance == pytest.approx(expected(policy, value, samples, assigned), abs=1e-12)
            if i == 0:
                ones = frequency(policy, value, samples, assigned, 2000)
                if chance in (0, 1):
                    assert ones == 2000 * chance
                else:
                    assert stats.binomtest(ones, 2000, min(chance, 1.0)).pvalue > 1e-7


@pytest.mark.parametrize("value", VALUES, ids=str)
@pytest.mark.parametrize(("n", "size"), [(3, 4), (40, 75), (300, 710)])
def test_subsample_wins_add_up_hypergeometric_probabilities(value, n, size):
    wins = hypergeometric.subsample_wins(value, n, size)
    table = np.array([value.of([0.0] * (n - s) + [1.0] * s) for s in range(n + 1)])
    beats = (table > table[:, None]) & ~tied(table, table[:, None])
    for successes in (0, 1, size // 3, size - 1, size):
        pmf = stats.hypergeom.pmf(np.arange(n + 1), size, successes, n)
        np.testing.assert_allclose(wins[:, successes], beats @ pmf, rtol=0, atol=2e-12)


def test_samples_beyond_the_range_of_a_double(monkeypatch):
    """The other way to compute, for large samples, on small ones."""
    wins, larger = hypergeometric.subsample_wins(VALUES[1], 9, 14), hypergeometric.larger_posterior(9, 14)
    monkeypatch.setattr(hypergeometric, "LARGEST", 10)
    np.testing.assert_allclose(hypergeometric.subsample_wins(VALUES[1], 9, 14), wins, rtol=0, atol=1e-12)
    np.testing.assert_allclose(hypergeometric.larger_posterior(9, 14), larger, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("n0", "n1", "s0", "s1"), [(75, 70, 30, 33), (500, 500, 250, 240), (900, 90, 420, 50)])
def test_larger_posterior_is_the_integral(n0, n1, s0, s1):
    first, second = stats.beta(1 + s0, 1 + n0 - s0), stats.beta(1 + s1, 1 + n1 - s1)
    ends = [*first.ppf([1e-15, 0.5]).tolist(), first.isf(1e-15)]
    area = sum(
        integrate.quad(lambda x: first.pdf(x) * second.sf(x), a, b, epsabs=1e-13, epsrel=1e-12, limit=500)[0]
        for a, b in itertools.pairwise(ends)
    )
    assert hypergeometric.larger_posterior(n0, n1)[s0, s1] == pytest.approx(area, abs=1e-11)


def test_a_policy_without_chances_says_so():
    assert not policies.Npts().has_chances
    with pytest.raises(ParameterError, match="NPTS has no exact allocation probabilities"):
        policies.Npts().chances(Counts((1, 1), (1, 1), 10, values.Mean()))
