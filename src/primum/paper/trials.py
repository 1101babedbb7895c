"""Simulated trials of the two treatments: who got which, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from primum.problem import Problem
from primum.results import Results

Array = np.ndarray[Any, Any]

BESA_PLUS = "BESA+"
NAMES = {  # as the paper calls them
    "besa-plus": BESA_PLUS,
    "besa": "BESA",
    "ucb1": "UCB1",
    "thompson": "Thompson sampling",
    "mv-lcb": "MV-LCB",
    "exp-exp": "ExpExp",
}
RIVALS = tuple(name for name in NAMES.values() if name != BESA_PLUS)


@dataclass(frozen=True)
class Trials:
    """Pulls of each policy, by its name in the paper, in the same replications and at the same steps of a problem.

    `factor` turns the unit of the rewards into the one that is shown.
    """

    problem: Problem
    steps: Array
    pulls: Mapping[str, Array]  # replication x step x arm
    factor: float = 1.0

    @classmethod
    def of(cls, problem: Problem, *results: Results, factor: float = 1.0) -> Trials:
        """What some runs have in common; of a policy that is in several, the first run counts."""
        steps = reduce(np.intersect1d, [one.steps for one in results])
        runs = reduce(np.intersect1d, [one.replications for one in results])
        pulls: dict[str, Array] = {}
        for one in results:
            rows = np.ix_(np.isin(one.replications, runs), np.isin(one.steps, steps))
            for policy, mine in zip(one.policies, one.pulls.values, strict=True):
                pulls.setdefault(NAMES[policy.name], mine[rows])
        return cls(problem, steps, {name: pulls[name] for name in NAMES.values() if name in pulls}, factor)

    @property
    def runs(self) -> int:
        """How many replications there are."""
        return len(self.pulls[BESA_PLUS])

    @property
    def gap(self) -> float:
        """How much worse the worse treatment is, in the unit that is shown."""
        return float(self.factor * self.problem.gaps.max())

    @property
    def better(self) -> int:
        """The better treatment, 1 or 2."""
        return int(np.argmin(self.problem.gaps)) + 1

    def worse(self) -> dict[str, Array]:
        """Patients who got the worse treatment: replication x step."""
        return {name: pulls[..., ~self.problem.best].sum(axis=-1) for name, pulls in self.pulls.items()}

    def regret(self) -> dict[str, Array]:
        """Accumulated regret: replication x step."""
        return {name: self.gap * worse for name, worse in self.worse().items()}

    def shares(self) -> dict[str, Array]:
        """Share of patients so far who got the better treatment: replication x step."""
        return {name: 1 - worse / self.steps for name, worse in self.worse().items()}

    def last(self, samples: Mapping[str, Array], runs: int | None = None) -> dict[str, Array]:
        """Of samples by replication and step those at the last step, of all replications or the first few."""
        return {name: sample[:runs, -1] for name, sample in samples.items()}

    def final(self, runs: int | None = None) -> dict[str, Array]:
        """Regret at the last step."""
        return self.last(self.regret(), runs)
