"""Trials in pieces: computed once, on threads or any executor, and kept in a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.plugins.registry import Plugin, classes
from primum.runs.part import FEW_ARMS, PART_COST, Monitor
from primum.runs.pieces import Pieces
from primum.store import Store, fingerprints
from primum.trials.data import Floats
from primum.trials.design import Design
from primum.trials.operating.measures import Measures, unpack
from primum.trials.scenario import Scenario
from primum.trials.simulation.probabilities import repetitions
from primum.trials.simulation.running import run

PIECE_PATIENTS = 2_000_000  # a fraction of a second
NUMBERS_SIDE_BY_SIDE = 1 << 20  # potential outcomes of the trials that run side by side
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
    def cost(self) -> float:
        """Its duration in microseconds on one processor, roughly."""
        each = self.design.policy.step_cost[len(self.design.arms) > FEW_ARMS]
        return PART_COST + each * (1 + repetitions(self.design, self.scenario.is_binary)) * self.size

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

    def play(self, monitor: Monitor | None = None, number: int = 0, space: Any = None) -> list[Floats] | None:
        """The table of measures of its trials; None if the monitor stopped it."""
        design = self.design
        again = repetitions(design, self.scenario.is_binary)
        width = design.patients * len(design.arms) * (2 if again else 1)
        size = max(1, min(2048, NUMBERS_SIDE_BY_SIDE // width))
        tables = []
        for first in range(0, len(self.replications), size):
            numbers = self.replications[first : first + size]
            trials = run(
                design,
                self.scenario,
                self.seed,
                numbers,
                repetitions=again,
                records=design.needs_chances,
                monitor=monitor,
                part_number=number,
            )
            if trials is None:
                return None
            tables.append(Measures.of(trials).table)
        return [np.concatenate(tables)]

    def pack(self, table: Floats) -> bytes:
        """The measures as bytes, for another process or a store."""
        return Measures(len(self.design.arms), table).pack()

    def unpack(self, content: bytes) -> Floats | None:
        """The measures of some trials; None if the content has no such measures."""
        return unpack(content, len(self.design.arms))


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

    def receive(self, part: TrialPart, packed: Sequence[bytes]) -> None:
        """Store the measures of a part, if that is possible."""
        self.keep(part.replications, 0, packed[0])

    def unpack(self, content: bytes) -> Floats | None:
        """The measures of some trials."""
        return self.whole.unpack(content)

    def measures(self) -> Measures:
        """The measures of the trials that are stored, without a gap from the first on."""
        return Measures(len(self.whole.design.arms), np.concatenate(list(self._stored_tables())))

    def _stored_tables(self) -> Iterator[Floats]:
        yield np.empty((0, Measures(len(self.whole.design.arms), np.empty((0, 0))).width))
        for piece in self:
            found = 0
            for some in self.stored_arrays(piece, 0):
                yield some
                found += len(some)
            if found < len(piece):
                return
