"""Damages saved results (bytes changed, cut out, put in, files truncated or spliced) and loads them in other processes.

Each is loaded as equal results or refused in a sentence; a process that hangs or crashes is an error. One file in ten
is not damaged but written by another program, with odd numbers and the right checksum: it is refused, or its results
have a summary.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from primum import PrimumError, Problem, Results
from primum.policies import BesaPlus, Ucb1
from primum.results.formats.netcdf import pack

SHORT, LONG = 2_000, 100_000
ROUNDS_PER_PROCESS = 2_000
LONGEST_SECONDS = 120  # of a process: it needs a few
LONGEST_SENTENCE = 500  # characters
ODD = (None, True, -5, -1, 0, 1, 2, 2.5, float("nan"), 10**30, 2**31, 2**31 - 1, 2**64, "", "x", [], {}, "x" * 10_000)


def run(rounds: int, seed: int) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    for first in range(0, rounds, ROUNDS_PER_PROCESS):
        last = min(first + ROUNDS_PER_PROCESS, rounds)
        command = [sys.executable, "-m", __name__, str(seed), str(first), str(last)]
        where = f"rounds {first} to {last - 1}"
        try:
            done = subprocess.run(
                command,
                cwd=Path(__file__).parents[2],
                timeout=LONGEST_SECONDS,
                capture_output=True,
                text=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{where}: no answer after {LONGEST_SECONDS} s") from None
        assert done.returncode == 0, f"{where}: ended with {done.returncode}: {done.stderr[-500:]}"
        assert not done.stderr, f"{where}: {done.stderr[-500:]}"
        counts.update(json.loads(done.stdout))
    return dict(sorted(counts.items()))


def attack(seed: int, first: int, last: int) -> Counter[str]:
    """Some rounds, in this process."""
    all_results = [_results(*size) for size in ((1, 1, 1, 1), (2, 3, 2, 2), (2, 50, 40, 3))]
    files = [results.to_bytes() for results in all_results]
    counts: Counter[str] = Counter()
    for number in range(first, last):
        chance = random.Random(f"{seed} {number}")
        place = chance.randrange(len(files))
        is_damaged = number % 10 > 0
        content = _damaged(files, place, chance) if is_damaged else _rewritten(all_results[place], chance)
        what = "damaged files" if is_damaged else "rewritten files"
        refusal = ""
        try:
            loaded = Results.from_bytes(content)
        except PrimumError as error:
            refusal = str(error)
        if refusal:
            assert len(refusal) <= LONGEST_SENTENCE, f"round {number}: an error of {len(refusal)} characters"
            counts[f"{what} refused"] += 1
            continue
        assert loaded in all_results if is_damaged else len(loaded.summary()), f"round {number}: other numbers"
        counts[f"{what} loaded"] += 1
    return counts


def _results(policies: int, replications: int, steps: int, arms: int) -> Results:
    chance = np.random.default_rng(policies * replications * steps * arms)
    choices = chance.integers(0, arms, (policies, replications, steps))
    return Results(
        Problem({f"arm {i}": f"constant(value={0.1 * i})" for i in range(arms)}, "mean"),
        [BesaPlus(), Ucb1()][:policies],
        steps,
        7,
        np.arange(steps) + 1,
        np.arange(replications),
        (choices[..., None] == np.arange(arms)).cumsum(axis=2),
    )


def _damaged(files: list[bytes], place: int, chance: random.Random) -> bytes:
    content = bytearray(files[place])
    for _ in range(chance.choice((1, 1, 2, 8))):
        at, length = chance.randrange(len(content) + 1), chance.choice((1, 4, 32, 512))
        match chance.randrange(8):
            case 0 | 1 | 2:
                content[at : at + 1] = chance.randbytes(1)
            case 3:
                content[at : at + length] = bytes(len(content[at : at + length]))
            case 4:
                del content[at : at + length]
            case 5:
                content[at:at] = chance.randbytes(length)
            case 6:
                del content[at:]
            case 7:
                content[at:] = chance.choice(files)[at:]
    return bytes(content)


def _rewritten(results: Results, chance: random.Random) -> bytes:
    about = json.loads(json.dumps({"spec": results.spec(), "versions": results.versions}))
    pulls = results.pulls.copy(deep=True)
    match chance.randrange(3):
        case 0:
            inside = chance.choice((about, about["spec"], about["spec"]["problem"], about["spec"]["policies"][0]))
            inside[chance.choice([*inside, "x"])] = chance.choice(ODD)
        case 1:
            axis = chance.choice(("step", "replication"))
            numbers = pulls[axis].values.copy()
            numbers[chance.randrange(len(numbers))] += chance.choice((-2, -1, 0, 1, 2, 2**31, -(2**62)))
            pulls = pulls.assign_coords({axis: numbers})
        case 2:
            index = tuple(chance.randrange(size) for size in pulls.shape)
            pulls.values[index] += chance.choice((-1, 0, 1, 1000, -(2**31)))
    return pack(pulls, about)


if __name__ == "__main__":
    print(json.dumps(attack(*map(int, sys.argv[1:]))))
