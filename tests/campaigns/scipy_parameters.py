"""Every family of SciPy with extreme parameters, sent to a laboratory.

A round is an arm: SciPy's own example of a family, with one shape or all of them extreme, or shifted or scaled; arms
come in a random order, and again when there are no more. Each is previewed; if it is valid, its cost is estimated, and
a short run is started. No answer may be an error of the server or take more than 40 s of the processors, in the server
and its processes together, and the server may not take more than 1 GB. Meanwhile another client checks every tenth of a
second that the laboratory responds.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from scipy.stats._distr_params import distcont, distdiscrete
from starlette.testclient import httpx  # the one that belongs to this version of Starlette

from tests.campaigns._server import attacked, processor_seconds, resident_mb
from tests.lab.laboratory import Laboratory

SHORT, LONG = 8, 2204
EXTREMES = (1e-300, 1e-9, 1.01, 1e3, 1e9, 1e300)
MOST_SECONDS, MOST_MEMORY_MB = 40, 1024
OUTCOMES = ("takes longer", "crash", "does not take", "no finite", "too far in the tail")  # parts of refusals


def run(rounds: int, seed: int) -> dict[str, Any]:
    cases = list(arms())
    random.Random(seed).shuffle(cases)
    times, outcomes, memory = list[float](), Counter[str](), list[int]()
    with attacked() as (lab, _), _another_client(lab) as waits:
        for number, arm in enumerate(itertools.islice(itertools.cycle(cases), rounds)):
            where = f"round {number}, {arm}"
            seconds, outcome = _measured(lab, arm, where)
            assert seconds <= MOST_SECONDS, f"{where}: an answer took {seconds:.1f} s"
            times.append(seconds)
            outcomes[outcome] += 1
            memory.append(resident_mb(lab.process.pid))
            assert memory[-1] <= MOST_MEMORY_MB, f"{where}: {memory[-1]} MB"
    return {
        "arms in all": len(cases),
        "longest answer, in processor seconds": round(max(times), 2),
        "median answer, in processor seconds": round(median(times), 2),
        "answers over 5 s": sum(seconds > 5 for seconds in times),
        "outcomes": dict(outcomes.most_common()),
        "most memory of the server, in MB": max(memory),
        "longest wait of another client, in seconds": round(max(waits, default=0.0), 3),
    }


def arms() -> Iterator[dict[str, Any]]:
    """SciPy's own examples of each family; with one shape, or all of them, extreme; shifted and scaled."""
    continuous = {name for name, _ in distcont}
    for name, shapes in dict(distcont + distdiscrete).items():
        if not isinstance(name, str):
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


def _measured(lab: Laboratory, arm: dict[str, Any], where: str) -> tuple[float, str]:
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
        began = processor_seconds(lab.process.pid)
        answer = lab.client.post(address, json=question)
        longest = max(longest, processor_seconds(lab.process.pid) - began)
        assert answer.status_code < 500, f"{where}: {address} answered {answer.status_code}: {answer.text}"
        if errors := answer.json().get("errors"):
            sentence = next(iter(errors.values()))
            return longest, "refused: " + next((part for part in OUTCOMES if part in sentence), "other")
    began = processor_seconds(lab.process.pid)
    lab.client.get(f"/api/runs/{answer.json()['id']}/events")
    state = lab.client.get(f"/api/runs/{answer.json()['id']}").json()["run"]["state"]
    return max(longest, processor_seconds(lab.process.pid) - began), state


@contextmanager
def _another_client(lab: Laboratory) -> Iterator[list[float]]:
    """The seconds that each request of another client takes meanwhile."""
    over, waits = threading.Event(), list[float]()

    def look() -> None:
        with httpx.Client(base_url=lab.address, timeout=120) as visitor:
            while not over.wait(0.1):
                began = time.perf_counter()
                visitor.get("/api/health")
                waits.append(time.perf_counter() - began)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield waits
    finally:
        over.set()
        looking.join()
