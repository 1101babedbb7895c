"""How trials are run: late outcomes, live decisions, the same patients for all designs, odd designs, wrong inputs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import primum
from primum import policies, rewards, trials, values
from primum.errors import ParameterError, PrimumError
from primum.kernels import below
from primum.plugins.parameters import parameter
from primum.trials.monitoring import GOES_ON
from primum.trials.simulation import running
from primum.trials.simulation.arrivals import timing_of
from tests.trials.made_up_looks import DropAll, Quiet, Weeding

BINARY = [rewards.Bernoulli(0.3), rewards.Bernoulli(0.6), rewards.Bernoulli(0.5)]
CONTINUOUS = [rewards.Uniform(0.0, 0.8), rewards.Beta(2.0, 2.0), rewards.Uniform(0.2, 1.0)]
SEVERAL = [
    policies.BesaPlus(),
    policies.Thompson(),
    policies.Ucb1(),
    policies.KlUcb(),
    policies.EpsilonGreedy(epsilon=0.5),
    policies.Sda(),
    policies.ExploreThenCommit(per_arm=3),
    policies.UniformRandom(),
]
LATE = [trials.after_patients(4), trials.after_time(rewards.Uniform(0.0, 12.0)), trials.after_time(2.5)]


def design_of(arms=3, **options):
    names = [f"arm {k}" for k in range(arms)]
    claims = options.get("stopping") is not None and options["stopping"].claims
    analysis = None if claims else "welch-t"
    return trials.Design(**{"arms": names, "patients": 40, "policy": "besa-plus", "analysis": analysis} | options)


def run(design, arms, count=10, seed=3, **options):
    found = running.run(design, trials.Scenario.of(arms), seed, range(count), **options)
    assert found is not None
    return found


@pytest.mark.parametrize("policy", SEVERAL, ids=str)
@pytest.mark.parametrize("options", [{}, {"burn_in": 2}, {"blocks": 6}], ids=str)
def test_a_delay_of_nothing_changes_nothing(policy, options):
    design = design_of(policy=policy, **options)
    expected = run(design, CONTINUOUS)
    for delay in (trials.after_patients(0), trials.after_time(0)):
        found = run(design.replace(delay=delay), CONTINUOUS)
        assert found.data.arm.tolist() == expected.data.arm.tolist()
        assert found.data.outcome.tolist() == expected.data.outcome.tolist()


@pytest.mark.parametrize("policy", SEVERAL, ids=str)
@pytest.mark.parametrize("delay", [None, *LATE], ids=str)
@pytest.mark.parametrize("arms", [BINARY, CONTINUOUS], ids=["binary", "continuous"])
def test_decisions_are_those_of_a_player_with_the_same_events(policy, delay, arms):
    design = design_of(policy=policy, delay=delay, value=values.CVaR(alpha=0.3))
    patients = trials.simulate_one(design, arms, seed=11, replication=2).patients
    player = primum.Player(policy, design.value, list(design.arms), seed=11, replication=2, horizon=len(patients))
    if delay is not None and delay.patients < 0:
        timing = timing_of(design, 11, np.array([2]))
        arrivals = [int(s) for s in timing.arrivals[0]]
    else:
        arrivals = list(range(len(patients)))
    told = set()
    for t, arm in enumerate(patients["arm"]):
        for s in arrivals:
            if s not in told and 0 < patients["known_before"][s] <= t + 1:
                told.add(s)
                player.tell(patients["arm"][s], patients["outcome"][s])
        assert player.ask() == arm
    assert told == {s for s in range(len(patients)) if patients["known_before"][s]}
    assert (len(told) < len(patients) - 1) == (delay is not None)


def test_all_designs_meet_the_same_patients():
    """The outcome of a patient depends on the patient and the arm alone, and so does the time at which it is known."""
    common = {"delay": trials.after_time(rewards.Uniform(0.0, 5.0)), "accrual": trials.Poisson(rate=2.0)}
    first, *others = (
        run(design_of(policy=policy, **common, **more), CONTINUOUS)
        for policy, more in [
            ("uniform-random", {}),
            ("round-robin", {}),
            ("besa-plus", {"burn_in": 3, "blocks": 5}),
            ("thompson", {"value": "cvar(alpha=0.2)", "looks": [12], "stopping": Weeding()}),
        ]
    )
    assert len({tuple(arms) for arms in first.data.arm.tolist()}) == len(first), "trials differ from each other"
    for other in others:
        assert (other.timing.ends == first.timing.ends).all()
        same = other.data.arm == first.data.arm
        assert same.any(axis=1).all()
        assert not same.all()
        assert (other.data.outcome[same] == first.data.outcome[same]).all()


def test_arms_that_are_equal_give_a_patient_the_same_outcome():
    """The sharp null hypothesis: what happens to a patient does not depend on the arm."""
    first, second = (run(design_of(policy=policy), [CONTINUOUS[1]] * 3) for policy in ("besa-plus", "uniform-random"))
    assert (first.data.arm != second.data.arm).any()
    assert (first.data.outcome == second.data.outcome).all()


def test_replications_do_not_depend_on_those_beside_them():
    for rule in (Weeding(), Counting(enough=6)):
        design = design_of(delay=LATE[1], looks=[10, 20], stopping=rule)
        whole = run(design, BINARY, 8)
        for r in (0, 3, 7):
            alone = running.run(design, trials.Scenario.of(BINARY), 3, [r])
            assert alone.data.arm[0].tolist() == whole.data.arm[r].tolist()
            assert alone.size[0] == whole.size[r]


def test_a_rule_is_told_the_fraction_known_of_each_trial():
    """Random delays leave trials with different numbers of known outcomes at the same look; the rule checks its own."""
    design = design_of(delay=LATE[1], looks=[10, 20], stopping=Counting(enough=8))
    sizes = run(design, BINARY, 50).size
    assert {10, 20, 40} >= set(sizes.tolist()) > {20}


def test_a_scenario_names_its_arms_in_any_order():
    design = design_of()
    named = dict(zip(design.arms, BINARY, strict=True))
    expected = run(design, BINARY)
    assert run(design, dict(reversed(named.items()))).data.arm.tolist() == expected.data.arm.tolist()


@dataclass(frozen=True)
class LessOften(policies.Policy):
    """The arm with fewer decisions, and with the same number of them any."""

    @staticmethod
    def choose(history):
        if history.assigned[0] == history.assigned[1]:
            return below(history.stream, 2)
        return 0 if history.assigned[0] < history.assigned[1] else 1


def test_relabelling_arms_relabels_exact_results():
    for policy in (policies.BesaPlus(), policies.Thompson(), policies.UniformRandom()):
        law = trials.exact(design_of(2, patients=25, policy=policy, analysis="pooled-z"), progress=False)
        assert law.patients(0.3, 0.6) == pytest.approx(law.patients(0.6, 0.3)[::-1])
        assert law.reject(0.3, 0.6) == pytest.approx(law.reject(0.6, 0.3))
        assert law.bias(0.3, 0.6) == pytest.approx(-law.bias(0.6, 0.3))


@pytest.mark.parametrize("policy", [*SEVERAL, LessOften()], ids=str)
def test_relabelling_arms_relabels_results(policy):
    """Patients and outcomes on each arm, 600 trials; a false alarm beyond 4.5 standard errors has probability 7e-6.

    36 comparisons: less than 3e-4 in all.
    """
    design = design_of(2, patients=30, policy=policy, delay=trials.after_patients(2), burn_in=2)
    arms = [rewards.Beta(2.0, 3.0), rewards.Uniform(0.0, 1.0)]
    first, second = run(design, arms, 600, seed=1).data, run(design, arms[::-1], 600, seed=2).data
    for mine, other in ((first.counts, second.counts), (first.sums, second.sums)):
        difference = mine.mean(axis=0) - other.mean(axis=0)[::-1]
        error = np.sqrt((mine.var(axis=0) + other.var(axis=0)[::-1]) / len(mine))
        assert (np.abs(difference) <= 4.5 * error + 1e-9).all()


def test_an_arm_that_is_dropped_gets_no_further_patients():
    found = run(design_of(looks=[10], stopping=DropAll((1,)), burn_in=5), BINARY, 20)
    assert (found.data.arm[:, :10] == 1).any(axis=1).all()
    assert not (found.data.arm[:, 10:] == 1).any(), "not even in the burn-in"
    assert (found.data.arm[:, 10:] == 0).any()
    assert (found.size == 40).all()
    assert found.data.active.tolist() == [[True, False, True]] * 20


def test_a_trial_goes_on_with_a_single_arm():
    found = run(design_of(looks=[10], stopping=DropAll((0, 1))), BINARY)
    assert (found.data.arm[:, 10:] == 2).all()
    assert (found.reason == GOES_ON).all()


def test_a_trial_without_arms_is_over():
    found = run(design_of(looks=[10, 20], stopping=DropAll((0, 1, 2))), BINARY)
    assert (found.size == 10).all()
    assert [found.design.monitoring.reasons[reason] for reason in found.reason] == ["no arm left"] * 10
    assert (found.data.arm[:, 10:] == -1).all()
    trial = trials.simulate_one(design_of(looks=[10], stopping=DropAll((0, 1, 2))), BINARY, seed=1)
    assert trial.stopped == "no arm left"
    assert not trial.analyse()["significant"].any(), "a trial that stopped is not analysed once more"


@dataclass(frozen=True)
class Counting(trials.StoppingRule):
    """Stops as soon as this many outcomes are known."""

    title = "Counting"
    reasons = ("enough",)

    enough: int = parameter(0, "outcomes", low=0, integer=True)

    def look(self, data, look):
        none = np.zeros(data.counts.shape, np.bool_)
        stops = data.counts.sum(axis=1) >= self.enough
        assert (data.counts.sum(axis=1) == look.known[-1]).all()
        return trials.Verdict(none, none, np.where(stops, 0, -1).astype(np.int8))


def test_a_look_before_any_outcome_sees_none():
    design = design_of(looks=[5, 15], delay=trials.after_patients(10), stopping=Counting(enough=1))
    assert (run(design, BINARY).size == 15).all()
    assert (run(design.replace(stopping=Counting(enough=0)), BINARY).size == 5).all()
    assert (run(design.replace(stopping=Quiet(), looks=[5]), BINARY).size == 40).all()


@pytest.mark.parametrize("delay", [trials.after_patients(1_000), trials.after_time(1_000)], ids=str)
def test_a_delay_longer_than_the_trial_leaves_the_policy_without_outcomes(delay):
    found = run(design_of(policy="round-robin", delay=delay), BINARY)
    blind = run(design_of(policy="besa-plus", delay=delay), BINARY)
    assert (found.data.counts.sum(axis=1) == 40).all(), "all outcomes are awaited at the end"
    assert (blind.data.arm == found.data.arm).all(), "the opening goes on in turns"
    design = design_of(delay=delay, looks=[39], stopping=Counting(enough=1))
    assert (run(design, BINARY).reason == GOES_ON).all()
    assert (run(design.replace(looks_count="outcomes"), BINARY).reason == 0).all(), "this look waits for them"
    assert (run(design.replace(looks=[40]), BINARY).reason == 0).all(), "and so does the one at the last patient"


def test_outcomes_of_a_look_that_counts_them_may_come_after_the_last_patient():
    design = design_of(delay=trials.after_patients(10), looks=[5, 36], looks_count="outcomes", stopping=Counting(36))
    found = run(design, BINARY)
    assert (found.size == 40).all()
    assert (found.reason == 0).all()
    assert (run(design.replace(stopping=Counting(5)), BINARY).size == 15).all()


def test_the_smallest_and_a_wide_trial():
    for options in ({}, {"burn_in": 1}, {"delay": trials.after_time(1.0)}, {"blocks": 3}):
        assert run(design_of(patients=1, **options), BINARY).data.counts.sum(axis=1).tolist() == [1] * 10
    wide = run(design_of(10, patients=200, burn_in=3), [*BINARY, *BINARY, *BINARY, BINARY[0]])
    assert (np.sort(wide.data.arm[:, :30], axis=1) == np.repeat(np.arange(10), 3)).all(), "the burn-in has all"


def test_a_duration_is_the_time_from_the_first_patient_to_the_last_outcome():
    design = design_of(patients=20, accrual=trials.Given(at=tuple(np.arange(20) + 5.0)), delay=trials.after_time(3.0))
    assert (run(design, BINARY).duration == 19 + 3).all()
    stopped = design.replace(looks=[8], stopping=Counting(enough=0))
    assert (run(stopped, BINARY).duration == 7 + 3).all()


def test_a_table_of_patients_tells_when_outcomes_are_known():
    design = design_of(patients=6, delay=trials.after_patients(2))
    assert trials.simulate_one(design, BINARY, seed=1).patients["known_before"].tolist() == [4, 5, 6, 0, 0, 0]
    late = design.replace(delay=trials.after_time(1.5))
    assert trials.simulate_one(late, BINARY, seed=1).patients["known_before"].tolist() == [3, 4, 5, 6, 0, 0]


GOOD = {"arms": ["a", "b"], "patients": 20, "policy": "besa-plus", "analysis": "welch-t"}
BAD = [
    {"arms": ["a"]},
    {"arms": ["a", "a"]},
    {"arms": "ab"},
    {"arms": {"a": 1}},
    {"arms": ["a", ""]},
    {"patients": 0},
    {"patients": 2.5},
    {"patients": True},
    {"patients": "many"},
    {"policy": "besa-pluss"},
    {"policy": "oracle"},
    {"policy": None},
    {"value": "meen"},
    {"burn_in": -1},
    {"blocks": 0},
    {"blocks": [4, 4]},
    {"blocks": [4, "x"]},
    {"accrual": "poisson(rate=0)"},
    {"accrual": "poison"},
    {"delay": "after-patients(patients=-1)"},
    {"delay": {"name": "after-time", "distribution": "uniform(low=-1, high=1)"}},
    {"looks": [10]},
    {"looks": 10},
    {"looks": [10], "stopping": "group-sequentia"},
    {"looks": [30], "stopping": "quiet"},
    {"stopping": "quiet"},
    {"looks_count": "weeks"},
    {"analysis": "welch"},
    {"analysis": "welch-t(alpha=1.5)"},
    {"estimator": "nave"},
    {"patient": 3},
]


@pytest.mark.parametrize("changes", BAD, ids=str)
def test_a_wrong_design_is_refused_with_a_sentence(changes, sentences):
    with pytest.raises(PrimumError) as caught:
        trials.Design.from_spec(GOOD | changes)
    sentences.check(str(caught.value))


def test_all_errors_of_a_file_are_told_at_once():
    with pytest.raises(PrimumError) as caught:
        trials.Design.from_spec({"patients": 0, "policy": "bessa", "analysis": "welch-t"}, "design.toml")
    for part in ("design.toml", "arms is missing", "patients must be", "bessa"):
        assert part in str(caught.value)


GARBAGE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
KEYS = ["arms", "patients", "policy", "value", "burn_in", "coin", "blocks", "accrual", "delay", "looks", "looks_count",
        "stopping", "analysis", "estimator", "name", "other"]  # fmt: skip


@settings(max_examples=60)
@given(changes=st.dictionaries(st.sampled_from(KEYS), GARBAGE, min_size=1, max_size=3))
def test_garbage_makes_a_design_or_a_sentence(changes):
    with suppress(PrimumError):
        design = trials.Design.from_spec(GOOD | changes)
        assert trials.Design.from_spec(design.spec()) == design


@given(given_=GARBAGE)
def test_garbage_for_a_whole_design_is_refused(given_):
    with pytest.raises(PrimumError):
        trials.Design.from_spec(given_)


@settings(max_examples=60)
@given(arms=GARBAGE, drift=GARBAGE)
def test_garbage_for_a_scenario_is_refused_with_a_sentence(arms, drift):
    for given_ in ({"arms": arms, "drift": drift}, arms, {"arms": BINARY, "drift": drift}):
        with suppress(PrimumError):
            trials.Scenario.of(given_)


@pytest.mark.parametrize(
    "scenario",
    [
        [],
        BINARY[:2],
        dict(zip("abc", BINARY, strict=True)),
        {"arms": BINARY, "drfit": 1},
        {"arms": BINARY, "drift": "stepp(by=1)"},
        ["bernouli(probability=0.5)"] * 3,
        [rewards.Uniform(0, 5)] * 3,
    ],
    ids=str,
)
def test_a_wrong_scenario_is_refused_with_a_sentence(scenario, sentences):
    with pytest.raises(PrimumError) as caught:
        trials.simulate_one(design_of(policy="thompson"), scenario, seed=1)
    sentences.check(str(caught.value))


def test_an_analysis_for_outcomes_0_and_1_is_not_made_of_others():
    with pytest.raises(ParameterError, match="needs outcomes 0 and 1, and arm 'arm 0' is"):
        trials.simulate_one(design_of(analysis="pooled-z"), CONTINUOUS, seed=1)


def test_times_for_too_few_patients_are_refused():
    with pytest.raises(ParameterError, match="at must have a time for each of the 40 patients, got 3"):
        trials.simulate_one(design_of(accrual=trials.Given(at=(1.0, 2.0, 3.0))), BINARY, seed=1)
    with pytest.raises(ParameterError, match="in ascending order"):
        trials.Given(at=(2.0, 1.0))


@settings(max_examples=60)
@given(
    arms=st.lists(st.sampled_from([*BINARY, *CONTINUOUS]), min_size=2, max_size=6),
    patients=st.integers(1, 50),
    policy=st.sampled_from(SEVERAL),
    burn_in=st.integers(0, 4),
    blocks=st.integers(1, 7),
    delay=st.sampled_from([None, *LATE]),
    accrual=st.sampled_from([trials.Regular(), trials.Poisson(rate=3.0)]),
    looks=st.lists(st.integers(1, 50), max_size=3, unique=True).map(sorted),
    drift=st.sampled_from([None, 0.5, trials.Step(by=-0.4, after=9)]),
    seed=st.integers(0, 2**64 - 1),
)
def test_random_designs_are_consistent(arms, patients, looks, drift, seed, **options):
    looks = [look for look in looks if look <= patients]
    more = {"looks": looks, "stopping": Weeding(behind=0.3, enough=0.7, hopeless=0.1)} if looks else {}
    design = design_of(len(arms), patients=patients, **options, **more)
    found = run(design, trials.Scenario(arms, drift), 4, seed)
    data, size = found.data, found.size
    assert ((size >= 1) & (size <= patients)).all()
    assert (data.counts.sum(axis=1) == size).all()
    assert ((data.arm >= 0).sum(axis=1) == size).all()
    assert ((data.arm >= 0) == np.isfinite(data.outcome)).all()
    for arm in range(len(arms)):
        chosen = np.where(data.arm == arm, data.outcome, 0.0)
        assert data.sums[:, arm] == pytest.approx(chosen.sum(axis=1))
        for row in np.flatnonzero(data.counts[:, arm] > 1):
            own = data.outcome[row][data.arm[row] == arm]
            assert data.variances[row, arm] == pytest.approx(own.var(ddof=1), abs=1e-12)
        assert (np.isnan(data.variances[:, arm]) == (data.counts[:, arm] < 2)).all()
    assert np.isin(size, [*looks, patients]).all()
    assert ((size == patients) | (found.reason >= 0)).all()
    assert (data.active.any(axis=1) | (found.reason >= 0)).all()
    claims = np.array([reason >= 0 and design.monitoring.reasons[reason] == "enough" for reason in found.reason])
    assert (found.claimed.any(axis=1) == claims).all()
    assert (found.duration >= 0).all()
    burnt_in = data.arm[:, : min(design.forced, looks[0] if looks else patients)]
    counts = np.cumsum(burnt_in[:, :, None] == np.arange(len(arms)), axis=1)
    assert (np.ptp(counts, axis=2) <= min(3, design.burn_in)).all()
    assert (counts <= design.burn_in).all()


@dataclass(frozen=True)
class Informed(policies.Policy):
    """Decides by how much it knows: the number of known outcomes modulo the number of arms."""

    @staticmethod
    def choose(history):
        return history.pulls.sum() % history.arms


@settings(max_examples=60)
@given(
    delay=st.sampled_from([None, *LATE]),
    accrual=st.sampled_from([trials.Regular(), trials.Poisson(rate=0.5)]),
    blocks=st.integers(1, 5),
    seed=st.integers(0, 2**64 - 1),
)
def test_nothing_is_known_before_it_happened(delay, accrual, blocks, seed):
    """The decisions give away how many outcomes were known, which must have arrived by then."""
    design = design_of(7, policy=Informed(), delay=delay, accrual=accrual, blocks=blocks)
    found = run(design, [BINARY[0]] * 7, 3, seed)
    times = np.broadcast_to(found.timing.accrual, found.data.arm.shape)
    ends = np.broadcast_to(found.timing.ends, found.data.arm.shape)
    lag = delay.patients if delay is not None else 0
    for r in range(3):
        for t in range(40):
            last = t - t % blocks
            if lag >= 0:
                arrived = max(0, last - lag)
            else:
                arrived = sum(ends[r, s] <= times[r, last] for s in range(last))
            assert found.data.arm[r, t] == arrived % 7


def test_large_outcomes_keep_their_variance():
    """Outcomes of 1e8 with standard deviation 1 lose 1e-8 each when they are stored, and no more in the variance."""
    shift = 1e8
    near, far = (
        [rewards.TruncatedNormal(by, 1.0, by - 6, by + 6), rewards.TruncatedNormal(by + 0.5, 1.0, by - 6, by + 6)]
        for by in (0.0, shift)
    )
    design = design_of(2, patients=60, policy="uniform-random", analysis=trials.WelchT())
    large, small = run(design, far, 20, 3).data, run(design, near, 20, 3).data
    np.testing.assert_allclose(large.variances, small.variances, rtol=1e-6)
    for test in (trials.WelchT(), trials.NormalSuperiority()):
        np.testing.assert_allclose(test.p_values(large), test.p_values(small), rtol=1e-5)
    found, expected = trials.naive_difference(large), trials.naive_difference(small)
    np.testing.assert_allclose(found.low, expected.low, atol=1e-6)


def test_equal_outcomes_have_no_variance():
    design = design_of(2, patients=30, policy="uniform-random", analysis=trials.WelchT())
    found = run(design, [rewards.Constant(0.1), rewards.Constant(0.7)], 5, 3).data
    assert (found.variances == 0).all()
    assert (trials.WelchT().p_values(found) == 1).all()


def test_outcomes_are_binary_if_each_is_0_or_1():
    """A sum of outcomes that equals that of their squares is not enough."""
    arm = np.zeros((1, 4), np.int16)
    outcome = np.array([[-0.5, 0.5, 0.5, 0.5]])
    assert outcome.sum() == (outcome**2).sum()
    design = design_of(2, patients=4, policy="uniform-random")
    data = trials.TrialData(
        design, np.array([[4, 0]]), np.array([[outcome.sum(), 0.0]]), np.array([[outcome.var(ddof=1), np.nan]]),
        arm, outcome,
    )  # fmt: skip
    assert data.two_valued.tolist() == [[False, True]]
    counts = np.array([[5, 3], [1, 0]])
    assert trials.TrialData.from_successes(design, counts, [[2, 3], [1, 0]]).is_binary
    variances = np.array([[0.3, 0.1], [np.nan, np.nan]])
    assert trials.TrialData(design, counts, np.array([[2.0, 3.0], [1.0, 0.0]]), variances).two_valued.tolist() == [
        [True, False],
        [True, True],
    ]


def test_a_coin_of_one_leaves_nothing_to_the_policy():
    arms = [rewards.Bernoulli(0.2), rewards.Bernoulli(0.7), rewards.Bernoulli(0.9)]
    given = [
        trials.simulate_one(design_of(patients=400, policy=policy, coin=1.0), arms, seed=3).trials.data.arm[0].tolist()
        for policy in ("besa-plus", "ucb1")
    ]
    assert given[0] == given[1]
    counts = np.bincount(given[0], minlength=3)
    assert abs(counts - 400 / 3).max() <= 4.5 * np.sqrt(400 * 2 / 9), "a false alarm in 50,000"


@pytest.mark.parametrize(
    ("coin", "sentence"),
    [
        (1.2, r"coin must be in \[0, 1\], got 1.2"),
        ([0.2], "coin must be a number in .0, 1., or two of them: for the first patient and for the last"),
        ([0.5, 2], r"coin must be in \[0, 1\], got 2"),
        ("often", "coin must be a number in .0, 1., got 'often'"),
    ],
)
def test_what_is_no_coin_is_refused(coin, sentence):
    with pytest.raises(ParameterError, match=sentence):
        design_of(patients=10, coin=coin)


def test_a_coin_that_falls():
    design = design_of(patients=10, burn_in=2, coin=[0.4, 0.0])
    assert len(design.arms) == 3
    assert design.coins() == pytest.approx([0.0] * 6 + [0.4, 0.4 * 2 / 3, 0.4 / 3, 0.0])
    assert trials.Design.from_spec(design.spec()) == design
