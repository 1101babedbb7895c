"""The functions that native code of a plug-in calls, and why some are refused."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from primum.errors import CompilationError
from primum.kernels import contract, records, weighting
from primum.kernels.contract import CROSSINGS, WRITABLE
from primum.store import fingerprints
from primum.store.modules import is_installed
from primum.text import listed

OURS = {"records": records, "weighting": weighting}  # owners of crossings that are neither value nor policy


@functools.lru_cache(1024)
def called_by(plugin: Any, crossings: tuple[str, ...], kernels: int) -> set[Any]:
    """All functions that a class calls in native code; a CompilationError if one that is not ours is refused.

    What it calls may change when there are more kernels.
    """
    called: set[Any] = set()
    for name in crossings:
        _gather(getattr(plugin, name), called)
        for function in called:
            if not is_ours(function) and (reason := _refused(function, plugin)):
                raise CompilationError(explain(name, plugin.name, reason))
    return called


def _refused(function: Any, plugin: Any) -> str:
    """Why a plug-in may not call a function that is not ours; empty if it may."""
    name = function.__name__
    if "random" in function.__code__.co_names:
        return "it uses `random`; draw from history.stream (primum.kernels), so that runs can be repeated"
    checked = not hasattr(function, "py_func") or function.targetoptions.get("boundscheck")
    if checked or (is_installed(function.__code__.co_filename) and _package(function) != _package(plugin)):
        return ""
    return (
        f"it calls {name}, whose indices are not checked; mark {name} with @kernel (primum.kernels) instead of "
        "numba.njit, or compile it with numba.njit(boundscheck=True)"
    )


def _package(thing: Any) -> str:
    package: str = thing.__module__.partition(".")[0]
    return package


def _gather(function: Any, called: set[Any]) -> None:
    """All kernels, and functions that a user compiled, that a function calls, directly or through others."""
    plain = getattr(function, "py_func", function)
    code = getattr(plain, "__code__", None)
    if code is None or function in called:
        return
    called.add(function)
    captured = dict(zip(code.co_freevars, (cell.cell_contents for cell in plain.__closure__ or ()), strict=True))
    crossings = [getattr(OURS[rule.owner], name) for name, rule in CROSSINGS.items() if rule.owner in OURS]
    known = {kernel.__name__: kernel for kernel in (*contract.KERNELS, *contract.LARGE_KERNELS, *crossings)}
    scopes = [plain.__globals__, captured, known]  # as a global, from a scope around, or as an attribute of a module
    names = (*code.co_names, *code.co_freevars)
    scopes += [vars(used) for name in names for used in [plain.__globals__.get(name)] if isinstance(used, ModuleType)]
    for used in (scope.get(name) for name in names for scope in scopes):
        if callable(used) and (used in known.values() or hasattr(used, "py_func")):
            _gather(used, called)


def is_ours(function: Callable[..., Any]) -> bool:
    """Only our own functions are known by their files: a user's may change without its file changing."""
    return _is_in_package(function.__code__.co_filename)


@functools.cache
def _is_in_package(file: str) -> bool:
    return Path(file).resolve().is_relative_to(fingerprints.PACKAGE)


def explain(crossing: str, owner: str, message: str) -> str:
    """One sentence on why a plug-in's function does not compile."""
    message = re.sub(r"\x1b\[[0-9;]*m", "", message)  # where colorama is installed, Numba writes in bold
    if "readonly array" in message or "immutable" in message or "read-only" in message.lower():
        if CROSSINGS[crossing].owner == "policy":
            return f"{owner}.{crossing} writes to the history; it may write to {listed(WRITABLE)} only"
        return f"{owner}.{crossing} writes to its sample; work on a copy: np.sort(sample), sample.copy()"
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    reason = next((line for line in lines if not line.startswith(("Failed in", "During", "- "))), "unknown reason")
    where = next((line for line in lines if line.startswith("File ")), "").removesuffix(":")
    return f"{owner}.{crossing} cannot be compiled: {reason}" + (f" ({where})" if where else "")
