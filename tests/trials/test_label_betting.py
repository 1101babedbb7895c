"""Evidence at any time in trials: the analysis, its confidence sequence, and the stopping rule."""

from __future__ import annotations

import numpy as np
import pytest

from primum import policies, rewards, trials
from primum.errors import ParameterError
from primum.trials.evidence.labels import labels_of, log_path
from primum.trials.simulation import running
from primum.trials.simulation.probabilities import given_all_before, needed_repetitions, to_bet_on

LATE = trials.after_patients(10)
BESA_PLUS = policies.BesaPlus(floor=2)


def design_of(arms=2, **options):
    names = ["control", *(f"arm {k}" for k in range(1, arms))]
    given = {"arms": names, "patients": 148, "policy": BESA_PLUS}
    if "stopping" not in options:
        given["analysis"] = trials.LabelBetting(sided="greater")
    return trials.Design(**given | options)


def bernoulli(*probabilities, drift=None):
    return trials.Scenario([rewards.Bernoulli(p) for p in probabilities], drift=drift)


def ran(design, truth, number, seed=5):
    repetitions = needed_repetitions(design, truth.is_binary)
    return running.run(design, truth, seed, range(number), repetitions=repetitions, records=True)


def ever(design, truth, number, seed=5, limit=20):
    data = ran(design, truth, number, seed).data
    return (log_path(data, 1, "greater").max(axis=1) >= np.log(limit)).mean()


@pytest.mark.parametrize(("coin", "expected"), [(0.4, 0.335), (0.2, 0.211), (0.0, 0.065)])
def test_how_often_the_limit_is_reached(coin, expected):
    """2,000 trials; expected is from 4,000 trials of another program. 0.055 is 4.2 standard errors of the difference at
    most, so a false alarm in 30,000 for each. A coin of 1 is in test_betting.py."""
    assert ever(design_of(coin=coin), bernoulli(0.3, 0.5), 2000) == pytest.approx(expected, abs=0.055)


DESIGNS = {
    "besa-plus, coin": {"coin": 0.4},
    "besa-plus alone, late outcomes": {"delay": LATE, "burn_in": 10, "patients": 60},
    "thompson, in blocks": {"policy": "thompson", "blocks": 10},
    "posterior-best": {"policy": "posterior-best", "burn_in": 5, "coin": [0.5, 0.1]},
    "repeated": {"policy": "dirichlet-sampling", "patients": 60},
}


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("truth", ["a trend", "a trend, and the arm is worse", "a jump, any outcomes"])
def test_the_limit_is_rarely_reached_without_a_benefit_whatever_drifts(name, truth):
    """1,000 trials at a limit of 10: 15 % or more have probability 5e-7 if 10 % do, which they do at most."""
    scenario = {
        "a trend": bernoulli(0.3, 0.3, drift=trials.Linear(by=0.4)),
        "a trend, and the arm is worse": bernoulli(0.35, 0.3, drift=trials.Linear(by=0.4)),
        "a jump, any outcomes": trials.Scenario(
            [rewards.Normal(mean=0.0, sd=2.0)] * 2, drift=trials.Step(by=3.0, after=70)
        ),
    }[truth]
    design = design_of(**DESIGNS[name])
    if truth == "a jump, any outcomes" and design.policy.reward_bounds[1] == 1:
        return  # the policy needs outcomes up to 1
    number = 1000 if needed_repetitions(design, scenario.is_binary) == 0 else 150
    assert ever(design, scenario, number, limit=10) < (0.15 if number == 1000 else 0.25)


def test_claims_of_arms_that_are_no_better_are_rare():
    """Five arms, of which one equals the control and three are far better: at most 5 % of trials claim the equal one.
    600 trials: 10 % or more have probability 3e-7."""
    design = design_of(5, policy="uniform-random", patients=300)
    data = ran(design, bernoulli(0.5, 0.5, 0.99, 0.99, 0.99), 600).data
    found = design.analysis.rejections(data)
    assert found[:, 0].mean() < 0.1
    assert found[:, 1:].mean() > 0.9


@pytest.mark.parametrize("policy", ["uniform-random", "dirichlet-sampling"])
def test_three_arms_with_a_coin(policy):
    design = design_of(3, policy=policy, coin=0.4, patients=60, analysis=trials.LabelBetting())
    found = ran(design, bernoulli(0.1, 0.1, 0.9), 100)
    p = design.analysis.p_values(found.data)
    assert p.shape == (100, 2)
    assert np.median(p[:, 1]) < 0.05 < np.median(p[:, 0])
    assert (design.analysis.direction(found.data)[p < 0.05] == 1).mean() > 0.9


def test_the_evidence_is_that_of_a_short_program():
    design = design_of(coin=0.3, burn_in=4, delay=trials.after_patients(3))
    found = ran(design, bernoulli(0.3, 0.6), 20)
    chances, data = given_all_before(found), found.data
    path = log_path(data, 1, "greater")
    for row in range(20):
        w = []
        for p0 in np.arange(5, 100, 10) / 100:
            for p1 in np.arange(5, 100, 10) / 100:
                if p1 > p0:
                    y, a, e = data.outcome[row], data.arm[row], chances[row]
                    f0, f1 = np.where(y == 1, p0, 1 - p0), np.where(y == 1, p1, 1 - p1)
                    factor = np.where(a == 1, f1, f0) / (e[:, 0] * f0 + e[:, 1] * f1)
                    w.append(np.cumprod(np.where((e[:, 1] > 0) & (e[:, 1] < 1), factor, 1.0)))
        assert np.exp(path[row]) == pytest.approx(np.mean(w, axis=0), rel=1e-9)


def test_p_values_are_of_the_largest_evidence_so_far():
    for sided in ("greater", "less", "two-sided"):
        design = design_of(coin=0.4, analysis=trials.LabelBetting(sided=sided))
        found = ran(design, bernoulli(0.3, 0.6), 30)
        largest = np.exp(log_path(found.data, 1, sided).max(axis=1))
        assert design.analysis.p_values(found.data)[:, 0] == pytest.approx(np.minimum(1 / largest, 1), rel=1e-12)


def test_it_says_what_it_learns_from():
    alone = design_of(policy="ucb1", analysis=trials.LabelBetting())
    row = trials.simulate_one(alone, bernoulli(0.3, 0.6), seed=1).analyse().iloc[0]
    assert row["p_value"] == 1
    assert "It learns nothing here: no patient with a known outcome, of 148 on the two arms" in row["warning"] or (
        "It learns from" in row["warning"]
    )
    some = design_of(burn_in=5)
    assert (
        "of 148 patients on the two arms"
        in trials.simulate_one(some, bernoulli(0.3, 0.6), seed=1).analyse()["warning"].item()
    )
    every = design_of(policy="uniform-random")
    assert trials.simulate_one(every, bernoulli(0.3, 0.6), seed=1).analyse()["warning"].item() == ""


@pytest.mark.parametrize(
    ("options", "truth", "difference"),
    [
        ({"policy": "uniform-random"}, bernoulli(0.3, 0.5), 0.2),
        ({"coin": 0.4}, bernoulli(0.3, 0.5, drift=trials.Linear(by=0.3)), 0.2),
        ({"coin": 0.3, "delay": trials.after_patients(9)}, bernoulli(0.7, 0.7), 0.0),
        ({"policy": "thompson", "burn_in": 10, "patients": 80}, bernoulli(0.9, 0.4), -0.5),
    ],
)
def test_the_confidence_sequence_holds_at_all_times(options, truth, difference):
    """400 trials, 80 %: 28 % or more miss with probability 8e-5 each if 20 % do, which they do at most."""
    design = design_of(**{"analysis": trials.LabelBetting(alpha=0.2)} | options)
    data = ran(design, truth, 400).data
    found = design.analysis.difference(data)
    missed = (found.low > difference) | (found.high < difference)
    assert missed.mean() < 0.28
    assert (found.low <= found.high).all()
    assert np.median(found.high - found.low) < (0.9 if "burn_in" not in options else 1.4), "it says something"


def test_the_confidence_sequence_by_a_grid():
    """An end is where (M_+ + M_-) / 2 first reaches 1 / alpha, for every difference on a grid and at every patient."""
    from primum.trials.evidence import difference

    design = design_of(coin=0.5, patients=60, analysis=trials.LabelBetting(alpha=0.2))
    data = ran(design, bernoulli(0.2, 0.7), 10).data
    labels = labels_of(data, 1)
    low, high = difference.confidence_sequence(labels, data.outcome, 0.2, 60)
    bets = difference._bets(labels, data.outcome, 0.2, 60)
    grid = np.linspace(-1, 1, 401)
    for row in range(10):
        kept = []
        for d in grid:
            up = np.cumprod(1 + bets.up[row] * (bets.z[row] - d))
            down = np.cumprod(1 - bets.down[row] * (bets.z[row] - d))
            assert (
                min(1 + (bets.up[row] * (bets.z[row] - d)).min(), 1 - (bets.down[row] * (bets.z[row] - d)).max()) >= 0.5
            )
            if ((up + down) / 2).max() < 5:
                kept.append(d)
        assert (low[row], high[row]) == pytest.approx((kept[0], kept[-1]), abs=0.0051)


def test_outcomes_on_another_scale_have_the_same_interval_on_that_scale():
    plain, scaled = (
        trials.Scenario([rewards.Uniform(low, high), rewards.Uniform(low + (high - low) / 2, high)])
        for low, high in ((0.0, 1.0), (10.0, 30.0))
    )
    design = design_of(policy="uniform-random", patients=100)
    other = design.replace(analysis=trials.LabelBetting(sided="greater", lowest=10, highest=30))
    first = design.analysis.difference(ran(design, plain, 5).data)
    second = other.analysis.difference(ran(other, scaled, 5).data)
    assert second.low == pytest.approx(20 * first.low)
    assert second.high == pytest.approx(20 * first.high)
    beyond = design.analysis.difference(ran(design, scaled, 5).data)
    assert np.isnan(beyond.low).all(), "outcomes beyond the bounds that are given"
    assert design.analysis.interval_title(design) == "90 % confidence sequence, not of this test"
    with pytest.raises(ParameterError, match="highest must be larger than lowest"):
        trials.LabelBetting(lowest=1, highest=1)


LOOKS = range(20, 149, 8)


def test_evidence_limits_stop_for_benefit_and_for_harm():
    design = design_of(looks=LOOKS, stopping=trials.EvidenceLimits(), policy="uniform-random")
    better, worse, same = (ran(design, bernoulli(*p), 400) for p in ((0.2, 0.7), (0.7, 0.2), (0.5, 0.5)))
    reasons = design.monitoring.reasons
    assert {reasons[each] for each in better.reason[better.reason >= 0]} == {"benefit"}
    assert {reasons[each] for each in worse.reason[worse.reason >= 0]} == {"harm"}
    assert (better.reason >= 0).mean() > 0.95
    assert (worse.reason >= 0).mean() > 0.95
    assert better.size.mean() < 90
    assert (better.claimed[:, 1] == (better.reason >= 0)).all()
    assert (worse.claimed[:, 0] == (worse.reason >= 0)).all()
    assert (design.analysis.direction(worse.data)[:, 0] == -1 * (worse.reason >= 0)).all()
    assert (same.reason >= 0).mean() < 0.16, "5 % for each; 400 trials: 16 % or more have probability 1e-4"


@pytest.mark.parametrize("options", [{"coin": 0.4}, {"delay": trials.after_patients(12), "coin": 0.3, "burn_in": 3}])
def test_a_look_uses_what_is_known_then(options):
    """The verdict at each look is that of the analysis of the data as they would be if the trial had ended there."""
    rule = trials.EvidenceLimits(benefit=0.2, harm=0.2)
    design = design_of(looks=LOOKS, stopping=rule, **options)
    found = ran(design, bernoulli(0.3, 0.6), 60)
    lag = options["delay"].patients if "delay" in options else 0
    largest = np.exp(log_path(found.data, 1, "greater"))
    for row in range(60):
        reached = [look for look in LOOKS if largest[row, : look - lag].max() >= 5]
        stopped = int(found.stopped_at[row])
        if reached and found.reason[row] == 0 and stopped >= 0:
            assert LOOKS[stopped] == reached[0] == found.size[row]
        elif found.reason[row] == -1:
            assert not reached
    assert (found.stopped_at >= 0).sum() > 20


def test_evidence_limits_drop_the_arms_that_do_harm():
    rule = trials.EvidenceLimits(benefit=0.0)
    design = design_of(4, patients=400, looks=range(40, 401, 20), stopping=rule, policy="uniform-random")
    found = ran(design, bernoulli(0.6, 0.6, 0.1, 0.1), 60)
    left = found.data.active
    assert left[:, 0].all()
    assert left[:, 1].mean() > 0.8
    assert left[:, 2:].mean() < 0.1
    assert (found.claimed.any(axis=1) == ~left[:, 1:].any(axis=1)).all()
    assert not found.claimed[:, 1:].any()
    all_worse = ran(design, bernoulli(0.9, 0.2, 0.1, 0.1), 40)
    assert (all_worse.claimed[:, 0]).mean() > 0.9
    assert (all_worse.reason[all_worse.claimed[:, 0]] == 1).all()


def test_a_randomisation_test_beside_evidence_limits_takes_the_same_looks():
    design = design_of(looks=[30], stopping=trials.EvidenceLimits(), patients=40, coin=0.5)
    trial = trials.simulate_one(design, bernoulli(0.3, 0.4), seed=2)
    test = trials.RandomisationTest(runs=99)
    assert 0 < test.p_values(trial.trials.data).item() <= 1


def test_what_needs_patients_one_by_one_has_no_exact_law():
    limits = design_of(looks=[30], stopping=trials.EvidenceLimits(), patients=40)
    with pytest.raises(ParameterError, match="Evidence limits.* needs patients one by one, and exact operating"):
        trials.exact(limits)
    for design in (limits, design_of(patients=40)):
        oc = trials.operate(design, {"null": bernoulli(0.3, 0.3)}, replications=20, seed=1, progress=False)
        assert oc.data["reject"].item() <= 0.5
        assert not oc.data["exact"].sel(characteristic="reject").any()


def test_operating_characteristics():
    limits = design_of(coin=0.4, looks=LOOKS, stopping=trials.EvidenceLimits())
    designs = {"at the end": design_of(coin=0.4), "limits": limits}
    oc = trials.operate(designs, {"effect": bernoulli(0.3, 0.6)}, replications=100, seed=1, progress=False, exact=False)
    found = oc.data.sel(scenario="effect")
    assert (found["reject"] > 0.5).all()
    assert found["coverage"].sel(design="at the end", arm="arm 1") >= 0.8, "90 % at all times: below 0.8 in 1 of 400"
    assert found["trials"].values.tolist() == [100, 100]


@pytest.mark.parametrize(
    "options",
    [
        {"coin": 0.4, "delay": trials.after_patients(4)},
        {"arms": 3, "policy": "dirichlet-sampling", "coin": 0.3, "burn_in": 2},
        {"arms": 3, "policy": "posterior-best", "coin": [0.5, 0.1]},
    ],
)
def test_what_is_known_of_a_patient_does_not_change_later(options):
    """The probabilities that a look uses are those of all later looks: else W would be no martingale over looks."""
    design = design_of(options.pop("arms", 2), patients=40, **options)
    truth = bernoulli(0.3, 0.6, 0.5) if len(design.arms) == 3 else bernoulli(0.3, 0.6)
    found = ran(design, truth, 8)
    whole = to_bet_on(found.decisions, np.arange(8), found.data.arm, found.data.outcome)
    fresh = ran(design, truth, 8).decisions
    rows = np.array([1, 4, 7])
    for size in (12, 25, 40):
        beyond = np.arange(40) >= size
        arm, outcome = np.where(beyond, -1, found.data.arm[rows]), np.where(beyond, np.nan, found.data.outcome[rows])
        there = to_bet_on(fresh, rows, arm.astype(np.int16), outcome)
        assert there[:, :size] == pytest.approx(whole[rows][:, :size], abs=1e-14)
