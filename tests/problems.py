"""What several tests play: every policy, every value, and arms with ties, jumps and no spread."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from primum import policies, rewards, values
from primum.kernels import engine
from primum.kernels.contract import Histories
from primum.plugins.parameters import parameter
from primum.runs.part import inner_value
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
    policies.EpsilonGreedy(epsilon=5.0, decay=1.0),
    policies.Boltzmann(),
    policies.Boltzmann(temperature=0.01),
    policies.ExploreThenCommit(),
    policies.ExploreThenCommit(per_arm=4),
    policies.RoundRobin(),
    policies.Oracle(),
    policies.UUcb(),
    policies.UUcb(alpha=0.1, lipschitz=0.5),
    policies.McDiarmidUcb(),
    policies.McDiarmidUcb(gamma=0.1),
    policies.MvLcb(rho=0.3),
    policies.ExpExp(rho=2.0),
    policies.Marab(),
    policies.Marab(alpha=0.3, penalty=0.1),
    policies.UniformRandom(),
    policies.UniformRandom(weights=[2.5]),
    policies.PermutedBlocks(),
    policies.PermutedBlocks(ratio=[2]),
    policies.PermutedBlocks(block=7, ratio=[3]),
    policies.PosteriorBest(),
    policies.PosteriorBest(schedule="thall-wathen", best="lowest"),
    policies.PosteriorBest(exponent=0.5, least=0.1, largest=0.7),
    policies.PosteriorBest(exponent=2.0, least=0.05, control_share=0.3),
    policies.RandomisedPlayTheWinner(),
    policies.RandomisedPlayTheWinner(u=3.0, b=0.5),
    policies.DoublyAdaptiveBiasedCoin(),
    policies.DoublyAdaptiveBiasedCoin(target="neyman", gamma=5.0),
    policies.DoublyAdaptiveBiasedCoin(target="urn", gamma=0.0),
    policies.Npts(),
    policies.Thompson(prior="gaussian"),
    policies.KlUcb(),
    policies.KlUcb(exploration=3.0),
    policies.Imed(),
    policies.UcbV(),
    policies.UcbV(zeta=1.0, weight=0.1, width=2.0),
    policies.RaUcb(),
    policies.RaUcb(theta=4.0, exploration=3.0),
    policies.RaUcb(divergence="bernoulli"),
    policies.Mvts(),
    policies.Mvts(rho=0.2),
    policies.CvarUcb(),
    policies.CvarUcb(alpha=0.6, top=1.5, confidence="anytime"),
    policies.CvarUcb(alpha=0.3, bound="brown"),
    policies.Min(),
    policies.Sda(),
    policies.Sda(sampler="random-block", floor=1.0),
    policies.Sda(sampler="last-block", floor=2.0),
    policies.Sda(ties="leader"),
    policies.Sda(sampler="random-block", ties="random"),
    policies.Ssmc(),
    policies.DirichletSampling(),
    policies.DirichletSampling(top=1.5),
    policies.Mts(),
    policies.Mts(levels=3, low=-0.5, top=1.25),
    policies.TwoKeys(),
    policies.TwoKeys(bound="seen", veto=1.0, floor=3.0),
    policies.Gittins(),
    policies.Gittins(discount=0.9),
    policies.ForwardLookingGittins(),
    policies.ForwardLookingGittins(discount=0.9, block=4, control="fixed"),
]

PLAYABLE = [policy for policy in POLICIES if not policy.needs_truth]  # in a real trial

# One for each way to choose: its kernel, its memory and the random numbers that it takes. The others are the same code
# with other parameters, which is what the comparison with the oracle is for.
PATHS = [policy for k, policy in enumerate(POLICIES) if type(policy) not in map(type, POLICIES[:k])]

VALUES = [
    values.Mean(),
    values.MeanVariance(rho=1.0),
    values.MeanVariance(rho=0.0),
    values.CVaR(alpha=0.1),
    values.CVaR(alpha=0.5, estimator="ceil"),
    values.CVaR(alpha=0.35, estimator="chen"),
    values.CVaR(alpha=1.0),
    values.Formula("mean - 0.5 * var"),
    values.Formula("cvar(0.3) + quantile(0.25) / 2"),
    values.Formula("mean - 2 * lpm(0.6, 2) + prob(0.4)"),
    values.Formula("gini - std * entropic(1)"),
    values.MeanStd(rho=1.0),
    values.MeanGini(rho=0.5),
    values.MeanCVaR(weight=0.3, alpha=0.25),
    values.Quantile(level=0.5),
    values.Quantile(level=0.07),
    values.Entropic(theta=1.0),
    values.Entropic(theta=50.0),
    values.Threshold(level=0.6),
    values.LowerPartialMoment(target=0.5, order=2.0, weight=1.0),
    values.LowerPartialMoment(target=0.8, order=0.5, weight=2.0),
    values.Semivariance(rho=1.0),
    values.Sharpe(target=0.2, regularizer=0.01),
    values.Spectral(aversion=5.0),
    values.RestrictedMean(cap=0.6),
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


def mostly_long(cases: Sequence[Any], short: Sequence[Any]) -> list[Any]:
    """All cases as parameters; `make test` has those of the short form, and `make test-long` also the others."""
    return [case if case in short else pytest.param(case, marks=pytest.mark.long) for case in cases]


def suited(policy: Any, value: Any) -> Any:
    """The policy; where it needs a constant that is not known of the value, with that constant given."""
    name = policy.needs_constant
    known = not name or getattr(policy, name) or getattr(value, name) is not None
    return policy if known else dataclasses.replace(policy, **{name: 2.0})


def reward(problem: Any, seed: int, replication: int, arm: int, i: int) -> float:
    """The i-th reward of an arm, one at a time."""
    distribution = list(problem.arms.values())[arm]
    return float(np.asarray(distribution.quantile(np.array([reward_uniform(seed, replication, arm, i)])))[0])


def oracle_choices(problem: Any, policy: Any, horizon: int, seed: int, replication: int) -> list[int]:
    """The arms that the oracle plays."""
    trial = Trial(policy, problem.value, len(problem.arms), horizon, seed, replication, problem.true_values)
    choices = []
    for _ in range(horizon):
        arm = trial.ask()
        trial.tell(arm, reward(problem, seed, replication, arm, trial.pulls(arm)))
        choices.append(arm)
    return choices


def plain_choices(problem: Any, policy: Any, horizon: int, seed: int, replication: int) -> list[int]:
    """The arms that the engine plays when its source and the plug-ins' run as ordinary Python."""
    arms = len(problem.arms)
    truth = problem.true_values if policy.needs_truth else None
    histories = Histories(1, arms, horizon, horizon, inner_value(policy, problem.value), policy, truth=truth)
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
