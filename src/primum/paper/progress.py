"""Progress bars of the reproduction: the whole and the experiment that is running, with the time left."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from primum.experiments import Experiment
from primum.progress import bars

# Microseconds per step with few arms and with many, measured once on two processors. They only make the time left
# realistic: policies differ by a factor of a hundred.
STEP_COSTS = {
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
OTHER_STEP_COST = (0.1, 1.0)
FEW_ARMS = 4
DRAWING_COST = 30e6  # microseconds for all figures


class ReproductionProgress:
    """Two bars on standard error, or a line for each tenth if that is not a terminal."""

    def __init__(self, experiments: Mapping[str, Experiment], shown: bool = True) -> None:
        self.experiments = experiments
        self.costs = {name: cost(experiment) for name, experiment in experiments.items()}
        self._total = sum(self.costs.values()) + DRAWING_COST
        self._finished, self._tenths = 0.0, 0
        self._bars: Any = bars() if shown else None
        self._plain = shown and not sys.stderr.isatty()

    def __enter__(self) -> ReproductionProgress:
        if self._bars is not None:
            self._whole = self._bars.add_task("reproducing the paper", total=self._total)
            self._current = self._bars.add_task("", total=1)
            self._bars.start()
        return self

    def piece(self, name: str, piece: range) -> PieceProgress:
        """The bar of a piece that is about to be simulated."""
        return PieceProgress(self, name, piece)

    def done(self, name: str) -> None:
        """All replications of an experiment are in the store."""
        self._finished += self.costs[name]
        self.show(name)

    def show(self, text: str, fraction: float = 0.0, cost: float = 0.0) -> None:
        """The completed fraction of what is running, and its cost so far in microseconds."""
        if self._bars is not None:
            self._bars.update(self._current, description=text, completed=fraction, total=1)
            self._bars.update(self._whole, completed=self._finished + cost)
        tenths = int(10 * (self._finished + cost) / self._total)
        if self._plain and tenths > self._tenths:
            self._tenths = tenths
            print(f"{10 * tenths} % done: {text}", file=sys.stderr)

    def __exit__(self, *error: object) -> None:
        if self._bars is not None:
            self._bars.stop()


class PieceProgress:
    """Forwards the progress of one piece of an experiment to the bars."""

    def __init__(self, whole: ReproductionProgress, name: str, piece: range) -> None:
        self._whole, self._name, self._text = whole, name, name
        experiment = whole.experiments[name]
        self._steps = len(experiment.policies) * experiment.horizon * len(piece)
        per_replication = whole.costs[name] / experiment.replications
        self._before, self._cost = per_replication * piece.start, per_replication * len(piece)

    def __enter__(self) -> PieceProgress:
        return self

    def say(self, text: str) -> None:
        """Compiling or simulating."""
        self._text = f"{self._name}: {text}"
        self.update(0)

    def update(self, done: int) -> None:
        """The number of completed steps."""
        fraction = done / self._steps
        self._whole.show(self._text, fraction, self._before + fraction * self._cost)

    def __exit__(self, *error: object) -> None:
        pass


def cost(experiment: Experiment) -> float:
    """The approximate duration of an experiment in microseconds."""
    many = len(experiment.arms or experiment.arms_from.build()) > FEW_ARMS  # type: ignore[union-attr]  # one is given
    steps = experiment.horizon * experiment.replications
    return steps * sum(STEP_COSTS.get(policy.name, OTHER_STEP_COST)[many] for policy in experiment.policies)
