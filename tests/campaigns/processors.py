"""Plays policies under values in processes that take this processor for an older one, and compares every decision.

A round is a pair of policy and value: live decisions on given rewards, with all scores on the way, and a simulation on
arms of every built-in kind whose rewards are the same on every processor. Numba compiles for the other processor, and
NumPy, OpenBLAS and the C library leave out what it does not have. Every number must be the same to the last bit.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite.binding import get_host_cpu_features
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from primum import Player, Problem, rewards, simulate
from tests.problems import POLICIES, VALUES, Grid, suited

SHORT, LONG = 1, len(POLICIES) * len(VALUES)
DECISIONS, HORIZON, REPLICATIONS = 1_500, 500, 2
LONGEST_SECONDS = 3_600  # of a process: it compiles everything
PAIRS = [(i, j) for i in range(len(POLICIES)) for j in range(len(VALUES))]


def _without(*prefixes: str) -> str:
    """The features that NumPy is to leave out, of those that it would use here."""
    return " ".join(name for name in __cpu_dispatch__ if name.startswith(prefixes) and __cpu_features__.get(name))


# name -> the features that it needs, and its environment
KINDS: dict[str, tuple[str, dict[str, str]]] = {
    "x86-64 without AVX and FMA": (
        "",
        {
            "NUMBA_CPU_NAME": "generic",
            "NUMBA_CPU_FEATURES": "",
            "NPY_DISABLE_CPU_FEATURES": _without(""),
            "OPENBLAS_CORETYPE": "Nehalem",
            "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F",
        },
    ),
    "AVX2 and FMA": (
        "avx2 fma",
        {
            "NUMBA_CPU_NAME": "haswell",
            "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma",
            "NPY_DISABLE_CPU_FEATURES": _without("X86_V4", "AVX512"),
            "OPENBLAS_CORETYPE": "Haswell",
            "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F",
        },
    ),
    "AVX-512": (
        "avx512f avx512dq avx512vl",
        {"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma,+avx512f,+avx512dq,+avx512vl"},
    ),
}
ARMS = {
    "uniform": rewards.Uniform(0.2, 0.7),
    "bernoulli": rewards.Bernoulli(0.5),
    "grid": Grid(3),
    "discrete": rewards.Discrete([0.0, 0.3, 1.0], [0.3, 0.3, 0.4]),
    "normal": rewards.Normal(0.5, 0.2),
    "truncated": rewards.TruncatedNormal(0.5, 0.2),
    "flat": rewards.TruncatedNormal(0.4, 3.0),
    "mixture": rewards.TruncatedNormalMixture([0.3, 0.7], [0.1, 0.05], [0.4, 0.6]),
    "mixed": rewards.Mixture([rewards.Constant(0.3), rewards.TruncatedNormal(0.8, 0.1)], [0.4, 0.6]),
    "scaled": rewards.Scaled(rewards.Clipped(rewards.TruncatedNormal(0.1, 2.0, -1.0, 3.0), 0.0, 2.0), 0.0, 1.0),
}


def run(rounds: int, seed: int) -> dict[str, Any]:
    pairs = random.Random(seed).sample(PAIRS, min(rounds, len(PAIRS)))
    kinds = [name for name, (needed, _) in KINDS.items() if all(map(get_host_cpu_features().get, needed.split()))]
    kinds = kinds if rounds > SHORT else kinds[:1]
    live = compare(pairs, kinds)
    return {"live decisions": live * DECISIONS, "simulations": len(pairs), "kinds of processors": ", ".join(kinds)}


def compare(pairs: Sequence[tuple[int, int]], kinds: Sequence[str]) -> int:
    """Assert that other kinds of processors give the same numbers as this process; the number of pairs played live."""
    here = [numbers(*pair) for pair in pairs]
    for kind in kinds:
        done = subprocess.run(
            [sys.executable, "-m", __name__, json.dumps(pairs)],
            cwd=Path(__file__).parents[2],
            env={**os.environ, **KINDS[kind][1]},
            timeout=LONGEST_SECONDS,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{kind}: {done.stderr[-1000:]}"
        for (i, j), ours, theirs in zip(pairs, here, json.loads(done.stdout), strict=True):
            assert theirs == ours, f"{kind}: {POLICIES[i]} under {VALUES[j]}: {theirs} instead of {ours}"
    return sum("decisions" in found for found in here)


def numbers(i: int, j: int) -> dict[str, str]:
    """Hashes of all decisions and scores of a pair."""
    value, policy = VALUES[j], suited(POLICIES[i], VALUES[j])
    options = {"horizon": HORIZON, "replications": REPLICATIONS, "seed": 5, "threads": 1, "progress": False}
    least, most = policy.reward_bounds
    arms = {name: arm for name, arm in ARMS.items() if least <= arm.support[0] and arm.support[1] <= most}
    simulated = simulate(Problem(arms, value), [policy], steps="all", **options)
    found = {"simulated": _hash(simulated.pulls.values)}
    if policy.needs_truth:
        return found
    player = Player(policy, value, ["a", "b", "c", "d"], seed=7, horizon=DECISIONS)
    bits = np.random.default_rng(9).random((DECISIONS, 4))
    outcomes = np.stack([0.2 + 0.5 * bits[:, 0], bits[:, 1], bits[:, 2] < 0.5, np.floor(4 * bits[:, 3]) / 3], axis=1)
    scores = []
    for row in outcomes.tolist():
        arm = player.ask()
        scores.append(player._histories.arrays["scores"].tobytes())
        player.tell(arm, row["abcd".index(arm)])
    return found | {"decisions": _hash(json.dumps(player.log).encode()), "scores": _hash(b"".join(scores))}


def _hash(content: Any) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


if __name__ == "__main__":
    print(json.dumps([numbers(*pair) for pair in json.loads(sys.argv[1])]))
