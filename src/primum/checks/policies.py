"""Checks of a policy: its native code, and that its choices follow from history, memory and stream alone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from primum import values
from primum.checks.finding import Check, Counterexample, shown
from primum.checks.trial import Trial, tapes
from primum.errors import ParameterError, PrimumError
from primum.player import Player
from primum.plugins import registry
from primum.problem import Problem
from primum.rewards import Constant, Discrete, Uniform
from primum.runs.part import inner_value
from primum.runs.simulation import simulate
from primum.text import counted, listed

STEPS = 20  # per problem: the plain source is slow
FALSE_ALARM, DEVIATIONS = 1e-6, 5.1  # of the largest of three normal numbers
SCRATCH = ("scores", "order", "tail", "points", "weights", "sample")


def accepted_values(policy: Any) -> list[Any]:
    """Values of different kinds that a policy can use."""
    kinds = [values.Mean(), values.CVaR(alpha=0.25), values.MeanVariance()]
    found = [value for value in kinds if _accepts(policy, value)]
    for name in [] if found else registry.names("values"):
        try:
            found += [value for value in [registry.build("values", name)] if _accepts(policy, value)]
        except PrimumError:  # it has parameters without a default
            continue
    if not found:
        raise Counterexample("it accepts none of the built-in values")
    return found


def _accepts(policy: Any, value: Any) -> bool:
    try:
        policy.check_value(inner_value(policy, value))
    except ParameterError:
        return False
    return True


def bounds(policy: Any) -> tuple[float, float]:
    """An interval of rewards that a policy is made for, [0, 1] if possible."""
    least, most = policy.reward_bounds
    low = max(0.0, least) if most > 0 else max(most - 1.0, least)
    return low, min(low + 1.0, most)


def accepts_arms(policy: Any, arms: int) -> bool:
    """Whether a policy can be used with so many arms."""
    try:
        policy.check_arms(arms)
    except ParameterError:
        return False
    return True


def problems(policy: Any) -> list[Problem]:
    """One to five arms of different kinds, as far as a policy accepts their number."""
    low, high = bounds(policy)

    def at(share: float) -> float:
        return low + share * (high - low)

    def bernoulli(chance: float) -> Any:
        return Discrete((low, high), (1 - chance, chance))

    ties = Discrete((at(0.0), at(1 / 3), at(2 / 3), at(1.0)), (0.25,) * 4)
    several = accepted_values(policy)
    offered = [
        [Uniform(low, high)],
        [bernoulli(0.3), bernoulli(0.6)],
        [Constant(at(0.5))] * 3,
        [ties] * 4,
        [Uniform(low, at(0.6)), Uniform(at(0.4), high), bernoulli(0.5), Constant(at(0.45)), ties],
    ]
    arms = [some for some in offered if accepts_arms(policy, len(some))]
    if not arms:
        raise Counterexample("it accepts no number of arms from 1 to 5")
    return [
        Problem({f"{i}": arm for i, arm in enumerate(some)}, several[number % len(several)])
        for number, some in enumerate(arms)
    ]


def begin(policy: Any, problem: Problem, steps: int, *, native: bool = True) -> Trial:
    """A trial of a policy on a problem."""
    return Trial(
        policy,
        problem.value,
        len(problem.arms),
        steps,
        native=native,
        horizon=steps,
        truth=problem.true_values if policy.needs_truth else None,
    )


def compiles(policy: Any) -> str:
    begin(policy, problems(policy)[0], 1)
    return "native code was made; it has no random numbers of its own and cannot write to the history"


def works_from_one_arm_to_thirty(policy: Any) -> str:
    low, high = bounds(policy)
    value = accepted_values(policy)[0]
    accepted = [arms for arms in (1, 2, 30) if accepts_arms(policy, arms)]
    for arms, steps in ((1, 1), (1, 30), (2, 1), (2, 100), (30, 1), (30, 100)):
        if arms not in accepted:
            continue
        problem = Problem({f"{i}": Uniform(low, high) for i in range(arms)}, value)
        trial, tape = begin(policy, problem, steps), tapes(problem.arms.values(), steps)
        for _ in range(steps):
            arm = _ask(trial, f"with {arms} arms and a horizon of {steps}")
            trial.tell(arm, tape[arm, trial.arrays["pulls"][arm]])
    refused = "" if len(accepted) == 3 else "; it refuses other numbers of arms with a sentence"
    return f"{listed([*map(str, accepted)])} arms, horizons from 1 to 100, from no reward on{refused}"


def _ask(trial: Trial, when: str) -> int:
    try:
        return trial.ask()
    except PrimumError as error:
        raise Counterexample(f"{when}: {error}") from None


def native_code_equals_the_source(policy: Any) -> str:
    several = problems(policy)
    for problem in several:
        fast, slow = (begin(policy, problem, STEPS, native=native) for native in (True, False))
        tape = tapes(problem.arms.values(), STEPS)
        for _ in range(STEPS):
            a, b = fast.ask(), _ask(slow, "the source, as plain Python")
            if a != b:
                raise Counterexample(f"{_when(fast, problem)} native code plays arm {a}, the source arm {b}")
            reward = tape[a, fast.arrays["pulls"][a]]
            fast.tell(a, reward)
            slow.tell(a, reward)
            if not np.allclose(fast.arrays["memory"], slow.arrays["memory"], rtol=1e-9, atol=1e-9, equal_nan=True):
                raise Counterexample(
                    f"{_when(fast, problem)} the memory of native code is {shown(fast.arrays['memory'])}, "
                    f"that of the source {shown(slow.arrays['memory'])}"
                )
    return f"the same arm in {len(several) * STEPS} decisions on {counted(len(several), 'problem')}"


def _when(trial: Trial, problem: Problem) -> str:
    known = [shown(rewards[:pulls]) for rewards, pulls in zip(trial.arrays["rewards"], trial.arrays["pulls"])]
    return f"in decision {trial.arrays['assigned'].sum()} under {problem.value}, with rewards {', '.join(known)},"


def choices_follow_from_what_is_known(policy: Any) -> str:
    """Once more with the same history: as it is, with scratch overwritten, with other rewards to come."""
    several = [problem for problem in problems(policy) if len(problem.arms) > 1]
    for change in ("nothing", "history.scores and other scratch", "rewards that are not known yet"):
        for problem in several:
            _ask_twice(policy, problem, change)
    return f"the same {len(several) * STEPS} arms when asked again, with other scratch and with other rewards to come"


def _ask_twice(policy: Any, problem: Problem, change: str) -> None:
    rng = np.random.default_rng(15)
    trial, tape = begin(policy, problem, STEPS), tapes(problem.arms.values(), STEPS)
    for _ in range(STEPS):
        before = trial.snapshot()
        first, memory = trial.ask(), trial.arrays["memory"].copy()
        after = trial.snapshot()
        trial.restore(before)
        if change.startswith("history"):
            for name in SCRATCH:
                trial.arrays[name][...] = rng.integers(0, len(problem.arms), trial.arrays[name].shape)
        elif change.startswith("rewards"):
            for rewards, known in zip(trial.arrays["rewards"], trial.arrays["pulls"]):
                rewards[known:] = rng.random(rewards.size - known)
        again = _ask(trial, f"asked again with a change in {change}")
        if again != first or not np.array_equal(memory, trial.arrays["memory"], equal_nan=True):
            raise Counterexample(
                f"{_when(trial, problem)} it plays arm {first} and leaves the memory {shown(memory)}; asked again "
                f"with a change in {change}, arm {again} and {shown(trial.arrays['memory'])}"
            )
        trial.restore(after)
        trial.tell(first, tape[first, trial.arrays["pulls"][first]])


def plays_live_as_in_a_simulation(policy: Any) -> str:
    """Late outcomes in any order, room that grows, and a player restored from its log half-way."""
    if policy.needs_truth:
        return "not checked: it knows the true values, so it cannot be played live"
    if not accepts_arms(policy, 2):
        return "not checked: it refuses two arms"
    rng, steps = np.random.default_rng(16), 80
    low, high = bounds(policy)
    value = accepted_values(policy)[0]
    horizon = steps if policy.needs_horizon else None
    player = Player(policy, value, ["0", "1"], seed=1, horizon=horizon)
    trial = Trial(policy, value, 2, steps, native=True, horizon=horizon or 0)
    waiting: list[int] = []
    for step in range(steps):
        if step == steps // 2:
            player = Player.restore(json.loads(json.dumps(player.state())))
        try:
            live = int(player.ask())
        except PrimumError as error:
            raise Counterexample(f"with {len(waiting)} outcomes that are late: {error}") from None
        batch = trial.ask()
        if live != batch:
            raise Counterexample(
                f"in decision {step + 1} under {value} a player gives arm {live}, a simulation arm {batch}; "
                "a policy may not look at history.capacity"
            )
        waiting.append(live)
        while waiting and step >= 4 and rng.random() < 0.6:
            arm, reward = waiting.pop(rng.integers(len(waiting))), low + (high - low) * rng.random()
            player.tell(f"{arm}", reward)
            trial.tell(arm, reward)
    if not np.array_equal(player._histories.arrays["memory"][0], trial.arrays["memory"], equal_nan=True):
        raise Counterexample("a player restored from its log has another memory")
    return f"the same {steps} arms, with late outcomes in any order and after a restart from the log"


def gives_the_same_on_any_number_of_threads(policy: Any) -> str:
    problem = problems(policy)[-1]
    one, two = (
        simulate(problem, [policy], horizon=40, replications=32, seed=1, threads=threads, progress=False)
        for threads in (1, 2)
    )
    if one != two:
        raise Counterexample("32 replications on one thread and on two have different pulls")
    return "32 replications on one thread and on two have the same pulls"


def does_not_care_which_arm_is_which(policy: Any) -> str:
    """Mean pulls of arms listed one way and the other; what is played first among equals may differ, a pull an arm."""
    if not accepts_arms(policy, 3):
        return "not checked: it refuses three arms"
    low, high = bounds(policy)
    value, horizon, replications = accepted_values(policy)[0], 60, 1_000
    width = high - low
    arms = {name: Uniform(low + a * width, low + (a + 0.6) * width) for name, a in zip("abc", (0.0, 0.2, 0.4))}
    ways = arms, dict(reversed(arms.items()))
    options: dict[str, Any] = {"horizon": horizon, "replications": replications, "steps": "last", "progress": False}
    pulls = [
        simulate(Problem(way, value), [policy], seed=seed, **options).pulls.sel(arm=list(arms)).values[0, :, 0, :]
        for seed, way in enumerate(ways, start=1)
    ]
    first, second = (counts.mean(axis=0) for counts in pulls)
    error = np.sqrt(sum(counts.var(axis=0) for counts in pulls) / replications)
    seen = f"of {horizon} pulls on average {shown(first)} go to three arms, and {shown(second)} if listed the other way"
    if (np.abs(first - second) > len(arms) + DEVIATIONS * error).any():
        raise Counterexample(f"{seen}; by chance that has a probability of {FALSE_ALARM:g}")
    return seen


CHECKS: tuple[Check, ...] = (
    works_from_one_arm_to_thirty,
    native_code_equals_the_source,
    choices_follow_from_what_is_known,
    plays_live_as_in_a_simulation,
    gives_the_same_on_any_number_of_threads,
    does_not_care_which_arm_is_which,
)
