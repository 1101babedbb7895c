"""The same designs over the null hypothesis, under drift and with later outcomes."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from primum.runs.pieces import run_pieces
from primum.runs.progress import Progress
from primum.text import listed
from primum.trials.design import Design
from primum.trials.operating.figures import better_share, differs
from primum.trials.operating.no_difference import drifts, largest_errors, nulls
from primum.trials.operating.operate import operate
from primum.trials.operating.operating_characteristics import OperatingCharacteristics
from primum.trials.operating.summary import Number, number
from primum.trials.scenario import Scenario
from primum.trials.simulation.pieces import TrialPieces
from primum.trials.timing import AfterPatients

MOST_REPLICATIONS = 5_000  # of each cell: there are dozens
DELAYS = (0.0, 0.1, 0.25, 0.5)  # fractions of the patients


@dataclass(frozen=True)
class DelayRow:
    """A design whose outcomes are known after so many further patients."""

    design: str
    patients: int
    fraction: float
    numbers: dict[str, Number]


def part(oc: OperatingCharacteristics, *, scenario: str = "", replications: int = 0) -> OperatingCharacteristics:
    """The same with one scenario only, or with fewer replications for what it simulates further."""
    scenarios = {scenario: oc.scenarios[scenario]} if scenario else oc.scenarios
    return OperatingCharacteristics(
        oc.designs,
        scenarios,
        oc.data.sel(scenario=list(scenarios)),
        seed=oc.seed,
        replications=replications or oc.replications,
        store=oc.store,
        is_complete=oc.is_complete,
    )


class Sensitivity:
    """Simulations beyond those of the plan, with fewer replications."""

    def __init__(self, oc: OperatingCharacteristics) -> None:
        self.oc = oc
        self.replications = min(oc.replications, MOST_REPLICATIONS)
        self.is_binary = all(scenario.is_binary for scenario in oc.scenarios.values())
        self.fewer = part(oc, replications=self.replications)

    def simulate(self, threads: int | None, executor: Executor | None, progress: bool | Progress) -> None:
        """Simulate everything at once; a KeyboardInterrupt if Ctrl-C stopped it."""
        cells: list[tuple[Design, Scenario]] = []
        if self.is_binary:
            arms = self.oc.data.sizes["arm"]
            truths = [*nulls(self.oc.designs).values(), *drifts(arms).values()]
            cells += [(design, scenario) for design in self.oc.designs.values() for scenario in truths]
        delayed, scenarios = self._delayed(), self._two_scenarios()
        cells += [(design, scenario) for design in delayed.values() for scenario in scenarios.values()]
        cut = [TrialPieces(*cell, self.oc.seed, self.replications, self.oc.store) for cell in cells]
        if not run_pieces(cut, threads=threads, executor=executor, progress=progress):
            raise KeyboardInterrupt

    def covered(self) -> str:
        """The largest type I error over every common probability of success, of the designs where it is exact."""
        found = largest_errors(self.oc.designs)
        each = [f"{100 * largest.value:.1f} % at {largest.p:.3g} ({name})" for name, largest in found.items()]
        others = [name for name in self.oc.designs if name not in found]
        only = f"For {listed(others)} only these probabilities are covered." if others else ""
        return " ".join(filter(None, [f"The largest over every probability is {listed(each)}." if each else "", only]))

    def delays(self) -> list[DelayRow]:
        """Each design with outcomes that are known later."""
        delayed, scenarios = self._delayed(), self._two_scenarios()
        found = operate(
            {_key(name, fraction): design for (name, fraction), design in delayed.items()},
            scenarios,
            replications=self.replications,
            seed=self.oc.seed,
            store=self.oc.store,
            exact=False,
            progress=False,
        )
        rows = []
        for i, ((name, fraction), design) in enumerate(delayed.items()):
            numbers = {}
            for scenario in scenarios:
                at: dict[str, Any] = {"design": _key(name, fraction), "scenario": scenario}
                is_effect = differs(self.oc, scenario)
                numbers[f"{'Rejects' if is_effect else 'Type I error'} ({scenario}), %"] = number(found, "reject", at)
                if is_effect:
                    share, error = better_share(found, scenario)
                    numbers[f"On best arm ({scenario}), %"] = Number(
                        float(share[i]), float(error[i]), False, "probability"
                    )
            lag = 0 if design.delay is None else design.delay.patients
            rows.append(DelayRow(name, lag, fraction, numbers))
        return rows

    def _delayed(self) -> dict[tuple[str, float], Design]:
        return {
            (name, fraction): design.replace(delay=AfterPatients(round(fraction * design.patients)))
            for name, design in self.oc.designs.items()
            for fraction in DELAYS
        }

    def _two_scenarios(self) -> dict[str, Scenario]:
        """The first scenario without a difference between arms, and the first with one."""
        first = {differs(self.oc, name): name for name in reversed(self.oc.scenarios)}
        return {first[which]: self.oc.scenarios[first[which]] for which in sorted(first)}


def _key(name: str, fraction: float) -> str:
    return f"{name}, {fraction:.0%}"
