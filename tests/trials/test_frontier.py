"""Frontiers: shares and powers, exact and simulated, what dominates what, and that no design lies above the ceiling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from primum import policies, rewards, trials
from primum.errors import ParameterError, PrimumError
from primum.store import Store
from primum.trials.exact_law.averages import mean_share
from primum.trials.frontiers.points import _simulated, point
from tests.stopping import StoppedAtOnce

EFFECT = trials.Scenario([rewards.Bernoulli(0.3), rewards.Bernoulli(0.7)])


def design_of(patients=30, **options):
    parts = {"policy": "thompson", "analysis": trials.ConditionalExact(sided="greater")}
    return trials.Design(**{"arms": ["control", "new"], "patients": patients} | parts | options)


def frontier(design=None, scenario=EFFECT, **options):
    few = {"policies": ["thompson", "uniform-random"], "coins": [0.0, 0.5], "burn_ins": [0], "with_ceiling": False}
    return trials.frontier(design or design_of(), scenario, progress=False, **few | options)


def test_points_are_those_of_the_exact_law():
    found = frontier(burn_ins=[0, 4])
    assert [each.name for each in found.points] == [
        "Thompson sampling", "Thompson sampling, burn-in 4", "Thompson sampling, coin 0.5",
        "Thompson sampling, burn-in 4, coin 0.5", "Uniform random",
    ]  # fmt: skip
    for each in found.points:
        law = trials.exact(each.design, progress=False)
        there, mirrored = law.patients(0.3, 0.7)[1], law.patients(0.7, 0.3)[0]
        assert each.share == pytest.approx((there + mirrored) / 60)
        assert each.power == pytest.approx(law.reject(0.3, 0.7))
        assert (each.share_error, each.power_error) == (0, 0)
        assert each.type_1 == law.largest_type_1().value <= 0.05


def test_exact_points_are_those_of_simulation():
    """1,000 trials; 4.5 standard errors in 4 comparisons: a false alarm in 30,000."""
    rule = trials.GroupSequential(alpha=0.05, sided="greater")
    for options in ({"coin": 0.3}, {"policy": "uniform-random", "looks": [0.5], "stopping": rule, "analysis": None}):
        exactly = point(design_of(24, **options), EFFECT, [(0.3, 0.7)], 2, 0, None)
        found = _simulated(exactly.design, EFFECT, 1_000, 3, None)
        assert abs(exactly.power - found.power) <= 4.5 * found.power_error
        share = mean_share(trials.exact(exactly.design, progress=False), np.array([0.3]), np.array([0.7]), 1)
        assert abs(share - found.share) <= 4.5 * found.share_error


def test_patients_whom_an_early_stop_leaves_get_the_winner():
    rule = trials.GroupSequential(alpha=0.3, sided="greater", spending="pocock")
    design = design_of(20, policy="uniform-random", looks=[10], stopping=rule, analysis=None)
    scenario = trials.Scenario([rewards.Bernoulli(0.0), rewards.Bernoulli(1.0)])
    found = point(design, scenario, [(0.0, 1.0)], 2, 0, None)
    stopped = trials.exact(found.design, progress=False).of_sizes(0.0, 1.0, lambda end: float(end.patients < 20))
    # ten of twenty by a fair coin, and the other ten all on the winner, or by a fair coin if the trial went on; in the
    # mirror image the other arm is never declared better
    mirrored = 10 * 0.5 + 10 * 0.5
    assert stopped > 0.9
    assert found.share == pytest.approx((10 * 0.5 + 10 * (stopped + (1 - stopped) * 0.5) + mirrored) / 40, abs=0.03)


@pytest.mark.parametrize(
    ("arms", "options"),
    [
        ([rewards.Beta(2.0, 4.0), rewards.Beta(4.0, 2.0)], {"analysis": trials.WelchT(sided="greater")}),
        ([rewards.Bernoulli(0.2), rewards.Bernoulli(0.2), rewards.Bernoulli(0.9)], {"arms": ["control", "a", "b"]}),
        ([rewards.Bernoulli(0.3), rewards.Bernoulli(0.8)], {"delay": trials.after_time(rewards.Constant(4.0))}),
    ],
    ids=["numeric", "three arms", "delay"],
)
def test_what_has_no_exact_law_is_simulated(arms, options):
    design = design_of(40, **{"analysis": trials.PooledZ(sided="greater")} | options)
    found = frontier(design, arms, coins=[0.5], replications=60, seed=1)
    assert not found.failed
    assert found.ceiling is None
    assert all(np.isnan(each.type_1) for each in found.points)
    assert min(each.share_error for each in found.points) > 0
    (equal,) = (each for each in found.points if each.design.policy.name == "uniform-random")
    assert abs(equal.share - 1 / len(arms)) <= 4.5 * equal.share_error
    assert {each.design.test.name for each in found.points} <= {"randomisation-test", "label-betting"}
    assert max(each.power for each in found.points) > 0.3


def test_dominated_designs_and_the_best_of_the_others():
    found = frontier(burn_ins=[0, 4])
    numbers = [(each.share, each.power) for each in found.points]
    for own, worse in zip(numbers, found.dominated(), strict=True):
        better = [other for other in numbers if other != own and other[0] >= own[0] and other[1] >= own[1]]
        assert worse == bool(better)
    best = found.most_helped(0.4)
    assert best.power >= 0.4
    assert best.share == max(each.share for each in found.points if each.power >= 0.4)
    with pytest.raises(PrimumError, match=r"no design has a power of 0.99; .* has the largest, 0\.\d+"):
        found.most_helped(0.99)
    with pytest.raises(ParameterError, match="power must be in"):
        found.most_helped(80)


def test_the_cheapest_design_has_the_power_and_a_valid_test():
    found = frontier()
    size = found.cheapest(0.8, progress=False)
    law = trials.exact(size.design, progress=False)
    assert law.reject(0.3, 0.7) == pytest.approx(size.power)
    assert size.power >= 0.8
    assert law.largest_type_1().value <= 0.05
    for each in found.points:
        smaller = each.design.resized(int(size) - 3)
        assert trials.exact(smaller, progress=False).reject(0.3, 0.7) < 0.8


CEILINGS = {}


@settings(max_examples=25)
@given(
    policy=st.sampled_from(
        [
            "thompson",
            "besa-plus(floor=2)",
            "gittins",
            "ucb1",
            "round-robin",
            "randomised-play-the-winner",
            "uniform-random",
        ]
    ),
    coin=st.sampled_from([0.0, 0.2, (0.9, 0.0)]),
    burn_in=st.integers(0, 8),
    looks=st.sampled_from([(), (0.4,), (0.3, 0.7)]),
    pair=st.sampled_from([(0.3, 0.7), (0.05, 0.4)]),
    sided=st.sampled_from(["greater", "two-sided"]),
)
def test_no_design_lies_above_the_ceiling(policy, coin, burn_in, looks, pair, sided):
    if (pair, sided) not in CEILINGS:
        with pytest.warns(UserWarning, match="one pair alone"):
            CEILINGS[pair, sided] = trials.ceiling(
                patients=24, alpha=0.05, power=[0.1, 0.5], prior=[pair], sided=sided, progress=False
            )
    limit = CEILINGS[pair, sided]
    options = {"analysis": trials.ConditionalExact(sided=sided)}
    if looks:
        rule = trials.GroupSequential(alpha=0.05, sided=sided)
        options = {"looks": looks, "stopping": rule, "analysis": None}
    design = design_of(24, policy=policy, coin=coin, burn_in=burn_in, **options)
    scenario = trials.Scenario([rewards.Bernoulli(p) for p in pair])
    found = point(design, scenario, [pair], 2, 0, None)
    assert found.power <= limit.largest_power + 1e-9
    assert found.share <= limit.at(found.power) + 1e-9


def test_a_frontier_with_its_ceiling_over_a_prior():
    prior = [(0.2, 0.5), (0.4, 0.8)]
    found = frontier(with_ceiling=True, prior=prior)
    assert found.prior == tuple(prior)
    for each in found.points:
        assert each.share <= found.ceiling.at(each.power) + 1e-9
        law = trials.exact(each.design, progress=False)
        assert each.power == pytest.approx(law.reject([0.2, 0.4], [0.5, 0.8]).mean())
    bounds = found.ceiling.at(np.linspace(0.05, 0.7, 8))
    assert (np.diff(bounds) <= 1e-12).all()


def test_a_store_keeps_what_was_computed(tmp_path):
    store, design = Store(tmp_path), design_of()
    first = frontier(design, store=store)
    assert frontier(design, store=store).table().equals(first.table())
    key_count = sum(path.is_file() for path in tmp_path.rglob("*"))
    assert key_count == len(first.points)
    with pytest.raises(KeyboardInterrupt):
        trials.frontier(design_of(31), EFFECT, store=store, progress=StoppedAtOnce())


def test_the_figure_and_the_table():
    found = frontier(with_ceiling=True)
    table = found.table()
    assert table["power"].is_monotonic_decreasing
    assert set(table["design"]) == {each.name for each in found.points}
    data = found.picture().data()
    assert data["x"].sizes["point"] == len(found.points)
    assert found.figure().axes[0].get_xlabel() == "Share of patients on the best arm"
    page = found.figure(interactive=True)
    assert any("coin 0.5" in str(trace.customdata) for trace in page.data)


@pytest.mark.parametrize(
    ("arms", "options", "sentence"),
    [
        ([0.7, 0.3], {}, "needs a scenario in which another arm is better than the control, got Bernoulli"),
        ([0.5, 0.5], {}, "needs a scenario in which another arm is better than the control"),
        ([0.3, 0.7], {"analysis": trials.PooledZ(sided="less")}, "use sided='greater' or 'two-sided'"),
    ],
)
def test_what_has_no_frontier_is_refused(arms, options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        frontier(design_of(**options), [rewards.Bernoulli(p) for p in arms])


def test_a_policy_that_does_not_fit_is_refused_if_it_was_asked_for_and_left_out_otherwise():
    numeric = [rewards.Uniform(0.0, 3.0), rewards.Uniform(1.0, 4.0)]
    design = design_of(20, policy="besa-plus", analysis="welch-t")
    with pytest.raises(ParameterError, match="Thompson sampling needs outcomes in"):
        frontier(design, numeric, policies=[policies.Thompson()])
    found = frontier(design, numeric, policies=None, coins=[0.5], replications=4)
    assert {each.design.policy.name for each in found.points} == {"besa-plus", "uniform-random"}
