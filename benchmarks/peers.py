"""Other bandit libraries at their fastest; runs in their own virtual environment.

Reads the name of a contestant from each line of the standard input, lets it play one replication, and answers with a
line of JSON: {"steps": ..., "seconds": ..., "pulls": [...]}, seconds of CPU time. Rewards are drawn beforehand and
not timed.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from problems import DEVIATION, HORIZON, TEN_BERNOULLI, TWO_BERNOULLI, TWO_NORMAL

with contextlib.redirect_stdout(sys.stderr):  # it prints advice on optional packages
    from SMPyBandits.Policies import BESA, UCB

from mabwiser.mab import MAB, LearningPolicy
from river import bandit, proba

rng = np.random.default_rng()

Tape = list[list[float]]  # plain numbers: quicker to read one by one than an array
Game = Callable[[Tape], tuple[float, list[int]]]


def bernoulli(chances: Sequence[float]) -> Tape:
    return [(rng.random(HORIZON) < chance).astype(float).tolist() for chance in chances]


def normal(locations: Sequence[float]) -> Tape:
    tape = []
    for location in locations:
        draws = rng.normal(location, DEVIATION, 4 * HORIZON)
        tape.append(draws[(draws >= 0.0) & (draws <= 1.0)][:HORIZON].tolist())
    return tape


def smpybandits(policy: type, **options: Any) -> Game:
    def game(tape: Tape) -> tuple[float, list[int]]:
        player = policy(len(tape), **options)
        player.startGame()
        pulls = [0] * len(tape)
        start = time.process_time()
        for _ in range(HORIZON):
            arm = player.choice()
            player.getReward(arm, tape[arm][pulls[arm]])
            pulls[arm] += 1
        return time.process_time() - start, pulls

    return game


def mabwiser(learning: Callable[[], Any]) -> Game:
    def game(tape: Tape) -> tuple[float, list[int]]:
        arms = list(range(len(tape)))
        player = MAB(arms, learning(), seed=int(rng.integers(2**31)))
        start = time.process_time()
        player.fit(arms, [rewards[0] for rewards in tape])  # it must have seen something before it predicts
        pulls = [1] * len(tape)
        for _ in range(HORIZON - len(tape)):
            arm = player.predict()
            player.partial_fit([arm], [tape[arm][pulls[arm]]])
            pulls[arm] += 1
        return time.process_time() - start, pulls

    return game


def river(policy: Callable[[], Any]) -> Game:
    def game(tape: Tape) -> tuple[float, list[int]]:
        player = policy()
        arms = list(range(len(tape)))
        pulls = [0] * len(tape)
        start = time.process_time()
        for _ in range(HORIZON):
            arm = player.pull(arms)
            player.update(arm, tape[arm][pulls[arm]])
            pulls[arm] += 1
        return time.process_time() - start, pulls

    return game


BESA_VARIANTS = {
    "recursive": smpybandits(BESA, horizon=HORIZON),
    "non_recursive": smpybandits(BESA, horizon=HORIZON, non_recursive=True),
}

CONTESTANTS: dict[str, tuple[Callable[[], Tape], Game]] = {
    f"{problem} smpybandits-besa-{variant}": (tape, game)
    for problem, tape in {
        "bernoulli-2": lambda: bernoulli(TWO_BERNOULLI),
        "bernoulli-10": lambda: bernoulli(TEN_BERNOULLI),
        "normal-2": lambda: normal(TWO_NORMAL),
    }.items()
    for variant, game in BESA_VARIANTS.items()
} | {
    name: (lambda: bernoulli(TWO_BERNOULLI), game)
    for name, game in {
        "smpybandits-ucb": smpybandits(UCB),
        "mabwiser-ucb1": mabwiser(lambda: LearningPolicy.UCB1(alpha=1.0)),
        "mabwiser-thompson": mabwiser(LearningPolicy.ThompsonSampling),
        "river-ucb": river(lambda: bandit.UCB(delta=1.0, seed=int(rng.integers(2**31)))),
        "river-thompson": river(
            lambda: bandit.ThompsonSampling(reward_obj=proba.Beta(), seed=int(rng.integers(2**31)))
        ),
    }.items()
}


def main() -> None:
    for line in sys.stdin:
        tape, game = CONTESTANTS[line.strip()]
        seconds, pulls = game(tape())
        print(json.dumps({"steps": HORIZON, "seconds": seconds, "pulls": pulls}), flush=True)


if __name__ == "__main__":
    main()
