"""The policies that work under any value, round by round, on lists."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.oracle.trial import Trial


def boltzmann(trial: Trial, temperature: float) -> int:
    """The largest estimate with a Gumbel number added, which has the probabilities of Boltzmann's law."""
    arm = trial.opening(1)
    if arm is not None:
        return arm
    return trial.best(lambda k: trial.estimate(trial.rewards[k]) - temperature * math.log(trial.stream.exponential()))


def per_arm_or_default(trial: Trial, per_arm: int) -> int:
    return per_arm or max(1, min(math.ceil((trial.horizon / 14) ** (2 / 3)), trial.horizon // trial.arms))


def explore_then_commit(trial: Trial, per_arm: int) -> int:
    arm = trial.opening(per_arm_or_default(trial, per_arm))
    if arm is not None:
        return arm
    if "chosen" in trial.memory:
        return trial.memory["chosen"]
    return trial.best(lambda k: trial.estimate(trial.rewards[k]))


def learn_explore_then_commit(trial: Trial, arm: int, reward: float, per_arm: int) -> None:
    if "chosen" not in trial.memory and min(map(len, trial.rewards)) >= per_arm_or_default(trial, per_arm):
        trial.memory["chosen"] = trial.best(lambda k: trial.estimate(trial.rewards[k]))


def giro(trial: Trial, pseudo: int) -> int:
    """Bootstrap samples of rewards and as many pseudo-rewards of 0 and of 1, in turn after the rewards."""
    arm = trial.opening(1)
    if arm is not None:
        return arm

    def bootstrapped(k: int) -> float:
        rewards, n = trial.rewards[k], trial.pulls(k)
        known = rewards + [float(i % 2) for i in range(n, n + 2 * pseudo * n)]
        return trial.estimate([known[trial.stream.below(len(known))] for _ in known])

    return trial.best(bootstrapped)


def round_robin(trial: Trial) -> int:
    return (trial.step - 1) % trial.arms


def oracle(trial: Trial) -> int:
    return trial.best(lambda k: trial.truth[k])


def u_ucb(trial: Trial, alpha: float, lipschitz: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm

    def index(k: int) -> float:
        width = math.sqrt(alpha * math.log(trial.step) / (2 * trial.pulls(k)))
        return trial.estimate(trial.rewards[k]) + (lipschitz or trial.lipschitz) * width

    return trial.best(index)


def mcdiarmid_ucb(trial: Trial, gamma: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    delta = (trial.step - 1) ** -4

    def index(k: int) -> float:
        width = math.sqrt(math.log(1 / delta) / (2 * trial.pulls(k)))
        return trial.estimate(trial.rewards[k]) + (gamma or trial.gamma) * width

    return trial.best(index)


RULES: dict[str, Callable[..., int]] = {
    "boltzmann": boltzmann,
    "explore-then-commit": explore_then_commit,
    "round-robin": round_robin,
    "oracle": oracle,
    "u-ucb": u_ucb,
    "mcdiarmid-ucb": mcdiarmid_ucb,
}

LEARNERS: dict[str, Callable[..., None]] = {"explore-then-commit": learn_explore_then_commit}
