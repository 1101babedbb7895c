"""README.md of the benchmarks, written from the measurements."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version

from machine import processor
from racing import MOST_STANDARD_ERRORS
from scaling import HORIZONS, Scaling
from start_up import Measurement

PACKAGES = ("primum", "numba", "numpy", "scipy", "xarray")
PEERS = ("SMPyBandits", "mabwiser", "river", "numpy", "scipy")

TEXT = """# Benchmarks

This file is written by `python benchmarks/speed.py`; edit the script, not the file.

{reached} of {judged} targets reached on {date}.

- Machine: {processor}, {cores} cores, {system}. The load average before the run was {load:.2f}; on a busy machine
  figures are lower and less certain, and a second thread gains little.
- Ours: Python {python}, {versions}.
- Peers, in a separate environment: {peers}.
- C compiler: {compiler}.
- The run took {minutes:.1f} minutes.

## Races

Steps per CPU second of one thread, horizon 10,000. Contestants take turns, and a figure is the median over turns; the
ratio is the median over rounds of our speed divided by theirs, so it differs slightly from the quotient of the two
medians. Our turns are whole calls of `primum.simulate`, with drawing the rewards and building the results. Peers and
plain NumPy have their rewards drawn beforehand, which is not timed; the C version and the Numba version draw their
own. A row without a target is for information.

{races}

- SMPyBandits' BESA is run in both of its forms, and the faster one is the one to beat. `non_recursive=True` is not a
  tournament: it compares all arms on samples as small as that of the least pulled arm, and on ten arms it learns
  little. Numba would not help SMPyBandits here: it uses it only for its KL policies, through a module that is gone.
- "Best known so far" are speeds reported earlier for BESA, on a similar machine but not in this run.
- Plain NumPy is `tests/oracle/numpy_besa.py`, for NPTS `numpy_bcvts.py`; the C version is `besa_plus.c`, the Numba
  version that sorts `sorted_cvar.py`. The last three play the same algorithm as we do with other random numbers, so
  that in {games} replications of {steps} steps mean pulls of each arm must agree within {farthest:g} standard errors
  (one false alarm in 7,000 comparisons of 20 arms): {agreements}.

## Starting, threads, memory

Wall time in fresh processes, medians; the first simulation begins with an empty cache of native code. Threads: BESA+
mean on 2 Bernoulli arms, the fastest of several runs with one and with two, taken in turns.

{measurements}

## Scaling

![Cost of a step against the horizon, and of a sub-sample against its size](scaling.svg)

A duel moves the smaller of what it keeps and what it leaves out of a sample, {per_move:.1f} ns for each observation
(more where a record outgrows the processor's cache), so that its cost grows as min(n, N - n), where n are the pulls of
the less and N those of the more pulled arm. Where one arm is better, n stays small and a step costs little more at a
long horizon; two equal arms are the hard case, since n grows with N. Two-valued rewards need one hypergeometric draw,
whatever n and N.

{scaling}

Sampled duels replace replications that would take minutes: their n and N are those of replications with two-valued
rewards, at steps spread evenly over the horizon.

## Running it

```
python benchmarks/speed.py                            everything; writes this file, scaling.svg and scaling.png
python benchmarks/speed.py --only bernoulli-2 cvar    some parts; prints, and writes nothing
```

The peers are installed once, into `.venv-peers`, in the versions of `peers.txt`, which need Python 3.11 or 3.12. The C
version needs a C compiler.
"""


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
        speeds = (speed(self.ours), self.rival, speed(self.theirs))
        return [self.problem, *speeds, digits(self.ratio), target, verdict(self.reached)]


@dataclass(frozen=True)
class Agreement:
    """How far two versions of one algorithm are apart, in standard errors of the mean pulls of an arm."""

    problem: str
    distance: float

    @property
    def reached(self) -> bool:
        return self.distance <= MOST_STANDARD_ERRORS

    def __str__(self) -> str:
        return f"{self.problem}: {self.distance:.1f}, {'they do' if self.reached else 'THEY DO NOT'}"


@dataclass(frozen=True)
class Report:
    """All measurements of one run."""

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
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def verdict(reached: bool | None) -> str:
    return {None: "", True: "yes", False: "**no**"}[reached]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows])


def measurement_cells(found: Measurement) -> list[str]:
    bound = f"{'at least' if found.at_least else 'at most'} {found.bound:g} {found.unit}".strip()
    figure = f"{found.figure:.2f} {found.unit}" if found.unit else f"{found.figure:g}"
    return [found.what, figure, bound, verdict(found.reached)]


def scaling_table(scaling: Scaling) -> str:
    def cost(name: str, horizon: int) -> str:
        return f"{scaling.games[name][horizon]:,.0f}" if horizon in scaling.games[name] else ""

    rows = [[name, *(cost(name, horizon) for horizon in HORIZONS)] for name in scaling.games]
    return table(["ns per step", *(f"T = {horizon:,}" for horizon in HORIZONS)], rows)


def render(report: Report, games: int, steps: int) -> str:
    """The text of README.md; agreement was judged on `games` games of `steps` steps."""
    verdicts = [found.reached for found in report.comparisons] + [found.reached for found in report.measurements]
    judged = [reached for reached in verdicts if reached is not None]
    return TEXT.format(
        reached=sum(judged),
        judged=len(judged),
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        processor=processor(),
        cores=os.cpu_count(),
        system=platform.system(),
        load=report.load,
        python=platform.python_version(),
        versions=", ".join(f"{name} {version(name)}" for name in PACKAGES),
        peers=", ".join(f"{name} {report.peers[name]}" for name in PEERS),
        compiler=report.compiler,
        minutes=report.minutes,
        races=table(
            ["problem", "Primum, steps/s", "rival", "its steps/s", "ratio", "target", "reached"],
            [comparison.cells() for comparison in report.comparisons],
        ),
        games=games,
        steps=steps,
        farthest=MOST_STANDARD_ERRORS,
        agreements="; ".join(map(str, report.agreements)),
        measurements=table(
            ["what", "figure", "bound", "reached"], [measurement_cells(found) for found in report.measurements]
        ),
        per_move=report.scaling.per_move,
        scaling=scaling_table(report.scaling),
    )
