"""The policies, round by round, on lists: what each chooses, and what some of them remember."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable

from tests.oracle import (
    allocation_policies,
    generic_policies,
    gittins_policies,
    index_policies,
    round_policies,
    two_keys,
)
from tests.oracle.trial import Trial


def mean_less_biased_variance(x: list[float], rho: float) -> float:
    return statistics.fmean(x) - rho * statistics.pvariance(x)


def exploration(trial: Trial) -> int:
    return max(1, min(math.ceil((trial.horizon / 14) ** (2 / 3)), trial.horizon // trial.arms))


def besa(trial: Trial) -> int:
    arm = trial.opening(1)
    return trial.tournament() if arm is None else arm


def besa_plus(trial: Trial, floor: float) -> int:
    arm = trial.opening(floor * math.log(trial.step))
    return trial.tournament() if arm is None else arm


def ucb1(trial: Trial) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    return trial.best(
        lambda k: sum(trial.rewards[k]) / trial.pulls(k) + math.sqrt(2 * math.log(trial.step - 1) / trial.pulls(k))
    )


def thompson(trial: Trial, prior: str) -> int:
    counts = trial.memory
    if prior == "gaussian":
        sizes = [trial.pulls(k) + 1 for k in range(trial.arms)]
        return trial.best(lambda k: sum(trial.rewards[k]) / sizes[k] + trial.stream.normal() / math.sqrt(sizes[k]))
    return trial.best(lambda k: trial.stream.beta(1 + counts.get((k, True), 0), 1 + counts.get((k, False), 0)))


def learn_thompson(trial: Trial, arm: int, reward: float, prior: str) -> None:
    outcome = arm, trial.stream.uniform() < reward
    trial.memory[outcome] = trial.memory.get(outcome, 0) + 1


def epsilon_greedy(trial: Trial, epsilon: float, decay: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    if trial.stream.uniform() < min(1, epsilon * (trial.arms / trial.step) ** decay):
        return trial.stream.below(trial.arms)
    return trial.best(lambda k: trial.estimate(trial.rewards[k]))


def mv_lcb(trial: Trial, rho: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    delta = trial.horizon**-2

    def index(k: int) -> float:
        width = (1 + 5 * rho) * math.sqrt(math.log(1 / delta) / (2 * trial.pulls(k)))
        return mean_less_biased_variance(trial.rewards[k], rho) + width

    return trial.best(index)


def exp_exp(trial: Trial, rho: float) -> int:
    arm = trial.opening(exploration(trial))
    if arm is not None:
        return arm
    if "chosen" in trial.memory:
        return trial.memory["chosen"]
    return trial.best(lambda k: mean_less_biased_variance(trial.rewards[k], rho))


def learn_exp_exp(trial: Trial, arm: int, reward: float, rho: float) -> None:
    if "chosen" not in trial.memory and min(map(len, trial.rewards)) >= exploration(trial):
        trial.memory["chosen"] = trial.best(lambda k: mean_less_biased_variance(trial.rewards[k], rho))


def marab(trial: Trial, alpha: float, penalty: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm

    def index(k: int) -> float:
        tail = math.ceil(round(alpha * trial.pulls(k), 9))
        width = math.sqrt(math.log(math.ceil(round(alpha * trial.step, 9))) / tail)
        return trial.estimate(trial.rewards[k]) - penalty * width

    return trial.best(index)


def npts(trial: Trial, top: float) -> int:
    return trial.best(lambda k: trial.reweighted(k, top))


RULES: dict[str, Callable[..., int]] = {
    "besa": besa,
    "besa-plus": besa_plus,
    "ucb1": ucb1,
    "thompson": thompson,
    "epsilon-greedy": epsilon_greedy,
    "mv-lcb": mv_lcb,
    "exp-exp": exp_exp,
    "marab": marab,
    "npts": npts,
    **allocation_policies.RULES,
    **generic_policies.RULES,
    **gittins_policies.RULES,
    **index_policies.RULES,
    **round_policies.RULES,
    **two_keys.RULES,
}

LEARNERS: dict[str, Callable[..., None]] = {
    "thompson": learn_thompson,
    "exp-exp": learn_exp_exp,
    **generic_policies.LEARNERS,
    **gittins_policies.LEARNERS,
    **index_policies.LEARNERS,
    **round_policies.LEARNERS,
}
