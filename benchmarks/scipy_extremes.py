"""Every family of SciPy with extreme parameters, sent to a laboratory: time of each answer, and memory of the server.

    python benchmarks/scipy_extremes.py [--only zipf nct ...] [--every 4]

Each arm is previewed; if it is valid, its cost is estimated and a short run is started. Meanwhile another client checks
every tenth of a second that the laboratory responds. Times are those of the processors, in the server and
in its processes, so that a busy machine makes no difference. Linux only: they are read from /proc.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx2 as httpx
from scipy.stats._distr_params import distcont, distdiscrete

EXTREMES = (1e-300, 1e-9, 1.01, 1e3, 1e9, 1e300)
LONG_SECONDS = 8  # an answer that took longer is printed


def arms(only: list[str]) -> Iterator[dict[str, Any]]:
    """SciPy's own examples of each family; with one shape, or all of them, extreme; shifted and scaled."""
    continuous = {name for name, _ in distcont}
    for name, shapes in dict(distcont + distdiscrete).items():
        if not isinstance(name, str) or (only and name not in only):
            continue
        try:
            usual = [float(shape) for shape in shapes]
        except TypeError:  # an array, which the laboratory does not take
            continue
        varied = [usual, *([x] * len(usual) for x in EXTREMES if usual)]
        for place, x in itertools.product(range(len(usual)), EXTREMES):
            varied.append([*usual[:place], x, *usual[place + 1 :]])
        arm = {"name": "scipy", "distribution": name}
        for some in varied:
            yield arm | {"shapes": some}
        yield arm | {"shapes": usual, "location": 1e9}
        if name in continuous:
            for scale in (1e-9, 1e9, 1e300):
                yield arm | {"shapes": usual, "scale": scale}


def measured(client: httpx.Client, server: int, arm: dict[str, Any]) -> tuple[float, str]:
    """The longest time of one answer, in processor seconds, and the outcome of the arm."""
    question = {
        "arms": [{"name": "a", "distribution": arm}, {"name": "b", "distribution": "constant(value=0.5)"}],
        "value": {"name": "cvar", "alpha": 0.1},
        "policies": ["besa-plus", "epsilon-greedy"],
        "horizon": 200,
        "replications": 10,
    }
    longest = 0.0
    for address in ("/api/appraisal", "/api/cost", "/api/runs"):
        began = processor_seconds(server)
        answer = client.post(address, json=question)
        longest = max(longest, processor_seconds(server) - began)
        if answer.status_code >= 500:
            return longest, f"{address} answered {answer.status_code}: {answer.text}"
        if errors := answer.json().get("errors"):
            return longest, "refused: " + next(iter(errors.values()))
    began = processor_seconds(server)
    client.get(f"/api/runs/{answer.json()['id']}/events")
    run = client.get(f"/api/runs/{answer.json()['id']}").json()["run"]
    return max(longest, processor_seconds(server) - began), run["state"] + ": " + run["sentence"]


def processor_seconds(server: int) -> float:
    """Processor seconds of the server and its processes, including those that have ended."""
    total = 0
    for process in [server, *children(server)]:
        with suppress(OSError), open(f"/proc/{process}/stat") as file:
            used = file.read().rpartition(")")[2].split()[11:15]
            total += sum(map(int, used if process == server else used[:2]))
    return total / os.sysconf("SC_CLK_TCK")


def children(server: int) -> list[int]:
    """The processes that the server has started."""
    found: list[int] = []
    for thread in os.listdir(f"/proc/{server}/task"):
        with suppress(OSError), open(f"/proc/{server}/task/{thread}/children") as file:
            found += map(int, file.read().split())
    return found


def resident(process: int) -> int:
    """Megabytes of memory that a process has."""
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="names of families")
    parser.add_argument("--every", type=int, default=1, help="take every n-th arm")
    given = parser.parse_args()
    cases = list(arms(given.only))[:: given.every]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "primum.cli", "lab", "--port", "0", "--store", folder]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            address = next(line for line in server.stderr if "The laboratory is at " in line)
            address = address.split("The laboratory is at ")[1].split(";")[0]
            threading.Thread(target=server.stderr.read, daemon=True).start()
            try:
                report(address, server.pid, cases)
            finally:
                server.terminate()


def report(address: str, server: int, cases: list[dict[str, Any]]) -> None:
    """Send all, and print what took long, went wrong, or grew."""
    waits: list[float] = []
    over = threading.Event()

    def look() -> None:
        with httpx.Client(base_url=address, timeout=120) as visitor:
            while not over.wait(0.1):
                began = time.perf_counter()
                visitor.get("/api/health")
                waits.append(time.perf_counter() - began)

    looking = threading.Thread(target=look)
    looking.start()
    began, outcomes, memory = time.perf_counter(), [], []
    with httpx.Client(base_url=address, timeout=600) as client:
        for arm in cases:
            outcomes.append(measured(client, server, arm))
            seconds, outcome = outcomes[-1]
            if seconds > LONG_SECONDS or "answered 5" in outcome or outcome.startswith("failed"):
                print(f"{seconds:6.1f} s  {arm}  {outcome}", flush=True)
            if len(outcomes) % 50 == 0:
                memory.append(resident(server))
                print(f"{len(outcomes)} of {len(cases)}, {time.perf_counter() - began:.0f} s", flush=True)
    over.set()
    looking.join()
    times, waits = sorted(seconds for seconds, _ in outcomes), sorted(waits)
    print(f"{len(cases)} arms in {time.perf_counter() - began:.0f} s")
    print(f"an answer took {times[len(times) // 2]:.2f} s (median), {times[-1]:.1f} s (longest)")
    print(
        "over 2 s:",
        sum(t > 2 for t in times),
        "over 5 s:",
        sum(t > 5 for t in times),
        "over 10 s:",
        sum(t > 10 for t in times),
    )
    for what in ("finished", "failed", "refused", "takes longer", "crash", "does not take", "no finite", "answered 5"):
        print(f"  {what}: {sum(what in outcome for _, outcome in outcomes)}")
    print(f"memory of the server after each fifty arms, in MB: {memory}")
    print(f"others waited {waits[len(waits) // 2]:.3f} s (median), {waits[-1]:.3f} s (longest)")


if __name__ == "__main__":
    main()
