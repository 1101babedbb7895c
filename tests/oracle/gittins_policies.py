"""The Gittins index rules on lists, with indices from our table, which tests/policies/test_gittins.py verifies."""

from __future__ import annotations

from collections.abc import Callable

from primum.policies import gittins_index
from tests.oracle.trial import Trial

State = list[tuple[int, int]]  # successes and outcomes of each arm


def index(discount: float, successes: int, outcomes: int) -> float:
    table = gittins_index.packed_table(discount, 1, False)[3:]
    return float(table[sum(range(outcomes + 1)) + successes])


def known(trial: Trial) -> State:
    return [(trial.memory.get((k, True), 0), trial.pulls(k)) for k in range(trial.arms)]


def learn(trial: Trial, arm: int, reward: float, **parameters: object) -> None:
    outcome = arm, trial.stream.uniform() < reward
    trial.memory[outcome] = trial.memory.get(outcome, 0) + 1


def gittins(trial: Trial, discount: float) -> int:
    state = known(trial)
    return trial.best(lambda k: index(discount, *state[k]))


def forward_looking(trial: Trial, discount: float, block: int, control: str) -> int:
    number = (trial.step - 1) // block
    starts = trial.memory.setdefault("starts", {})
    path = list(starts.setdefault(number, known(trial)))
    share = 1 / trial.arms if control == "fixed" else 0

    def best() -> int:
        return trial.best(lambda k: -1 if control == "fixed" and k == 0 else index(discount, *path[k]))

    if trial.stream.uniform() < share:
        return 0
    for _ in range(trial.stream.below(block)):
        if trial.stream.uniform() < share:
            continue
        k = best()
        successes, outcomes = path[k]
        path[k] = successes + (trial.stream.uniform() < (successes + 1) / (outcomes + 2)), outcomes + 1
    return best()


RULES: dict[str, Callable[..., int]] = {"gittins": gittins, "forward-looking-gittins": forward_looking}
LEARNERS: dict[str, Callable[..., None]] = {"gittins": learn, "forward-looking-gittins": learn}
