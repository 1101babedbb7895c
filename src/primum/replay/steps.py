"""Data of a replay, as plain numbers and texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# of what an arm brings to a duel: "lowest rewards", those of the sub-sample that the value looks at; "counts", where of
# two-valued rewards only the number of each was drawn; "features", numbers that the value makes of rewards, and takes
# mean and variance of
What = Literal["rewards", "lowest rewards", "counts", "features"]
By = Literal["value", "fewer pulls", "chance"]
Kind = Literal[
    "opening",  # the arm had no reward yet
    "floor",  # it had too few pulls
    "scores",  # it has the highest score
    "random",  # it was drawn at random, with equal probabilities or with those in `scores`
    "duels",  # it won the tournament
    "round",  # it won its challenge against the leader, or leads and no challenger won
    "commitment",  # it was chosen for all remaining steps, at an earlier one
    "rule",  # the policy declares what it decides by, and compared nothing that could be shown
    "unexplained",  # the policy declares nothing, or returned another arm than the one it noted
]


@dataclass(frozen=True)
class Sample:
    """The sub-sample of an arm in a duel."""

    # ascending; of more than 60 only 60, evenly spaced from the smallest to the largest
    rewards: tuple[float, ...]
    size: int  # of the sub-sample
    all: int  # rewards that the arm had
    what: What


@dataclass(frozen=True)
class Duel:
    """Two arms, compared on sub-samples of equal size."""

    a: int
    b: int
    size: int
    samples: tuple[Sample, Sample]
    values: tuple[float, float]
    winner: int
    by: By


@dataclass(frozen=True)
class Challenge:
    """An arm against the leader of a round."""

    arm: int
    won: bool
    value: float | None = None  # of the challenger
    leader: float | None = None  # the leader's value that it was compared with; None if it reached none
    tied: bool = False  # the two values are equal up to rounding
    floor: float | None = None  # it had fewer pulls than this, so it won without a comparison


@dataclass(frozen=True)
class Reason:
    """Why an arm was chosen, as far as that is known."""

    kind: Kind
    sentence: str
    floor: float | None = None  # fewer pulls than this were too few
    score: str = ""  # the name of the scores: "upper confidence bound", "probability"
    scores: tuple[float | None, ...] = ()  # of each arm; None where it is infinite
    tied: tuple[int, ...] = ()  # the arms that share the highest score, if several do
    duels: tuple[Duel, ...] = ()
    leader: int | None = None  # of the round that began at this step
    challenges: tuple[Challenge, ...] = ()


@dataclass(frozen=True)
class Step:
    """One decision and its outcome."""

    step: int
    arm: int
    reward: float
    regret: float  # cumulative, this step included
    pulls: tuple[int, ...]  # of each arm, before the decision
    estimates: tuple[float | None, ...]  # the value of all rewards of each arm, before the decision
    why: Reason


@dataclass(frozen=True)
class Replay:
    """Some steps of one replication; `print` shows them as a table."""

    policy: str
    decides_by: str  # as the policy declares it; empty if it declares nothing
    replication: int
    horizon: int
    first: int
    arms: tuple[str, ...]
    value: str  # that the policy uses inside
    before: tuple[int, ...]  # pulls of each arm before the first step shown
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        rows = [("step", "arm", "reward", "regret", "why")]
        for step in self.steps:
            numbers = f"{step.reward:.4g}", f"{step.regret:.4g}"
            rows.append((str(step.step), self.arms[step.arm], *numbers, step.why.sentence))
        widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
        head = f"{self.policy} by {self.value}, replication {self.replication}, {self.horizon} steps"
        lines = ["  ".join([*map(str.ljust, row, widths), row[-1]]) for row in rows]
        return "\n".join([head, *lines])
