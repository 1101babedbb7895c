"""operate(): the operating characteristics of designs in scenarios."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import ParameterError, PrimumError, quoted, within
from primum.results import provenance
from primum.runs.pieces import run_pieces
from primum.runs.progress import Progress
from primum.runs.simulation import LARGEST_COUNT, whole
from primum.store import Store, fingerprints, opened
from primum.trials.design import Design
from primum.trials.operating.characteristics import CHARACTERISTICS, QUANTILES, Found, Truth, characteristics
from primum.trials.operating.operating_characteristics import OperatingCharacteristics
from primum.trials.scenario import Scenario
from primum.trials.simulation.pieces import TrialPieces
from primum.trials.simulation.running import check_fit

if TYPE_CHECKING:
    from xarray import Dataset


def operate(
    designs: Mapping[str, Design] | Design,
    scenarios: Mapping[str, Any],
    *,
    replications: int = 10_000,
    seed: int | None = None,
    exact: bool = True,
    store: Store | str | os.PathLike[str] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: bool | Progress = True,
) -> OperatingCharacteristics:
    """The operating characteristics of each design in each scenario, from so many simulated trials of each.

    `scenarios` are named; each is a Scenario, or the outcome distributions of the arms. All designs meet the same
    patients. With `exact`, characteristics that can be computed without simulation are. With a `store`, or its folder,
    what is complete is kept there, and what was simulated with the same seed is taken from it. Ctrl-C stops the
    simulation, and what is complete is returned. `threads` and `executor` are as in `primum.simulate`.

    >>> from primum import policies, rewards, trials
    >>> equal = trials.Design(
    ...     arms=["control", "new"], patients=100, policy=policies.UniformRandom(),
    ...     analysis=trials.PooledZ(sided="greater", critical=1.645),
    ... )
    >>> effect = [rewards.Bernoulli(0.3), rewards.Bernoulli(0.5)]
    >>> oc = operate({"equal": equal}, {"effect": effect}, replications=500, seed=7, progress=False)
    >>> round(float(oc.data["reject"].sel(design="equal", scenario="effect")), 4)
    0.657
    """
    named = check_designs(designs)
    truths = check_scenarios(scenarios)
    count = whole("replications", replications, 2, LARGEST_COUNT)
    seeded = secrets.randbits(63) if seed is None else whole("seed", seed, 0, 2**64 - 1)
    for name, design in named.items():
        for other, scenario in truths.items():
            with within("designs", name, "scenarios", other):
                ordered = scenario.ordered(design.arms)
                check_fit(design, ordered)
                ordered.true_values(design.value, design.patients)  # so that one without them is refused at once
    kept = opened(store)
    cells = {
        (name, other): TrialPieces(design, scenario, seeded, count, kept)
        for name, design in named.items()
        for other, scenario in truths.items()
    }
    is_complete = run_pieces(cells.values(), threads=threads, executor=executor, progress=progress)
    data = _dataset(named, truths, cells, exact=exact, progress=progress)
    return OperatingCharacteristics(
        named, truths, data, seed=seeded, replications=count, store=kept, is_complete=is_complete
    )


def check_designs(designs: Any) -> dict[str, Design]:
    """Designs by name."""
    if isinstance(designs, Design):
        designs = {designs.display_name: designs}
    if not isinstance(designs, Mapping) or not designs:
        raise ParameterError(f"designs must be a non-empty table of designs by name, got {quoted(designs)}")
    for name, design in designs.items():
        if not isinstance(design, Design):
            raise ParameterError(
                f"design {name!r} must be a trials.Design, got {quoted(design)}", ("designs", str(name))
            )
    first = next(iter(designs.values()))
    for name, design in designs.items():
        if tuple(design.arms) != tuple(first.arms):
            raise ParameterError(
                f"all designs must have the arms {', '.join(first.arms)}, and {name!r} has {', '.join(design.arms)}"
            )
    return {str(name): design for name, design in designs.items()}


def check_scenarios(scenarios: Any) -> dict[str, Scenario]:
    """Scenarios by name."""
    if not isinstance(scenarios, Mapping) or not scenarios:
        raise ParameterError(f"scenarios must be a non-empty table of scenarios by name, got {quoted(scenarios)}")
    found = {}
    for name, scenario in scenarios.items():
        with within("scenarios", str(name)):
            found[str(name)] = Scenario.of(scenario)
    return found


def _dataset(
    designs: Mapping[str, Design],
    scenarios: Mapping[str, Scenario],
    cells: Mapping[tuple[str, str], TrialPieces],
    *,
    exact: bool,
    progress: bool | Progress,
) -> Dataset:
    from xarray import Dataset

    from primum.trials.operating.exact_characteristics import exact_characteristics

    arms = list(next(iter(designs.values())).arms)
    all_reasons = list(dict.fromkeys(reason for design in designs.values() for reason in design.monitoring.reasons))
    sizes = {"arm": len(arms), "quantile": len(QUANTILES), "reason": len(all_reasons)}
    shape = (len(designs), len(scenarios))
    arrays: dict[str, Any] = {}
    for name, about in CHARACTERISTICS.items():
        for suffix in ("", "_error"):
            arrays[name + suffix] = np.full((*shape, *(sizes[dim] for dim in about.dims)), np.nan)
    trials, is_exact = np.zeros(shape, np.int64), np.zeros((*shape, len(CHARACTERISTICS)), np.bool_)
    position = {name: number for number, name in enumerate(CHARACTERISTICS)}
    for i, (name, design) in enumerate(designs.items()):
        places = [all_reasons.index(reason) for reason in design.monitoring.reasons]
        for j, (other, scenario) in enumerate(scenarios.items()):
            measures = cells[name, other].measures()
            trials[i, j] = len(measures)
            found: list[Found] = []
            ordered = scenario.ordered(design.arms)
            if len(measures):
                found += characteristics(measures, design, Truth.of(design, ordered))
            if exact and (better := exact_characteristics(design, ordered, progress=progress)) is not None:
                found += better
            for each in found:
                at: Any = (i, j, places) if each.name == "stop" else (i, j)
                arrays[each.name][at], arrays[f"{each.name}_error"][at] = each.value, each.error
                is_exact[i, j, position[each.name]] = each.exact
    if not trials.any():
        raise PrimumError("interrupted before any trial was complete")
    variables: dict[str, Any] = {}
    for name, about in CHARACTERISTICS.items():
        dims = ("design", "scenario", *about.dims)
        variables[name] = (dims, arrays[name], {"long_name": f"{about.title}: {about.text}"})
        variables[f"{name}_error"] = (dims, arrays[f"{name}_error"], {"long_name": f"{about.title}: standard error"})
    variables["trials"] = (("design", "scenario"), trials, {"long_name": "Simulated trials"})
    dims = ("design", "scenario", "characteristic")
    variables["exact"] = (dims, is_exact, {"long_name": "Whether a characteristic is exact"})
    levels = [design.analysis.level(design) for design in designs.values()]
    variables["level"] = (("design",), levels, {"long_name": "Level of the interval of the difference"})
    coordinates = {
        "design": list(designs),
        "scenario": list(scenarios),
        "arm": arms,
        "quantile": list(QUANTILES),
        "reason": all_reasons,
        "characteristic": list(CHARACTERISTICS),
    }
    made_by = provenance.marks(fingerprints.versions(), *(each.fingerprint for each in cells.values()))
    return Dataset(variables, coordinates, made_by)
