"""Benchmark of this machine on a few small problems."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from primum import policies, rewards, values
from primum.plugins import registry
from primum.plugins.registry import Plugin
from primum.policies import Policy
from primum.problem import Problem
from primum.runs.simulation import simulate

SHORTEST_SECONDS = 0.5  # processor time of a measurement
HORIZON = 2000


class Speed(NamedTuple):
    """Steps per second of processor time, and the seconds that the first run took, compiling included."""

    steps_per_second: float
    first: float


def _bernoulli(arms: int, policy: Policy) -> tuple[Problem, Policy]:
    named = {f"arm {i + 1}": rewards.Bernoulli(0.5 - 0.03 * i) for i in range(arms)}
    return Problem(named, values.Mean()), policy


def _mixture(value: values.SafetyValue) -> tuple[Problem, Policy]:
    return Problem(rewards.paper_mixture(arms=20, seed=1), value), policies.BesaPlus()


CASES: dict[str, Callable[[], tuple[Problem, Policy]]] = {
    "2 Bernoulli arms, mean, BESA+": partial(_bernoulli, 2, policies.BesaPlus()),
    "10 Bernoulli arms, mean, BESA+": partial(_bernoulli, 10, policies.BesaPlus()),
    "10 Bernoulli arms, mean, UCB1": partial(_bernoulli, 10, policies.Ucb1()),
    "20 mixtures, mean-variance, BESA+": partial(_mixture, values.MeanVariance()),
    "20 mixtures, CVaR, BESA+": partial(_mixture, values.CVaR()),
}


def cases_of(plugins: Iterable[type[Plugin]]) -> dict[str, Callable[[], tuple[Problem, Policy]]]:
    """A case for each class of a policy and of a value, with its default parameters, beside a built-in one."""
    cases: dict[str, Callable[[], tuple[Problem, Policy]]] = {}
    for cls in plugins:
        if issubclass(cls, Policy):
            cases[f"10 Bernoulli arms, mean, {cls.title}"] = partial(_of_policy, cls)
        elif issubclass(cls, values.SafetyValue):
            cases[f"20 mixtures, {cls.title}, BESA+"] = partial(_of_value, cls)
    return cases


def _of_policy(cls: type[Policy]) -> tuple[Problem, Policy]:
    return _bernoulli(10, registry.build("policies", {"name": cls.name}))


def _of_value(cls: type[values.SafetyValue]) -> tuple[Problem, Policy]:
    return _mixture(registry.build("values", {"name": cls.name}))


def measure(problem: Problem, policy: Policy) -> Speed:
    """Simulate more and more replications until it takes long enough to be measured."""
    run = partial(simulate, problem, [policy], seed=0, steps="last", progress=False)
    first = _seconds(time.perf_counter, partial(run, horizon=100, replications=1))
    replications, taken = 4, 0.0
    while taken < SHORTEST_SECONDS:
        replications *= 2 if taken < SHORTEST_SECONDS / 8 else 1 + int(1.3 * SHORTEST_SECONDS / taken)
        taken = _seconds(time.process_time, partial(run, horizon=HORIZON, replications=replications))
    return Speed(HORIZON * replications / taken, first)


def _seconds(clock: Callable[[], float], run: Callable[[], Any]) -> float:
    begin = clock()
    run()
    return clock() - begin
