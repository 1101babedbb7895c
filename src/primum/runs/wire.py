"""What goes to other processes: parts as plain data, with the plug-ins and the versions that they need."""

from __future__ import annotations

import functools
import importlib
import json
import os
import pickle
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from primum.errors import PrimumError
from primum.kernels.contract import KERNELS, LARGE_KERNELS
from primum.plugins import registry
from primum.plugins.registry import Plugin, classes
from primum.store import fingerprints, modules


@dataclass(frozen=True)
class Message:
    """Parts for another process, as plain data, with the versions they need and the plug-ins that are not ours."""

    environment: dict[str, str]
    plugins: bytes
    kind: type[Any]  # of the parts
    parts: str
    threads: int

    @classmethod
    def of(cls, parts: Sequence[Any], threads: int) -> Message:
        """The message that asks for these parts of one kind."""
        used = classes(plugin for part in parts for plugin in part.plugins)
        foreign = {one for one in used if not fingerprints.is_ours(one)}
        specs = json.dumps([part.spec() for part in parts])
        return cls(environment(), packed_classes(frozenset(foreign)), type(parts[0]), specs, threads)

    def read(self) -> list[Any]:
        """The parts, in the other process.

        A PrimumError says that it has other versions, or cannot import a plug-in.
        """
        for name, wanted in self.environment.items():
            if (here := environment()[name]) != wanted:
                raise PrimumError(
                    f"the worker {_whereabouts()} has {name} {here}, and this run needs {wanted}, as where it was "
                    "started: install the same versions on all machines"
                )
        _receive(self.plugins)
        return [self.kind.from_spec(spec) for spec in json.loads(self.parts)]


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
