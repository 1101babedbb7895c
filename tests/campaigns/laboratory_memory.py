"""Many different runs in one laboratory: its memory stays flat.

A round is a draft that is previewed and run, with arms that no other draft has, and a figure and a summary of its
results. Memory is that of the process after it returned freed memory to the system. Caches fill at first; then the mean
over the last quarter of the rounds may be at most 5 % above that over the second quarter. In a short campaign, in which
caches are still filling, the process may grow by at most 256 MB after its first runs.
"""

from __future__ import annotations

import random
import time
from statistics import fmean
from typing import Any

from tests.campaigns._server import TRIM_SECONDS, attacked, resident_mb

SHORT, LONG = 8, 1500
CACHES_FULL = 300  # rounds, more than there are ended runs in the cache
MOST_GROWTH = 0.05  # from the second to the last quarter
MOST_GROWTH_OF_CACHES_MB = 256
MOST_MEASUREMENTS = 32


def run(rounds: int, seed: int) -> dict[str, Any]:
    rng, memory = random.Random(seed), list[int]()
    with attacked() as (lab, _):
        measurements = min(MOST_MEASUREMENTS, rounds // 2)
        marks = {round(rounds * part / measurements) for part in range(measurements + 1)}
        for number in range(rounds + 1):
            if number in marks:
                time.sleep(3 * TRIM_SECONDS)
                memory.append(resident_mb(lab.process.pid))
            asked = _question(rng, number)
            assert not lab.client.post("/api/appraisal", json=asked).raise_for_status().json()["errors"], number
            id = lab.finish(asked)
            for file in ("figures/regret.json", "figures/arms.json", "summary.json"):
                assert lab.client.get(f"/api/runs/{id}/{file}").status_code == 200, (number, file)
    quarter = len(memory) // 4
    before, after = fmean(memory[quarter : 2 * quarter]), fmean(memory[-quarter:])
    told = f"from {before:.0f} to {after:.0f} MB; all measurements: {memory}"
    if rounds >= CACHES_FULL:
        assert after <= (1 + MOST_GROWTH) * before, told
    else:
        assert memory[-1] - memory[1] <= MOST_GROWTH_OF_CACHES_MB, told
    return {
        "memory at the start, after a quarter, a half, three quarters and all rounds, in MB": [
            memory[len(memory) * part // 4 - (part == 4)] for part in range(5)
        ],
        "mean of the second quarter, in MB": round(before),
        "mean of the last quarter, in MB": round(after),
        "most memory, in MB": max(memory),
    }


def _question(rng: random.Random, number: int) -> dict[str, Any]:
    def beta() -> str:
        return f"beta(a={rng.uniform(0.5, 9)!r}, b={rng.uniform(0.5, 9)!r})"

    kinds = [
        *[beta] * 8,
        lambda: {"name": "mixture", "components": [beta(), beta()]},
        lambda: {"name": "empirical", "data": [rng.random() for _ in range(500)]},
        lambda: f"scipy(distribution=triang, shapes=[{rng.random()!r}])",
    ]
    return {
        "arms": [{"name": f"{number} {i}", "distribution": rng.choice(kinds)()} for i in range(10)],
        "value": rng.choice(["mean", "cvar", f"mean-variance(rho={rng.random()!r})"]),
        "policies": ["ucb1"],
        "horizon": 20,
        "replications": 2,
        "seed": number,
    }
