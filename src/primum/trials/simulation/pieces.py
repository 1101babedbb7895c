"""Trials in pieces: computed once, on threads or any executor, and kept in a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import PrimumError
from primum.plugins.registry import Plugin, classes
from primum.runs.pieces import Pieces
from primum.runs.rough_cost import FEW_ARMS, OTHER_STEP_COST, PART_COST, STEP_COSTS
from primum.runs.simulation import Monitor
from primum.runs.wire import Message
from primum.store import Store, fingerprints
from primum.trials.data import Floats
from primum.trials.design import Design
from primum.trials.operating.measures import Measures, unpack
from primum.trials.scenario import Scenario
from primum.trials.simulation.probabilities import repetitions
from primum.trials.simulation.running import run

PIECE_PATIENTS = 2_000_000  # a fraction of a second
BATCH_NUMBERS = 1 << 20  # potential outcomes of the trials that run side by side
FORMAT = "primum-trials-2"


@dataclass(frozen=True)
class TrialPart:
    """Some replications of a design in a scenario."""

    design: Design
    scenario: Scenario
    seed: int
    replications: range

    @property
    def size(self) -> int:
        """Patients at most, over all replications."""
        return len(self.replications) * self.design.patients

    @property
    def plugins(self) -> list[Plugin]:
        """The plug-ins that take part."""
        drift = [self.scenario.drift] if self.scenario.drift is not None else []
        return [*self.design.plugins, *drift, *self.scenario.arms]

    def spec(self) -> dict[str, Any]:
        """Plain data from which `from_spec` makes an equal part."""
        return {
            "design": self.design.spec(),
            "scenario": self.scenario.spec(),
            "seed": self.seed,
            "replications": [self.replications.start, self.replications.stop],
        }

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> TrialPart:
        """The part that a spec describes."""
        scenario = Scenario.of(spec["scenario"])
        return cls(Design.from_spec(spec["design"]), scenario, spec["seed"], range(*spec["replications"]))

    def play(self, monitor: Monitor | None = None, task: int = 0) -> bytes | None:
        """The packed measures of its trials; None if the monitor stopped it."""
        design = self.design
        again = repetitions(design, self.scenario)
        width = design.patients * len(design.arms) * (2 if again else 1)
        size = max(1, min(2048, BATCH_NUMBERS // width))
        tables = []
        for first in range(0, len(self.replications), size):
            numbers = self.replications[first : first + size]
            trials = run(design, self.scenario, self.seed, numbers, repetitions=again, monitor=monitor, task=task)
            if trials is None:
                return None
            tables.append(Measures.of(trials).table)
        return Measures(len(design.arms), np.concatenate(tables)).pack()


def compute(message: Message) -> list[list[bytes]] | str:
    """Run the parts of a message, for another process: the packed measures of each, or an error."""
    try:
        packed = [TrialPart.from_spec(spec).play() for spec in message.read()]
    except PrimumError as error:
        return str(error)
    return [[each] for each in packed if each is not None]


class TrialPieces(Pieces):
    """The replications of a design in a scenario, and their measures in a store."""

    def __init__(self, design: Design, scenario: Scenario, seed: int, count: int, store: Store) -> None:
        self.whole = TrialPart(design, scenario.ordered(design.arms), seed, range(count))
        spec = self.whole.spec()
        used = set(classes(self.whole.plugins))
        key = {"what": FORMAT} | {name: spec[name] for name in ("design", "scenario", "seed")}
        self.fingerprint = key["fingerprint"] = fingerprints.results(used, fingerprints.TRIAL_PATHS)
        super().__init__(store, [key], count, max(1, PIECE_PATIENTS // design.patients))

    def missing(self, piece: range) -> list[TrialPart]:
        """What must be computed of a piece."""
        rest = piece[self.stored(piece, 0) :]
        part = self.whole
        return [TrialPart(part.design, part.scenario, part.seed, rest)] if rest else []

    def put(self, part: TrialPart, packed: Sequence[bytes]) -> None:
        """Store the measures of a part, if that is possible."""
        self.keep(part.replications, 0, packed[0])

    def unpack(self, content: bytes) -> Floats | None:
        """The measures of some trials."""
        return unpack(content, len(self.whole.design.arms))

    def play(self, part: TrialPart, monitor: Monitor, task: int) -> list[bytes] | None:
        """The packed measures of a part; None if the monitor stopped it."""
        packed = part.play(monitor, task)
        return None if packed is None else [packed]

    def cost(self, part: TrialPart) -> float:
        """The duration of a part in microseconds, roughly."""
        each = STEP_COSTS.get(part.design.policy.name, OTHER_STEP_COST)[len(part.design.arms) > FEW_ARMS]
        again = 1 + repetitions(part.design, part.scenario)
        return PART_COST + each * again * part.size

    def measures(self) -> Measures:
        """The measures of the trials that are stored, without a gap from the first on."""
        return Measures(len(self.whole.design.arms), np.concatenate(list(self._stored_tables())))

    def _stored_tables(self) -> Iterator[Floats]:
        yield np.empty((0, Measures(len(self.whole.design.arms), np.empty((0, 0))).width))
        for piece in self:
            found = 0
            for some in self.segments(piece, 0):
                yield some
                found += len(some)
            if found < len(piece):
                return
