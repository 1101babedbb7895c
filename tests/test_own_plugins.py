"""A user's own value and policy: they run everywhere, and what is wrong with them is said in one sentence."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
import types
from dataclasses import dataclass

import numba
import numpy as np
import pytest

import primum
from primum import policies, rewards, values
from primum.errors import CompilationError, PrimumError, ValueFault
from primum.kernels import (
    below,
    best_estimate,
    best_score,
    beta,
    duel,
    gamma,
    kernel,
    opening,
    value_of,
    value_of_block,
    value_of_distribution,
    value_of_reweighted,
    value_of_subsample,
)
from primum.kernels.native import called
from primum.plugins.parameters import parameter
from tests.problems import POLICIES, suited

ARMS = {"a": rewards.Uniform(0.2, 0.7), "b": rewards.Uniform(0, 1), "c": rewards.Bernoulli(0.5)}


def simulate(value, players=("besa-plus", "epsilon-greedy"), **options):
    settings = {"horizon": 60, "replications": 4, "seed": 1, "progress": False} | options
    return primum.simulate(primum.Problem(ARMS, value), list(players), **settings)


@dataclass(frozen=True)
class WorstThird(values.SafetyValue):
    """Mean of the worst third of outcomes."""

    @staticmethod
    def estimate(sample):
        return np.sort(sample)[: max(1, sample.size // 3)].mean()


@dataclass(frozen=True)
class SampleMean(values.SafetyValue):
    """The mean, by a class that only has an estimate."""

    @staticmethod
    def estimate(sample):
        return sample.sum() / sample.size


@pytest.mark.slow
def test_a_value_with_only_an_estimate_runs_in_every_policy():
    results = simulate(WorstThird(), [suited(policy, WorstThird()) for policy in POLICIES])
    assert np.isfinite(results.regret.values).all()
    assert results.problem.true_values == pytest.approx([0.2 + 0.5 / 6, 1 / 6, 0.0], abs=1e-4)
    assert not WorstThird().is_well_behaved


def test_it_decides_as_the_built_in_value_does_where_both_see_the_same():
    """Index policies look at all rewards, so mean by sample and mean by moments must choose alike."""
    own, built_in = simulate(SampleMean(), ["epsilon-greedy"]), simulate(values.Mean(), ["epsilon-greedy"])
    assert (own.pulls.values == built_in.pulls.values).all()


@dataclass(frozen=True)
class Utility(values.MomentValue):
    """Expected utility with a feature: 1 - exp(-x / scale)."""

    scale: float = parameter(0.5, "risk tolerance", low=0.0, open_low=True)

    @staticmethod
    def feature(reward, scale):
        return 1.0 - np.exp(-reward / scale)

    @staticmethod
    def from_moments(n, mean, variance, scale):
        return mean


def test_a_moment_value_of_a_feature():
    value = Utility(scale=0.25)
    expected = 1 - 0.25 / 0.5 * (np.exp(-0.2 / 0.25) - np.exp(-0.7 / 0.25))
    assert value.true_value(ARMS["a"]) == pytest.approx(expected, abs=1e-9)
    assert value.of(np.array([0.2, 0.7])) == pytest.approx(1 - (np.exp(-0.8) + np.exp(-2.8)) / 2)
    assert np.isfinite(simulate(value, [suited(policy, value) for policy in POLICIES]).regret.values).all()


@dataclass(frozen=True)
class Steady(policies.Policy):
    """The arm with the best value among the last two in the list; every third step, the first."""

    every: int = parameter(3, "steps between two pulls of the first arm", low=1, integer=True)
    memory_width = 1

    @staticmethod
    def choose(history, every):
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        if history.step % int(every) == 0:
            return 0
        for k in range(history.arms):
            history.scores[k] = value_of(history, k) + 0.0 * history.memory[k, 0] if k > 0 else -np.inf
        return best_score(history)

    @staticmethod
    def learn(history, arm, reward, every):
        history.memory[arm, 0] += reward


def test_a_policy_of_ones_own():
    pulls = simulate(values.CVaR(alpha=0.5), [Steady(), "besa-plus", Steady(every=5)]).pulls
    assert list(pulls.coords["policy"].values) == ["steady", "besa-plus", "steady(every=5)"]
    assert (pulls.sel(policy="steady", arm="a").values[:, -1] == 20).all()


def test_what_cannot_be_compiled_is_said_once():
    class Uncompilable(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            return float(format(sample.mean(), ".3f"))

    with pytest.raises(CompilationError, match="uncompilable.estimate cannot be compiled") as caught:
        simulate(Uncompilable(), ["besa-plus"], horizon=5)
    assert "\n" not in str(caught.value)


def test_a_value_that_writes_to_its_sample_is_refused():
    class Vandal(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            sample[0] = 0.0
            return sample.mean()

        def true_value(self, distribution):
            return 0.0

    class Sorter(Vandal):
        @staticmethod
        def estimate(sample):
            sample.sort()
            return sample[0]

    for value in (Vandal(), Sorter()):
        with pytest.raises(CompilationError, match="writes to its sample; work on a copy"):
            simulate(value)


def test_a_value_that_is_not_a_number_stops_the_run():
    class Fickle(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            return sample.mean() / (sample.size - 1.0) * 0.0 + (np.nan if sample.size > 6 else 1.0)

        def true_value(self, distribution):
            return distribution.mean

    said = r"fickle failed or is not a number on rewards of arm '[abc]' \(\d+ known\) at step \d+$"
    with pytest.raises(ValueFault, match=said):
        simulate(Fickle(), ["epsilon-greedy"])


def test_what_a_value_or_a_policy_raises_stops_the_run_and_is_told(capfd):
    class Picky(SampleMean):
        @staticmethod
        def estimate(sample):
            if sample.size >= 4:
                raise ValueError("four is too many")
            return sample.mean()

        def true_value(self, distribution):
            return distribution.mean

    class OffByOne(Picky):
        @staticmethod
        def estimate(sample):
            return sample[sample.size]

    class Tailless(values.TailValue):
        @staticmethod
        def tail_size(n):
            return n + 1

        @staticmethod
        def from_tail(tail, n):
            return tail.sum()

        true_value = Picky.true_value

    class Clumsy(policies.Policy):
        @staticmethod
        def choose(history):
            if history.step > 5:
                raise IndexError("lost count")
            return 0

    class Forgetful(Clumsy):
        memory_width = 2

        @staticmethod
        def choose(history):
            return 0

        @staticmethod
        def learn(history, arm, reward):
            history.memory[arm, 3] = reward

    with pytest.raises(ValueFault, match="picky failed .* ValueError: four is too many"):
        simulate(Picky())
    with pytest.raises(ValueFault, match="off-by-one failed .* IndexError: index 1 is out of bounds"):
        simulate(OffByOne(), ["epsilon-greedy"])
    for player in ("besa-plus", "epsilon-greedy"):
        with pytest.raises(ValueFault, match="tailless failed or is not a number"):
            simulate(Tailless(), [player])
    with pytest.raises(PrimumError, match="clumsy failed, .* at step 6: IndexError: lost count"):
        simulate("mean", [Clumsy()])
    learned = "forgetful failed to learn a reward before step 2: IndexError: index 3 is out of bounds for axis 1"
    with pytest.raises(PrimumError, match=learned):
        simulate("mean", [Forgetful()])
    assert "Exception ignored" not in capfd.readouterr().err


def sum_into_memory(history, arm, reward):
    history.memory[arm, 0] += reward


def largest_in_memory(history):
    arm = opening(history, 1.0)
    if arm >= 0:
        return arm
    for k in range(history.arms):
        history.scores[k] = history.memory[k, 0]
    return best_score(history)


@pytest.mark.parametrize("learns", [True, False])
def test_a_policy_with_state_that_declares_no_memory_is_told_to(learns):
    functions = {"choose": staticmethod(largest_in_memory)} | (
        {"learn": staticmethod(sum_into_memory)} if learns else {}
    )

    def stateful(**declared):
        return type("_Stateful", (policies.Policy,), {"name": "stateful"} | functions | declared)()

    said = (
        "stateful failed.*: it uses history.memory, and its class does not declare memory_width, .*: memory_width = 1"
    )
    with pytest.raises(PrimumError, match=said) as refused:
        simulate("mean", [stateful()])
    assert "no reward of arm" not in str(refused.value)
    simulate("mean", [stateful(memory_width=1)])  # as it says

    def live():
        player = primum.Player(stateful(), "mean", ["a", "b"], seed=1)
        for _ in range(4):
            player.tell(player.ask(), 0.5)

    with pytest.raises(PrimumError, match=said):
        live()


def test_a_true_value_that_is_none_is_said_before_the_run():
    class Hopeless(SampleMean):
        def true_value(self, distribution):
            return float("nan")

    class Helpless(SampleMean):
        def true_value(self, distribution):
            return distribution.nothing

    with pytest.raises(PrimumError, match=r"arms\.a: the true Hopeless of uniform"):
        simulate(Hopeless())
    with pytest.raises(PrimumError, match="the true Helpless of .* cannot be computed: AttributeError"):
        simulate(Helpless())


def boom(*_):
    raise ZeroDivisionError("boom")


def only_at_first(later):
    """Quantiles that are right where they are checked before a run, and on the grid of a quadrature."""
    return lambda self, u: u if np.ndim(u) == 1 else later(u)


@pytest.mark.parametrize(
    ("quantile", "support", "said"),
    [
        (boom, (0, 1), "Odd: quantile(u) or support failed: ZeroDivisionError: boom"),
        (lambda self, u: "x", (0, 1), "Odd: quantile(u) or support failed: ValueError: could not convert"),
        (lambda self, u: np.zeros(3), (0, 1), "Odd: quantile(u) must give a finite number for each u"),
        (lambda self, u: u * np.nan, (0, 1), "Odd: quantile(u) must give a finite number for each u"),
        (lambda self, u: u + 5, (0, 1), "Odd has the support [0, 1], but quantiles from 5 to 6"),
        (lambda self, u: u, (np.nan, 1), "Odd has the support [nan, 1]"),
        (lambda self, u: u, None, "Odd: quantile(u) or support failed: TypeError"),
        (only_at_first(boom), (0, 1), "arm 'odd': Odd: quantile(u) or support failed: ZeroDivisionError: boom"),
        (only_at_first(lambda u: 0.5), (0, 1), "arm 'odd': Odd: quantile(u) must give a finite number for each u"),
        (only_at_first(lambda u: u * np.inf), (0, 1), "arm 'odd': Odd: quantile(u) must give a finite number"),
        (only_at_first(lambda u: u - 5), (0, 1), "arm 'odd': Odd has the support [0, 1], but quantiles from -4."),
    ],
)
def test_a_distribution_that_fails_is_named_in_a_sentence(quantile, support, said):
    parts = {"quantile": quantile, "support": property(lambda self: support), "mean": 0.5}
    arm = dataclass(frozen=True)(type("Odd", (rewards.RewardDistribution,), parts))()
    problem = primum.Problem({"odd": arm, "even": rewards.Uniform(0, 1)}, "mean")
    with pytest.raises(PrimumError) as refused:
        primum.simulate(problem, ["ucb1"], horizon=50, replications=3, seed=1, progress=False)
    assert said in str(refused.value)


def test_an_exception_of_a_plug_in_is_a_sentence_at_the_command_line(tmp_path):
    (tmp_path / "experiment.toml").write_text(
        'horizon = 50\nreplications = 2\nvalue = "mean"\npolicies = ["ucb1"]\narms = { a = "failing", b = "uniform" }\n'
    )
    program = """if True:
        from primum import rewards
        from primum.cli import main
        class Failing(rewards.RewardDistribution):
            support = 0, 1
            def quantile(self, u):
                return 1 / 0
        main()
    """
    command = [sys.executable, "-c", program, "simulate", "experiment.toml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "arms.a: Failing: quantile(u) or support failed: ZeroDivisionError: division by zero"
    ]


@pytest.mark.parametrize("constant", ["gamma", "lipschitz", "tail_share"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (property(boom), "Odd: {} cannot be computed: ZeroDivisionError: boom"),
        ("x", "odd: {} must be a number in [0, inf), got 'x'"),
        ([1, 2], "odd: {} must be a number in [0, inf), got [1, 2]"),
        (-1.0, "odd: {} must be in [0, inf), got -1"),
        (float("nan"), "odd: {} must be a number in [0, inf), got nan"),
    ],
)
def test_a_constant_of_a_value_that_is_no_number_is_told(constant, given, said):
    value = type("Odd", (SampleMean,), {constant: given})()
    for run in (lambda: simulate(value), lambda: primum.Player("besa-plus", value, ["a", "b"])):
        with pytest.raises(PrimumError) as refused:
            run()
        allowed = "(0, 1]" if constant == "tail_share" else "[0, inf)"
        assert said.format(constant).replace("[0, inf)", allowed) in str(refused.value)


def test_a_policy_that_leaves_the_arms_stops_the_run():
    class Lost(policies.Policy):
        @staticmethod
        def choose(history):
            return history.step if history.step < 3 else 3

    with pytest.raises(PrimumError, match=r"lost failed, .* or chose one outside 0 \.\. 2 at step 3"):
        simulate(values.Mean(), [Lost()])


def test_a_value_may_have_a_helper_called_feature():
    class Featured(SampleMean):
        @staticmethod
        def feature(reward):
            return reward

    own, plain = simulate(Featured()), simulate(SampleMean())
    assert (own.pulls.values == plain.pulls.values).all()


def test_asking_for_more_than_there_is_stops_the_run():
    class Greedy(policies.Policy):
        @staticmethod
        def choose(history):
            arm = opening(history, 2.0)
            return arm if arm >= 0 else 0 * int(value_of_subsample(history, 0, history.pulls[0] + 1))

    class Hasty(policies.Policy):
        @staticmethod
        def choose(history):
            for k in range(history.arms):
                history.scores[k] = value_of(history, k)
            return best_score(history)

    class Dividing(policies.Policy):
        @staticmethod
        def choose(history):
            for k in range(history.arms):
                history.scores[k] = history.sums[k] / history.pulls[k]
            return best_score(history)

    for policy in (Greedy(), Hasty(), Dividing()):
        with pytest.raises(PrimumError, match=f"{policy.name} failed, scored an arm with nan"):
            simulate("mean", [policy])


def test_random_numbers_that_could_not_be_repeated_are_refused():
    class Gambler(policies.Policy):
        @staticmethod
        def choose(history):
            return np.random.randint(history.arms)  # noqa: NPY002

    with pytest.raises(CompilationError, match="gambler.choose cannot be compiled: it uses `random`"):
        simulate("mean", [Gambler()])


def test_a_tail_value_needs_no_true_value():
    class SecondLowest(values.TailValue):
        @staticmethod
        def tail_size(n):
            return min(n, 2)

        @staticmethod
        def from_tail(tail, n):
            return tail[-1]

    assert SecondLowest().true_value(ARMS["a"]) == pytest.approx(0.2, abs=1e-3)
    assert np.isfinite(simulate(SecondLowest()).regret.values).all()


def test_what_is_missing_is_said():
    class Empty(values.SafetyValue):
        pass

    class Idle(policies.Policy):
        pass

    with pytest.raises(PrimumError, match="Empty needs a static method `estimate`"):
        simulate(Empty())
    with pytest.raises(PrimumError, match="Idle needs a static method `choose`"):
        simulate("mean", [Idle()])


def test_a_name_is_taken_once_but_a_cell_may_run_again():
    class Novel(values.SafetyValue):
        estimate = staticmethod(lambda sample: sample.mean())

    with pytest.raises(PrimumError, match="a value named 'novel' exists already"):
        type("Novel", (values.SafetyValue,), {"__module__": "elsewhere"})
    type("Novel", (values.SafetyValue,), {"__module__": Novel.__module__, "__qualname__": Novel.__qualname__})


def test_callables_are_refused_with_the_reason():
    with pytest.raises(PrimumError, match="parameters are data, so that an experiment can be saved"):
        policies.BesaPlus(floor=lambda t: t)


def test_whatever_way_a_policy_calls_a_kernel_it_is_compiled():
    """By an alias, through a module, in a helper made after the first run, in a function that its author compiled."""
    from primum.kernels import value_of_block as block_value

    @kernel
    def through_a_module(history):
        return primum.kernels.value_of_reweighted(history, 0, 1.0)

    @numba.njit(boundscheck=True)
    def compiled_by_hand(x):
        return x + 0.0

    class _Roundabout(policies.Policy):
        @staticmethod
        def choose(history):
            arm = opening(history, 2.0)
            if arm >= 0:
                return arm
            history.scores[0] = through_a_module(history)
            history.scores[1] = compiled_by_hand(block_value(history, 1, 0, 2))
            return best_score(history)

    problem = primum.Problem({"a": "uniform", "b": "uniform"}, "cvar")
    results = primum.simulate(problem, [_Roundabout()], horizon=50, replications=2, seed=1, progress=False)
    assert (results.pulls.values[0, :, -1] >= 2).all()


@kernel
def beyond(history, arm):
    return history.pulls[arm + (1 << 40)]


@kernel
def just_beyond(sample):
    return sample[sample.size]


def test_indices_in_helpers_are_checked():
    class Beyond(policies.Policy):
        @staticmethod
        def choose(history):
            return 0 * beyond(history, 1)

    class JustBeyond(SampleMean):
        @staticmethod
        def estimate(sample):
            return just_beyond(sample)

        def true_value(self, distribution):
            return distribution.mean

    with pytest.raises(PrimumError, match="beyond failed, .* at step 1: IndexError: index 1099511627777 is out of"):
        simulate("mean", [Beyond()])
    with pytest.raises(ValueFault, match="just-beyond failed .* IndexError: index 1 is out of bounds"):
        simulate(JustBeyond(), ["epsilon-greedy"])


def test_helpers_compiled_without_checks_are_refused(monkeypatch):
    @numba.njit
    def unchecked(x):
        return x

    @kernel
    def between(x):
        return unchecked(x)

    class _Direct(policies.Policy):
        name = "direct"

        @staticmethod
        def choose(history):
            return unchecked(0)

    class _Indirect(policies.Policy):
        name = "indirect"

        @staticmethod
        def choose(history):
            return between(0)

    class _InAModule(policies.Policy):
        name = "in-a-module"

        @staticmethod
        def choose(history):
            return helpers.unchecked(0)

    class _Value(values.MomentValue):
        name = "value"

        @staticmethod
        def from_moments(n, mean, variance):
            return unchecked(mean)

    helpers = types.ModuleType("helpers")
    helpers.unchecked = unchecked
    monkeypatch.setitem(globals(), "helpers", helpers)
    said = "it calls unchecked, whose indices are not checked; mark unchecked with @kernel"
    for policy in (_Direct(), _Indirect(), _InAModule()):
        with pytest.raises(CompilationError, match=f"{policy.name}.choose cannot be compiled: {said}"):
            simulate("mean", [policy])
    with pytest.raises(CompilationError, match=f"value.from_moments cannot be compiled: {said}"):
        simulate(_Value())


def test_functions_of_another_installed_package_may_be_used(monkeypatch):
    @numba.njit
    def library(x):
        return x

    class _Client(policies.Policy):
        @staticmethod
        def choose(history):
            return library(0)

    monkeypatch.setattr(called, "is_installed", lambda file: True)
    with pytest.raises(CompilationError, match="it calls library"):  # of the same package
        simulate("mean", [_Client()])
    library.py_func.__module__ = "another.library"
    assert simulate("mean", [_Client()]).pulls.values[0, 0, -1, 0] == 60


@pytest.mark.parametrize("name", ["pulls", "assigned", "sums", "rewards", "estimates", "policy_parameters", "truth"])
def test_a_policy_cannot_write_to_the_history(name):
    source = f"def choose(history):\n    history.{name}[...] = -(1 << 40)\n    return 0\n"
    scope = {}
    exec(source, scope)
    vandal = type("_Vandal", (policies.Policy,), {"name": "vandal", "choose": staticmethod(scope["choose"])})
    with pytest.raises(CompilationError, match=r"vandal\.choose writes to the history; it may write to memory, scores"):
        simulate("mean", [vandal()])


def test_a_helper_cannot_write_to_the_history_either():
    @kernel
    def forget(history):
        history.pulls[0] = 0

    class _Forgetful(policies.Policy):
        name = "forgetful"

        @staticmethod
        def choose(history):
            return 0

        @staticmethod
        def learn(history, arm, reward):
            forget(history)

    with pytest.raises(CompilationError, match=r"forgetful\.learn writes to the history"):
        simulate("mean", [_Forgetful()])


def test_what_is_returned_is_a_whole_number_always():
    def player(choice):
        return type("_Player", (policies.Policy,), {"name": "player", "choose": staticmethod(choice)})()

    def sometimes(history):
        if history.step < 5:
            return 0
        return None

    for choice in (lambda history: np.nan, lambda history: 1.5, lambda history: history.sums[0], sometimes):
        with pytest.raises(CompilationError, match=r"player\.choose .* it must return a whole number in all cases"):
            simulate("mean", [player(choice)])
    assert simulate("mean", [player(lambda history: history.step > 30)]).pulls.values[0, 0, -1, 1] == 30

    class _Half(values.TailValue):
        name = "half"
        tail_size = staticmethod(lambda n: n / 2)
        from_tail = staticmethod(lambda tail, n: tail.sum())

        def true_value(self, distribution):
            return 0.0

    with pytest.raises(CompilationError, match=r"half\.tail_size .* must return a whole number in all cases"):
        simulate(_Half())


def test_whole_numbers_divided_by_zero_stop_the_run_and_others_do_not():
    """Numba's NumPy rules give 0 for 1 // 0, silently; 1.0 / 0 is inf, as in NumPy."""

    def divider(choice):
        return type("_Divider", (policies.Policy,), {"name": "divider", "choose": staticmethod(choice)})()

    for choice in (lambda history: 1 // history.pulls[2], lambda history: 1 % history.pulls[2]):
        with pytest.raises(PrimumError, match=r"divider failed, .* at step 1"):
            simulate("mean", [divider(choice)])
    assert simulate("mean", [divider(lambda history: int(1.0 / history.pulls[2] == np.inf))]).horizon == 60


def test_a_block_beyond_all_numbers_stops_the_run():
    class Overflow(policies.Policy):
        @staticmethod
        def choose(history):
            arm = opening(history, 2.0)
            if arm < 0:
                history.scores[0] = value_of_block(history, 0, (1 << 63) - 1, 2)
                arm = best_score(history)
            return arm

    with pytest.raises(PrimumError, match="overflow failed, scored an arm with nan"):
        simulate("mean", [Overflow()])


def test_impossible_declarations_are_refused():
    class Impossible(SampleMean):
        kind = 7

    class Mistaken(SampleMean):
        kind = values.MomentValue.kind

    class Narrow(policies.Policy):
        memory_width = -3
        choose = staticmethod(lambda history: 0)

    class Endlessly(Narrow):
        memory_width = 10**12

    base = r"kind must be that of its base class \(SafetyValue, MomentValue or TailValue\), got"
    said = {
        Impossible: f"Impossible: {base} 7",
        Mistaken: f"Mistaken: {base} 1",
        Narrow: "Narrow: memory_width must be a whole number from 0 to 1048576, got -3",
        Endlessly: "Endlessly: memory_width must be a whole number from 0 to 1048576, got 1000000000000",
    }
    for wrong, sentence in said.items():
        with pytest.raises(PrimumError, match=sentence):
            wrong()


def test_random_numbers_in_a_helper_are_refused_too():
    @kernel
    def dice(history):
        return np.random.randint(history.arms)  # noqa: NPY002

    class _Gambler(policies.Policy):
        name = "gambler"

        @staticmethod
        def choose(history):
            return dice(history)

    problem = primum.Problem({"a": "uniform", "b": "uniform"}, "mean")
    with pytest.raises(CompilationError, match="gambler.choose cannot be compiled: it uses `random`"):
        primum.simulate(problem, [_Gambler()], horizon=5, replications=1, progress=False)


def test_random_numbers_in_a_helper_of_a_value_are_refused_too():
    @kernel
    def noise(mean):
        return mean + np.random.normal()  # noqa: NPY002

    class _Noisy(values.MomentValue):
        name = "noisy"

        @staticmethod
        def from_moments(n, mean, variance):
            return noise(mean)

    problem = primum.Problem({"a": "uniform", "b": "uniform"}, _Noisy())
    with pytest.raises(CompilationError, match="noisy.from_moments cannot be compiled: it uses `random`"):
        primum.simulate(problem, ["epsilon-greedy"], horizon=5, replications=1, progress=False)


def test_a_package_that_cannot_be_loaded_takes_nothing_else_down(monkeypatch):
    from importlib import metadata

    broken = metadata.EntryPoint("nice", "no_such_package:Nice", "primum.values")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [broken])
    monkeypatch.setattr(primum.plugins.registry, "_discovered", set())
    with pytest.warns(UserWarning, match=r"the value 'nice' \(no_such_package:Nice\) cannot be loaded: ModuleNotFound"):
        assert "cvar" in primum.plugins.registry.names("values")


def test_while_one_thread_imports_packages_others_wait(monkeypatch):
    from importlib import metadata

    begun, go_on, loaded, seen = threading.Event(), threading.Event(), [], []

    class Slow:
        name = value = "slow"

        def load(self):
            begun.set()
            assert go_on.wait(60)
            loaded.append(self.name)

    def look():
        primum.plugins.registry.names("values")
        seen.append(list(loaded))

    monkeypatch.setattr(metadata, "entry_points", lambda group: [Slow()])
    monkeypatch.setattr(primum.plugins.registry, "_discovered", set())
    threads = [threading.Thread(target=look) for _ in range(2)]
    threads[0].start()
    assert begun.wait(60)
    threads[1].start()
    threads[1].join(0.2)  # time enough to get past it
    go_on.set()
    for thread in threads:
        thread.join()
    assert seen == [["slow"], ["slow"]]


@pytest.mark.parametrize("size", [0, 50_000_000])
def test_a_law_without_points_or_with_too_many_is_a_fault(size):
    @dataclass(frozen=True)
    class _Lawless(policies.Policy):
        points: int = parameter(0, "how many", integer=True)

        @staticmethod
        def choose(history, points):
            history.scores[0] = value_of_distribution(history, 0, int(points))
            return 0

    policy = _Lawless(size)
    for value in ("mean", "cvar"):
        with pytest.raises(PrimumError, match="failed, scored an arm with nan or chose one outside"):
            primum.simulate(primum.Problem(ARMS, value), [policy], horizon=5, replications=1, progress=False)


@functools.cache
def astray():
    """A policy that looks at an arm of its own, in one of seven ways; one class, compiled once."""

    @dataclass(frozen=True)
    class _Astray(policies.Policy):
        arm: float = parameter(0.0, "the arm it looks at")
        way: float = parameter(0.0, "how")

        @staticmethod
        def choose(history, arm, way):
            first = opening(history, 2)
            if first >= 0:
                return first
            k = int(arm)
            if way == 0:
                value_of(history, k)
            elif way == 1:
                value_of_subsample(history, k, 1)
            elif way == 2:
                value_of_block(history, k, 0, 1)
            elif way == 3:
                value_of_reweighted(history, k, 1.0)
            elif way == 4:
                value_of_distribution(history, k, 1)
            elif way == 5:
                return duel(history, 0, k)
            else:
                return below(history.stream, -4)
            return 0

    return _Astray


@pytest.mark.parametrize("value", ["mean", "cvar", "entropic"])
@pytest.mark.parametrize("way", range(7))
@pytest.mark.parametrize("arm", [-1, 3, 99])
def test_an_arm_that_does_not_exist_is_a_fault_and_no_crash(arm, way, value):
    """Our own kernels are compiled without index checks, so each looks at the arm it is given."""
    with pytest.raises(PrimumError, match="failed, scored an arm with nan or chose one outside 0 .. 2 at step 7"):
        simulate(value, [astray()(arm, way)], replications=1)


def test_random_numbers_that_do_not_exist_end_a_run_and_no_patience():
    class _Impossible(policies.Policy):
        @staticmethod
        def choose(history):
            history.scores[0] = gamma(history.stream, -1.0)
            history.scores[1] = beta(history.stream, 0.0, 0.0)
            return best_score(history)

    with pytest.raises(PrimumError, match="scored an arm with nan"):
        simulate("mean", [_Impossible()])


def test_what_numba_says_in_other_ways_is_a_sentence_too():
    class _Importer(values.SafetyValue):
        name = "importer"

        @staticmethod
        def estimate(sample):
            import pandas

            return pandas.Series(sample).mean()

    with pytest.raises(CompilationError, match="importer.estimate cannot be compiled"):
        simulate(_Importer())


def test_a_policy_that_forgets_the_opening_is_told():
    class _Hasty(policies.Policy):
        @staticmethod
        def choose(history):
            return best_estimate(history)

    with pytest.raises(PrimumError, match="no reward of arm 'a' was known .opening in primum.kernels tries each arm"):
        simulate("mean", [_Hasty()])
