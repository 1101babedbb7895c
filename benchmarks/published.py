"""Our mean regret beside that of published tables.

    python benchmarks/published.py [--only PART ...]

The tables are those of Baudry, Kaufmann, Maillard, "Sub-sampling for efficient non-parametric bandit exploration",
NeurIPS 2020, with the standard deviations of their supplement: 5,000 runs of 20,000 steps. Each part plays the same
problems with our policies. Its rows replace the same part in published.json, which the page "Verification" shows
(python docs/verification.py). Of what was published, policies that Primum does not have are left out, and SSMC on
random problems, which would take hours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from comparison import Parts, Row, compare

from primum import policies, rewards, simulate, values
from primum.kernels import below, kernel, opening, value_of_subsample
from primum.kernels.choosing import shuffle_front, tied
from primum.problem import Problem

HORIZON, RUNS = 20_000, 5_000  # of the article
ARTICLE = "Baudry, Kaufmann, Maillard 2020, Table"
PROBLEMS, SLOW = 1_000, {"ssmc": 100, "npts": 50}
SEED = 20205
ROUNDING = 0.05

posterior_draws = kernel(policies.Thompson.choose)


@dataclass(frozen=True)
class OpeningThompson(policies.Thompson):
    """Thompson sampling after each arm once, as the authors of the tables play it."""

    @staticmethod
    def choose(history: Any, prior: float) -> int:
        arm = opening(history, 1.0)
        return arm if arm >= 0 else posterior_draws(history, prior)


@kernel
def fair_duel(history: Any, a: int, b: int) -> int:
    n = min(history.pulls[a], history.pulls[b])
    va, vb = value_of_subsample(history, a, n), value_of_subsample(history, b, n)
    if tied(history, va, vb):
        return a if below(history.stream, 2) == 0 else b
    return a if va > vb else b


@dataclass(frozen=True)
class FairBesa(policies.Besa):
    """BESA as the authors of the tables play it: ties at random, and a new order for each level of the tournament."""

    @staticmethod
    def choose(history: Any) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        order, left = history.order, history.arms
        for k in range(left):
            order[k] = k
        while left > 1:
            shuffle_front(order, left, left - 1, history.stream)
            for i in range(left // 2):
                order[i] = fair_duel(history, order[2 * i], order[2 * i + 1])
            if left % 2 == 1:
                order[left // 2] = order[left - 1]
            left = (left + 1) // 2
        return order[0]


@dataclass(frozen=True)
class Contestant:
    title: str
    policy: policies.Policy
    note: str = ""


THOMPSON = Contestant("Thompson sampling", OpeningThompson(), "After each arm once, as theirs.")
FLAT_THOMPSON = Contestant(
    "MVTS, rho 0",
    policies.Mvts(rho=0),
    "Thompson sampling for variance 1 with a flat prior, as theirs.",
)
NPTS = Contestant("NPTS", policies.Npts())
IMED = Contestant("IMED", policies.Imed())
BESA = Contestant("BESA", policies.Besa())
BESA_WITH_TIES = [
    Contestant("BESA", policies.Besa(), "Ours gives ties to the less pulled arm, theirs breaks them at random."),
    Contestant("BESA, ties at random", FairBesa(), "Written for this table, to show what ties do."),
]
SSMC = Contestant("SSMC", policies.Ssmc())
SDA = [
    Contestant("RB-SDA", policies.Sda(sampler="random-block")),
    Contestant("WR-SDA", policies.Sda(sampler="uniform")),
    Contestant("LB-SDA", policies.Sda(sampler="last-block")),
]
FLOORED = [
    Contestant("RB-SDA, floor 1", policies.Sda(sampler="random-block", floor=1)),
    Contestant("WR-SDA, floor 1", policies.Sda(sampler="uniform", floor=1)),
    Contestant("LB-SDA, floor 1", policies.Sda(sampler="last-block", floor=1)),
]


@dataclass(frozen=True)
class Table:
    """Problems with the mean regret (standard deviation) in each column, as printed; several may stand for a column."""

    source: str
    replications: int
    columns: list[Contestant | list[Contestant]]
    problems: dict[str, tuple[list[rewards.RewardDistribution], str]]

    def rows(self) -> Iterator[Row]:
        for setting, (arms, printed) in self.problems.items():
            cells = re.findall(r"([\d.]+) \(([\d.]+)\)", printed)
            for column, (mean, deviation) in zip(self.columns, cells, strict=True):
                for contestant in column if isinstance(column, list) else [column]:
                    error = float(deviation) / math.sqrt(RUNS)
                    replications = SLOW.get(contestant.policy.name, self.replications)
                    regret = regrets(contestant.policy, arms, replications)
                    ours, se = float(regret.mean()), float(regret.std(ddof=1)) / math.sqrt(regret.size)
                    yield Row(
                        contestant.title, setting, ours, se, float(mean), error, self.source, ROUNDING, contestant.note
                    )


def regrets(policy: policies.Policy, arms: list[rewards.RewardDistribution], replications: int) -> Any:
    """The regret after the last step, by replication."""
    problem = Problem({f"arm {k}": arm for k, arm in enumerate(arms)}, values.Mean())
    results = simulate(
        problem, [policy], horizon=HORIZON, replications=replications, seed=SEED, steps="last", progress=False
    )
    return np.asarray(results.regret.values[0, :, -1])


@dataclass(frozen=True)
class RandomTable:
    """Mean regret over problems of ten random arms, after some numbers of steps, as printed: contestant x steps."""

    source: str
    setting: str
    draw: Callable[[np.random.Generator], list[rewards.RewardDistribution]]
    printed: list[tuple[Contestant, tuple[float, float, float, float]]]

    def rows(self) -> Iterator[Row]:
        steps = (100, 1_000, 10_000, HORIZON)
        for contestant, means in self.printed:
            regret = np.array([self.regrets(contestant.policy, i, steps) for i in range(PROBLEMS)])
            deviation = regret.std(axis=0, ddof=1)
            for i, mean in enumerate(means):
                ours, se, error = regret[:, i].mean(), deviation[i] / math.sqrt(PROBLEMS), deviation[i] / 100
                setting = f"{self.setting}, {steps[i]:,} steps"
                # they played 10,000 problems; how much these differ is not printed
                yield Row(contestant.title, setting, ours, se, mean, error, self.source, ROUNDING, contestant.note)

    def regrets(self, policy: policies.Policy, i: int, steps: tuple[int, ...]) -> Any:
        """The regret on problem i after some numbers of steps."""
        arms = self.draw(np.random.default_rng([SEED, i]))
        problem = Problem({f"arm {k}": arm for k, arm in enumerate(arms)}, values.Mean())
        results = simulate(
            problem, [policy], horizon=HORIZON, replications=1, seed=SEED + i, steps=steps, progress=False
        )
        return results.regret.values[0, 0]


def bernoulli(*means: float) -> list[rewards.RewardDistribution]:
    return [rewards.Bernoulli(mean) for mean in means]


def normal(*means: float) -> list[rewards.RewardDistribution]:
    return [rewards.Scipy("norm", location=mean) for mean in means]


def clipped(deviation: float, *means: float) -> list[rewards.RewardDistribution]:
    return [rewards.Clipped(rewards.Scipy("norm", location=mean, scale=deviation)) for mean in means]


def exponential(*means: float) -> list[rewards.RewardDistribution]:
    return [rewards.Scipy("expon", scale=mean) for mean in means]


EXPONENTIAL = {
    "exponential, means 1.5, 1": exponential(1.5, 1),
    "exponential, means .2, .1": exponential(0.2, 0.1),
    "exponential, means 11, 10": exponential(11, 10),
    "exponential, means 4, 3, 2, 1": exponential(4, 3, 2, 1),
    "exponential, means .4, .3, .2, .1": exponential(0.4, 0.3, 0.2, 0.1),
    "exponential, means 5, 4 x 3": exponential(5, 4, 4, 4),
}


def of_exponential(*printed: str) -> dict[str, tuple[list[rewards.RewardDistribution], str]]:
    return {name: (arms, text) for (name, arms), text in zip(EXPONENTIAL.items(), printed, strict=True)}


TABLES = {
    "bernoulli": Table(
        f"{ARTICLE} 6",
        2_000,
        [THOMPSON, BESA_WITH_TIES, SSMC, *SDA],
        {
            "Bernoulli .9, .8": (
                bernoulli(0.9, 0.8),
                "11.2 (10.) 11.7 (12.1) 12.3 (7.3) 11.5 (10.1) 11.6 (10.2) 12.2 (7.4)",
            ),
            "Bernoulli .6, .5": (
                bernoulli(0.6, 0.5),
                "22.9 (29.2) 22.1 (25.2) 24.3 (38.2) 22.0 (34.5) 21.5 (17.3) 24.0 (24.6)",
            ),
            "Bernoulli .1, .05 x 3, .03 x 3, .01 x 3": (
                bernoulli(0.1, *[0.05] * 3, *[0.03] * 3, *[0.01] * 3),
                "94.2 (15.8) 88.1 (89.2) 100.1 (20.0) 89.0 (19.8) 86.9 (21.7) 100.7 (21.3)",
            ),
            "Bernoulli .9, .85 x 7": (
                bernoulli(0.9, *[0.85] * 7),
                "108.1 (45.1) 147.5 (209.8) 119.9 (40.8) 105.1 (41.1) 106.9 (42.1) 119.6 (42.7)",
            ),
        },
    ),
    "normal": Table(
        f"{ARTICLE} 7",
        1_000,
        [FLAT_THOMPSON, BESA, SSMC, *SDA],
        {
            "normal, sd 1, means .5, 0": (
                normal(0.5, 0),
                "24.4 (17.1) 25.3 (27.1) 26.9 (52.8) 25.6 (62.8) 24.7 (20.6) 25.1 (17.9)",
            ),
            "normal, sd 1, means .5, 0 x 3": (
                normal(0.5, 0, 0, 0),
                "73.5 (107.8) 122.5 (585.5) 74.8 (34.7) 71.0 (152.2) 71.1 (50.2) 74.6 (35.1)",
            ),
            "normal, sd 1, means 1.5, 1, .5, 0": (
                normal(1.5, 1, 0.5, 0),
                "49.7 (26.9) 72.1 (410.3) 51.3 (23.7) 50.4 (156.5) 50.0 (33.3) 51.2 (22.4)",
            ),
        },
    ),
    "clipped-normal": Table(
        f"{ARTICLE} 8",
        1_000,
        [THOMPSON, NPTS, BESA_WITH_TIES, SSMC, *SDA],
        {
            "normal clipped to [0, 1], sd .1, means .6, .5": (
                clipped(0.1, 0.6, 0.5),
                "21.9 (20.4) 4.2 (0.6) 1.4 (1.7) 1.5 (0.7) 1.4 (1.1) 1.4 (0.8) 1.5 (0.7)",
            ),
            "normal clipped to [0, 1], sd .3, means .2, 0": (
                clipped(0.3, 0.2, 0),
                "13.3 (7) 8 (1.8) 4.6 (3.3) 4.7 (2.3) 4.4 (4.6) 4.5 (3.1) 4.6 (2.4)",
            ),
            "normal clipped to [0, 1], sd 1, means 2, 1.5": (
                clipped(1, 2, 1.5),
                "9.7 (10.1) 7.8 (4.5) 7.8 (9.4) 7.6 (5) 7.1 (10) 7.7 (13.4) 8.2 (27.5)",
            ),
            "normal clipped to [0, 1], sd 1, means .7, .6, .5, .4": (
                clipped(1, 0.7, 0.6, 0.5, 0.4),
                "86.6 (57.8) 70 (39.4) 76.5 (113.9) 69.5 (40.9) 64.9 (60.5) 64.8 (43.9) 68.7 (39.1)",
            ),
        },
    ),
    "exponential": Table(
        f"{ARTICLE} 11",
        1_000,
        [BESA, SSMC, *SDA],
        of_exponential(
            "45.7 (114.1) 41.9 (84.2) 44.8 (121.4) 45.4 (134.4) 46.6 (176.8)",
            "4.2 (25.1) 3.6 (41.9) 4.1 (14.3) 3.9 (13.4) 3.9 (8.7)",
            "820.5 (1304.6) 856.9 (1111.0) 848.4 (1533.3) 778.4 (1118.7) 846.7 (1150.1)",
            "525.4 (2115.1) 251.3 (328.3) 272.6 (692.2) 262.1 (524.4) 263.8 (477.9)",
            "55.7 (219.9) 25.6 (23.6) 25.5 (46.7) 25.0 (24.0) 26.5 (36.8)",
            "1184.2 (3096.4) 627.9 (755.6) 595.7 (790.7) 616.0 (780.2) 652.6 (685.3)",
        ),
    ),
    "exponential-floor": Table(
        f"{ARTICLE} 13",
        1_000,
        FLOORED,
        of_exponential(
            "44.9 (167.3) 42.5 (107.4) 42.4 (60.5)",
            "3.6 (9.2) 3.4 (2.2) 4.0 (27.9)",
            "837.5 (1466.1) 788.5 (1222.1) 827.7 (1055.3)",
            "244.8 (403.3) 238.9 (250.8) 251.7 (248.5)",
            "23.6 (33.4) 25.1 (41.0) 25.4 (23.4)",
            "578.9 (651.9) 595.1 (561.3) 631.2 (446.4)",
        ),
    ),
}
RANDOM_TABLES = {
    "random-bernoulli": RandomTable(
        f"{ARTICLE} 9",
        "ten Bernoulli arms, means uniform in [0, 1]",
        lambda rng: bernoulli(*rng.random(10)),
        [
            (THOMPSON, (13.8, 27.8, 45.8, 52.2)),
            (IMED, (15.1, 31.9, 51.2, 57.6)),
            (SDA[0], (14.8, 31.8, 51.1, 57.7)),
            (SDA[1], (14.3, 30.9, 50.6, 57.3)),
        ],
    ),
    "random-normal": RandomTable(
        f"{ARTICLE} 10",
        "ten normal arms, sd 1, means normal(0, 1)",
        lambda rng: normal(*rng.normal(size=10)),
        [
            (FLAT_THOMPSON, (41.2, 76.4, 118.5, 132.6)),
            (SDA[0], (38.1, 70.4, 111.8, 125.7)),
            (SDA[1], (38.3, 72.7, 115.8, 130.2)),
        ],
    ),
}
PARTS: Parts = {name: table.rows for name, table in (TABLES | RANDOM_TABLES).items()}

if __name__ == "__main__":
    compare("published", __doc__ or "", PARTS)
