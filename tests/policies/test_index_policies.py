"""Known numbers of the policies that play the best of one number for each arm.

The tests that draw random numbers have fixed seeds; each says how often it would fail with others.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

import primum
from primum import policies, rewards, values
from primum.kernels import contract, divergences, engine
from primum.policies import ra_ucb
from tests.problems import ARMS, choices_of, oracle_choices

UNIT = st.floats(0.0, 1.0)


def played(policy, samples, horizon=0, step=None, value=None):
    """A history in which each arm has shown a sample."""
    room = max(map(len, samples))
    histories = contract.Histories(1, len(samples), room, horizon, value or values.Mean(), policy)
    histories.begin(1, [0])
    for arm, sample in enumerate(samples):
        for i, reward in enumerate(sample):
            histories.arrays["rewards"][0, arm, i] = reward
            histories.arrays["assigned"][0, arm] += 1
            engine.tell(histories, arm)
    contract.set_step(histories[0], step or sum(map(len, samples)) + 1)
    return histories[0]


def scores(policy, samples, **options):
    history = played(policy, samples, **options)
    history.stream[:] = 1, 2
    with np.errstate(over="ignore"):  # the generators count on wrapping around
        contract.choose(history)
    return history.scores.tolist()


def kl(p, q):
    return float(special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q))


@given(p=UNIT, divergence=st.floats(1e-9, 50))
def test_the_highest_mean_is_where_the_divergence_is_reached(p, divergence):
    q = divergences.highest_mean(p, divergence)
    assert p <= q <= 1
    assert q == 1 or kl(p, min(1, q + 1e-12)) >= divergence * (1 - 1e-12)
    assert q == p or kl(p, q - 1e-12) <= divergence * (1 + 1e-12)


@given(p=UNIT, q=UNIT)
def test_the_divergence_of_coins(p, q):
    assert divergences.coin_divergence(p, q) == pytest.approx(kl(p, q), rel=1e-13, abs=1e-15)


def test_kl_ucb_of_fair_coins_has_a_closed_form():
    """kl(1/2, q) = -log(4 q (1 - q)) / 2."""
    (low, fair, high) = scores(policies.KlUcb(), [[0.0] * 10, [0.0, 1.0] * 5, [1.0] * 10], step=100)
    share = math.log(100) / 10
    assert low == pytest.approx(1 - math.exp(-share), abs=1e-15)
    assert fair == pytest.approx((1 + math.sqrt(1 - math.exp(-2 * share))) / 2, abs=1e-14)
    assert high == 1
    (wider,) = scores(policies.KlUcb(exploration=3), [[0.0] * 10], step=100)
    assert wider == pytest.approx(1 - math.exp(-share - 0.3 * math.log(math.log(100))), abs=1e-15)


def test_imed_indices():
    half, third = scores(policies.Imed(), [[0.0, 1.0], [0.0, 0.0, 1.0]])
    assert half == pytest.approx(-math.log(2), abs=1e-15)
    assert third == pytest.approx(-3 * (math.log(2 / 3) / 3 + math.log(4 / 3) * 2 / 3) - math.log(3), abs=1e-15)


def test_imed_behind_a_perfect_arm():
    """Infinite indices, several of them, and arms that are equally perfect."""
    two, none = pytest.approx(-math.log(2), abs=1e-15), -math.inf
    assert scores(policies.Imed(), [[0.5], [0.5], [1.0, 1.0], [0.0]]) == [none, none, two, none]
    assert scores(policies.Imed(), [[1.0, 1.0], [1.0]]) == [two, 0.0]
    assert scores(policies.Imed(), [[0.0, 0.0], [0.0]]) == [two, 0.0]


@pytest.mark.parametrize(("alpha", "n"), [(0.1, 3), (0.1, 400), (0.9, 50), (1.0, 40), (0.35, 17), (0.02, 3000)])
def test_cvar_ucb_is_the_cvar_of_the_optimistic_law(alpha, n):
    """Its quantile at u is the reward with rank ceil((u + eps) n), or the top."""
    sample = np.random.default_rng(n).uniform(-1, 1, n)
    (index,) = scores(policies.CvarUcb(alpha=alpha, top=1.2), [sample], horizon=50)
    eps = math.sqrt(math.log(2 * 50**2) / (2 * n))
    u = (np.arange(200_000) + 0.5) / 200_000 * alpha
    rank = np.ceil((u + eps) * n).astype(int)
    assert index == pytest.approx(np.append(np.sort(sample), 1.2)[np.minimum(rank, n + 1) - 1].mean(), abs=1e-4)


def test_cvar_ucb_bounds_before_and_after():
    assert scores(policies.CvarUcb(), [[0.2, 0.3]], horizon=1000) == [1.0]
    (anytime,) = scores(policies.CvarUcb(confidence="anytime"), [[0.5] * 99])
    assert [anytime] == scores(policies.CvarUcb(), [[0.5] * 99], horizon=100)
    brown = policies.CvarUcb(alpha=0.5, top=2, bound="brown")
    (index,) = scores(brown, [[0.0, 1.0, 0.5, 0.5]], horizon=20, value=values.CVaR(0.5))
    assert index == pytest.approx(0.25 + 4 * math.sqrt(math.log(20) / 4))
    assert brown.reward_bounds == (0.0, 2.0)


def by_convex_optimisation(sample, divergence):
    """The largest mean of a law on the sample's points and 1 within a divergence of that of the sample."""
    points, counts = np.unique([*sample, 1.0], return_counts=True)
    p = counts / len(sample)
    p[-1] = (counts[-1] - 1) / len(sample)  # without the 1 that we added

    def spare(q):
        return divergence - np.sum(special.rel_entr(p, q))

    even = {"type": "eq", "fun": lambda q: q.sum() - 1}
    near = {"type": "ineq", "fun": spare}
    start, bounds = (p + 1e-3) / np.sum(p + 1e-3), [(1e-12, 1)] * points.size
    q = optimize.minimize(
        lambda q: -q @ points, start, jac=lambda q: -points, bounds=bounds, constraints=[even, near],
        method="SLSQP", options={"maxiter": 1000, "ftol": 1e-13},
    ).x  # fmt: skip
    assert abs(q.sum() - 1) < 1e-9
    assert spare(q) > -1e-9
    return q @ points


def exact(history, arm, divergence, theta):
    low, high = ra_ucb.harm_bounds(history, arm, divergence)
    return low if low == high else ra_ucb.lowest_mean_harm(history, arm, divergence, theta)


SAMPLES = {
    "one reward": [0.3],
    "no top seen": [0.1, 0.5, 0.5, 0.7],
    "top seen": [0.1, 0.4, 1.0, 0.9, 1.0],
    "coins": [0.0, 1.0, 1.0],
    "narrow": [0.45, 0.5, 0.5, 0.55, 0.6, 0.52],
    "wide": np.linspace(0.0, 0.97, 12).tolist(),
}


@pytest.mark.parametrize("theta", [0.01, 1.0, 6.0])
@pytest.mark.parametrize("divergence", [0.02, 0.3, 1.5])
@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_ra_ucb_bound_is_that_of_convex_optimisation(sample, divergence, theta):
    history = played(policies.RaUcb(theta=theta), [sample])
    ra_ucb.count_harms(history, 0, theta)
    expected = 1 - by_convex_optimisation([math.expm1(-theta * x) / math.expm1(-theta) for x in sample], divergence)
    found = exact(history, 0, divergence, theta)
    assert found == pytest.approx(expected, abs=2e-6)
    assert found == pytest.approx(exact(history, 0, divergence, theta), abs=1e-14)  # from where it left off
    mean = history.memory[0, ra_ucb.SUM] / len(sample)
    assert divergences.lowest_mean(mean, divergence) <= found + 1e-12  # coins differ the least


def test_mass_on_an_unseen_top_is_needed_for_few_rewards_only():
    """At theta near 0 harms are 1 - x; at shift 0 the bound is a geometric mean times exp(-divergence)."""
    history = played(policies.RaUcb(theta=1e-9), [[0.1, 0.5]])
    ra_ucb.count_harms(history, 0, 1e-9)
    assert exact(history, 0, 0.5, 1e-9) == pytest.approx(math.sqrt(0.9 * 0.5) * math.exp(-0.5), rel=1e-8)
    assert history.memory[0, ra_ucb.SHIFT] == 0
    exact(history, 0, 0.01, 1e-9)
    assert history.memory[0, ra_ucb.SHIFT] > 0


@given(
    sample=st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]) | UNIT, min_size=2, max_size=20),
    before=st.floats(0.01, 3),
    after=st.floats(0.01, 3),
    theta=st.sampled_from([0.1, 1.0, 5.0]),
)
def test_what_is_remembered_gives_bounds_on_the_exact_number(sample, before, after, theta):
    policy = policies.RaUcb(theta=theta)
    history = played(policy, [sample])
    history.pulls[0] = len(sample) // 2
    ra_ucb.count_harms(history, 0, theta)
    exact(history, 0, before, theta)
    history.pulls[0] = len(sample)
    ra_ucb.count_harms(history, 0, theta)
    low, high = ra_ucb.harm_bounds(history, 0, after)
    fresh = played(policy, [sample])
    ra_ucb.count_harms(fresh, 0, theta)
    known = exact(fresh, 0, after, theta)
    assert low - 1e-12 <= known <= high + 1e-12
    assert exact(history, 0, after, theta) == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("arms", [[4, 4], [4, 6, 2]], ids=["equal", "mixed"])
def test_ra_ucb_decides_as_its_twin_when_it_has_much_to_remember(arms):
    problem = primum.Problem({f"arm {i}": ARMS[arm] for i, arm in enumerate(arms)}, "mean")
    results = primum.simulate(
        problem, ["ra-ucb"], horizon=150, replications=1, seed=3, steps="all", threads=1, progress=False
    )
    assert choices_of(results.pulls.values[0, 0]) == oracle_choices(problem, policies.RaUcb(), 150, 3, 0)


@pytest.mark.parametrize("divergence", ["empirical", "bernoulli"])
def test_ra_ucb_is_a_confidence_bound_on_the_entropic_value(divergence):
    """Cappé et al., 2013: it misses with probability at most e (n + 2) exp(-level), here 6 in 100; of 1,000
    it misses about one, so a false alarm would take 60."""
    n, level, theta, runs = 20, math.log(1000), 2.0, 1000
    truth = -math.log(-math.expm1(-theta) / theta) / theta  # of uniform rewards
    misses = 0
    for sample in np.random.default_rng(8).random((runs, n)):
        history = played(policies.RaUcb(theta=theta), [sample])
        ra_ucb.count_harms(history, 0, theta)
        if divergence == "bernoulli":
            bound = divergences.lowest_mean(history.memory[0, ra_ucb.SUM] / n, level / n)
        else:
            bound = exact(history, 0, level / n, theta)
        misses += ra_ucb.entropic_value(bound, theta) < truth
    assert misses <= math.e * (n + 2) * math.exp(-level) * runs


@pytest.mark.parametrize("rho", [0.0, 2.0])
def test_mvts_draws_have_the_moments_of_the_posterior(rho):
    """Normal theta, inverse gamma variance. 5 standard errors: a false alarm in 1.7 million for each of 4."""
    sample = np.random.default_rng(1).normal(3.0, 2.0, 30)
    history = played(policies.Mvts(rho=rho), [sample])
    alpha, beta = 0.5 + 15, 0.5 + 15 * sample.var()
    draws = []
    with np.errstate(over="ignore"):
        for state in np.random.default_rng(2).integers(0, 2**64, (5_000, 2), np.uint64):
            history.stream[:] = state
            contract.choose(history)
            draws.append(history.scores[0])
    mean = sample.mean() - rho * beta / (alpha - 1)
    variance = 1 / 30 + (rho * beta / (alpha - 1)) ** 2 / (alpha - 2)
    assert abs(np.mean(draws) - mean) < 5 * math.sqrt(variance / 5_000)
    squares = (np.array(draws) - mean) ** 2
    assert abs(squares.mean() - variance) < 5 * squares.std() / math.sqrt(5_000)


def test_min_is_the_limit_of_marab():
    problem = primum.Problem({"a": rewards.Uniform(0, 1), "b": ARMS[5], "c": ARMS[6]}, "mean")
    marab = policies.Marab(alpha=1e-10, penalty=0.0)
    results = primum.simulate(
        problem, [policies.Min(), marab], horizon=100, replications=50, seed=4, threads=1, progress=False
    )
    assert (results.pulls.values[0] == results.pulls.values[1]).all()


def test_divergences_beat_ucb1_on_coins():
    """Regret less than UCB1's by 5 standard errors and more: the gap is some 60, so a false alarm is out of reach."""
    problem = primum.Problem({"a": rewards.Bernoulli(0.1), "b": rewards.Bernoulli(0.2)}, "mean")
    players = ["ucb1", "kl-ucb", "imed", "ra-ucb(theta=0.01)"]
    results = primum.simulate(problem, players, horizon=1000, replications=1000, seed=6, threads=1, progress=False)
    regret = results.regret.values[:, :, -1]
    for gain in regret[0] - regret[1:]:
        assert gain.mean() > 5 * gain.std(ddof=1) / math.sqrt(gain.size)
