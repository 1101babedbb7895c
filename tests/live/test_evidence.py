"""The evidence so far in a live trial: what the statistician sees, and that the export is enough to compute it."""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from itertools import combinations

import numpy as np
import pandas
import pytest

from primum import policies, trials, values
from primum.live import views

BESA_PLUS = policies.BesaPlus(floor=2)


def design_of(**options):
    usual = {
        "arms": ["control", "new"],
        "patients": 60,
        "policy": policies.BesaPlus(floor=2),
        "coin": 0.4,
        "burn_in": 3,
    }
    if "stopping" not in options:
        usual["analysis"] = trials.LabelBetting(sided="greater")
    return trials.Design(**usual | options)


def conduct(live, patients, chances, lag=0, left_out=(), outcomes=None):
    """Enrol patients whose outcomes are recorded so many patients later, but for some."""
    rng = np.random.default_rng(3)
    number = rng.uniform(size=patients)
    for t in range(patients):
        if live.status().state != "open":
            break
        live.enrol(f"P-{t}", who="ward")
        s = t - lag
        if s >= 0 and s not in left_out:
            arm = live.design.arms.index(live.enrol(f"P-{s}", who="ward").arm)
            live.record(f"P-{s}", outcomes(number[s], arm) if outcomes else int(number[s] < chances[arm]), who="ward")


def from_export(content, low="control", high="new"):
    """W for "better" after each participant, from participants.csv alone."""
    table = pandas.read_csv(io.StringIO(content.decode()))
    table = table[table["arm"].isin([low, high])]
    known = table["outcome"].notna().to_numpy()
    y, a = table["outcome"].fillna(0).to_numpy(float), (table["arm"] == high).to_numpy()
    r = (
        table[f"probability of {high}"] / (table[f"probability of {high}"] + table[f"probability of {low}"])
    ).to_numpy()
    w = []
    for p0, p1 in combinations(np.arange(5, 100, 10) / 100, 2):
        f0, f1 = y * p0 + (1 - y) * (1 - p0), y * p1 + (1 - y) * (1 - p1)
        factor = np.where(a, f1, f0) / ((1 - r) * f0 + r * f1)
        w.append(np.cumprod(np.where(known & (r > 0) & (r < 1), factor, 1.0)))
    return np.mean(w, axis=0)


@pytest.mark.parametrize("policy", [BESA_PLUS, policies.DirichletSampling()], ids=["exact", "repeated"])
def test_the_evidence_is_that_of_the_export(begin, policy):
    live = begin(design_of(policy=policy))
    conduct(live, 50, (0.2, 0.8), lag=3)
    found = live.statistics(who="Ada").evidence[0]
    by_hand = from_export(live.participants_csv(unblinded=True, who="Ada"))[:47]
    assert found.better.path == pytest.approx(np.log10(by_hand).tolist(), abs=1e-9)
    assert found.better.now == pytest.approx(by_hand[-1])
    assert found.better.largest == pytest.approx(max(1.0, by_hand.max()))
    assert found.better.largest > 3 > found.worse.largest
    assert (found.better.limit, found.worse.limit, found.patients) == (20, 20, 50)
    assert 20 < found.used <= 47
    assert json.loads(json.dumps(asdict(found), allow_nan=False))
    p = live.statistics(who="Ada").analysis[0].p_value
    assert p == pytest.approx(1 / found.better.largest)


def test_with_three_arms_each_comparison_is_of_its_own_participants(begin):
    live = begin(design_of(arms=["control", "b", "c"], policy=policies.UniformRandom()))
    conduct(live, 45, (0.2, 0.3, 0.9))
    content, found = live.participants_csv(unblinded=True, who="Ada"), live.statistics(who="Ada").evidence
    for each in found:
        assert each.better.now == pytest.approx(from_export(content, high=each.arm)[-1])
    assert sum(each.patients for each in found) > 45


def test_it_waits_for_an_outcome_until_it_is_given_up(begin):
    live = begin(design_of())
    conduct(live, 40, (0.2, 0.8), left_out=(8,))
    waiting = live.statistics(who="Ada").evidence[0]
    assert len(waiting.better.path) == 8
    live.withdraw("P-8", scope="treatment", reason="moved", who="ward")
    assert len(live.statistics(who="Ada").evidence[0].better.path) == 8, "the outcome is still collected"
    live.withdraw("P-8", scope="data", reason="moved", who="ward")
    found = live.statistics(who="Ada").evidence[0]
    assert len(found.better.path) == 40
    assert found.better.now == pytest.approx(from_export(live.participants_csv(unblinded=True, who="Ada"))[-1])
    assert found.better.path[7] == pytest.approx(waiting.better.path[7])
    assert live.verify().ok


def test_a_trial_stops_for_harm_and_is_the_same_when_it_is_repeated(begin):
    rule = trials.EvidenceLimits(benefit=0.02, harm=0.2)
    live = begin(design_of(stopping=rule, looks=range(10, 60, 5), policy=policies.UniformRandom(), coin=0.0))
    conduct(live, 39, (0.9, 0.1), left_out=(4,))
    assert not live.statistics(who="Ada").looks[-1].stopped, "an outcome is awaited"
    live.void("P-4", reason="enrolled twice", who="ward", confirm=True)
    live.enrol("P-39", who="ward")
    with pytest.raises(trials.Refused, match="the trial has stopped at a look"):
        live.enrol("P-40", who="ward")
    last = live.statistics(who="Ada").looks[-1]
    assert (last.patients, last.stopped, last.claimed) == (40, "harm", ["control"])
    found = live.statistics(who="Ada").evidence[0]
    assert (found.better.limit, found.worse.limit) == (50, 5)
    assert found.worse.largest > 5
    assert live.verify().ok


def test_a_look_takes_an_outcome_that_was_given_up_as_missing(begin):
    rule = trials.EvidenceLimits(benefit=0.2, harm=0.2)
    live = begin(design_of(stopping=rule, looks=[20, 40], policy=policies.UniformRandom(), coin=0.0))
    conduct(live, 19, (0.1, 0.9), left_out=(4,))
    live.void("P-4", reason="enrolled twice", who="ward", confirm=True)
    live.enrol("P-19", who="ward")
    with pytest.raises(trials.Refused, match="the trial has stopped at a look"):
        live.enrol("P-20", who="ward")
    looks = live.statistics(who="Ada").looks
    assert (looks[0].stopped, looks[0].claimed) == ("benefit", ["new"])
    assert live.verify().ok
    test = trials.RandomisationTest(runs=99)
    assert test.p_values(live._state.course.trials().data).item() > 0


def test_blinded_exports_have_no_probabilities(begin):
    live = begin(design_of())
    conduct(live, 10, (0.2, 0.8))
    assert b"probability" not in live.participants_csv(who="Ada")
    assert b"probability of new" in live.participants_csv(unblinded=True, who="Ada")
    assert "evidence" not in {
        name for view in vars(views).values() for name in getattr(view, "__dataclass_fields__", ())
    }


def test_the_value_of_each_arm_has_an_interval(begin):
    settings = trials.LiveSettings(outcomes=(0, 100))
    live = begin(design_of(value=values.CVaR(alpha=0.5), analysis="welch-t"), settings=settings)
    conduct(live, 40, None, outcomes=lambda number, arm: round(100 * number) if arm else round(50 * number))
    for each, table in zip(live.statistics(who="Ada").estimates, ("control", "new"), strict=True):
        outcomes = pandas.read_csv(io.StringIO(live.participants_csv(unblinded=True, who="Ada").decode()))
        known = outcomes.loc[outcomes["arm"] == table, "outcome"].dropna()
        expected = trials.value_interval(values.CVaR(alpha=0.5), known, low=0, high=100, most=60)
        assert (each.low, each.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
        assert each.low < each.value < each.high
        assert each.interval.startswith("95 % at all times, low by the band")
    none = begin(design_of(value=values.Semivariance(), analysis="welch-t"), settings=settings)
    conduct(none, 10, None, outcomes=lambda number, arm: 50)
    found = none.statistics(who="Ada")
    assert found.estimates[0].low is None
    assert any("no interval for it" in warning for warning in found.warnings)
