"""Start-up times, peak memory, and the speed-up by a second thread; in fresh processes where that matters."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import primum
from primum import policies, rewards, values

TIMES = 5
SMALL = """
import primum
from primum import policies, rewards, values
problem = primum.Problem(arms={"a": rewards.Bernoulli(0.5), "b": rewards.Bernoulli(0.6)}, value=values.Mean())
primum.simulate(problem, [policies.BesaPlus()], horizon=1_000, replications=100, seed=7, progress=False)
"""
MILLION = """
import primum
from primum import policies, rewards, values
problem = primum.Problem(arms={"a": rewards.Bernoulli(0.5), "b": rewards.Bernoulli(0.6)}, value=values.Mean())
results = primum.simulate(
    problem, [policies.BesaPlus()], horizon=200, replications=1_000_000, seed=7, steps=[200], progress=False
)
assert results.pulls.sizes["replication"] == 1_000_000
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) * 1024)
"""


@dataclass(frozen=True)
class Measurement:
    """One figure and its bound: at most, or for a gain at least."""

    what: str
    figure: float
    unit: str
    bound: float
    at_least: bool = False

    @property
    def reached(self) -> bool:
        return self.figure >= self.bound if self.at_least else self.figure <= self.bound


def output(code: str, **environment: str) -> str:
    """The output of some code in a fresh interpreter; it may keep bytecode, as where Primum is installed."""
    environment = {key: item for key, item in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"} | environment
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def wall(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def set_up() -> Iterator[Measurement]:
    """Importing, `--help`, the first and the next simulation."""
    code = "import time; start = time.perf_counter(); import primum; print(time.perf_counter() - start)"
    imports = [float(output(code)) for _ in range(TIMES)]
    yield Measurement("`import primum`", statistics.median(imports), "s", 0.3)
    loaded = output("import sys, primum; print(int('numba' in sys.modules))")
    yield Measurement("compilers loaded by `import primum`", float(loaded), "", 0)
    command = [str(Path(sys.executable).with_name("primum")), "--help"]
    helps = [wall(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(TIMES)]
    yield Measurement("`primum --help`", statistics.median(helps), "s", 0.6)
    with tempfile.TemporaryDirectory() as cache:
        first = wall(lambda: output(SMALL, PRIMUM_CACHE=cache))
        yield Measurement("first simulation, nothing compiled", first, "s", 15)
        nexts = [wall(lambda: output(SMALL, PRIMUM_CACHE=cache)) for _ in range(3)]
        yield Measurement("next simulation, in a new process", statistics.median(nexts), "s", 2)


def memory() -> Iterator[Measurement]:
    """The peak of a million short replications."""
    peak = int(output(MILLION))
    yield Measurement("peak memory, 1,000,000 replications x 200 steps x 2 arms", peak / 1e9, "GB", 1)


def threads() -> Iterator[Measurement]:
    """Wall time with one thread over that with two, each the shortest of several: other work only slows a run."""
    problem = primum.Problem(arms={"a": rewards.Bernoulli(0.5), "b": rewards.Bernoulli(0.6)}, value=values.Mean())

    def seconds(count: int, replications: int = 1_600) -> float:
        return wall(
            lambda: primum.simulate(
                problem,
                [policies.BesaPlus()],
                horizon=10_000,
                replications=replications,
                seed=7,
                steps=[10_000],
                threads=count,
                progress=False,
            )
        )

    seconds(2, 2)  # compile
    tries = [(seconds(1), seconds(2)) for _ in range(2 * TIMES)]
    one, two = (min(column) for column in zip(*tries, strict=True))
    yield Measurement("two threads against one", one / two, "x", 1.8, at_least=True)
