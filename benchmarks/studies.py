"""Studies: overhead over plain simulations, small experiments, opening what is stored, and a Dask cluster.

    python benchmarks/studies.py [--write]

Each figure is a ratio measured in one run, or a time with its target; the machine should be quiet. `--write` writes
studies.md beside this file.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from machine import conditions

import primum
from primum import policies, rewards, values
from primum.runs import Study

ARMS = {"sure": rewards.Constant(0.4), "gamble": rewards.Uniform(0, 1)}


def timed(function: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of the wall clock, and of all processors in this process."""
    wall, processor = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - wall, time.process_time() - processor


def overhead() -> str:
    """Processor time of a study, over that of the same calls of `simulate`."""
    floors = [policies.BesaPlus(floor=floor) for floor in (0, 1, 2, 5)]
    problems = {
        f"{p:.2f}": primum.Problem(ARMS | {"sure": rewards.Constant(p)}, values.Mean()) for p in (0.3, 0.4, 0.45)
    }
    settings: dict[str, Any] = {"horizon": 5_000, "replications": 1_000, "seed": 7}
    ratios = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            study = Study(problems=problems, policies=floors, **settings)
            _, whole = timed(lambda study=study, folder=folder: study.run(store=folder, progress=False))
        _, by_hand = timed(
            lambda: [primum.simulate(problem, floors, **settings, progress=False) for problem in problems.values()]
        )
        ratios.append(whole / by_hand)
    spread = f"{min(ratios):.3f} to {max(ratios):.3f}"
    return f"processor time of a study over plain simulations: {statistics.median(ratios):.3f} ({spread}); target 1.03"


def small(count: int = 10_000) -> tuple[str, str]:
    """Many small experiments, and memory while they are computed and opened again."""
    study = Study(
        arms={"a": rewards.Bernoulli(0.5), "b": rewards.Bernoulli(0.6)},
        value="mean",
        policies=["besa-plus"],
        horizon=200,
        replications=100,
        seed=7,
        grid={"arms.a.probability": [i / (2 * count) for i in range(count)]},
    )
    with tempfile.TemporaryDirectory() as folder:
        seconds, processor = timed(lambda: study.run(store=folder, progress=False))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        again, _ = timed(lambda: study.run(store=folder, progress=False))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    each, used = 1000 * seconds / count, 1000 * processor / count
    first = f"{count:,} small experiments: {each:.2f} ms each ({used:.2f} of processors); target 3"
    return first, f"the same, complete: {again:.1f} s to open; memory at most {before >> 10} MB, then {after >> 10} MB"


def opening() -> str:
    """A complete study of 200 experiments."""
    study = Study(
        arms=ARMS,
        value="mean",
        policies=["besa-plus", "ucb1"],
        horizon=1_000,
        replications=200,
        seed=7,
        grid={"arms.sure.value": [i / 400 for i in range(200)]},
    )
    with tempfile.TemporaryDirectory() as folder:
        study.run(store=folder, progress=False)
        seconds, _ = timed(lambda: study.run(store=folder, progress=False))
        table, _ = timed(lambda: study.run(store=folder, progress=False).table())
    return f"a complete study of 200 experiments opens in {seconds:.2f} s, {table:.2f} s with its table; target 2"


def cluster() -> str:
    """Two workers of one thread each, against two threads."""
    from distributed import Client, LocalCluster

    study = Study(
        arms=ARMS,
        value="mean",
        policies=["besa-plus(floor=[0, 1, 2, 5])", "npts"],
        horizon=5_000,
        replications=6_000,
        seed=7,
    )
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options) as workers, Client(workers) as client, tempfile.TemporaryDirectory() as folder:
        executor = client.get_executor()
        study.replace(replications=50).run(store=f"{folder}/warm", executor=executor, progress=False)
        there, _ = timed(lambda: study.run(store=f"{folder}/there", executor=executor, progress=False))
        here, _ = timed(lambda: study.run(store=f"{folder}/here", threads=2, progress=False))
    return (
        f"two Dask workers of one thread against two threads: {here / there:.2f} of the throughput "
        f"({there:.0f} s and {here:.0f} s); target 0.9"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    about, lines = conditions(), []
    for measure in (overhead, small, opening, cluster):
        found = measure()
        for line in [found] if isinstance(found, str) else found:
            print(line, flush=True)
            lines.append(f"- {line}")
    if given.write:
        text = f"# Studies\n\nMeasured by `python benchmarks/studies.py --write` ({about}).\n\n"
        Path(__file__).with_suffix(".md").write_text(text + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
