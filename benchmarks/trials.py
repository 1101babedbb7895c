"""Trials: simulated trials against plain simulation, exact operating characteristics, the randomisation test, adaptr.

    python benchmarks/trials.py [--write]

Each figure is a ratio measured in one run, or a time with its target; the machine should be quiet. `--write` writes
trials.md beside this file. adaptr is an R package: where R has it, it runs beside ours (adaptr.R), else its published
rate for the same design, 24 trials a second on one core, takes its place.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hand_written import HandWrittenLaw
from machine import conditions

import primum
from primum import policies, rewards, trials
from primum.trials.data import Floats
from primum.trials.exact_law.final_counts import computed
from primum.trials.simulation.running import run

PATIENTS = 148
NULL = trials.Scenario([rewards.Bernoulli(0.3)] * 2)
EFFECT = trials.Scenario([rewards.Bernoulli(0.3), rewards.Bernoulli(0.5)])
DESIGN = trials.Design(
    arms=["control", "new"],
    patients=PATIENTS,
    policy=policies.BesaPlus(floor=2),
    analysis=trials.PooledZ(sided="greater", critical=1.645),
)
ADAPTR_PER_SECOND = 24
ADAPTR = Path(__file__).parent / "adaptr.R"


def processor_seconds(function: Callable[[], Any]) -> float:
    """Seconds of processor time that a call takes."""
    begin = time.process_time()
    function()
    return time.process_time() - begin


def wall_seconds(function: Callable[[], Any]) -> float:
    """Seconds of the wall clock that a call takes."""
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def against_simulate() -> list[str]:
    """Trials per processor second, against steps of `simulate` / patients."""
    problem = primum.Problem({"control": EFFECT.arms[0], "new": EFFECT.arms[1]}, "mean")
    settings: dict[str, Any] = {"horizon": PATIENTS, "seed": 7, "steps": "last", "threads": 1, "progress": False}
    late = DESIGN.replace(delay=trials.after_patients(20))
    told = []
    for name, design, target in (("immediate outcomes", DESIGN, 0.5), ("outcomes after 20 patients", late, 0.25)):
        ratios, rates = [], []
        _analysed(design, 2_000)  # it compiles
        for _ in range(5):
            count = 8_000
            mine = processor_seconds(lambda design=design, count=count: _analysed(design, count))
            theirs = processor_seconds(
                lambda count=count: primum.simulate(problem, [DESIGN.policy], replications=count, **settings)
            )
            ratios.append(theirs / mine)
            rates.append(count / mine)
        told.append(
            f"BESA+, {PATIENTS} patients, {name}: {statistics.median(ratios):.2f} of the rate of plain simulation "
            f"({min(ratios):.2f} to {max(ratios):.2f}); target {target}; {statistics.median(rates):,.0f} trials per "
            "processor second with their analysis"
        )
    return told


def _analysed(design: trials.Design, count: int) -> None:
    for first in range(0, count, 2_000):
        trials_run = run(design, EFFECT, 7, range(first, first + 2_000))
        assert trials_run is not None
        design.analysis.rejections(trials_run.data)


def exactly(most: int) -> list[str]:
    """Exact operating characteristics, by number of patients: beside a C program, and of other designs."""
    by_hand, told = HandWrittenLaw(), []
    computed(DESIGN.replace(patients=10))  # it compiles
    for patients, target in ((148, "0.04 s"), (300, "1 s"), (500, "8 s"), (1_000, "120 s and 1.6 GB")):
        if patients > most:
            continue
        design, ratios, times = DESIGN.replace(patients=patients), [], []
        for _ in range({148: 15, 300: 5, 500: 3}.get(patients, 1)):
            theirs, on_second = by_hand.run(patients, 2.0)
            ours, mine = _patients_on_second(design)
            np.testing.assert_allclose(mine, on_second, rtol=0, atol=1e-12)
            times.append(ours)
            ratios.append(ours / theirs)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        told.append(
            f"exact, BESA+, {patients} patients: {statistics.median(times):.3g} processor seconds, "
            f"{statistics.median(ratios):.2f} times those of a C program ({min(ratios):.2f} to {max(ratios):.2f}), "
            f"memory at most {memory:.2f} GB; target {target}, and 1.5 times C"
        )
    rule = trials.GroupSequential(alpha=0.05, sided="greater")
    others: dict[str, dict[str, Any]] = {
        "Thompson sampling": {"policy": "thompson"},
        "BESA+ with a coin of 0.2": {"coin": 0.2},
        "BESA+ with outcomes after 3 patients": {"delay": trials.after_patients(3)},
        "BESA+, looks at quarters": {"looks": [0.25, 0.5, 0.75, 1.0], "stopping": rule, "analysis": None},
    }
    for patients in (148, 300):
        for name, changes in others.items():
            design = DESIGN.replace(patients=patients, **changes)
            seconds = min(processor_seconds(lambda design=design: computed(design)) for _ in range(3))
            told.append(f"exact, {name}, {patients} patients: {seconds:.3g} processor seconds")
    law = trials.exact(DESIGN, progress=False)
    law.reject(0.3, 0.5)
    grid = np.linspace(0, 1, 101)
    surface = wall_seconds(lambda: law.reject(grid[:, None], grid[None, :]))
    told.append(f"a power surface of 101 x 101 scenarios, {PATIENTS} patients: {surface:.2f} s more; target 5 s")
    exact_test = DESIGN.replace(analysis=trials.ConditionalExact(sided="greater"))
    seconds = processor_seconds(lambda: trials.exact(exact_test, progress=False).reject(0.3, 0.5))
    told.append(f"power of the conditional exact test, {PATIENTS} patients: {seconds:.2f} processor seconds more")
    return told


def _patients_on_second(design: trials.Design) -> tuple[float, Floats]:
    """Processor seconds of an exact law, and the probability of each number of patients on arm 1; the rest is freed."""
    begin = time.process_time()
    ends = computed(design)
    seconds = time.process_time() - begin
    return seconds, np.bincount([end.pulls[1] for end in ends], [end.chance.sum() for end in ends], design.patients + 1)


def many_designs() -> str:
    """A frontier of about 200 exact designs."""
    base = DESIGN.replace(analysis=trials.ConditionalExact(sided="greater"))
    options: dict[str, Any] = {
        "coins": [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
        "with_ceiling": False,
        "progress": False,
    }
    trials.frontier(base.replace(patients=10), EFFECT, **options)  # it compiles
    begin, began = time.process_time(), time.perf_counter()
    found = trials.frontier(base, EFFECT, **options)
    wall, processor = time.perf_counter() - began, time.process_time() - begin
    return (
        f"a frontier of {len(found.points)} exact designs, {PATIENTS} patients: {wall:.0f} s, {processor:.0f} of "
        "processor time; target 30 s for 200"
    )


def randomised() -> str:
    """A randomisation test with 10,000 re-runs of a trial of 500 patients."""
    design = DESIGN.replace(
        patients=500, burn_in=5, analysis=trials.RandomisationTest(runs=10_000, sided="greater"), policy="besa-plus"
    )
    trial = run(design, EFFECT, 3, [0])
    assert trial is not None
    design.analysis.p_values(trial.data)
    seconds = wall_seconds(lambda: design.analysis.p_values(trial.data))
    return f"randomisation test, 10,000 re-runs of 500 patients: {seconds:.2f} s; target 2 s"


def adaptr() -> str:
    """The trial of adaptr's README; beside adaptr itself where R has it, else against its published rate."""
    design = adaptr_design()
    scenario = trials.Scenario([rewards.Bernoulli(0.25)] * 3)
    run(design, scenario, 1, range(10))
    count, rates, ratios, version = 1_000, list[float](), list[float](), ""
    for _ in range(5):
        rates.append(count / processor_seconds(lambda: run(design, scenario, 1, range(count))))
        if shutil.which("Rscript"):
            theirs = subprocess.run(["Rscript", ADAPTR, "60"], capture_output=True, text=True, check=False)
            if theirs.returncode == 0:
                seconds, _, version = theirs.stdout.split()
                ratios.append(rates[-1] * float(seconds))
    told = f"adaptr's README trial: {statistics.median(rates):,.0f} trials per processor second, "
    if ratios:
        told += f"{statistics.median(ratios):.0f} x adaptr {version} beside it ({min(ratios):.0f} to {max(ratios):.0f})"
    else:
        told += f"{statistics.median(rates) / ADAPTR_PER_SECOND:,.0f} x adaptr's published {ADAPTR_PER_SECOND}"
    return f"{told}; target 100 x"


def adaptr_design() -> trials.Design:
    """Three arms, looks at 300, 400, ... 2,000 outcomes, allocation by P(best) with at least 0.2 each."""
    limit = 0.9814318
    return trials.Design(
        arms=["A", "B", "C"],
        patients=2_000,
        policy=policies.PosteriorBest(least=0.2, best="lowest"),
        blocks=tuple(range(400, 2_000, 100)),
        delay=trials.after_patients(100),
        looks=tuple(range(300, 2_001, 100)),
        looks_count="outcomes",
        stopping=trials.PosteriorLimits(
            superiority=limit, inferiority=1 - limit, equivalence=0.9, within=0.05, best="lowest"
        ),
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="write trials.md beside this file")
    options.add_argument("--patients", type=int, default=300, help="largest exact trial: 300 by default, 500 or 1000")
    given = options.parse_args()
    about = conditions()
    lines = [*against_simulate(), *exactly(given.patients), many_designs(), randomised(), adaptr()]
    text = f"# Trials\n\nMeasured by `python benchmarks/trials.py --write` ({about}).\n\n"
    text += "".join(f"- {line}\n" for line in lines)
    print(text)
    if given.write:
        (Path(__file__).parent / "trials.md").write_text(text)


if __name__ == "__main__":
    main()
