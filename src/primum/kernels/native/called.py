"""The functions that native code of a plug-in calls, and why some are refused.

They are found as Numba finds them: a name is whatever object it stands for where the function was defined.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from primum.errors import CompilationError
from primum.kernels import contract, records, weighting
from primum.kernels.contract import CROSSINGS, WRITABLE
from primum.store import fingerprints
from primum.store.modules import is_installed, is_standard
from primum.store.objects import LOADS_OF_GLOBALS
from primum.text import listed

OURS = {"records": records, "weighting": weighting}  # owners of crossings that are neither value nor policy
LOADS_OF_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
WITHOUT_EFFECT = ("CACHE", "EXTENDED_ARG", "NOP")  # instructions
RANDOM = ("random", "numpy.random")  # modules


@functools.lru_cache(1024)
def called_by(plugin: Any, crossings: tuple[str, ...], kernels: int) -> set[Any]:
    """All functions that a class calls in native code; a CompilationError if one that is not ours is refused.

    What it calls may change when there are more kernels.
    """
    called: set[Any] = set()
    for name in crossings:
        if reason := _gather(getattr(plugin, name), plugin, called):
            raise CompilationError(explain(name, plugin.name, reason))
    return called


def _gather(function: Any, plugin: Any, called: set[Any]) -> str:
    """Add a function and all that it calls, directly or through others; why one is refused, empty if none is."""
    kernels = {function, *contract.KERNELS, *contract.LARGE_KERNELS}
    waiting = [function]
    while waiting:
        used = waiting.pop()
        if isinstance(used, tuple):
            waiting += used
            continue
        plain = inspect.unwrap(used) if callable(used) else None  # Numba wraps what it compiles
        if not isinstance(plain, FunctionType) or used in called:
            continue
        compiled = used in kernels or hasattr(used, "py_func")
        if not is_ours(plain) and not compiled and _is_of_a_library(plain, plugin):
            continue  # such as one of NumPy's, for which Numba has code of its own
        called.add(used)
        referred = list(_referred_to(plain))
        if not is_ours(plain) and (reason := _refused(used, plain, referred, kernels, plugin)):
            return reason
        waiting += referred
    return ""


def _refused(used: Any, plain: Any, referred: list[Any], kernels: set[Any], plugin: Any) -> str:
    """Why a plug-in may not call a function that is not ours; empty if it may."""
    if any(map(_is_random, referred)):
        return "it uses `random`; draw from history.stream (primum.kernels), so that runs can be repeated"
    checked = used in kernels or getattr(used, "targetoptions", {}).get("boundscheck")
    if checked or _is_of_a_library(plain, plugin):
        return ""
    name = plain.__name__
    return (
        f"it calls {name}, whose indices are not checked; mark {name} with @kernel (primum.kernels), "
        "or compile it with numba.njit(boundscheck=True)"
    )


def _is_of_a_library(plain: Any, plugin: Any) -> bool:
    """Whether a function is of an installed package that is not the plug-in's, or of the standard library."""
    file = plain.__code__.co_filename
    return is_standard(file) or (is_installed(file) and _package(plain) != _package(plugin))


def _package(thing: Any) -> str:
    package: str = thing.__module__.partition(".")[0]
    return package


def _is_random(thing: Any) -> bool:
    """Whether a thing is, or belongs to, a module or a generator of random numbers that are not of the stream."""
    owner = getattr(thing, "__self__", thing)  # numpy.random.normal is a method of a generator
    kind = owner.__name__ if isinstance(owner, ModuleType) else type(owner).__module__
    names = kind, getattr(thing, "__module__", "")
    return any(f"{name}.".startswith(f"{module}.") for name in names for module in RANDOM)


def _referred_to(function: FunctionType) -> Iterator[Any]:
    """What a function refers to: defaults, globals, variables of the scopes around it, and attributes of modules."""
    yield from function.__defaults__ or ()
    captured = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # it is not set yet
            captured[name] = cell.cell_contents
    for code in _with_inner(function.__code__):
        loaded: Any = None
        for instruction in dis.get_instructions(code):
            kind, name = instruction.opname, instruction.argval
            if kind in WITHOUT_EFFECT:
                continue
            module, loaded = loaded, None
            if kind in LOADS_OF_GLOBALS:
                loaded = function.__globals__.get(name)
            elif kind == "LOAD_DEREF":
                loaded = captured.get(name)
            elif isinstance(module, ModuleType):
                if kind in LOADS_OF_ATTRIBUTES:
                    loaded = getattr(module, name, None)
                else:  # it gets another name, under which any of its attributes may be used
                    yield from _attributes(module, code)
            yield loaded


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_inner(constant)


def _attributes(module: ModuleType, code: CodeType) -> Iterator[Any]:
    """The attributes of a module that have a name in the code, and theirs."""
    names = (*code.co_names, *(text for text in code.co_consts if isinstance(text, str)))
    for found in (getattr(module, name) for name in names if hasattr(module, name)):
        yield found
        if isinstance(found, ModuleType):
            yield from _attributes(found, code)


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
