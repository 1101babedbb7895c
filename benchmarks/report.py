"""README.md of the benchmarks: written from what was measured, misses included."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from scaling import HORIZONS, Scaling
from start_up import Measurement

PACKAGES = ("primum", "numba", "numpy", "scipy", "xarray")


@dataclass(frozen=True)
class Comparison:
    """One line of the table of races; speeds in steps per CPU second."""

    problem: str
    ours: float
    rival: str
    theirs: float
    ratio: float
    target: float | None = None

    @property
    def reached(self) -> bool | None:
        return None if self.target is None else self.ratio >= self.target

    def cells(self) -> list[str]:
        target = "" if self.target is None else f"{self.target:g}"
        return [self.problem, speed(self.ours), self.rival, speed(self.theirs), digits(self.ratio), target, verdict(self.reached)]


@dataclass(frozen=True)
class Agreement:
    """How far two versions of one algorithm are apart, in standard errors of the mean pulls of an arm."""

    problem: str
    distance: float
    farthest: float

    @property
    def reached(self) -> bool:
        return self.distance <= self.farthest


@dataclass(frozen=True)
class Report:
    """All that one run of speed.py found."""

    comparisons: Sequence[Comparison]
    agreements: Sequence[Agreement]
    measurements: Sequence[Measurement]
    scaling: Scaling
    peers: dict[str, str]
    compiler: str
    load: float
    minutes: float


def speed(steps: float) -> str:
    return f"{steps / 1e6:.2f} M" if steps >= 1e6 else f"{steps / 1e3:.1f} k"


def digits(number: float) -> str:
    """Three digits that mean something."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def verdict(reached: bool | None) -> str:
    return {None: "", True: "yes", False: "**no**"}[reached]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def processor() -> str:
    """The name of the processor, where the system tells it."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def measurement_cells(found: Measurement) -> list[str]:
    bound = f"{'at least' if found.at_least else 'at most'} {found.bound:g} {found.unit}".strip()
    return [found.what, f"{found.figure:.2f} {found.unit}" if found.unit else f"{found.figure:g}", bound, verdict(found.reached)]


def scaling_table(scaling: Scaling) -> str:
    def cost(name: str, horizon: int) -> str:
        found = scaling.games[name].get(horizon)
        return "" if found is None else f"{found:,.0f}"

    rows = [[name, *(cost(name, horizon) for horizon in HORIZONS)] for name in scaling.games]
    return table(["ns per step", *(f"T = {horizon:,}" for horizon in HORIZONS)], rows)


def render(report: Report) -> str:
    """The text of README.md."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    peers = ", ".join(f"{name} {number}" for name, number in report.peers.items() if name in ("SMPyBandits", "mabwiser", "river"))
    judged = [*report.comparisons, *report.measurements]
    missed = [found for found in judged if found.reached is False]
    total = sum(found.reached is not None for found in judged)
    return f"""# Benchmarks

This file is written by `python benchmarks/speed.py`; edit the script, not the file.

{total - len(missed)} of {total} targets reached on {datetime.now(UTC):%Y-%m-%d}, on {processor()} with {os.cpu_count()} \
cores, {platform.system()}, Python {platform.python_version()}, {versions}; peers: {peers}, with numpy \
{report.peers["numpy"]}; {report.compiler}. The run took {report.minutes:.1f} minutes; the load average when it began was \
{report.load:.2f}, and figures of a busy machine are lower and less certain.

## Races

Steps per CPU second of one thread at a horizon of 10,000 steps. Contestants take turns, and a figure is the median over
turns; the ratio is the median over rounds of our speed by theirs, so it is not exactly the quotient of the two medians.
Our turns are whole calls of `primum.simulate`: drawing the rewards and building the results count. Peers and plain NumPy
have their rewards drawn beforehand, and this does not count; the C version draws its own. A blank target means that the
line is for information.

{table(["problem", "Primum, steps/s", "rival", "its steps/s", "ratio", "target", "reached"], [c.cells() for c in report.comparisons])}

- SMPyBandits' BESA is run in both of its forms, and the faster one is the one to beat. `non_recursive=True` is no
  tournament: it compares all arms on samples as small as that of the least pulled arm, and on ten arms it learns little.
- "Best known so far" are figures reported for BESA before Primum, on a machine like this one but not on this one.
- Plain NumPy is `tests/oracle/numpy_besa.py`, the C version `besa_plus.c`, compiled here with `-O3 -march=native`; the
  Numba version that sorts is `sorted_cvar.py`. Numba makes SMPyBandits no faster: it looks for a module that Numba no
  longer has, and would use it for its KL policies alone.

The rivals of the last two kinds play the same algorithm with other random numbers. Mean pulls of each of the 20 arms, in
short games, must agree within {report.agreements[0].farthest if report.agreements else 0:g} standard errors:
{"; ".join(f"{a.problem}: {a.distance:.1f} ({'they agree' if a.reached else 'THEY DISAGREE'})" for a in report.agreements)}.

## Starting, threads, memory

Fresh processes; wall time; medians. The first simulation begins with an empty directory of native code.

{table(["what", "figure", "bound", "reached"], [measurement_cells(found) for found in report.measurements])}

## Scaling

![cost against horizon and sample sizes](scaling.svg)

A duel shuffles the smaller of what is kept and what is left out of a sample, {report.scaling.per_move:.1f} ns for each
observation, so its cost grows as min(n, N - n), n being the pulls of the less and N those of the more pulled arm.
With a best arm n stays small and the cost of a step grows slowly; two equal arms are the hard case, since n grows with N.
Two-valued rewards need one hypergeometric draw, whatever the sizes. The line of sampled duels is for games that would take
minutes: its states (n, N) come from games with two-valued rewards, and duels are timed at steps spread evenly over them.

{scaling_table(report.scaling)}

## Running it

```
python benchmarks/speed.py                            all, about five minutes; writes this file and scaling.svg, scaling.png
python benchmarks/speed.py --only bernoulli-2 cvar    some; prints, writes nothing
```

Peers are installed once into `.venv-peers`, in the versions of `peers.txt` (Python 3.11 or 3.12). A C compiler is needed.
"""
