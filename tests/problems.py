"""What several tests play: every policy, every value, and arms with ties, jumps and no spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum import engine, policies, rewards, values
from primum.kernels.contract import Histories
from primum.parameters import parameter
from primum.simulation import inner_value
from tests.oracle.streams import reward_uniform
from tests.oracle.trial import Trial

POLICIES = [
    policies.Besa(),
    policies.BesaPlus(),
    policies.BesaPlus(floor=0.0),
    policies.BesaPlus(floor=2.5),
    policies.Ucb1(),
    policies.Thompson(),
    policies.EpsilonGreedy(),
    policies.EpsilonGreedy(epsilon=0.5),
    policies.MvLcb(rho=0.3),
    policies.ExpExp(rho=2.0),
    policies.Marab(),
    policies.Marab(alpha=0.3, penalty=0.1),
    policies.UniformRandom(),
    policies.Npts(),
    policies.Sda(),
    policies.Sda(sampler="random-block", floor=1.0),
    policies.Sda(sampler="last-block", floor=2.0),
    policies.Ssmc(),
    policies.DirichletSampling(),
    policies.DirichletSampling(top=1.5),
    policies.Mts(),
    policies.Mts(levels=3, low=-0.5, top=1.25),
]

VALUES = [
    values.Mean(),
    values.MeanVariance(rho=1.0),
    values.MeanVariance(rho=0.0),
    values.CVaR(alpha=0.1),
    values.CVaR(alpha=0.5, estimator="ceil"),
    values.CVaR(alpha=0.35, estimator="chen"),
    values.CVaR(alpha=1.0),
]


@dataclass(frozen=True)
class Grid(rewards.RewardDistribution):
    """Uniform on 0, 1/n, ..., 1: many ties."""

    intervals: int = parameter(3, "number of intervals", low=1, integer=True)

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, 1.0

    def quantile(self, u: Any) -> Any:
        return np.floor(np.asarray(u) * (self.intervals + 1)) / self.intervals


ARMS = [
    rewards.Bernoulli(0.5),
    rewards.Bernoulli(0.9),
    rewards.Constant(0.5),
    rewards.Constant(0.5),
    rewards.Uniform(0.0, 1.0),
    Grid(2),
    Grid(5),
]


def reward(problem: Any, seed: int, replication: int, arm: int, i: int) -> float:
    """The i-th reward of an arm, one at a time."""
    distribution = list(problem.arms.values())[arm]
    return float(np.asarray(distribution.quantile(np.array([reward_uniform(seed, replication, arm, i)])))[0])


def oracle_choices(problem: Any, policy: Any, horizon: int, seed: int, replication: int) -> list[int]:
    """The arms that the oracle plays."""
    trial = Trial(policy, problem.value, len(problem.arms), horizon, seed, replication)
    choices = []
    for _ in range(horizon):
        arm = trial.ask()
        trial.tell(arm, reward(problem, seed, replication, arm, trial.pulls(arm)))
        choices.append(arm)
    return choices


def plain_choices(problem: Any, policy: Any, horizon: int, seed: int, replication: int) -> list[int]:
    """The arms that the engine plays when its source and the plug-ins' run as ordinary Python."""
    arms = len(problem.arms)
    histories = Histories(1, arms, horizon, horizon, inner_value(policy, problem.value), policy)
    histories.begin(seed, [replication])
    for arm in range(arms):
        histories.arrays["rewards"][0, arm] = [reward(problem, seed, replication, arm, i) for i in range(horizon)]
    out = np.zeros((1, horizon, arms), np.int32)
    with np.errstate(over="ignore"):  # the generators count on wrapping around
        engine.play(
            histories,
            np.full((1, arms), horizon),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.arange(1, horizon + 1),
            out,
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
        )
    return choices_of(out[0])


def choices_of(pulls: Any) -> list[int]:
    """The arm of each step, from the pulls after each step."""
    return [int(arm) for arm in np.diff(pulls, axis=0, prepend=0).argmax(axis=1)]
