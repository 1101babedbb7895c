"""A replay: the decisions are those of the simulation, and what is shown of them is what decided."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import primum
from primum import policies, rewards, values
from primum.errors import ParameterError, PrimumError
from primum.kernels import below, best_score, engine, opening, tournament, value_of
from primum.kernels.contract import Histories
from primum.replay import recording
from primum.runs.part import inner_value
from tests.oracle.allocation_policies import PROBABILITIES
from tests.problems import ARMS, PATHS, POLICIES, VALUES, choices_of, mostly_long, plain_choices, reward, suited

NAMES = ["A", "B", "C", "D"]
MIXED = dict(zip(NAMES, [ARMS[0], ARMS[2], ARMS[4], ARMS[6]]))  # two-valued, constant, continuous, with ties
ALIKE = dict(zip(NAMES, [ARMS[0], ARMS[0], ARMS[4], ARMS[4]]))  # so that sub-samples are most of the rewards
HORIZON, SEED = 120, 4
DUELLING = [policies.Besa(), policies.BesaPlus(), policies.BesaPlus(floor=0.0)]


def replay(value, policy, arms=MIXED, **options):
    problem = primum.Problem(arms, value)
    return primum.replay(
        problem, policy, **{"horizon": HORIZON, "seed": SEED, "replication": 1, "count": 200} | options
    )


KINDS_OF_VALUE = [VALUES[0], VALUES[3], VALUES[8]]  # of moments, of the tail and of the whole sample
SHORT = [pytest.param(value, PATHS, id=str(value)) for value in KINDS_OF_VALUE]
LONG = [pytest.param(VALUES[i], POLICIES, marks=pytest.mark.long, id=f"all-{VALUES[i]}") for i in (0, 1, 3, 8, 18, 19)]


@pytest.mark.parametrize(("value", "players"), SHORT + LONG)
def test_every_policy_decides_as_in_the_simulation(value, players):
    problem = primum.Problem(MIXED, value)
    players = [suited(policy, value) for policy in players]
    labels = list(dict.fromkeys(player.label for player in players))
    results = primum.simulate(
        problem, labels, horizon=HORIZON, replications=2, seed=SEED, steps="all", threads=1, progress=False
    )
    for i, label in enumerate(labels):
        pulls = results.pulls.values[i, 1]
        shown = replay(value, label)
        assert [step.arm for step in shown.steps] == choices_of(pulls)
        assert [step.pulls for step in shown.steps[1:]] == [tuple(row) for row in pulls[:-1].tolist()]
        np.testing.assert_allclose([step.regret for step in shown.steps], results.regret.values[i, 1], rtol=1e-12)
        late = replay(value, label, first=90, count=7)
        assert (late.before, late.steps) == (shown.steps[89].pulls, shown.steps[89:96])


@pytest.mark.parametrize("policy", DUELLING, ids=str)
@settings(max_examples=12)
@given(value=st.sampled_from(VALUES), seed=st.integers(0, 2**64 - 1), first=st.integers(1, HORIZON))
def test_a_window_is_a_part_of_the_whole(policy, value, seed, first):
    whole = replay(value, policy, seed=seed)
    assert replay(value, policy, seed=seed, first=first, count=9).steps == whole.steps[first - 1 : first + 8]


@pytest.mark.parametrize("policy", ["npts", "oracle", "besa-plus"])
def test_rewards_and_estimates_are_those_of_the_replication(policy):
    value = values.CVaR(alpha=0.3)
    problem, known = primum.Problem(MIXED, value), [[] for _ in NAMES]
    for step in replay(value, policy).steps:
        for estimate, sample in zip(step.estimates, known, strict=True):
            assert estimate == (pytest.approx(value.of(sample), abs=1e-12) if sample else None)
        known[step.arm].append(reward(problem, SEED, 1, step.arm, len(known[step.arm])))
        assert step.reward == known[step.arm][-1]


def value_of_shown(value, sample):
    """The value of what is shown of a sub-sample."""
    shown, packed = np.array(sample.rewards), value.packed()
    if sample.what == "features":
        return value.from_moments(shown.size, shown.mean(), shown.var(ddof=1) if shown.size > 1 else 0.0, *packed)
    return value.from_tail(shown, sample.size, *packed) if sample.what == "lowest rewards" else value.of(shown)


@pytest.mark.parametrize("policy", DUELLING, ids=str)
@pytest.mark.parametrize("measured", VALUES, ids=str)
@pytest.mark.parametrize("arms", [MIXED, ALIKE], ids=["mixed", "alike"])
def test_every_duel_follows_from_the_sub_samples_shown(policy, measured, arms):
    value, known, kinds = inner_value(policy, measured), [Counter() for _ in NAMES], Counter()
    for step in replay(measured, policy, arms).steps:
        kinds[step.why.kind] += 1
        if step.why.kind == "duels":
            assert len(step.why.duels) == len(NAMES) - 1
            assert step.why.duels[-1].winner == step.arm
            losers = [duel.b if duel.winner == duel.a else duel.a for duel in step.why.duels]
            assert sorted([*losers, step.arm]) == [0, 1, 2, 3]  # a knock-out
        for duel in step.why.duels:
            assert duel.size == min(step.pulls[duel.a], step.pulls[duel.b])
            for arm, sample, found in zip((duel.a, duel.b), duel.samples, duel.values, strict=True):
                assert (sample.size, sample.all) == (duel.size, step.pulls[arm])
                assert list(sample.rewards) == sorted(sample.rewards)
                assert found == pytest.approx(value_of_shown(value, sample), abs=1e-9)
                if sample.what != "features":
                    assert not Counter(round(x, 9) for x in sample.rewards) - known[arm]
                if sample.what != "lowest rewards":
                    assert len(sample.rewards) == sample.size
            (x, y), (a, b) = duel.values, (step.pulls[duel.a], step.pulls[duel.b])
            better = {
                "value": x > y,
                "fewer pulls": a < b and x == pytest.approx(y, abs=1e-9),
                "chance": a == b and x == pytest.approx(y, abs=1e-9) and duel.winner == duel.a,
            }
            assert better[duel.by] == (duel.winner == duel.a)
        known[step.arm][round(step.reward, 9)] += 1
    assert kinds["opening"] == len(NAMES)
    assert (kinds["floor"] > 0) == (policy == policies.BesaPlus())
    assert kinds["duels"] > HORIZON // 2


def kinds_of(value, arms=MIXED):
    steps = replay(value, "besa-plus", arms).steps
    return {sample.what for step in steps for duel in step.why.duels for sample in duel.samples}


def test_what_is_shown_depends_on_the_value_and_the_rewards():
    assert kinds_of(values.Mean()) == {"rewards", "counts"}
    assert kinds_of(values.CVaR(alpha=0.3)) == {"lowest rewards"}
    assert kinds_of(values.Threshold(level=0.4)) == {"features"}
    assert kinds_of(values.MeanGini()) == kinds_of(values.Entropic()) == {"rewards"}


def test_the_sub_samples_shown_are_those_that_decided(monkeypatch):
    """What the value saw when the same replication was played as plain source, in that order."""
    value, seen = values.Entropic(theta=1.0), []
    shown = replay(value, "besa-plus", horizon=60)
    estimate = values.Entropic.estimate
    with monkeypatch.context() as patched:
        recording = staticmethod(
            lambda sample, *packed: seen.append(sorted(sample.tolist())) or estimate(sample, *packed)
        )
        patched.setattr(values.Entropic, "estimate", recording)
        choices = plain_choices(primum.Problem(MIXED, value), policies.BesaPlus(), 60, SEED, 1)
    assert choices == [step.arm for step in shown.steps]
    left = iter(seen)
    parts = [
        sample for step in shown.steps for duel in step.why.duels for sample in duel.samples if sample.size < sample.all
    ]
    assert len(parts) > 50
    assert all(list(sample.rewards) in left for sample in parts)  # each is sought after the one before


def test_of_large_sub_samples_some_rewards_are_shown():
    alike = {"A": rewards.Uniform(0, 1), "B": rewards.Uniform(0, 1)}
    for value, what in ((values.Mean(), "rewards"), (values.CVaR(alpha=0.9), "lowest rewards")):
        shown = replay(value, "besa-plus", alike, horizon=1000, first=990, seed=2)
        large = [s for step in shown.steps for duel in step.why.duels for s in duel.samples]
        assert {(len(sample.rewards), sample.what) for sample in large} == {(60, what)}
        assert min(sample.size for sample in large) > 60
        assert all(len(set(sample.rewards)) == 60 for sample in large)


def test_large_counts_are_those_that_decided():
    alike = {"A": rewards.Bernoulli(0.5), "B": rewards.Bernoulli(0.5)}
    steps = replay(values.Mean(), "besa-plus", alike, horizon=3000, first=2801, seed=5).steps
    drawn = [
        (np.mean(sample.rewards), value)
        for step in steps
        for duel in step.why.duels
        for sample, value in zip(duel.samples, duel.values, strict=True)
        if sample.what == "counts"
    ]
    assert len(drawn) > 100
    for share, value in drawn:  # 60 of them are shown
        assert abs(share - value) < 1 / 59
    assert len({value for _, value in drawn}) > 20


def test_ties():
    equal = {"A": rewards.Constant(0.5), "B": rewards.Constant(0.5)}
    steps = replay(values.Mean(), "besa-plus", equal).steps
    said = {step.why.duels[0].by: step.why.sentence for step in steps if step.why.duels}
    assert re.fullmatch(
        r"on \d+ rewards? each, '.' and '.' both have 0.5, and '.' has fewer pulls", said["fewer pulls"]
    )
    assert re.fullmatch(
        r"on \d+ rewards? each, '.' and '.' both have 0.5 and equally many pulls, so chance decided for '.'",
        said["chance"],
    )


def test_sentences():
    arms = {"standard": rewards.Constant(0.4), "new": rewards.Constant(0.35), "old": rewards.Constant(0.34999)}
    shown = replay(values.Mean(), "besa-plus(floor=2)", arms, horizon=1000, first=1, count=200)
    said = [step.why.sentence for step in shown.steps]
    assert said[:4] == [
        "'standard' has no reward yet, so it is tried",
        "'new' has no reward yet, so it is tried",
        "'old' has no reward yet, so it is tried",
        "'standard' has 1 pull, fewer than 2 x ln(t) = 2.77, so it is tried",
    ]
    assert shown.steps[3].why.floor == pytest.approx(2 * np.log(4))
    assert said[6] == "'standard' has 2 pulls, fewer than 2 x ln(t) = 3.89, so it is tried"
    assert any(
        re.fullmatch(r"'standard' won its 2 duels, against '(new|old)' and '(new|old)'; in the last, .*", s)
        for s in said
    )
    assert any(
        re.fullmatch(r"'standard' won its only duel: on \d+ rewards each, 'standard' has 0.4 and 'new' 0.35", s)
        for s in said
    )
    told_apart = replay(values.Mean(), "besa", {name: arms[name] for name in ("new", "old")}, count=3)
    assert told_apart.steps[2].why.sentence == "on 1 reward each, 'new' has 0.35 and 'old' 0.34999"
    alone = replay(values.Mean(), "besa", {"new": arms["new"]}, count=2)
    assert alone.steps[1].why.sentence == "'new' is the only arm"


def test_a_replay_is_plain_data_and_a_readable_text():
    shown = replay(values.CVaR(alpha=0.2), "besa-plus", first=100, count=3)
    plain = json.loads(json.dumps(dataclasses.asdict(shown)))
    assert plain["steps"][1]["why"]["duels"][0]["samples"][0]["what"] == "lowest rewards"
    titles = policies.BesaPlus().display_name, values.CVaR(alpha=0.2).display_name
    assert (plain["policy"], plain["value"], plain["arms"]) == (*titles, NAMES)
    assert (plain["first"], sum(plain["before"])) == (100, 99)
    head, columns, *rows = str(shown).splitlines()
    assert head == f"{titles[0]} by {titles[1]}, replication 1, 120 steps"
    assert columns.split() == ["step", "arm", "reward", "regret", "why"]
    assert [row.split()[:2] for row in rows] == [[str(step.step), NAMES[step.arm]] for step in shown.steps]
    assert replay(values.CVaR(alpha=0.2), "besa", count=1).value == values.Mean().display_name


def test_a_window_ends_at_the_horizon():
    assert [step.step for step in replay(values.Mean(), "besa-plus", first=119).steps] == [119, 120]
    assert [step.step for step in replay(values.Mean(), "ucb1", first=120).steps] == [120]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"first": 0}, "first must be a whole number in [1, 120], got 0"),
        ({"first": 121}, "first must be a whole number in [1, 120], got 121"),
        ({"count": 201}, "count must be a whole number in [1, 200], got 201"),
        ({"count": 0}, "count must be a whole number in [1, 200], got 0"),
        ({"replication": -1}, "replication must be a whole number in [0, 2147483646], got -1"),
        ({"seed": -1}, "seed must be a whole number in [0, 2^64 - 1], got -1"),
        ({"horizon": 0}, "horizon must be a whole number in [1, 2147483647], got 0"),
    ],
)
def test_limits(options, sentence):
    with pytest.raises(ParameterError, match=re.escape(sentence)):
        replay(values.Mean(), "besa-plus", **options)


def test_what_cannot_be_simulated_cannot_be_replayed():
    with pytest.raises(ParameterError, match="problem must be a primum.Problem"):
        primum.replay("no", "besa", horizon=10, seed=1)
    with pytest.raises(PrimumError, match="did you mean 'besa-plus'"):
        replay(values.Mean(), "besa+")
    with pytest.raises(ParameterError, match="needs rewards in"):
        replay(values.Mean(), "kl-ucb", {"A": rewards.Uniform(0, 2), "B": rewards.Uniform(0, 1)})


# the kinds of reason in the first 120 steps, besides "opening"
KINDS = {
    "besa": {"duels"},
    "besa-plus": {"floor", "duels"},
    "boltzmann": {"random"},
    "dirichlet-sampling": {"round"},
    "epsilon-greedy": {"scores", "random"},
    "exp-exp": {"floor", "commitment"},
    "explore-then-commit": {"floor", "commitment"},
    "forward-looking-gittins": {"rule"},
    "round-robin": {"rule"},
    "sda": {"round"},
    "ssmc": {"round"},
    "two-keys": {"floor", "round"},
    **{name: {"random"} for name in PROBABILITIES},
}
NO_OPENING = {"forward-looking-gittins", "gittins", "npts", "oracle", "round-robin", "thompson", *PROBABILITIES}


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_every_policy_is_explained(policy):
    """The winner shown is the arm chosen, it has the best score shown, and ties and the opening are told."""
    assert policy.decides_by
    value, kinds = values.Mean(), set()
    for step in replay(value, policy).steps:
        why, name = step.why, repr(NAMES[step.arm])
        kinds.add(why.kind)
        assert name in why.sentence
        if why.kind == "opening":
            assert step.pulls[step.arm] == 0 == min(step.pulls)
        elif why.kind == "floor":
            assert step.pulls[step.arm] == min(step.pulls) < why.floor
        elif why.kind == "scores":
            assert (why.score, len(why.scores)) == (policy.decides_by, len(NAMES))
            scores = [-np.inf if score is None else score for score in why.scores]
            assert scores[step.arm] == pytest.approx(max(scores), rel=1e-11)
            if why.tied:
                assert step.arm in why.tied
                assert all(repr(NAMES[k]) in why.sentence for k in why.tied)
                assert "share the highest" in why.sentence
            else:
                assert sum(scores[step.arm] <= score for score in scores) == 1
                assert why.sentence.startswith(f"{name} has the highest {policy.decides_by}, ")
        elif why.kind == "duels":
            assert why.duels[-1].winner == step.arm
        elif why.scores:
            assert sum(why.scores) == pytest.approx(1.0)
    # with a floor below 1, an arm that has been tried once is not forced any more
    expected = KINDS.get(policy.name, {"scores"}) - ({"floor"} if policy == policies.BesaPlus(floor=0.0) else set())
    assert kinds == expected | (set() if policy.name in NO_OPENING else {"opening"})


def test_they_are_all_playersof_ours():
    two_arms_only = policies.OptimalAllocation  # whose outcomes are 0 and 1
    others = {policies.Policy, two_arms_only}
    assert {type(policy) for policy in POLICIES} == {getattr(policies, name) for name in policies.__all__} - others


class Confidence:
    """Scores of some policies, computed from the steps before alone."""

    @staticmethod
    def ucb1(step, rewards):
        return np.mean(rewards) + np.sqrt(2 * np.log(step - 1) / len(rewards))

    @staticmethod
    def min(step, rewards):
        return min(rewards)

    @staticmethod
    def marab(step, rewards):
        worst = sorted(rewards)[: int(np.ceil(0.1 * len(rewards) - 1e-9))]
        return np.mean(worst) - np.sqrt(np.log(np.ceil(0.1 * step - 1e-9)) / len(worst))


@pytest.mark.parametrize("name", ["ucb1", "min", "marab"])
def test_the_scores_shown_are_the_indices_of_the_arms(name):
    known = [[] for _ in NAMES]
    for step in replay(values.Mean(), name).steps:
        if step.why.kind == "scores":
            expected = [getattr(Confidence, name)(step.step, rewards) for rewards in known]
            assert step.why.scores == pytest.approx(expected, abs=1e-9)
        known[step.arm].append(step.reward)


def test_probabilities_are_those_of_the_estimates():
    for step in replay(values.CVaR(alpha=0.3), "boltzmann(temperature=0.2)").steps[4:]:
        weights = np.exp(np.array(step.estimates) / 0.2)
        assert step.why.score == "probability"
        assert step.why.scores == pytest.approx(weights / weights.sum())


def test_exploration_is_told_apart_from_greed():
    steps = replay(values.Mean(), "epsilon-greedy(epsilon=5, decay=1)").steps[4:]
    assert steps[0].why.sentence == f"{NAMES[steps[0].arm]!r} was drawn uniformly at random from 4 arms"  # for certain
    late = [step for step in steps if step.step > 20]
    explored = [step for step in late if step.why.kind == "random"]
    assert 0 < len(explored) < len(late)
    for step in explored:
        assert step.why.sentence.endswith(f"which happens with probability {20 / step.step:.3g} at this step")
    for step in late:
        if step.why.kind == "scores":
            assert step.why.scores == pytest.approx(step.estimates)


def test_a_commitment_lasts():
    steps = replay(values.Mean(), "explore-then-commit(per_arm=5)").steps
    assert [step.why.kind for step in steps] == ["opening"] * 4 + ["floor"] * 16 + ["commitment"] * 100
    assert {step.arm for step in steps[20:]} == {int(np.argmax(steps[20].estimates))}
    assert steps[19].why.sentence == "'D' has 4 pulls, fewer than 5, so it is tried"
    assert steps[20].why.sentence.endswith("was chosen for all remaining steps when the exploration ended")


ROUNDS = {  # and who wins a tie in them
    "sda": "chance",
    "sda(floor=2)": "chance",
    "sda(sampler='random-block', ties='random')": "chance",
    "sda(sampler='random-block')": "challenger",
    "sda(sampler='last-block')": "challenger",
    "sda(ties='challenger')": "challenger",
    "sda(ties='leader')": "leader",
    "ssmc": "challenger",
    "dirichlet-sampling": "challenger",
}


@pytest.mark.parametrize("policy", ROUNDS)
@pytest.mark.parametrize("value", [values.Mean(), values.CVaR(alpha=0.3)], ids=str)
def test_rounds(policy, value):
    """Winners of a round are pulled at once or at the next steps, and the leader only if there is none."""
    waiting, seen = set(), Counter()
    for step in replay(value, policy).steps[4:]:
        why = step.why
        assert why.kind == "round"
        if why.leader is None:
            assert step.arm in waiting
            assert "earlier in this round" in why.sentence
        else:
            assert not waiting
            assert step.pulls[why.leader] == max(step.pulls)
            fewer = {arm for arm, pulls in enumerate(step.pulls) if pulls < max(step.pulls)}
            equal = set(range(4)) - fewer - {why.leader} if ROUNDS[policy] == "chance" else set()
            assert {challenge.arm for challenge in why.challenges} == fewer | equal
            waiting = {challenge.arm for challenge in why.challenges if challenge.won} or {why.leader}
            seen["won" if waiting != {why.leader} else "led"] += 1
        for challenge in why.challenges:
            if challenge.floor is not None:
                assert step.pulls[challenge.arm] < challenge.floor
                seen["floor"] += 1
                continue
            if not challenge.tied:
                assert challenge.won == (challenge.leader is not None and challenge.value > challenge.leader)
            elif ROUNDS[policy] != "chance":
                assert challenge.won == (ROUNDS[policy] == "challenger")
            if policy != "dirichlet-sampling":
                assert challenge.value == pytest.approx(step.estimates[challenge.arm])
        waiting -= {step.arm}
    assert seen["led"] > 0 < seen["won"]
    assert (seen["floor"] > 0) == (policy in ("ssmc", "sda(floor=2)"))


@pytest.mark.parametrize("policy", ROUNDS)
def test_ties_in_rounds(policy):
    arms = dict.fromkeys(NAMES, rewards.Bernoulli(0.5))
    steps = [step for seed in range(3) for step in replay(values.Mean(), policy, arms, seed=seed).steps]
    won = {challenge.won for step in steps for challenge in step.why.challenges if challenge.tied}
    assert won == {"challenger": {True}, "leader": {False}, "chance": {True, False}}[ROUNDS[policy]]


def test_sentences_about_scores():
    arms = {"old": rewards.Constant(0.4), "new": rewards.Constant(0.35), "other": rewards.Constant(0.4)}
    two = {name: arms[name] for name in ("old", "new")}

    def said(policy, chosen, step):
        return replay(values.Mean(), policy, chosen).steps[step - 1].why.sentence

    assert said("ucb1", two, 1) == "'old' has no reward yet, so it is tried"
    assert said("ucb1", two, 3) == "'old' has the highest upper confidence bound, 1.58 (1.53 for 'new')"
    assert said("min", {"new": arms["new"], "old": arms["old"], "last": arms["new"]}, 4) == (
        "'old' has the highest worst reward so far, 0.4 (next: 0.35 for 'new')"
    )
    assert re.fullmatch(
        r"'old' and 'other' share the highest upper confidence bound, 1.88; chance decided for '(old|other)'",
        said("ucb1", arms, 4),
    )
    assert said("ucb1", {"old": arms["old"]}, 2) == "'old' is the only arm"
    assert said("round-robin", two, 3).endswith(" chose 'old' by taking the arms in turn")
    assert said("imed", {"sure": rewards.Constant(1.0), "new": arms["new"]}, 3) == (
        "'sure' has the highest negative IMED index, 0 (minus infinity for 'new')"
    )


def plain_notes(problem, policy, horizon):
    """What is noted when the engine's source and the plug-ins' run as ordinary Python."""
    arms, truth = len(problem.arms), problem.true_values if policy.needs_truth else None
    histories = Histories(1, arms, horizon, horizon, inner_value(policy, problem.value), policy, truth=truth)
    histories.begin(SEED, [1])
    for arm in range(arms):
        histories.arrays["rewards"][0, arm] = [reward(problem, SEED, 1, arm, i) for i in range(horizon)]
    recorder = recording.Recorder(histories)
    with np.errstate(over="ignore"):  # the generators count on wrapping around
        for _ in range(horizon):
            recorder.begin()
            arm = engine.ask(histories)
            yield recorder.end()
            engine.tell(histories, arm)


@pytest.mark.parametrize("policy", mostly_long(POLICIES, PATHS), ids=str)
def test_plain_source_notes_the_same_as_native_code(policy):
    value = values.CVaR(alpha=0.3)
    policy = suited(policy, value)
    shown = replay(value, policy, horizon=40).steps
    for step, notes in zip(shown, plain_notes(primum.Problem(MIXED, value), policy, 40), strict=True):
        why = step.why
        assert notes.arm == (-1 if why.kind == "rule" else step.arm)
        assert tuple(notes.duels) == why.duels
        if why.kind == "scores":
            finite = [
                (plain, score) for plain, score in zip(notes.scores, why.scores, strict=True) if score is not None
            ]
            assert [plain for plain, _ in finite] == pytest.approx([score for _, score in finite], rel=1e-12)
            assert sum(map(np.isfinite, notes.scores)) == len(finite)
        if why.kind == "round":
            assert (notes.leader, tuple(notes.challenges)) == (why.leader, why.challenges)


def test_a_policy_of_ones_own_that_holds_a_tournament(fresh_registry):
    @dataclass(frozen=True)
    class Wavering(policies.Policy):
        """A tournament at every other step, more or less; a memory besides."""

        memory_width = 1
        decides_by = "a tournament, or not"

        @staticmethod
        def choose(history):
            arm = opening(history, 2.0)
            if arm < 0:
                arm = tournament(history)
                if below(history.stream, 2) == 0:
                    arm = int(history.memory[0, 0]) % history.arms
            return arm

        @staticmethod
        def learn(history, arm, reward):
            history.memory[0, 0] += 1.0

    problem = primum.Problem(MIXED, values.Mean())
    results = primum.simulate(
        problem, [Wavering()], horizon=HORIZON, replications=1, seed=SEED, steps="all", progress=False
    )
    steps = replay(values.Mean(), Wavering(), replication=0).steps
    assert [step.arm for step in steps] == choices_of(results.pulls.values[0, 0])
    kinds = Counter(step.why.kind for step in steps)
    assert kinds["opening"] == kinds["floor"] == 4
    assert kinds["duels"] > 40
    assert kinds["unexplained"] > 20
    assert steps[5].why.sentence == "'B' has 1 pull, fewer than 2, so it is tried"
    other = next(step for step in steps if step.why.kind == "unexplained")
    said = rf"Wavering chose '{NAMES[other.arm]}', whose estimated value is \S+ on \d+ rewards; it noted no reason"
    assert re.fullmatch(said, other.why.sentence)


def test_one_declared_line_has_a_policy_of_ones_own_explained(fresh_registry):
    @dataclass(frozen=True)
    class Silent(policies.Policy):
        """The best estimate, however that is spelt."""

        @staticmethod
        def choose(history):
            arm = opening(history, 1.0)
            if arm >= 0:
                return arm
            for k in range(history.arms):
                history.scores[k] = value_of(history, k)
            decide = best_score
            return decide(history)

    @dataclass(frozen=True)
    class Talkative(Silent):
        """The same, which says so."""

        decides_by = "estimate"

    silent, talkative = (replay(values.Mean(), policy()).steps for policy in (Silent, Talkative))
    assert [step.arm for step in silent] == [step.arm for step in talkative]
    assert {step.why.kind for step in silent} == {"unexplained"}
    assert silent[0].why.sentence == "Silent chose 'A', which has no reward yet; it declares no explanation"
    assert silent[-1].why.sentence.endswith(" rewards; it declares no explanation")
    assert {step.why.kind for step in talkative} == {"opening", "scores"}
    assert all(step.why.scores == pytest.approx(step.estimates) for step in talkative[4:])
    assert silent[-1].why.scores == ()


def test_an_error_while_notes_are_taken_is_raised(monkeypatch):
    monkeypatch.setattr(recording, "sampled", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        replay(values.Mean(), "besa")


def test_many_threads_do_not_disturb_each_other():
    def run(seed):
        return replay(values.Entropic(), "besa-plus", seed=seed)

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, range(12)))
    assert together == [run(seed) for seed in range(12)]
