"""simulate(): the same numbers however it is run, errors in words, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import primum
from primum import policies, rewards, values
from primum.errors import ParameterError, PrimumError
from primum.runs import part, simulation
from tests.problems import POLICIES, Grid

BERNOULLI = primum.Problem({"a": rewards.Bernoulli(0.4), "b": rewards.Bernoulli(0.6)}, values.Mean())
MIXED = primum.Problem(
    {"a": rewards.Constant(0.4), "b": rewards.Uniform(0, 1), "c": Grid(4)}, values.MeanVariance(rho=0.5)
)


def pulls(problem=MIXED, players=POLICIES, **options):
    settings = {"horizon": 120, "replications": 13, "seed": 3, "progress": False} | options
    return primum.simulate(problem, players, **settings).pulls.values


def refusal(arm, bounds):
    parts = {"name": "bounded", "reward_bounds": bounds, "choose": staticmethod(lambda history: 0)}
    policy = type("_Bounded", (policies.Policy,), parts)()
    with pytest.raises(ParameterError, match="Bounded needs rewards in") as refused:
        simulation.check_fit(primum.Problem({"a": arm}, "mean"), policy)
    return policy, str(refused.value)


@pytest.mark.parametrize(("bounds", "low"), [((0, 1), 0), ((-np.inf, 1), 0), ((2.5, np.inf), 2.5), ((-3, -1), -3)])
@pytest.mark.parametrize(
    ("arm", "way"),
    [
        ("uniform(low=-4, high=10)", "scaled"),
        ("scipy(distribution='norm')", "clipped"),
        ("scipy(distribution='expon', location=-5)", "clipped"),
    ],
)
def test_the_way_to_fit_rewards_to_a_policy_works(bounds, low, arm, way):
    policy, said = refusal(arm, bounds)
    advice = said.partition("; ")[2].rsplit(" ", 2)[0]
    assert advice == f"{way}(distribution=..., low={low}, high={low + 2 if low == -3 else low + 1})"
    simulation.check_fit(primum.Problem({"a": advice.replace("...", arm)}, "mean"), policy)


def test_there_is_no_way_to_fit_a_single_reward():
    assert refusal("constant(value=2)", (0, 1))[1].endswith("has them in [2, 2]")


@pytest.mark.slow
def test_threads_and_chunks_do_not_matter(monkeypatch):
    expected = pulls(threads=1)
    assert (pulls(threads=3) == expected).all()
    for size in (1, 5, 13):
        monkeypatch.setattr(simulation, "side_by_side", lambda *given, size=size: size)
        assert (pulls(threads=2) == expected).all()


def test_blocks_of_rewards_do_not_matter(monkeypatch):
    expected = pulls()
    monkeypatch.setattr(part, "first_block", lambda arms, horizon: 2)
    assert (pulls() == expected).all()


@pytest.mark.slow
def test_a_policy_plays_the_same_whoever_plays_beside_it():
    together = pulls()
    for i, policy in enumerate(POLICIES):
        assert (pulls(players=[policy])[0] == together[i]).all()


def test_more_replications_extend_a_run():
    assert (pulls(replications=30)[:, :13] == pulls()).all()


def test_a_longer_horizon_extends_a_run():
    anytime = [policy for policy in POLICIES if not policy.needs_horizon]
    longer = pulls(players=anytime, horizon=200, steps="all")
    assert (longer[:, :, :120] == pulls(players=anytime, steps="all")).all()


def test_policies_meet_the_same_rewards():
    seeds = [5, 5, 6]
    first, again, other = (pulls(BERNOULLI, [policies.Besa(), policies.BesaPlus(floor=0)], seed=seed) for seed in seeds)
    assert (first[0] == first[1]).all(), "BESA+ without a floor under the mean is BESA, given the same rewards"
    assert (first == again).all()
    assert (first != other).any()


def test_every_step_is_one_pull():
    recorded = pulls(steps="all")
    assert (recorded.sum(axis=-1) == np.arange(1, 121)).all()
    assert np.isin(np.diff(recorded, axis=2), [0, 1]).all()


def test_recorded_steps():
    everything = pulls(steps="all")
    assert (pulls(steps="last")[:, :, 0] == everything[:, :, -1]).all()
    assert (pulls(steps=[7, 50, 7])[:, :, :2] == everything[:, :, [6, 49]]).all()
    default = primum.simulate(BERNOULLI, ["ucb1"], horizon=100_000, replications=1, seed=1, progress=False)
    assert 150 <= default.steps.size <= 240
    assert (default.steps[0], default.steps[-1]) == (1, 100_000)


def test_a_seed_is_drawn_and_can_be_read_back():
    first = primum.simulate(BERNOULLI, ["ucb1"], horizon=20, replications=3, progress=False)
    again = primum.simulate(BERNOULLI, ["ucb1"], horizon=20, replications=3, seed=first.seed, progress=False)
    assert first == again


def test_one_arm_and_ten_thousand():
    assert (pulls(primum.Problem({"only": rewards.Uniform(0, 1)}, "mean"))[:, :, -1] == 120).all()
    many = primum.Problem({f"arm {i}": rewards.Bernoulli(i / 10_000) for i in range(10_000)}, "mean")
    played = pulls(many, [policies.BesaPlus(), policies.Ucb1(), policies.Thompson()], horizon=300, replications=2)
    assert (played[:, :, -1].sum(axis=-1) == 300).all()


def test_a_policy_tied_to_a_value_uses_its_own_under_any_measure():
    under = {value: pulls(primum.Problem(MIXED.arms, value), ["mv-lcb", "marab", "ucb1"]) for value in ("mean", "cvar")}
    assert (under["mean"] == under["cvar"]).all()
    free = {value: pulls(primum.Problem(MIXED.arms, value), ["besa-plus"]) for value in ("mean", "cvar")}
    assert (free["mean"] != free["cvar"]).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"horizon": 0}, r"horizon must be a whole number in \[1, 2147483647\], got 0"),
        ({"horizon": 2**31}, "horizon must be a whole number in"),
        ({"horizon": 2**31 - 1, "threads": 64}, "reduce the horizon"),
        ({"replications": 2**31 - 1}, "the recorded pulls need .* GB; record fewer steps"),
        ({"horizon": 10.5}, "horizon must be a whole number"),
        ({"horizon": "ten"}, "horizon must be a whole number"),
        ({"horizon": True}, "horizon must be a whole number"),
        ({"replications": 0}, "replications must be a whole number in"),
        ({"seed": -1}, "seed must be a whole number in"),
        ({"seed": 2**64}, "seed must be a whole number in"),
        ({"threads": 0}, "threads must be a whole number in"),
        ({"steps": "often"}, "steps must be 'all', 'last' or a list of steps, got 'often'"),
        ({"steps": [0]}, "steps must be a whole number in"),
        ({"steps": [121]}, r"steps must be a whole number in \[1, 120\], got 121"),
        ({"steps": 5}, "steps must be"),
        ({"steps": b"all"}, "steps must be"),
        ({"players": ["besa-plus(name=ucb1)"]}, "name is given twice"),
        ({"players": ["besa-plus(floor=1, floor=2)"]}, "floor is given twice"),
        ({"players": []}, "at least one policy"),
        ({"players": "besa"}, "policies must be a list"),
        ({"players": ["besa+"]}, "no policy named 'besa\\+'; did you mean 'besa-plus'"),
        ({"players": ["besa", "besa"]}, "policies must differ, got 'besa' twice"),
        ({"players": ["besa-plus(flor=2)"]}, "no parameter named 'flor'; did you mean 'floor'"),
        ({"players": ["besa-plus(floor=-2)"]}, r"floor must be in \[0, inf\), got -2"),
        ({"players": [values.Mean()]}, "expected a policy, got the value mean"),
        ({"players": [3]}, "a policy is given by its name"),
        ({"problem": "arms"}, "problem must be a primum.Problem"),
    ],
)
def test_bad_input_is_said_in_a_sentence(options, message):
    with pytest.raises(PrimumError, match=message):
        pulls(**options)


@pytest.mark.parametrize(
    ("arms", "value", "message"),
    [
        ({}, "mean", "at least one arm, got none"),
        ([rewards.Constant(1.0)], "mean", "arms must be a mapping"),
        ({"": rewards.Constant(1.0)}, "mean", "an arm's name must be a text"),
        ({"a": values.Mean()}, "mean", r"arms\.a: expected a reward distribution, got the value mean"),
        ({"a": "bernouli(probability=0.5)"}, "mean", "did you mean 'bernoulli'"),
        ({"a": "bernoulli(probability=1.2)"}, "mean", r"probability must be in \[0, 1\], got 1.2"),
        ({"a": "bernoulli"}, "mean", "probability is missing; it must be a number in"),
        ({"a": rewards.Constant(1.0)}, "meen", "no value named 'meen'; did you mean 'mean'"),
        ({"a": rewards.Constant(1.0)}, None, "a value is given by its name"),
    ],
)
def test_a_bad_problem_is_said_in_a_sentence(arms, value, message):
    with pytest.raises(PrimumError, match=message):
        primum.Problem(arms, value)


def test_rewards_outside_what_a_policy_is_made_for_are_refused():
    wide = primum.Problem({"a": rewards.Uniform(0, 10), "b": rewards.Constant(3.0)}, "mean")
    with pytest.raises(ParameterError, match=r"Thompson sampling needs rewards in \[0, 1\], and arm 'a'"):
        pulls(wide, ["thompson"])
    assert pulls(wide, ["besa-plus"]).shape[0] == 1


def test_a_distribution_that_gives_nan_is_named():
    class Broken(rewards.RewardDistribution):
        support = (0.0, 1.0)
        mean = 0.5

        def quantile(self, u):
            return np.where(np.asarray(u) < 0.5, np.nan, 0.5)

    with pytest.raises(ParameterError, match="arms.odd: .*quantile\\(u\\) must give a finite number"):
        pulls(primum.Problem({"odd": Broken(), "b": rewards.Constant(0.1)}, "mean"), ["ucb1"])


@settings(max_examples=60)
@given(
    horizon=st.one_of(st.integers(-5, 80), st.floats(), st.none(), st.text(max_size=3)),
    replications=st.one_of(st.integers(-2, 4), st.floats()),
    seed=st.one_of(st.none(), st.integers(-(2**70), 2**70)),
    steps=st.one_of(st.none(), st.text(max_size=4), st.lists(st.integers(-3, 90), max_size=4), st.integers()),
    names=st.lists(st.one_of(st.sampled_from(["besa", "ucb1", "thompson"]), st.text(max_size=8)), max_size=3),
)
def test_whatever_is_given_it_works_or_says_why(horizon, replications, seed, steps, names):
    options = {"horizon": horizon, "replications": replications, "seed": seed, "steps": steps, "progress": False}
    try:
        results = primum.simulate(BERNOULLI, names, **options)
    except PrimumError:
        return  # any other exception fails the test
    assert (results.pulls.values[:, :, -1].sum(axis=-1) == horizon).all()


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
    def broken(*arguments):
        raise RuntimeError("no rewards today")

    monkeypatch.setattr(part.Workspace, "draw", broken)
    with pytest.raises(RuntimeError, match="no rewards today"):
        pulls(threads=2)


class CtrlC:
    """A progress bar that has another thread press Ctrl-C, once, as soon as so many steps have been played."""

    def __init__(self, steps):
        self.steps, self.reached = steps, threading.Event()

    def __enter__(self):
        threading.Thread(target=self.press, daemon=True).start()
        return self

    def press(self):
        self.reached.wait()
        os.kill(os.getpid(), signal.SIGINT)

    def say(self, text):
        pass

    def update(self, done):
        if done >= self.steps:
            self.reached.set()

    def __exit__(self, *_):
        pass


@pytest.mark.parametrize(("arms", "horizon"), [(20, 3000), (2, 20)], ids=["few long tasks", "a hundred thousand tasks"])
def test_ctrl_c_returns_the_complete_replications(monkeypatch, interruptible, arms, horizon):
    """They equal those of an undisturbed run; the whole run would take minutes."""
    problem = primum.Problem(rewards.paper_mixture(arms=arms, seed=1), values.CVaR(alpha=0.1))
    monkeypatch.setattr(simulation, "side_by_side", lambda *given: 2)

    def play(replications, progress):
        options = {"horizon": horizon, "seed": 9, "steps": "last", "threads": 2, "progress": progress}
        return primum.simulate(problem, ["besa-plus", "ucb1"], replications=replications, **options)

    results = play(200_000, CtrlC(20 * horizon))  # by then several tasks are complete
    assert results.requested == 200_000
    assert 4 <= results.replications.size < 200_000
    for i, number in enumerate(results.replications[:4].tolist()):
        undisturbed = play(range(number, number + 1), False)
        assert (results.pulls.values[:, i] == undisturbed.pulls.values[:, 0]).all()


def test_ctrl_c_does_not_wait_for_a_replication_to_end(interruptible):
    """A replication takes a quarter of an hour here, so a run that waited for it would exceed the time limit."""
    problem = primum.Problem(rewards.paper_mixture(arms=20, seed=1), values.CVaR(alpha=0.1))
    options = {"horizon": 10_000_000, "replications": 2, "steps": "last", "threads": 2}
    results = primum.simulate(problem, ["besa-plus"], progress=CtrlC(1000), **options)
    assert (results.requested, results.replications.size) == (2, 0)


def test_two_runs_at_once_do_not_disturb_each_other():
    expected, found = pulls(), []
    runs = [threading.Thread(target=lambda: found.append(pulls(threads=2))) for _ in range(3)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(found) == 3
    assert all((one == expected).all() for one in found)


@pytest.mark.parametrize("scale", [2.0**-40, 2.0**20])
@pytest.mark.parametrize("value", ["mean", "cvar"])
def test_the_unit_of_rewards_does_not_matter(value, scale):
    """Scaled by a power of two, BESA+ decides as before under a value that scales along."""
    unit = {"a": rewards.Uniform(0, 1), "b": rewards.Uniform(0.125, 1), "c": rewards.Constant(0.5)}
    scaled = {"a": rewards.Uniform(0, scale), "b": rewards.Uniform(scale / 8, scale), "c": rewards.Constant(scale / 2)}
    one, other = (pulls(primum.Problem(arms, value), ["besa-plus", "besa"]) for arms in (unit, scaled))
    assert (one == other).all()


@pytest.mark.parametrize("level", [0.1, 100.1, 1e6 + 0.1])
def test_equal_constants_of_any_size_tie(level):
    same = primum.Problem({"a": rewards.Constant(level), "b": rewards.Constant(level)}, values.MeanVariance(rho=1.0))
    for row in pulls(same, ["besa", "besa-plus", "epsilon-greedy(epsilon=0)"], horizon=400)[:, :, -1].reshape(-1, 2):
        assert row.min() > 100


def test_the_variance_of_large_rewards_does_not_cancel():
    far = 1e8
    problem = primum.Problem(
        {"wide": rewards.Uniform(far, far + 2), "narrow": rewards.Uniform(far + 0.9, far + 1.1)}, "mean-variance"
    )
    shares = primum.simulate(problem, ["besa-plus", "mv-lcb"], horizon=2000, replications=20, seed=1, progress=False)
    assert shares.best_arm_share.values[0, :, -1].min() > 0.9


def test_besa_plus_opens_as_the_paper_says():
    """With two arms a, b, a, b before the first duel; with twenty, five pulls each in the first hundred steps."""
    two = primum.simulate(BERNOULLI, ["besa-plus"], horizon=4, replications=50, seed=1, steps="all", progress=False)
    assert (two.pulls.values[0] == [[1, 0], [1, 1], [2, 1], [2, 2]]).all()
    problem = primum.Problem(rewards.paper_mixture(arms=20, seed=1), "mean")
    twenty = primum.simulate(problem, ["besa-plus"], horizon=100, replications=5, seed=1, progress=False)
    assert (twenty.pulls.values[0, :, -1] == 5).all()


def test_distributions_that_contradict_themselves_are_refused():
    class Falling(rewards.RewardDistribution):
        support = (0.0, 1.0)

        def quantile(self, u):
            return 1 - np.asarray(u)

    class Outside(Falling):
        def quantile(self, u):
            return 2 * np.asarray(u)

    class Odd(rewards.DiscreteDistribution):
        atoms = (np.array([0.0, 1.0]), np.array([0.2, 0.3]))

    for arm, message in [(Falling(), "not decrease"), (Outside(), "has the support"), (Odd(), "add up to 1")]:
        with pytest.raises(PrimumError, match=message):
            primum.Problem({"a": arm}, "mean").true_values  # noqa: B018


def test_importing_compiles_nothing_and_loads_nothing_heavy():
    script = textwrap.dedent(
        """
        import sys
        import primum
        heavy = {"numba", "scipy", "pandas", "xarray", "plotly", "matplotlib", "pydantic", "rich", "typer"}
        print(sorted(heavy & set(sys.modules)))
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_value_without_a_unit_does_not_tie_because_rewards_are_large():
    shares = [
        primum.simulate(
            primum.Problem(
                {"a": rewards.Uniform(0, scale), "b": rewards.Uniform(0, 2 * scale)}, values.Threshold(0.5 * scale)
            ),
            ["epsilon-greedy"],
            horizon=500,
            replications=20,
            seed=1,
            progress=False,
        )
        for scale in (1.0, 1e12)
    ]
    assert shares[1].problem.gaps == pytest.approx([0.25, 0.0])
    assert (shares[0].pulls.values == shares[1].pulls.values).all()


def test_a_wide_memory_makes_small_batches():
    assert part.side_by_side(20, 10, 1, 10_000) * 20 * 10_000 * 8 <= part.REWARD_BYTES
