"""Many people in the laboratory at once: the time to the first figure, lost runs, and memory over a thousand runs.

    python benchmarks/laboratory.py            writes benchmarks/laboratory.md

All open the page and request the preview and the cost of their question; when the last one is ready all press Run at
once, follow the events and fetch the figure as soon as a replication is complete, as the page does. The laboratory is a
separate process on all processors of this machine, which its users share. Linux only: memory is read from /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx
from machine import conditions

from primum.lab.memory import INTERVAL_SECONDS

HERE = Path(__file__).parent
MEGABYTE = 1 << 20


@dataclass
class Visit:
    """The measurements of one user."""

    ready: float  # seconds from opening the page to the preview and the cost of the question
    first_figure: float  # seconds from pressing Run
    finished: float
    state: str
    refused: int


def question(seed: int, horizon: int, replications: int) -> dict[str, Any]:
    """A different question for each person: the seed and the arms differ."""
    own = seed % 1000 / 1000
    return {
        "arms": [
            {
                "name": "standard",
                "distribution": {"name": "truncated-normal", "location": 0.5 + 0.1 * own, "deviation": 0.1},
            },
            {"name": "new", "distribution": {"name": "beta", "a": 2.0 + own, "b": 1.5}},
            {"name": "third", "distribution": {"name": "uniform", "low": 0.0, "high": 1.0}},
        ],
        "value": {"name": "mean-variance", "rho": 1.0},
        "policies": ["besa-plus", "mv-lcb", "exp-exp", "ucb1"],
        "horizon": horizon,
        "replications": replications,
        "seed": seed,
    }


async def visit(client: httpx.AsyncClient, asked: dict[str, Any], together: asyncio.Barrier) -> Visit:
    """Open the page, request the preview, run together with the others, and fetch the figure."""
    opened = time.monotonic()
    for address in ("/", "/api/catalogue", "/api/presets"):
        (await client.get(address)).raise_for_status()
    for address in ("/api/appraisal", "/api/cost"):
        (await client.post(address, json=asked)).raise_for_status()
    ready = time.monotonic() - opened
    await together.wait()
    clicked, first, refused = time.monotonic(), 0.0, 0
    while (answer := await client.post("/api/runs", json=asked)).status_code == 503:
        refused += 1
        await asyncio.sleep(float(answer.headers["retry-after"]))
    id = answer.raise_for_status().json()["id"]
    async for run in events(client, id):
        if run["replications"] and not first:
            figure = await client.get(f"/api/runs/{id}/figures/regret.json")
            if figure.status_code == 200:
                first = time.monotonic() - clicked
    return Visit(ready, first, time.monotonic() - clicked, run["state"], refused)


async def events(client: httpx.AsyncClient, id: str) -> AsyncIterator[dict[str, Any]]:
    async with client.stream("GET", f"/api/runs/{id}/events") as stream:
        stream.raise_for_status()
        async for line in stream.aiter_lines():
            if line.startswith("data:"):
                yield json.loads(line.removeprefix("data:"))


async def crowd(address: str, people: int, horizon: int, replications: int) -> list[Visit]:
    """People who press Run at the same moment."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=address, timeout=600, limits=limits) as client:
        together = asyncio.Barrier(people)
        visits = (visit(client, question(seed, horizon, replications), together) for seed in range(people))
        return list(await asyncio.gather(*visits))


async def stream_of_runs(address: str, process: int, runs: int, people: int) -> list[tuple[int, float]]:
    """Small runs, by people who never pause; memory in MB after every fiftieth."""
    numbers, seen, done = iter(range(1000, 1000 + runs)), [(0, resident(process))], 0

    async def person(client: httpx.AsyncClient) -> None:
        nonlocal done
        for number in numbers:
            left = await visit(client, question(number, 1000, 40), asyncio.Barrier(1))
            assert left.state == "finished", left
            done += 1
            if done % 50 == 0:
                seen.append((done, resident(process)))

    async with httpx.AsyncClient(base_url=address, timeout=600, limits=httpx.Limits(max_connections=None)) as client:
        await asyncio.gather(*(person(client) for _ in range(people)))
    return seen


def resident(process: int) -> float:
    """Memory of a process, in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


@contextmanager
def laboratory() -> Iterator[tuple[str, int]]:
    """A laboratory with an empty store: its address and its process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "primum.cli", "lab", "--port", "0", "--no-browser", "--store", folder]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        try:
            line = next(line for line in process.stderr if "http://" in line)
            yield line.split("at ")[1].split(";")[0].strip(), process.pid
        finally:
            process.terminate()
            process.wait()


def report(about: str, visits: list[Visit], lone: Visit, memory: list[tuple[int, float]], idle: float) -> str:
    """The numbers as a page."""
    firsts = sorted(each.first_figure for each in visits)
    opened = [each.ready for each in visits]
    lost = sum(each.state != "finished" or not each.first_figure for each in visits)
    rows = [
        ("people at once", f"{len(visits)}"),
        ("runs lost", f"{lost}"),
        ("refused once (503), then served", f"{sum(each.refused for each in visits)}"),
        (
            "time from opening the page to the preview and the cost, median",
            f"{statistics.median(opened):.2f} s",
        ),
        ("the same, maximum", f"{max(opened):.2f} s"),
        ("time from pressing Run to the first figure, median", f"{statistics.median(firsts):.2f} s"),
        ("the same, 95th percentile", f"{firsts[int(0.95 * len(firsts))]:.2f} s"),
        ("the same, maximum", f"{firsts[-1]:.2f} s"),
        ("time until all runs are finished", f"{max(each.finished for each in visits):.1f} s"),
        ("a person alone: first figure", f"{lone.first_figure:.2f} s"),
        ("a person alone: finished", f"{lone.finished:.2f} s"),
        ("memory of the laboratory before the small runs", f"{memory[0][1]:.0f} MB"),
        *((f"memory after {runs:,} small runs", f"{used:.0f} MB") for runs, used in memory[1:] if runs % 250 == 0),
        ("memory after two minutes without a run", f"{idle:.0f} MB"),
    ]
    table = "\n".join(f"| {name} | {figure} |" for name, figure in rows)
    return (
        "# The laboratory under load\n\n"
        f"Written by `python benchmarks/laboratory.py` ({about}).\n"
        "The laboratory shares the processors with its simulated users. All open the page at the same moment, each "
        "with\ndifferent arms (3 arms, 4 policies, 2,000 steps, 300 replications); when the last one is ready all "
        "press Run at the\nsame moment, follow their runs and fetch the figure.\n\n"
        f"| | |\n|---|---:|\n{table}\n"
    )


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--runs", type=int, default=1000, help="small runs for the memory")
    given = parser.parse_args()
    about = conditions()
    with laboratory() as (address, process):
        print(f"laboratory at {address}", file=sys.stderr)
        asyncio.run(crowd(address, 2, 100, 2))  # what these policies need is compiled
        (lone,) = asyncio.run(crowd(address, 1, 2000, 301))
        print(f"alone: {lone}", file=sys.stderr)
        visits = asyncio.run(crowd(address, given.people, 2000, 300))
        print(f"crowd: last run finished after {max(each.finished for each in visits):.1f} s", file=sys.stderr)
        memory = asyncio.run(stream_of_runs(address, process, given.runs, 20))
        time.sleep(2 * INTERVAL_SECONDS)  # the laboratory returns freed memory meanwhile
        idle = resident(process)
    text = report(about, visits, lone, memory, idle)
    (HERE / "laboratory.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
