"""What one sees while the paper is reproduced: how far the whole is and how far the part, with the time left."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from primum.experiments import Experiment
from primum.policies import Policy
from primum.progress import bars

# Microseconds a step, with few arms and with many, as measured once on two processors. They only make the time left
# honest: policies differ by a factor of a hundred.
COSTS = {
    "besa-plus": (0.2, 2.0),
    "besa": (0.4, 2.0),
    "npts": (8.5, 4.0),
    "dirichlet-sampling": (0.2, 2.7),
    "sda": (0.1, 2.2),
    "mts": (0.4, 4.6),
    "kl-ucb": (0.3, 3.5),
    "marab": (0.2, 0.4),
    "exp-exp": (0.1, 0.3),
}
OTHERS = (0.1, 1.0)
FEW = 4  # arms
DRAWING = 30e6  # microseconds for the figures of the report


class Waiting:
    """Two bars on standard error; where that is not a terminal, a line for each tenth."""

    def __init__(self, experiments: Mapping[str, Experiment], shown: bool = True) -> None:
        self.experiments = experiments
        self.costs = {name: cost(experiment) for name, experiment in experiments.items()}
        self._total = sum(self.costs.values()) + DRAWING
        self._finished, self._told = 0.0, 0
        self._bars: Any = bars() if shown else None
        self._plain = shown and not sys.stderr.isatty()

    def __enter__(self) -> Waiting:
        if self._bars is not None:
            self._whole = self._bars.add_task("the paper", total=self._total)
            self._part = self._bars.add_task("", total=1)
            self._bars.start()
        return self

    def part(self, name: str, piece: range) -> Part:
        """The bar of a piece that is going to be simulated."""
        return Part(self, name, piece)

    def done(self, name: str) -> None:
        """All of an experiment is in the store."""
        self._finished += self.costs[name]
        self.show(name)

    def show(self, text: str, share: float = 0.0, cost: float = 0.0) -> None:
        """How far the part is, and what it has cost so far."""
        if self._bars is not None:
            self._bars.update(self._part, description=text, completed=share, total=1)
            self._bars.update(self._whole, completed=self._finished + cost)
        tenth = int(10 * (self._finished + cost) / self._total)
        if self._plain and tenth > self._told:
            self._told = tenth
            print(f"{10 * tenth} % done: {text}", file=sys.stderr)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()


class Part:
    """Tells the bars how far the simulation of one piece is."""

    def __init__(self, waiting: Waiting, name: str, piece: range) -> None:
        self._waiting, self._name = waiting, name
        experiment = waiting.experiments[name]
        self._steps = len(experiment.policies) * experiment.horizon * len(piece)
        self._text = name
        each = waiting.costs[name] / experiment.replications
        self._before, self._cost = each * piece.start, each * len(piece)

    def __enter__(self) -> Part:
        return self

    def say(self, text: str) -> None:
        """Compiling or simulating."""
        self._text = f"{self._name}: {text}"
        self.update(0)

    def update(self, done: int) -> None:
        """So many steps of the piece are done."""
        share = done / self._steps
        self._waiting.show(self._text, share, self._before + share * self._cost)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


def cost(experiment: Experiment) -> float:
    """About how many microseconds an experiment takes."""
    many = len(experiment.arms or experiment.arms_from.build()) > FEW  # type: ignore[union-attr]  # one is given
    steps = experiment.horizon * experiment.replications
    return steps * sum(_each(policy)[many] for policy in experiment.policies)


def _each(policy: Policy) -> tuple[float, float]:
    return COSTS.get(policy.name, OTHERS)
