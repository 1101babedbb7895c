"""Live equals batch: same seed, same rewards, same order; late outcomes; restored from JSON, also elsewhere."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import primum
from primum import policies, values
from primum.errors import PrimumError
from primum.player import _checksum
from tests.oracle.trial import Trial
from tests.problems import ARMS, PATHS, PLAYABLE, VALUES, choices_of, mostly_long, reward, suited

NAMES = ["A", "B", "C"]


def live(policy, value, horizon, seed=4):
    return primum.Player(policy, value, NAMES, seed=seed, horizon=horizon)


@pytest.mark.parametrize("policy", PLAYABLE, ids=str)
@pytest.mark.parametrize("value", [VALUES[0], VALUES[1], VALUES[3]], ids=str)
def test_live_equals_batch(policy, value):
    policy = suited(policy, value)
    problem = primum.Problem(dict(zip(NAMES, [ARMS[1], ARMS[4], ARMS[6]])), value)
    results = primum.simulate(problem, [policy], horizon=100, replications=3, seed=4, steps="all", progress=False)
    player = primum.Player(policy, value, NAMES, seed=4, horizon=100, replication=2)
    told = dict.fromkeys(NAMES, 0)
    for expected in choices_of(results.pulls.values[0, 2]):
        arm = player.ask()
        assert arm == NAMES[expected]
        player.tell(arm, reward(problem, 4, 2, expected, told[arm]))
        told[arm] += 1


@pytest.mark.parametrize("policy", mostly_long(PLAYABLE, PATHS), ids=str)
@settings(max_examples=8)
@given(data=st.data(), value=st.sampled_from(VALUES))
def test_late_and_unordered_outcomes_equal_the_oracle(policy, data, value):
    """Asking and telling in any order, as outcomes come in."""
    policy = suited(policy, value)
    player = live(policy, value, 40)
    trial = Trial(policy, value, len(NAMES), 40, 4, 0)
    open_arms: list[int] = []
    for _ in range(data.draw(st.integers(1, 60))):
        if open_arms and (data.draw(st.booleans()) or trial.step > 40):
            arm = open_arms.pop(data.draw(st.integers(0, len(open_arms) - 1)))
            x = data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
            trial.tell(arm, x)
            player.tell(NAMES[arm], x)
        elif trial.step <= 40:
            arm = trial.ask()
            assert player.ask() == NAMES[arm]
            open_arms.append(arm)
    assert player.waiting == {name: open_arms.count(i) for i, name in enumerate(NAMES)}
    again = primum.Player.restore(json.loads(json.dumps(player.state())))
    assert again.state() == player.state()
    if trial.step <= 40:
        assert again.ask() == player.ask() == NAMES[trial.ask()]


def test_patients_who_come_before_the_first_outcome_are_spread():
    for policy in [policies.BesaPlus(), policies.Besa(), policies.Ucb1(), policies.EpsilonGreedy()]:
        player = live(policy, values.Mean(), None)
        assert [player.ask() for _ in range(9)] == NAMES * 3


def test_many_outcomes_of_an_arm():
    """More than the room set aside at first: the decisions stay those of the oracle."""
    value = values.CVaR(alpha=0.3)
    player, trial = live(policies.BesaPlus(), value, None, seed=2**64 - 1), None
    trial = Trial(policies.BesaPlus(), value, len(NAMES), 0, 2**64 - 1, 0)
    for i in range(300):
        arm = trial.ask()
        assert player.ask() == NAMES[arm]
        outcome = (i * 37 % 100) / 100 + 0.2 * arm
        trial.tell(arm, outcome)
        player.tell(NAMES[arm], outcome)


def test_a_plug_in_that_fails_leaves_the_player_as_it_was():
    class Moody(values.SafetyValue):
        """Fails on an outcome of 0.9."""

        @staticmethod
        def estimate(sample):
            if sample.max() > 0.8:
                raise ValueError("too good")
            return sample.mean()

    player = primum.Player(policies.EpsilonGreedy(), Moody(), ["A", "B"], seed=1)
    for outcome in (0.1, 0.9):
        player.tell(player.ask(), outcome)
    before = player.state()
    for _ in range(3):
        with pytest.raises(PrimumError, match="moody failed .* ValueError: too good"):
            [player.ask() for _ in range(100)]  # some are random and need no estimate
    assert player.state()["log"][: len(before["log"])] == before["log"]
    assert sum(player.waiting.values()) == len(player.log) - len(before["log"])


@pytest.mark.parametrize("outcome", [True, np.bool_(True), np.int64(1), np.float32(1.0), 1])
def test_outcomes_of_every_kind_of_number(outcome):
    player = live(policies.Thompson(), values.Mean(), None)
    player.tell(player.ask(), outcome)
    assert player.log[-1][2] == 1.0
    assert json.dumps(player.state())
    assert "0 decisions" not in repr(player)


def test_another_process_goes_on_from_the_state(tmp_path):
    player = live(policies.BesaPlus(), values.MeanVariance(rho=1.0), None)
    for i in range(30):
        player.tell(player.ask(), (i * 7 % 10) / 10)
    file = tmp_path / "state.json"
    file.write_text(json.dumps(player.state()))
    script = (
        "import json, sys, primum\n"
        "player = primum.Player.restore(json.load(open(sys.argv[1])))\n"
        "print([player.ask() for _ in range(5)])"
    )
    done = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([player.ask() for _ in range(5)])


def test_a_changed_log_is_noticed():
    player = live(policies.BesaPlus(), values.Mean(), None)
    for _ in range(6):
        player.tell(player.ask(), 0.5)
    state = player.state()
    assert primum.Player.restore(state).state() == state
    state["log"][0] = ["ask", "C"]
    with pytest.raises(PrimumError, match="checksum is wrong"):
        primum.Player.restore(state)
    with pytest.raises(PrimumError, match="entry 0 of the log assigns 'C', but seed and history give 'A'"):
        primum.Player.restore(signed(state))


def test_a_changed_outcome_is_noticed_though_no_decision_changes():
    player = live(policies.RoundRobin(), values.Mean(), None)
    player.tell(player.ask(), 0.5)
    state = player.state()
    state["log"][1][2] = 0.6
    with pytest.raises(PrimumError, match="the state of this player was changed: its checksum is wrong"):
        primum.Player.restore(state)


def signed(state):
    """A state with the right checksum, as another program may write it."""
    return state | {"checksum": _checksum({key: part for key, part in state.items() if key != "checksum"})}


def test_copies_and_pickles_share_nothing():
    player = live(policies.BesaPlus(), values.Mean(), None)
    for _ in range(6):
        player.tell(player.ask(), 0.5)
    before = player.state()
    for copied in (copy.copy(player), copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        assert copied.state() == before
        copied.tell(copied.ask(), 0.9)
        assert player.state() == before


def test_threads_share_a_player():
    player = primum.Player(policies.BesaPlus(), values.Mean(), ["A", "B"], seed=1)

    def patients(_):
        for _ in range(50):
            player.tell(player.ask(), 0.5)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(patients, range(8)))
    assert len(player.log) == 800
    assert sum(player.waiting.values()) == 0
    assert primum.Player.restore(player.state()).log == player.log


def test_an_outcome_outside_the_range_is_refused():
    player = primum.Player("besa-plus", "mean", ["A", "B"], seed=1, reward_range=(0, 1))
    arm = player.ask()
    with pytest.raises(PrimumError, match=r"reward must be in the reward_range \[0, 1\], got 7.5"):
        player.tell(arm, 7.5)
    again = primum.Player.restore(json.loads(json.dumps(player.state())))
    with pytest.raises(PrimumError, match="got -0.1"):
        again.tell(arm, -0.1)
    for wrong in ((1, 0), (0,), 3, "ab", (0, float("nan"))):
        with pytest.raises(PrimumError, match="reward_range must be"):
            primum.Player("besa-plus", "mean", ["A", "B"], reward_range=wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 99}, "cannot read a state of format 99"),
        ({"log": [["sing", "A"]]}, "neither ask nor tell"),
        ({"log": [["tell", "A", 0.5]]}, "no decision for arm 'A' is waiting"),
        ({"policy": {"name": "besa+"}}, "no policy named"),
        ({"arms": None}, "arms must be"),
        ({"format": 2.0}, "cannot read a state of format 2.0"),
        ({"format": True}, "cannot read a state of format True"),
        ({"horizn": None}, "no key named 'horizn'; did you mean 'horizon'"),
        ({"log": 3}, "not the state of a player: log must be a list, got 3"),
        ({"log": {}}, "log must be a list, got {}"),
        ({"log": [("ask", "A")]}, "entry 0 of the log is neither ask nor tell"),
        ({"log": [["ask", "A"], ["tell", "A", True]]}, "entry 1 of the log is neither ask nor tell"),
        ({"log": [["ask"] * 1_000_000]}, "entry 0 of the log is neither ask nor tell"),
        ({"seed": True}, "seed must be a whole number, got True"),
        ({"seed": 10**1000}, "seed must be a whole number in"),
        ({"horizon": 10**30}, "horizon must be a whole number in"),
        ({"horizon": 5.0}, "horizon must be a whole number or None, got 5.0"),
        ({"policy": "besa-plus"}, "policy must be a mapping, got 'besa-plus'"),
        ({"reward_range": [1]}, "reward_range must be two numbers"),
        ({"arms": ["A", "A"]}, "arms must be a non-empty list of different names"),
        ({"arms": ["A" * 1_000_000, ["B"]]}, "an arm's name must be a text"),
        ({"arms": ["A" * 1_000_000], "log": [["tell", "B" * 1_000_000, 0.5]]}, "no arm named 'BBB"),
    ],
)
def test_a_bad_state_is_said_in_a_sentence(change, message):
    state = signed(live(policies.BesaPlus(), values.Mean(), None).state() | change)
    with pytest.raises(PrimumError, match=message) as refused:
        primum.Player.restore(state)
    assert len(str(refused.value)) <= 400


def test_what_is_no_state_at_all_is_said_in_a_sentence():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    state = live(policies.BesaPlus(), values.Mean(), None).state()
    for wrong in ({}, {"format": 2}, [], None, state | {"arms": nested}, state | {"seed": 10**5000}):
        with pytest.raises(PrimumError, match="not the state of a player"):
            primum.Player.restore(wrong)


def test_more_arms_than_fit_into_memory_are_refused(monkeypatch):
    player = live(policies.BesaPlus(), values.Mean(), None)
    for _ in range(14):
        player.tell(player.ask(), 0.5)
    monkeypatch.setattr("primum.player.physical_memory", lambda: 2000.0)
    with pytest.raises(PrimumError, match="3 arms with up to 32 outcomes each need .* this machine has"):
        [player.tell(player.ask(), 0.5) for _ in range(50)]
    with pytest.raises(PrimumError, match="10 arms with up to 16 outcomes each need"):
        primum.Player("besa-plus", "mean", [str(i) for i in range(10)])


def test_the_arrays_of_a_player_cannot_be_copied():
    player = live(policies.BesaPlus(), values.Mean(), None)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="Histories cannot be copied or pickled"):
            copied(player._histories)


@pytest.mark.parametrize(
    ("arm", "outcome", "message"),
    [
        ("a", 0.5, "no arm named 'a'"),
        ("B", 0.5, "no decision for arm 'B' is waiting for an outcome"),
        ("A", float("nan"), r"reward must be a number in \[-1e\+60, 1e\+60\], got nan"),
        ("A", "good", r"reward must be a number in \[-1e\+60, 1e\+60\], got 'good'"),
        ("A", [1.0], r"reward must be a number in \[-1e\+60, 1e\+60\]"),
        ("A", 10**400, r"reward must be a number in \[-1e\+60, 1e\+60\]"),
        (["A"], 1.0, "no arm named"),
    ],
)
def test_bad_outcomes_are_refused_and_change_nothing(arm, outcome, message):
    player = live(policies.BesaPlus(), values.Mean(), None)
    player.ask()
    before = player.state()
    with pytest.raises(PrimumError, match=message):
        player.tell(arm, outcome)
    assert player.state() == before


def test_what_a_policy_needs_is_asked_for():
    with pytest.raises(PrimumError, match="MV-LCB needs to know the horizon"):
        primum.Player(policies.MvLcb(), "mean", NAMES)
    player = primum.Player(policies.Thompson(), "mean", ["A"], seed=1, horizon=1)
    player.ask()
    with pytest.raises(PrimumError, match=r"reward must be in \[0, 1\] for Thompson sampling, got 2"):
        player.tell("A", 2)
    with pytest.raises(PrimumError, match="all 1 decisions have been taken"):
        player.ask()
    for arms in ([], ["A", "A"], "AB", [1], [""], None):
        with pytest.raises(PrimumError, match="arms must be|an arm's name must be"):
            primum.Player("besa-plus", "mean", arms)
