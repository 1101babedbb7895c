"""Parts of simulations as bytes, for other processes and for the store: what to play goes out, pulls come back."""

from __future__ import annotations

import functools
import importlib
import json
import os
import pickle
import platform
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import PrimumError
from primum.kernels.contract import KERNELS, LARGE_KERNELS
from primum.plugins import registry
from primum.plugins.registry import Plugin, classes
from primum.policies import Policy
from primum.policies.policy import from_specs
from primum.problem import Problem
from primum.store import fingerprints, modules

COMPRESSION = 1  # level of zlib: higher ones take longer than the simulation of a fast policy


@dataclass(frozen=True)
class Part:
    """Some replications of some policies on a problem."""

    problem: Problem
    policies: Sequence[Policy]
    horizon: int
    seed: int
    steps: NDArray[np.int64]
    replications: range

    @property
    def size(self) -> int:
        """Steps to play, over all policies and replications."""
        return len(self.policies) * len(self.replications) * self.horizon

    def spec(self) -> dict[str, Any]:
        """Plain data from which `from_spec` makes an equal part."""
        return {
            "arms": [[name, arm.spec()] for name, arm in self.problem.arms.items()],
            "value": self.problem.value.spec(),
            "policies": [policy.spec() for policy in self.policies],
            "names": [policy.given_name for policy in self.policies],
            "horizon": self.horizon,
            "seed": self.seed,
            "steps": self.steps.tolist(),
            "replications": [self.replications.start, self.replications.stop],
        }

    @property
    def plugins(self) -> list[Plugin]:
        """The plug-ins that take part."""
        return [*self.problem.arms.values(), self.problem.value, *self.policies]

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Part:
        """The part that a spec describes."""
        return cls(
            Problem(dict(spec["arms"]), spec["value"]),
            from_specs(spec["policies"], spec["names"]),
            spec["horizon"],
            spec["seed"],
            np.array(spec["steps"], np.int64),
            range(*spec["replications"]),
        )


@dataclass(frozen=True)
class Message:
    """Parts for another process, as plain data, with the versions they need and the plug-ins that are not ours."""

    environment: dict[str, str]
    plugins: bytes
    parts: str
    threads: int

    @classmethod
    def of(cls, parts: Sequence[Any], threads: int) -> Message:
        """The message that asks for these parts, each with a `spec()` and its `plugins`."""
        used = classes(plugin for part in parts for plugin in part.plugins)
        foreign = {one for one in used if not fingerprints.is_ours(one)}
        return cls(
            environment(), packed_classes(frozenset(foreign)), json.dumps([part.spec() for part in parts]), threads
        )

    def read(self) -> list[Any]:
        """The specs of parts, in the other process.

        A PrimumError says that it has other versions, or cannot import a plug-in.
        """
        for name, wanted in self.environment.items():
            if (here := environment()[name]) != wanted:
                raise PrimumError(
                    f"the worker {_whereabouts()} has {name} {here}, and this run needs {wanted}, as where it was "
                    "started: install the same versions on all machines"
                )
        _receive(self.plugins)
        specs: list[Any] = json.loads(self.parts)
        return specs


def _whereabouts() -> str:
    return f"on {platform.node()} (process {os.getpid()})"


@functools.cache
def environment() -> dict[str, str]:
    """The versions that results depend on, Primum's own sources among them."""
    return fingerprints.versions() | {"Primum's sources": fingerprints.results((), fingerprints.TRIAL_PATHS)[:12]}


@functools.lru_cache(64)
def packed_classes(foreign: frozenset[type[Plugin]]) -> bytes:
    """Classes that are not ours, with their kernels, for a process that may not have their source.

    A class of an installed package goes by its name, and any other, of a script, a notebook or a module beside it, as
    code.
    """
    if not foreign:
        return b""
    import cloudpickle

    ordered = sorted(foreign, key=lambda cls: (cls.__module__, cls.__qualname__))
    local = {name for cls in ordered for name in modules.local_modules(cls.__module__)}
    imports = sorted({cls.__module__ for cls in ordered} - local - {"__main__"})
    kernels = [
        (function.__module__, function, large)
        for functions, large in ((KERNELS, False), (LARGE_KERNELS, True))
        for function in functions
        if function.__module__ in local | {"__main__"}
    ]
    before = cloudpickle.list_registry_pickle_by_value()
    try:
        for name in local - before:
            cloudpickle.register_pickle_by_value(modules.loaded(name))
        return pickle.dumps((imports, bytes(cloudpickle.dumps((ordered, kernels)))))
    except Exception as error:  # pickling runs the code of objects
        names = ", ".join(cls.__qualname__ for cls in ordered)
        raise PrimumError(
            f"{names} cannot be sent to another process: {type(error).__name__}: {error}; "
            "put it into a package that is installed on all machines"
        ) from None
    finally:
        for name in local - before:
            cloudpickle.unregister_pickle_by_value(modules.loaded(name))


@functools.lru_cache(256)
def _receive(packed: bytes) -> None:
    """Make classes from another process known here, once, so that they are compiled once."""
    if not packed:
        return
    imports, code = pickle.loads(packed)
    try:
        for name in imports:
            importlib.import_module(name)
        with registry.receiving():
            found, kernels = pickle.loads(code)
    except ImportError as error:
        raise PrimumError(
            f"the worker {_whereabouts()} cannot import a plug-in: {error}; install its package there"
        ) from None
    for _, function, large in kernels:
        known = LARGE_KERNELS if large else KERNELS
        if function not in known:
            known.append(function)
    for cls in found:
        registry.register(cls)


def pack_pulls(pulls: NDArray[np.int32]) -> bytes:
    """Pulls of one policy, replication x step x arm: the differences from step to step, compressed."""
    differences = np.diff(pulls, axis=1, prepend=np.int32(0))
    grouped = differences.view(np.uint8).reshape(-1, 4).T  # the upper bytes are nearly all 0
    return np.array(pulls.shape, "<i8").tobytes() + zlib.compress(grouped.tobytes(), COMPRESSION)


def unpack_pulls(content: bytes) -> NDArray[np.int32] | None:
    """The pulls that `pack_pulls` packed; None if it did not pack them."""
    try:
        shape = np.frombuffer(content, "<i8", 3)
        grouped = np.frombuffer(zlib.decompress(content[shape.nbytes :]), np.uint8).reshape(4, -1)
        return np.cumsum(np.ascontiguousarray(grouped.T).view(np.int32).reshape(shape), axis=1, dtype=np.int32)
    except (ValueError, zlib.error):
        return None
