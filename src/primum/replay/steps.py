"""What a replay consists of: plain data, all the way down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# of what an arm brings to a duel: "lowest rewards", those of the sub-sample that the value looks at; "counts", where of
# two-valued rewards only the number of each was drawn; "features", numbers that the value makes of rewards, and takes
# mean and variance of
What = Literal["rewards", "lowest rewards", "counts", "features"]
By = Literal["value", "fewer pulls", "chance"]
# "opening": the arm had no reward yet; "floor": it was given too seldom; "duels": it won the tournament; "policy": no
# more is known than that the policy chose it
Kind = Literal["opening", "floor", "duels", "policy"]


@dataclass(frozen=True)
class Sample:
    """What an arm brought to a duel."""

    # ascending; of more than 60 so many of them, evenly spaced from the smallest to the largest
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
class Reason:
    """Why an arm was chosen, as far as that is known."""

    kind: Kind
    sentence: str
    floor: float | None = None  # fewer pulls than this were too few
    duels: tuple[Duel, ...] = ()


@dataclass(frozen=True)
class Step:
    """One decision and what came of it."""

    step: int
    arm: int
    reward: float
    regret: float  # accumulated, this step included
    pulls: tuple[int, ...]  # of each arm, before the decision
    estimates: tuple[float | None, ...]  # the value of all rewards of each arm, before the decision
    why: Reason


@dataclass(frozen=True)
class Replay:
    """Some steps of one replication; `print` shows them as a table."""

    policy: str
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
