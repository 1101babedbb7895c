"""Policies that play in rounds or draw laws at random, from their definitions, on lists."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from tests.oracle.trial import Trial


def leader_of(trial: Trial) -> int:
    """Most pulls; then the best value; then the leader of the round before; then any."""
    most = max(map(len, trial.rewards))
    candidates = [k for k in range(trial.arms) if trial.pulls(k) == most]
    if len(candidates) == 1:
        return candidates[0]

    def value(k: int) -> float:
        return max(trial.estimate(trial.rewards[k]), -sys.float_info.max) if k in candidates else -math.inf

    leader = trial.best(value)
    before = trial.memory.get("leader")
    return before if before in candidates and trial.tied(value(before), value(leader)) else leader


def play_round(trial: Trial, wins: Callable[[Trial, int, int, float], bool], equals: bool = False) -> int:
    """The opening; a winner of the round that waits; or a new round. With `equals`, as many pulls may challenge too."""
    arm = trial.opening(1)
    if arm is not None:
        return arm
    waiting = trial.memory.setdefault("waiting", [])
    if not waiting:
        leader = trial.memory["leader"] = leader_of(trial)
        number = trial.memory["round"] = trial.memory.get("round", 1) + 1
        for k in range(trial.arms):
            challenges = trial.pulls(k) < trial.pulls(leader) or (equals and k != leader)
            if challenges and wins(trial, k, leader, math.sqrt(math.log(number))):
                waiting.append(k)
        if not waiting:
            return leader
    chosen = waiting[0]
    for i in range(1, len(waiting)):
        if trial.stream.below(i + 1) == 0:
            chosen = waiting[i]
    waiting.remove(chosen)
    return chosen


def at_least(trial: Trial, x: float, y: float) -> bool:
    return x > y or trial.tied(x, y)


def sda(trial: Trial, sampler: str, ties: str, floor: float) -> int:
    if ties == "authors":
        ties = {"uniform": "random", "random-block": "challenger", "last-block": "challenger"}[sampler]

    def part(arm: int, n: int) -> list[float]:
        if sampler == "uniform":
            return trial.subsample(arm, n)
        blocks = [trial.rewards[arm][i : i + n] for i in range(trial.pulls(arm) - n + 1)]
        return blocks[trial.stream.below(len(blocks) - 1)] if sampler == "random-block" and blocks[1:] else blocks[-1]

    def wins(trial: Trial, k: int, leader: int, least: float) -> bool:
        if trial.pulls(k) < trial.pulls(leader) and trial.assigned[k] < floor * least:
            return True
        own, other = trial.estimate(trial.rewards[k]), trial.estimate(part(leader, trial.pulls(k)))
        if trial.tied(own, other):
            return trial.stream.below(2) == 0 if ties == "random" else ties == "challenger"
        return own > other

    return play_round(trial, wins, equals=ties == "random")


def ssmc(trial: Trial) -> int:
    def wins(trial: Trial, k: int, leader: int, least: float) -> bool:
        n, rewards = trial.pulls(k), trial.rewards[leader]
        blocks = [trial.estimate(rewards[i : i + n]) for i in range(len(rewards) - n + 1)]
        return trial.assigned[k] < least or at_least(trial, trial.estimate(trial.rewards[k]), min(blocks))

    return play_round(trial, wins)


def dirichlet_sampling(trial: Trial, top: float) -> int:
    def wins(trial: Trial, k: int, leader: int, least: float) -> bool:
        to_reach = trial.estimate(trial.rewards[leader])
        face_value = trial.estimate(trial.rewards[k])
        return at_least(trial, face_value, to_reach) or at_least(trial, trial.reweighted(k, top), to_reach)

    return play_round(trial, wins)


def mts(trial: Trial, levels: int, low: float, top: float) -> int:
    arm = trial.opening(1)
    if arm is not None:
        return arm
    points = [low + (top - low) * i / (levels - 1) for i in range(levels)]

    def score(k: int) -> float:
        counts = [trial.memory.get((k, i), 0) for i in range(levels)]
        draws = [trial.stream.gamma(1 + count) if count else trial.stream.exponential() for count in counts]
        return trial.of_law(points, [draw / math.fsum(draws) for draw in draws])

    return trial.best(score)


def learn_mts(trial: Trial, arm: int, reward: float, levels: int, low: float, top: float) -> None:
    place = (levels - 1) * ((reward - low) / (top - low))
    part, whole = math.modf(place)
    point = arm, int(whole) + (trial.stream.uniform() < part)
    trial.memory[point] = trial.memory.get(point, 0) + 1


RULES: dict[str, Callable[..., int]] = {
    "sda": sda,
    "ssmc": ssmc,
    "dirichlet-sampling": dirichlet_sampling,
    "mts": mts,
}

LEARNERS: dict[str, Callable[..., None]] = {"mts": learn_mts}
