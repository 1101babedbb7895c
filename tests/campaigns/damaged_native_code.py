"""Damages files of native code, and simulates.

Each round damages some files of a full cache: it flips bytes, cuts, empties, overwrites, exchanges, copies over
another, deletes, or puts a folder or a link in place of a file. A process that then simulates must end without an
error, with the pulls of the undamaged cache, and compile exactly what was damaged; the next one must load everything
from disk again.
"""

from __future__ import annotations

import collections
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

SHORT, LONG = 9, 300
VALUES = ("mean", "cvar")
POLICIES = ("uniform-random", "ucb1", "epsilon-greedy")
LIMIT = 120  # seconds for one simulation, compiling included


def run(rounds: int, seed: int) -> dict[str, Any]:
    """In a process of its own, with a cache of its own, which imports all that is needed and loads no native code."""
    with tempfile.TemporaryDirectory() as cache:
        program = f"from tests.campaigns import damaged_native_code as it; it.attack({rounds}, {seed})"
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | {"PRIMUM_CACHE": cache},
        )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def attack(rounds: int, seed: int) -> None:
    import xarray

    from primum.kernels.native import compiling, native_cache

    xarray.DataArray([1.0])  # the first array and the first function take longest; this one is not kept on disk
    compiling.compiled(lambda x: x + 1.0)(1.0)
    folder, chance, kinds = native_cache.folder(), random.Random(seed), collections.Counter[str]()
    damaged = recompiled = logged = 0
    expected = _in_child()["pulls"]
    assert _in_child() == {"pulls": expected, "compiled": 0, "logged": 0}, "the cache is not used"
    for number in range(rounds):
        good = {file: file.read_bytes() for file in sorted(folder.iterdir())}
        done = [list(DAMAGE)[number % len(DAMAGE)], *chance.choices(list(DAMAGE), k=chance.choice((0, 0, 1, 2)))]
        for kind in done:
            file, other = chance.sample(list(good), 2)
            DAMAGE[kind](file, other, chance)
        changed = sum(file.is_symlink() or _content(file) != content for file, content in good.items())
        about = f"round {number} of seed {seed}: {', '.join(done)}"
        try:
            found, repaired = _in_child(), _in_child()
        except RuntimeError as error:
            raise AssertionError(f"{about}: {error}") from None
        assert found["pulls"] == expected, f"{about}: wrong numbers"
        assert found["compiled"] == changed, f"{about}: {changed} files damaged, {found['compiled']} compiled again"
        assert repaired == {"pulls": expected, "compiled": 0, "logged": 0}, f"{about}: not repaired: {repaired}"
        assert {file for file in folder.iterdir() if file.is_file()} == set(good), f"{about}: other files"
        kinds.update(done)
        damaged, recompiled, logged = damaged + changed, recompiled + found["compiled"], logged + found["logged"]
    figures = {
        "files of native code": len(good),
        "files damaged": damaged,
        "simulations": 2 * rounds,
        "functions compiled again": recompiled,
        "log lines": logged,
        "failures": 0,
        "wrong numbers": 0,
    }
    print(json.dumps(figures | {f"of these by {kind}": kinds[kind] for kind in DAMAGE}))


def _in_child() -> dict[str, Any]:
    """What a forked process finds; a RuntimeError if it does not end well."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT)
        try:
            os.close(reading)
            os.write(writing, json.dumps(_simulate()).encode())
            os._exit(0)
        except Exception as error:
            os.write(writing, f"{type(error).__name__}: {error}".encode()[:4000])
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        raise RuntimeError(f"exit code {status}: {answer}")
    return json.loads(answer)  # type: ignore[no-any-return]


def _simulate() -> dict[str, Any]:
    import primum
    from primum.kernels.native.native_cache import NativeCache

    compiled: list[str] = []
    logged: list[Any] = []
    save, handler = NativeCache.save_overload, logging.Handler()

    def counted(self: Any, sig: Any, cres: Any) -> None:
        compiled.append(self.name)
        save(self, sig, cres)

    NativeCache.save_overload, handler.emit = counted, logged.append  # type: ignore[method-assign]
    logging.getLogger("primum").addHandler(handler)
    pulls = []
    for value in VALUES:
        problem = primum.Problem({"a": "uniform", "b": "bernoulli(probability=0.5)", "c": "constant(value=0.4)"}, value)
        results = primum.simulate(problem, POLICIES, horizon=200, replications=5, seed=1, threads=2, progress=False)
        pulls.append(results.pulls.values.sum(axis=(1, 2)).tolist() + results.pulls.values[:, :, -1].tolist())
    return {"pulls": pulls, "compiled": len(compiled), "logged": len(logged)}


def _clear(file: Path) -> None:
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file)
    else:
        file.unlink(missing_ok=True)


def _content(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def _write(file: Path, content: bytes) -> None:
    _clear(file)
    file.write_bytes(content)


def _flip(file: Path, other: Path, chance: random.Random) -> None:
    content = bytearray(_content(file))
    for _ in range(chance.randint(1, 8)):
        if content:
            content[chance.randrange(len(content))] ^= chance.randint(1, 255)
    _write(file, bytes(content))


def _cut(file: Path, other: Path, chance: random.Random) -> None:
    content = _content(file)
    _write(file, content[: chance.randrange(len(content) + 1)])


def _overwrite(file: Path, other: Path, chance: random.Random) -> None:
    content = _content(file)
    start = chance.randrange(len(content) + 1)
    block = chance.choice((bytes(4096), chance.randbytes(4096)))
    _write(file, content[:start] + block + content[start + 4096 :])


def _exchange(file: Path, other: Path, chance: random.Random) -> None:
    first, second = _content(file), _content(other)
    _write(file, second)
    _write(other, first)


def _make_folder(file: Path, other: Path, chance: random.Random) -> None:
    _clear(file)
    file.mkdir()
    (file / "inner").touch()


def _link(file: Path, other: Path, chance: random.Random) -> None:
    _clear(file)
    file.symlink_to(chance.choice((file, other, file.parent)))


DAMAGE: dict[str, Callable[[Path, Path, random.Random], None]] = {
    "flipped bytes": _flip,
    "cutting": _cut,
    "emptying": lambda file, other, chance: _write(file, b""),
    "overwriting a block": _overwrite,
    "exchanging two": _exchange,
    "copying over another": lambda file, other, chance: _write(file, _content(other)),
    "deleting": lambda file, other, chance: _clear(file),
    "a folder in its place": _make_folder,
    "a link in its place": _link,
}
